"""Which clauses does a sentence have, which of them is the main one, and what is coordinated with it?

Parsers miss the root of one sentence in ten or so; where what they call the root cannot be it, the main clause is looked for
among the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from languages.english.grammar import labels
from languages.english.grammar.clauses import Clause, clause_of, subject_of, verb_group
from languages.english.grammar.verbs import FINITE, can_be, finite_tag

_BELOW = {
    "acl",
    "acl:relcl",
    "relcl",
    "advcl",
    "advcl:relcl",
    "csubj",
    "csubjpass",
    "csubj:pass",
    "xcomp",
    "ccomp",
    "appos",
}
_MARKS = {'"', "“", "”", "``", "''"}


def roots(doc: Any) -> list[Any]:
    """Return the heads of the sentences, in text order; none for an unparsed document."""
    return [t for t in doc if t.dep_ in ("ROOT", "root") and t.head.i == t.i]


def main_clause(doc: Any) -> Clause | None:
    """Return the first sentence's main clause; a fragment's first coordinated or added main clause; else None.

    A clause inside a quotation that is only part of the sentence, or one behind a conjunction such as `since`, is not taken for
    the main one although the parser says so.
    """
    if _is_markup(doc):
        return None
    heads = roots(doc)
    for head in heads:
        found = clause_of(head)
        if found is not None:
            if _is_marked(found) or _is_quoted(found):
                return _hidden(doc)
            return _earlier(found) if found.mood == "declarative" else found
    for head in heads:
        for child in head.children:
            found = clause_of(child) if child.dep_ in ("conj", "parataxis", "ccomp") else None
            if found is not None and found.subject is not None and found.mood != "imperative" and not _is_marked(found):
                return found
    return _hidden(doc)


def _is_markup(doc: Any) -> bool:
    """A row of a table, a tag: no sentence, whatever words it has."""
    return "|" in doc.text or doc.text.lstrip()[:1] in ("<", "!", "{", "=")


def _is_marked(clause: Clause) -> bool:
    words = {
        "since",
        "because",
        "when",
        "while",
        "after",
        "before",
        "although",
        "though",
        "if",
        "unless",
        "until",
        "whereas",
    }
    subject = clause.subject.i if clause.subject is not None else clause.finite.i
    opened = any(
        # an adverb is none: `Never before has he lost`, `He had been there before`
        (c.dep_ in ("mark", "advmod") and c.lower_ in words and c.tag_ != "RB" and c.i < subject)
        # `exactly what we think`, `how evidence is processed`: an embedded question
        or (c.tag_ in ("WP", "WDT", "WRB") and c.i < subject)
        for c in clause.head.children
    )
    beside = subject > 0 and clause.doc[subject - 1].lower_ in ("since", "because", "whereas")
    edge = clause.subject.left_edge.i if clause.subject is not None else clause.finite.i
    first = clause.head.sent.start
    beside = beside or (edge == first + 1 and clause.doc[first].lower_ in words)
    return (opened or beside) and not clause.asks


def _earlier(clause: Clause) -> Clause | None:
    """The clause of a finite verb that stands in front of the clause and belongs to nothing below it, if there is one.

    `is a song by A, originally performed by B`: what the parser calls the root is a participle. None if that verb heads no
    clause that can be read.
    """
    start = clause.head.sent.start
    limit = min(clause.finite.i, clause.subject.left_edge.i if clause.subject is not None else clause.finite.i)
    below = _BELOW | {"conj", "parataxis"}
    quoted = False
    for token in clause.doc[start:limit]:
        if token.text in _MARKS:
            quoted = not quoted
        if quoted or finite_tag(token) is None or any(t.dep_ in below for t in (token, *token.ancestors)):
            continue
        other = clause_of(token.head if token.dep_ in labels.AUXILIARY | {"cop"} else token)
        return other if other is not None and other.subject is not None and other.mood == "declarative" else None
    return clause


def _is_quoted(clause: Clause) -> bool:
    """Whether the verb stands inside a quotation behind which the sentence goes on."""
    inside, doc = False, clause.doc
    sentence = clause.finite.sent
    for token in doc[sentence.start : clause.finite.i]:
        if token.text in ('"', "“", "”", "``", "''"):
            inside = not inside
    if not inside:
        return False
    behind = [t for t in doc[clause.finite.i : sentence.end] if t.text in ('"', "”", "''")]
    rest = doc[behind[0].i + 1 : sentence.end] if behind else ()
    return sum(1 for t in rest if any(map(str.isalnum, t.text))) >= 2


def _hidden(doc: Any) -> Clause | None:
    """A clause with a subject of its own that no label calls subordinate: the parser missed the root.

    In a text as long as a sentence, one with a personal pronoun that nothing marks as subordinate will do too.
    """
    sentence = len(doc) > 8 and doc[-1].text in (".", "!", '"', "”")
    for strict in (True, False) if sentence else (True,):
        for token in doc:
            found = _standing_alone(token, strict=strict)
            if found is not None:
                return found
    return None


def _standing_alone(token: Any, *, strict: bool) -> Clause | None:
    if token.dep_ in labels.AUXILIARY | {"cop", "conj"} or (strict and token.dep_ in _BELOW):
        return None
    found = clause_of(token)
    if found is None or found.subject is None or found.mood != "declarative" or found.subject.i > found.finite.i:
        return None
    if _is_quoted(found) or found.subject.tag_ in ("WDT", "WP"):
        return None
    if any(c.dep_ == "mark" or c.tag_ in ("WDT", "WP", "WRB") for c in token.children):
        return None
    if strict:
        return None if any(a.dep_ in _BELOW for a in token.ancestors) else found
    return found if found.subject.tag_ == "PRP" else None


def finite_clauses(doc: Any) -> Iterator[Clause]:
    """Yield the main clause, then every other finite clause in text order."""
    if _is_markup(doc):
        return
    main = main_clause(doc)
    if main is not None:
        yield main
    for token in doc:
        # auxiliaries and copulas belong to the clause of the word they hang on
        if (main is None or token.i != main.head.i) and token.dep_ and token.dep_ not in labels.AUXILIARY | {"cop"}:
            found = clause_of(token)
            if found is not None and found.mood != "imperative":
                yield found


def shared_verbs(clause: Clause) -> list[tuple[Any, str]] | None:
    """Return the finite verbs coordinated with the clause that share its subject and tense: (verb, tag), in text order.

    None if one of them might belong to a subordinate clause in between that has a verb of its own.
    """
    head, doc = clause.head, clause.doc
    found: list[tuple[Any, str]] = []
    queue = [c for c in head.children if c.dep_ == "conj"]
    # a finite verb is never coordinated with an object; parsers like to say so (`runs a shop and writes books`)
    queue += [
        c for noun in head.children if noun.dep_ in labels.OBJECT | {"obl", "attr"} and noun.i > clause.finite.i
        for c in noun.children if c.dep_ == "conj" and finite_tag(c) in FINITE
    ]  # fmt: skip
    while queue:
        conjunct = queue.pop(0)
        queue.extend(c for c in conjunct.children if c.dep_ == "conj")
        other = clause_of(conjunct)
        if other is None and not clause.is_auxiliary and _is_lone(conjunct, clause.tag):
            found.append((conjunct, clause.tag))
        if other is None or other.subject is not None or other.mood != "declarative":
            continue
        if other.tag != clause.tag:
            continue
        if _subordinate_verb_between(doc, clause.finite.i, other.finite.i, head):
            return None
        found.append((other.finite, other.tag))
    return sorted(found, key=lambda pair: pair[0].i)


def _is_lone(verb: Any, tag: str) -> bool:
    """`wrote, directed and produced`: a verb without auxiliary or subject that the tagger took for a participle or infinitive."""
    if verb.tag_ not in ("VBN", "VB", "VBD") or tag not in ("VBD", "VBP") or any(c.tag_ == "TO" for c in verb.children):
        return False
    return can_be(verb.text, tag) and len(verb_group(verb)) == 1 and subject_of(verb) is None


def _subordinate_verb_between(doc: Any, start: int, end: int, head: Any) -> bool:
    clauses = {"acl", "acl:relcl", "relcl", "ccomp", "advcl", "parataxis"}
    return any(
        t.dep_ in clauses and t.tag_ in ("VBD", "VBZ", "VBP", "VBN", "MD", "NN", "JJ") and t.i != head.i
        for t in doc[start + 1 : end]
    )
