"""`summary`: only subject, verb and object are left."""

from __future__ import annotations

import random
from itertools import groupby
from typing import Any

from harness.protocols import Change, Edit
from languages.english.augmentation import Augmentation, capital, cut_off, finish, plain
from languages.english.grammar import labels
from languages.english.grammar.changes import delete, replace
from languages.english.grammar.clauses import Clause
from languages.english.grammar.sentences import main_clause

#: what a noun does not stand without
_CORE = {"det", "poss", "nmod:poss", "compound", "flat", "flat:name", "nummod", "case", "predet", "det:predet", "goeswith",
         "fixed", "nn", "neg", "compound:prt", "prt"}  # fmt: skip
_OBJECT = ("obj", "dobj", "iobj", "dative", "attr", "acomp", "xcomp")


#: nouns and numbers that say nothing without the phrase behind them (`one of the houses`)
_PARTS = {"one", "some", "many", "most", "all", "part", "member", "number", "kind", "type", "form", "name", "set", "group",
          "series", "lot", "pair", "each", "both", "none", "half", "capital", "majority"}  # fmt: skip


class Summary(Augmentation):
    """Keep subject, verb and object of the main clause (AugCSE, Figure 6: Summarization).

    The object is a direct one, a predicate, or, behind a verb that has neither, the first phrase with a preposition. Nouns keep
    their determiner, number, possessor and compound, a name all of its words; the verb its auxiliaries, negation and particle.
    """

    name = "summary"
    meaning = "near"

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the shorter sentence, None if there is no clause or nothing to leave out."""
        clause = main_clause(doc) if plain(doc) else None
        kept = core(clause) if clause is not None else None
        if clause is None or not kept:
            return None
        end = len(doc)
        while end > max(kept) + 1 and doc[end - 1].text in (".", "!", "?"):
            end -= 1
        kept |= set(range(end, len(doc)))
        gone = [i for i in range(len(doc)) if i not in kept]
        if sum(doc[i].text[:1].isalnum() for i in gone) == 0:
            return None
        return finish(doc, _deletions(doc, gone, min(kept)))


def _deletions(doc: Any, gone: list[int], first: int) -> list[Change]:
    changes = []
    for _, run in groupby(enumerate(gone), key=lambda pair: pair[1] - pair[0]):
        indices = [i for _, i in run]
        changes.append(delete(indices[0], indices[-1] + 1))
    if first and doc[0].text[:1].isupper() and doc[first].text[:1].islower():
        changes.append(replace(first, capital(doc[first].text)))
    return changes


def core(clause: Clause) -> set[int] | None:
    """Return the tokens of subject, verb and object; None where the clause does not stand without the rest."""
    doc, head = clause.doc, clause.head
    if (
        clause.asks
        or clause.mood not in ("declarative", "imperative")
        or (clause.subject is None and clause.mood == "declarative")
    ):
        return None
    if clause.subject is not None and cut_off(clause.subject.left_edge.i, doc):
        return None
    kept = {v.i for v in clause.verbs}
    kept |= {
        t.i for t in doc[clause.finite.i + 1 : clause.main_verb.i + 2] if t.lower_ in ("not", "n't", "n’t", "never")
    }
    kept |= {c.i for c in head.children if c.dep_ in ("compound:prt", "prt")}
    if clause.subject is not None:
        kept |= _phrase(clause.subject) | _joined(clause.subject)
    if head.i not in kept:
        kept |= _phrase(head)  # a predicate behind its copula
    kept |= {c.i for c in head.children if c.dep_ == "expl"}
    objects = [c for c in head.children if c.dep_ in _OBJECT and c.i > clause.finite.i]
    if clause.subject is not None and clause.subject.lower_ == "there":
        objects += [c for c in head.children if c.dep_ == "nsubj" and c.i > clause.finite.i]
    for obj in objects:
        if obj.dep_ == "xcomp" and obj.tag_ == "VBN":
            continue
        if obj.dep_ == "xcomp" and obj.pos_ in ("VERB", "AUX"):
            kept |= {obj.i, *(c.i for c in obj.children if c.dep_ == "compound:prt")}
            kept |= {c.i for c in obj.children if c.dep_ in ("mark", "aux", "cop") and c.i < obj.i}
            objects_of = [c for c in obj.children if c.dep_ in ("obj", "dobj")]
            kept |= {i for o in objects_of for i in _phrase(o)}
        else:
            kept |= _phrase(obj)
    passive = any(v.dep_ in labels.PASSIVE_AUXILIARY for v in clause.verbs)
    if any(c.dep_ == "ccomp" for c in head.children):
        return None  # `He said that …`: the clause is the object
    if not objects and head.i == clause.main_verb.i and not passive:
        oblique = [c for c in head.children if c.dep_ in ("obl", "prep") and c.i > head.i]
        if not oblique and head.i + 1 < len(doc) and doc[head.i + 1].text[:1].isalnum() and clause.subject is not None:
            return None  # `dates back to …`, `looks as if …`: a verb that does not stand alone
        if oblique:
            first = oblique[0]
            kept |= _phrase(first) | {i for c in first.children if c.dep_ == "pobj" for i in _phrase(c)}
    return _glued(doc, kept)


def _glued(doc: Any, kept: set[int]) -> set[int]:
    """Add what is written in one piece with a token that stays (`de-emphasised`)."""
    found = set(kept)
    for step in (-1, 1):
        for i in sorted(kept, reverse=step < 0):
            j = i + step
            while 0 <= j < len(doc) and j not in found and not doc[min(j, j - step)].whitespace_:
                if not (doc[j].text[:1].isalnum() or doc[j].text in ("-", "–", "/", "'s", "’s", "n't", "n’t")):
                    break
                found.add(j)
                j += step
    return found


def _phrase(noun: Any) -> set[int]:
    """A noun with what it does not stand without; all of a name."""
    kept = {noun.i}
    for child in noun.children:
        if child.dep_ in _CORE or (child.dep_ in ("amod", "nmod") and child.text[:1].isupper() and child.i < noun.i):
            kept |= _phrase(child)
        elif child.dep_ == "punct" and child.text == "-":
            kept.add(child.i)
    if noun.pos_ == "ADJ" and any(c.dep_ == "det" for c in noun.children):
        kept |= {c.i for c in noun.children if c.dep_ == "advmod"}  # the most prominent of a group
    if (
        (noun.pos_ == "ADJ" and any(c.dep_ == "det" for c in noun.children))
        or noun.lower_ in _PARTS
        or noun.pos_ == "NUM"
    ):
        kept |= {
            i
            for c in noun.children
            if c.dep_ in ("nmod", "prep", "obl") and c.i > noun.i
            for i in _phrase(c) | _below(c)
        }
    return kept


def _joined(subject: Any) -> set[int]:
    """The other parts of a subject, which the verb agrees with (`Anna and her brother`)."""
    parts = [c for c in subject.children if c.dep_ == "conj"]
    links = [c for p in (subject, *parts) for c in p.children if c.dep_ == "cc" or c.text == ","]
    inside = {c.i for c in links if parts and subject.i < c.i < parts[-1].i}
    return inside | {i for part in parts for i in _phrase(part)}


def _below(prep: Any) -> set[int]:
    return {i for c in prep.children if c.dep_ == "pobj" for i in _phrase(c)}
