"""Around or behind which subject may marks be put? The paper's second rule, for the subjects a parse can be trusted on.

The span is always the whole subtree, as one run of tokens between a place where a subject can begin and the verb. What
looks like a parsing error (a subject that does not agree, that begins behind a preposition, that ends before something
else than its verb) is left alone: the sentence has other places.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.protocols import Change
from languages.english.grammar import labels
from languages.english.grammar.clauses import Clause, clause_of, span, subject_is_plural
from languages.english.grammar.sentences import roots
from languages.english.marks.clause import fronted, parentheses
from languages.english.marks.gaps import Gaps, Place

_LONGEST = 12
_RELATIVE = {"who", "which", "that", "whose", "where", "whom"}


def subject_places(doc: Any, gaps: Gaps) -> Iterator[Place]:
    """Yield the places of the rule: `quotes` around a subject and a `comma` behind it (`pronoun comma` for pronouns)."""
    for root in roots(doc):
        clause = clause_of(root)
        if clause is None or clause.subject is None or not _is_nominal(clause.subject):
            continue
        start, end = span(clause.subject)
        if not (_is_whole(clause.subject, start, end) and _begins_well(clause, start)):
            continue
        pronoun = clause.subject.pos_ in ("PRON", "DET") and end - start == 1
        declarative = clause.mood == "declarative" and _reaches_verb(doc, clause, end)
        question = clause.mood == "question" and end < len(doc) and _goes_on(doc[end], clause)
        # marks around a bare pronoun read as doubt about the person
        quotable = (declarative or question) and not pronoun and doc[start].lower_ not in _NEGATIVE
        if quotable and gaps.takes_quotes(start, end) and not any(gaps.inside[start:end]):
            yield Place("quotes", quoted(doc, start, end, gaps))
        # a comma behind a bare name reads as if somebody were spoken to
        spoken_to = doc[start].pos_ == "PROPN"
        # and one between subject and `however`, or in front of another comma, pairs with that
        paired = any(t.text in (",", ";") for t in doc[end:])
        if (
            declarative
            and not paired
            and gaps.takes_comma(end)
            and not spoken_to
            and doc[end].lower_ not in parentheses()
        ):
            yield Place("pronoun comma" if pronoun else "comma", (Change("insert", end, end, ","),))


def quoted(doc: Any, start: int, end: int, gaps: Gaps) -> tuple[Change, ...]:
    """Return the changes that put double quotation marks around the tokens `[start, end)`."""
    # an insertion would go in front of the blank before the first token
    first = f"{gaps.opening}{doc[start].text}"
    if end == start + 1:
        return (Change("replace", start, end, first + gaps.closing),)
    return (Change("replace", start, start + 1, first), Change("insert", end, end, gaps.closing))


def _is_nominal(subject: Any) -> bool:
    """Tell whether a subject is a noun, name, number or pronoun that stands for something: no expletive, no relative."""
    if subject.dep_ in labels.CLAUSAL_SUBJECT or subject.dep_ in labels.EXPLETIVE:
        return False
    if subject.tag_ in ("WP", "WDT", "WP$", "EX", "WRB") or subject.lower_ in ("it", "there", "that", *_RELATIVE):
        return False
    return subject.pos_ in ("NOUN", "PROPN", "PRON", "NUM", "DET")


def _is_whole(subject: Any, start: int, end: int) -> bool:
    """Tell whether the span is one run of tokens that reads as one noun phrase."""
    doc = subject.doc
    tokens = doc[start:end]
    if end - start > _LONGEST or end - start != sum(1 for _ in subject.subtree):
        return False
    if any(t.is_space or t.text in _BREAKS for t in tokens) or (tokens[-1].pos_ in _NO_END and tokens[-1].text != ")"):
        return False
    if tokens[0].pos_ in _NO_START or tokens[0].dep_ == "case":
        return False
    finite = any(t.tag_ in ("VBD", "VBZ", "VBP", "MD") for t in tokens)
    return not finite or any(t.lower_ in _RELATIVE for t in tokens)


_NEGATIVE = {"no", "none", "nobody", "nothing", "neither", "not"}
_BREAKS = {",", ";", ":", ".", "!", "?", "–", "—", "--", "-", "/", "|", "...", "…"}
_NO_START = {"ADP", "CCONJ", "SCONJ", "PUNCT", "PART", "AUX", "SYM"}
_NO_END = {"ADP", "CCONJ", "SCONJ", "DET", "PART", "AUX", "PUNCT"}


def _begins_well(clause: Clause, start: int) -> bool:
    """Tell whether nothing but adjuncts stands in front of a subject, and what touches it does not belong to it."""
    doc, front = clause.doc, fronted(clause)
    if clause.mood == "question":
        return clause.finite.i < start
    if front is None:
        return False
    before = doc[start - 1] if start else None
    if not front or before is None or before.is_punct:
        return True
    opens = doc[start].pos_ in ("DET", "PRON")
    return before.pos_ in ("NUM", "ADV") or (opens and before.pos_ in ("NOUN", "PROPN", "PRON"))


def _reaches_verb(doc: Any, clause: Clause, end: int) -> bool:
    """Tell whether the subject ends right before its verb (adverbs between), and agrees with it."""
    first = clause.verbs[0].i
    if end > first or any(t.pos_ not in ("ADV", "PART") for t in doc[end:first]):
        return False
    return _agrees(clause)


def _agrees(clause: Clause) -> bool:
    subject, low = clause.subject, clause.finite.lower_
    if (
        subject is None
        or subject.pos_ != "NOUN"
        or any(c.dep_ in ("conj", "cc", "nummod", "flat") for c in subject.children)
    ):
        return True
    if low in ("is", "was", "has", "does") or clause.tag == "VBZ":
        return not subject_is_plural(subject)
    return low not in ("are", "were", "have", "do") or subject.tag_ != "NN"


def _goes_on(token: Any, clause: Clause) -> bool:
    """Tell whether a token is what follows the subject of a question: the next verb or the predicate itself."""
    if token.i == clause.head.i or token in clause.verbs:
        return True
    return any(c.dep_ in ("acomp", "attr") and c.left_edge.i == token.i for c in clause.head.children)
