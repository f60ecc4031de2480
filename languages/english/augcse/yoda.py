"""`yoda`: what stands behind the verb comes first (*In Paris, he lives.*)."""

from __future__ import annotations

import random
from typing import Any

from harness.protocols import Edit
from languages.english.augmentation import Augmentation, capital, cut_off, finish, plain, quoted, span_text
from languages.english.grammar.changes import lowered, replace
from languages.english.grammar.clauses import Clause, clause_of
from languages.english.grammar.sentences import main_clause

#: marks that may stand between a clause and the next
_BETWEEN = {",", ";", ":", "-", "–", "—"}
_NOT = {"not", "n't", "n’t"}
_PARTICLE = {"compound:prt", "prt"}


class Yoda(Augmentation):
    """Move what stands behind the verb in front of the subject (AugCSE, Table 3: YodaPerturbation).

    Main clauses joined to one another change one by one; subordinate clauses move with the clause they belong to. Words in front
    of the subject stay there. Left alone: questions, and clauses with nothing behind their verb.
    """

    name = "yoda"
    meaning = "kept"

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence in Yoda's order, None if no clause can be turned round."""
        clause = main_clause(doc) if plain(doc) else None
        if clause is None:
            return None
        changes = []
        for one in [clause, *_joined(clause)]:
            turned = _turned(one, quoted(doc))
            if turned is not None:
                changes.append(turned)
        return finish(doc, changes)


def _joined(clause: Clause) -> list[Clause]:
    found = []
    for child in clause.head.children:
        other = clause_of(child) if child.dep_ == "conj" and child.i > clause.finite.i else None
        if other is not None and other.subject is not None and other.mood == "declarative":
            found.append(other)
    return found


def _turned(clause: Clause, inside: list[bool]) -> Any | None:
    doc, subject = clause.doc, clause.subject
    if (
        clause.asks
        or clause.mood not in ("declarative", "imperative")
        or (subject is None and clause.mood == "declarative")
    ):
        return None
    start = clause.finite.i if subject is None else _start(subject)
    if subject is not None and cut_off(start, doc):
        return None
    if subject is None and start != clause.head.sent.start:
        return None
    verb_end = _verb_end(clause)
    end = _end(clause, verb_end)
    if (
        start >= clause.finite.i + (subject is None)
        or verb_end >= end
        or (subject is not None and subject.i > clause.finite.i)
    ):
        return None
    tail = doc[verb_end:end]
    if not tail[0].text[:1].isalnum() and tail[0].text not in ('"', "“", "$", "£", "€"):
        return None
    if not tail[-1].text[-1:].isalnum() and tail[-1].text not in ('"', "”", ")", "%"):
        return None
    if tail[-1].text in ('"', "”") and len(tail) > 1 and tail[-2].text[-1:] in ".!?,":
        return None
    if inside[start] or inside[verb_end - 1] or not _balanced(tail) or tail[0].lower_ in ("than", "not", "n't"):
        return None
    first = doc[start]
    opens = start == first.sent.start
    front = span_text(doc, verb_end, end)
    rest = span_text(doc, start, verb_end)
    if opens and first.text[:1].isupper():
        front, rest = capital(front), lowered(first) + rest[len(first.text) :]
    joined = end < len(doc) and doc[end].dep_ == "cc"
    return replace(start, f"{front}, {rest}{',' if joined else ''}", end)


def _start(subject: Any) -> int:
    """Where a subject begins, without the comma or conjunction that a parser may hang on it."""
    start = subject.left_edge.i
    while start < subject.i and (subject.doc[start].is_punct or subject.doc[start].dep_ in ("cc", "punct")):
        if subject.doc[start].text in ('"', "“", "(", "'"):
            break
        start += 1
    return int(start)


def _verb_end(clause: Clause) -> int:
    """The token behind the verb group: behind the copula, the verb, its particle, and a negation or adverb inside."""
    verb = clause.main_verb
    end = verb.i + 1
    doc = clause.doc
    while end < len(doc) and (doc[end].dep_ == "fixed" or doc[end].lower_ in _NOT or _is_particle(doc[end], verb)):
        end += 1
    return int(end)


def _is_particle(token: Any, verb: Any) -> bool:
    return token.dep_ in _PARTICLE and token.head.i == verb.i


def _end(clause: Clause, verb_end: int) -> int:
    """Where the clause ends: in front of what is joined to its verb, and of the marks that close the sentence."""
    doc, head = clause.doc, clause.head
    end = max((t.i for t in head.subtree), default=head.i) + 1
    joined = [c for c in head.children if c.dep_ in ("conj", "parataxis") and c.i >= verb_end]
    for child in joined:
        if clause_of(child) is None and not (child.pos_ in ("VERB", "AUX") and head.pos_ in ("VERB", "AUX")):
            continue
        first = child.left_edge.i
        while first > verb_end and (doc[first - 1].dep_ == "cc" or doc[first - 1].text in _BETWEEN):
            first -= 1
        end = min(end, first)
    while (
        end > verb_end
        and (doc[end - 1].is_punct or doc[end - 1].is_space)
        and doc[end - 1].text not in ('"', "”", ")", "%")
    ):
        end -= 1
    return int(end)


def _balanced(tail: Any) -> bool:
    texts = [t.text for t in tail]
    quotes = sum(t in ('"', "``", "''") for t in texts) % 2 == 0 and texts.count("“") == texts.count("”")
    return quotes and texts.count("(") == texts.count(")")
