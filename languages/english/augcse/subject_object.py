"""`subject-object-switch`: *The dog bit the man* → *The man bit the dog*."""

from __future__ import annotations

import random
from typing import Any

from harness.protocols import Change, Edit
from languages.english.augmentation import Augmentation, capital, cut_off, finish, plain, quoted, span_text
from languages.english.grammar.changes import like, lowered, replace
from languages.english.grammar.clauses import Clause, span, subject_is_plural
from languages.english.grammar.sentences import finite_clauses, shared_verbs
from languages.english.grammar.verbs import inflect

#: case of pronouns: as a subject, as an object
_OBJECTIVE = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
_SUBJECTIVE = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they"}
_NO_SUBJECT = {"there", "who", "which", "that", "what", "whom", "whose", "myself", "yourself", "himself", "herself",
               "itself", "ourselves", "yourselves", "themselves", "other", "another", "one"}  # fmt: skip
_FINITE = ("VBD", "VBZ", "VBP", "MD")
#: names that look like plurals
_NAMES_IN_S = {
    "wales",
    "athens",
    "naples",
    "brussels",
    "paris",
    "leeds",
    "cyprus",
    "texas",
    "illinois",
    "honduras",
    "lagos",
}
_PLURAL = {"they", "we", "you", "these", "those"}


class SubjectObjectSwitch(Augmentation):
    """Let the subject and the direct object of a clause change places (AugCSE, Table 3: SentenceSubjectObjectSwitch).

    Whole phrases move; pronouns change their case and the verb agrees with its new subject. It is the first clause with a subject,
    an active verb and an object behind it. Left alone: reflexive, relative and expletive pronouns, clauses for objects, questions.
    """

    name = "subject-object-switch"
    meaning = "changed"

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence with subject and object exchanged, None if no clause has both."""
        if not plain(doc):
            return None
        inside = quoted(doc)
        for clause in finite_clauses(doc):
            changes = _switched(clause, inside)
            if changes:
                return finish(doc, changes)
        return None


def _switched(clause: Clause, inside: list[bool]) -> list[Change] | None:
    doc, subject = clause.doc, clause.subject
    if (
        clause.mood != "declarative"
        or clause.asks
        or subject is None
        or subject.dep_ != "nsubj"
        or subject.lower_ in _NO_SUBJECT
    ):
        return None
    verb = clause.main_verb
    objects = [c for c in clause.head.children if c.dep_ in ("obj", "dobj") and c.i > verb.i]
    if (
        len(objects) != 1
        or clause.head.i != verb.i
        or any(c.dep_ in ("iobj", "dative", "xcomp") for c in verb.children)
    ):
        return None
    (obj,) = objects
    one, other = _phrase(subject), _phrase(obj)
    if any(t.text in (",", ";", ":") for t in doc[verb.i + 1 : obj.left_edge.i + 1]) or _runs_on(doc, other):
        return None
    if obj.lower_ in _NO_SUBJECT or one is None or other is None or one[1] > clause.verbs[0].i or other[0] <= verb.i:
        return None
    if cut_off(one[0], doc):
        return None
    if doc[max(one[0] - 1, 0)].lower_ in ("and", "or") and not any(
        t.tag_ in _FINITE for t in doc[verb.sent.start : one[0]]
    ):
        return None  # the end of a list whose beginning the parser missed
    if any(inside[i] for i in (*range(*one), *range(*other))) or obj.tag_ in ("WP", "WDT", "EX"):
        return None
    if span_text(doc, *one).lower() == span_text(doc, *other).lower() or clause.finite.text[:1] in "'’":
        return None
    if clause.finite.lower_ in ("has", "have", "had") and clause.finite.i == verb.i:
        return None  # what has something is seldom what is had
    first = one[0] == doc[one[0]].sent.start
    agreed = _agree(clause, obj)
    if agreed is None:
        return None
    front, back = _as(doc, other, obj, _SUBJECTIVE), _as(doc, one, subject, _OBJECTIVE)
    if first:
        start = doc[one[0]]
        named = start.pos_ == "PROPN" and start.lower_ in _NAMES_IN_S
        back = lowered(start) + back[len(start.text) :] if subject.lower_ not in _OBJECTIVE and not named else back
        front = capital(front)
    return [replace(one[0], front, one[1]), *agreed, replace(other[0], back, other[1])]


def _runs_on(doc: Any, where: tuple[int, int] | None) -> bool:
    """Whether a name goes on behind the object (`joined side | Eastbourne Borough`), or an abbreviation ends it."""
    end = where[1] if where is not None else len(doc)
    return end < len(doc) and (doc[end].text[:1].isupper() or (doc[end].text == "." and end + 2 < len(doc)))


def _phrase(noun: Any) -> tuple[int, int] | None:
    """The tokens of a noun phrase without punctuation at its edges; None if it has a hole or a clause that ends in nothing."""
    start, end = span(noun)
    while start < noun.i and (noun.doc[start].is_punct or noun.doc[start].dep_ == "cc"):
        start += 1
    while end > start and noun.doc[end - 1].is_punct:
        end -= 1
    if start >= end or any(t.text == "," and t.nbor().pos_ in ("ADP", "SCONJ") for t in noun.doc[start : end - 1]):
        return None
    if end < len(noun.doc) and noun.doc[end].text in ("’", "'"):
        return None  # a possessive that was taken apart
    if noun.pos_ not in ("NOUN", "PROPN", "PRON", "NUM") or end - start != sum(
        start <= t.i < end for t in noun.subtree
    ):
        return None
    if any(t.is_punct and t.text not in ("-", "'", "’", ",") for t in noun.doc[start:end]):
        return None
    closed = end == len(noun.doc) or noun.doc[end].text != "," or not any(t.text == "," for t in noun.doc[start:end])
    return (start, end) if closed else None


def _as(doc: Any, where: tuple[int, int], noun: Any, case: dict[str, str]) -> str:
    """The phrase at its new place; its head and what is joined to it change their case."""
    if noun.pos_ != "PRON":
        return span_text(doc, *where)
    heads = {noun.i, *(c.i for c in noun.children if c.dep_ == "conj" and c.pos_ == "PRON")}
    words = [case.get(t.lower_, t.text) if t.i in heads else t.text for t in doc[slice(*where)]]
    return "".join(w + t.whitespace_ for w, t in zip(words, doc[slice(*where)], strict=True)).rstrip()


def _agree(clause: Clause, subject: Any) -> list[Change] | None:
    """The changes that let the finite verb agree with a new subject; None if verbs that share it are out of reach."""
    plural = (
        subject.lower_ in _PLURAL or subject.lower_ == "them" or subject.lower_ == "us" or subject_is_plural(subject)
    )
    plural = plural or any(t.dep_ == "conj" and t.head.i == subject.i for t in subject.subtree if t.i > subject.i)
    verbs = [(clause.finite, clause.tag), *(shared_verbs(clause) or [])]
    if any(v.i < clause.finite.i for v, _ in verbs):
        return None
    changes = []
    for verb, tag in verbs:
        low = verb.lower_
        if low in ("was", "were"):
            form = "was" if subject.lower_ == "me" or not plural else "were"
        elif tag in ("VBZ", "VBP"):
            base = clause.lemma if verb.i == clause.finite.i else None
            if base is None:
                from languages.english.grammar.verbs import lemma

                base = lemma(verb.text, tag)
            first = subject.lower_ == "me"
            form = "am" if base == "be" and first else inflect(base, "VBP" if plural or first else "VBZ")
        else:
            continue
        if form != low:
            changes.append(replace(verb.i, like(verb.text, form)))
    return changes
