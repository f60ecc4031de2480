"""Where does a clause begin or end such that English takes a comma there? The paper's first rule, as a grammarian reads it.

Behind what stands in front of the subject (`In 1999, he moved`), in front of a coordinated clause with a subject of its
own (`…, and he left`), in front of *although*, *while*, *whereas*, *because* clauses, around a relative clause about a
name, around *however* and the like. Never in front of an infinitive, a complement clause, a restrictive relative clause.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from harness.protocols import Change
from languages.english.grammar import labels
from languages.english.grammar.clauses import Clause, clause_of, span
from languages.english.grammar.sentences import roots
from languages.english.grammar.verbs import lexicon
from languages.english.marks.gaps import Gaps, Place

#: how an adjunct in front of the subject may hang on the verb
_FRONTED = {
    "obl", "obl:tmod", "obl:npmod", "obl:unmarked", "nmod:tmod", "advmod", "advcl", "prep", "npadvmod", "discourse",
    "intj", "obl:agent",
}  # fmt: skip
_RELATIVE_CLAUSE = {"acl:relcl", "relcl"}
_NEGATIVE = {"not", "n't", "n’t", "never", "no", "nobody", "nothing", "none", "neither", "without"}


def clause_places(doc: Any, gaps: Gaps) -> Iterator[Place]:
    """Yield every place of the rule, in no particular order; places may repeat."""
    for root in roots(doc):
        clause = clause_of(root)
        if clause is not None and clause.mood == "declarative":
            yield from _comma(_behind_front(clause, gaps), gaps)
    for token in doc:
        label = token.dep_
        if label == "conj":
            yield from _comma(_before_conjunct(token), gaps)
            yield from _comma(_before_shared(token), gaps, "long clause")
        elif label in ("advcl", "advcl:relcl"):
            yield from _comma(_before_adverbial(token), gaps)
        elif label in _RELATIVE_CLAUSE:
            yield from _around(*_relative(token), doc, gaps)
        elif label and token.lower_ in parentheses():
            yield from _around(*_parenthesis(token), doc, gaps)


def _comma(index: int | None, gaps: Gaps, rule: str = "clause") -> Iterator[Place]:
    if index is not None and gaps.takes_comma(index):
        yield Place(rule, (Change("insert", index, index, ","),))


def _around(start: int | None, end: int, doc: Any, gaps: Gaps) -> Iterator[Place]:
    """Yield the place with a comma on each side of `[start, end)` that has no mark yet; none if a side takes none."""
    if start is None:
        return
    changes = []
    for side in (start, end):
        if gaps.takes_comma(side):
            changes.append(Change("insert", side, side, ","))
        elif not (0 < side < len(doc)) or doc[side].is_punct or doc[side - 1].is_punct:
            continue
        else:
            return
    if changes:
        yield Place("clause", tuple(changes))


def _behind_front(clause: Clause, gaps: Gaps) -> int | None:
    """Return the gap between what is fronted and the subject."""
    front = fronted(clause)
    if not front or clause.subject is None or clause.subject.i > clause.verbs[0].i:
        return None
    start = span(clause.subject)[0]
    return start if front[-1].right_edge.i == start - 1 and _ends_clearly(clause.doc, front, start) else None


def fronted(clause: Clause) -> list[Any] | None:
    """Return the adjuncts in front of a clause's subject, in text order; None if something else stands there too.

    Blanks, commas and a conjunction in front of all are passed over.
    """
    subject, doc = clause.subject, clause.doc
    if subject is None or subject.dep_ in labels.CLAUSAL_SUBJECT:
        return None
    first, start = clause.head.sent.start, span(subject)[0]
    while first < start and (doc[first].is_space or doc[first].pos_ == "CCONJ"):
        first += 1
    adjuncts = [c for c in clause.head.children if first <= c.left_edge.i < start and not c.is_space]
    covered = sum(c.right_edge.i + 1 - c.left_edge.i for c in adjuncts)
    adjuncts = [c for c in adjuncts if c.dep_ != "punct" or c.text != ","]
    if covered < start - first - sum(t.is_space for t in doc[first:start]) or any(
        c.dep_ not in _FRONTED for c in adjuncts
    ):
        return None
    return adjuncts if all(_reads_as_adjunct(doc, c) for c in adjuncts) else None


def _reads_as_adjunct(doc: Any, adjunct: Any) -> bool:
    """Tell whether a fronted dependent begins like an adjunct; a clause needs a word that opens it."""
    first, tokens = doc[adjunct.left_edge.i], doc[adjunct.left_edge.i : adjunct.right_edge.i + 1]
    if first.lower_ in lexicon("punctuation")["no_front"] or adjunct.right_edge.i >= len(doc):
        return False
    if any(t.tag_ in ("VBD", "VBZ", "VBP", "MD") for t in tokens):
        return first.tag_ in ("IN", "WRB") or first.pos_ in ("SCONJ", "ADP", "ADV")
    return first.pos_ not in ("PROPN", "PRON", "CCONJ", "PUNCT", "AUX", "SYM")


def _ends_clearly(doc: Any, adjuncts: list[Any], start: int) -> bool:
    """Tell whether it is beyond doubt that the subject, not the adjunct, begins at `start`."""
    first, before, opens = doc[adjuncts[0].left_edge.i], doc[start - 1], doc[start]
    if len(adjuncts) == 1 and first.i == adjuncts[0].right_edge.i:
        return first.lower_ in _adverbs()
    if before.pos_ in ("ADP", "DET", "CCONJ", "SCONJ", "AUX", "PART", "ADJ", "PUNCT") or before.tag_ in _NO_FRONT_END:
        return False
    if doc[first.i : start].text.lower() in lexicon("punctuation")["contact_front"]:
        return False
    if opens.lower_ in ("that", "which", "who"):
        return False
    # two nouns side by side may be one compound; only what opens a noun phrase shows where it begins
    if opens.pos_ in ("DET", "PRON") or opens.tag_ in ("DT", "PRP", "PRP$", "EX"):
        return True
    return before.pos_ in ("NUM", "ADV", "PRON") and opens.pos_ in ("PROPN", "NOUN", "ADJ")


#: a relative or a gerund wants what follows (`from what | I see`, `among those visiting | the museum`)
_NO_FRONT_END = {"WP", "WDT", "WRB", "VBG", "VB", "VBZ", "VBP"}


def _before_conjunct(token: Any) -> int | None:
    """Return the gap in front of the conjunction of a main clause with its own subject."""
    first = token.head
    while first.dep_ == "conj":
        first = first.head
    if first.dep_ not in ("ROOT", "root"):
        return None
    clause, other = clause_of(token), clause_of(first)
    if clause is None or other is None or clause.subject is None or other.mood == "question":
        return None
    if clause.mood != "declarative" or clause.subject.tag_ in ("WP", "WDT") or clause.subject.i < other.finite.i:
        return None
    start = span(clause.subject)[0]
    while start > 1 and token.doc[start - 1].pos_ == "ADV" and token.doc[start - 1].tag_ != "WRB":
        start -= 1
    if start == 0:
        return None
    conjunction = token.doc[start - 1]
    if conjunction.lower_ not in ("and", "but", "or", "so", "yet") or conjunction.i <= other.finite.i:
        return None
    pair = {"either", "both", "whether"} & {t.lower_ for t in token.doc[: conjunction.i]}
    return None if pair else int(conjunction.i)


def _before_shared(token: Any) -> int | None:
    """Return the gap in front of `and` or `but` between two long predicates of one subject."""
    doc, first = token.doc, token.head
    clause, other = clause_of(first), clause_of(token)
    if first.dep_ not in ("ROOT", "root") or clause is None or other is None or other.subject is not None:
        return None
    if clause.mood != "declarative" or clause.subject is None or other.mood != "declarative" or clause.tag != other.tag:
        return None
    verb = other.finite.i
    while verb > 1 and doc[verb - 1].pos_ == "ADV":
        verb -= 1
    if verb == 0:
        return None
    conjunction, end = doc[verb - 1], token.right_edge.i + 1
    if conjunction.lower_ not in ("and", "but") or conjunction.i - clause.main_verb.i < _LONG or end - verb < _LONG:
        return None
    # a series of three predicates has its own commas
    if any(c.dep_ == "conj" and c.i != token.i for c in first.children) or any(
        c.dep_ == "conj" for c in token.children
    ):
        return None
    return None if any(t.text == "," or t.lower_ == "both" for t in doc[clause.finite.i : verb]) else int(conjunction.i)


#: predicates shorter than this many tokens take no comma between them
_LONG = 6


def _before_adverbial(token: Any) -> int | None:
    """Return the gap in front of a final *although*, *while*, *whereas*, *because* clause."""
    doc, (start, end) = token.doc, span(token)
    opener = doc[start + 1] if doc[start].lower_ == "even" and start + 1 < end else doc[start]
    known = opener.lower_ in lexicon("punctuation")["adverbial"]
    if not known and start and doc[start - 1].tag_ in ("CD", "NNP"):
        known = opener.lower_ in lexicon("punctuation")["adverbial_behind_date"]
    if not known or opener.dep_ not in ("mark", "advmod") or token.head.i > start:
        return None
    clause = clause_of(token)
    if clause is None or clause.subject is None or clause.subject.i < start:
        return None
    if end < len(doc) and not doc[end].is_punct:
        return None
    head = token.head
    if opener.lower_ == "because" and any(t.lower_ in _NEGATIVE for t in doc[head.left_edge.i : start]):
        return None  # `He didn't leave because he was tired`: the comma would change what is denied
    before = doc[start - 1] if start else None
    if before is None or before.pos_ in ("ADV", "AUX", "CCONJ", "PART", "ADP", "SCONJ", "DET"):
        return None
    return int(start)


def _relative(token: Any) -> tuple[int | None, int]:
    """Return the span of a relative clause about a name, which cannot be restrictive."""
    doc, (start, end) = token.doc, span(token)
    name = doc[start - 1] if start else None
    if name is None or doc[start].lower_ not in ("who", "which", "whose", "where", "when") or doc[start].pos_ == "DET":
        return None, 0
    if name.tag_ == "CD" and len(name.text) == 4 and doc[start].lower_ == "when" and token.head.i == name.i:
        return start, end
    if (
        name.tag_ != "NNP"
        or token.head.tag_ != "NNP"
        or any(c.dep_ in ("det", "conj", "cc") for c in token.head.children)
    ):
        return None, 0
    if token.head.right_edge.i + 1 != end or not name.text[0].isupper():
        return None, 0
    return start, end


def _parenthesis(token: Any) -> tuple[int | None, int]:
    """Return the span of *however*, *for example* and the like between subject and verb or in mid-clause."""
    doc = token.doc
    words = parentheses()[token.lower_]
    start, end = token.i, token.i + len(words)
    if [t.lower_ for t in doc[start:end]] != words:
        return None, 0
    if start == 0 or end >= len(doc) or doc[start - 1].pos_ in ("CCONJ", "SCONJ", "ADV"):
        return None, 0
    if doc[end].pos_ in ("ADJ", "ADV") and len(words) == 1:
        return None, 0  # `however small`
    return start, end


@cache
def parentheses() -> dict[str, list[str]]:
    """Return the words and phrases that can stand between commas, by their first word."""
    return {phrase.split()[0]: phrase.split() for phrase in lexicon("punctuation")["parenthetical"]}


@cache
def _adverbs() -> frozenset[str]:
    return frozenset(lexicon("punctuation")["fronted_adverbs"])
