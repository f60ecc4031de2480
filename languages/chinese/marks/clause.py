"""Where do two clauses of a Chinese sentence meet without a mark between them? In front of 但, 所以, 并 …, and behind 表示, 认为 …

Both sides have to be clauses that reach the end of their piece of the sentence: nothing between a verb and its object, nothing
inside what modifies a noun.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.protocols import Change
from languages.chinese.grammar.labels import ROOT
from languages.chinese.grammar.lexicon import words
from languages.chinese.grammar.script import simplified
from languages.chinese.marks.gaps import Gaps, Place, Segment

#: tokens a clause has to have on each side of an inserted comma
_SHORTEST = 3
_VERBAL = ("VERB", "AUX", "ADJ")


def clause_places(doc: Any, gaps: Gaps, segment: Segment) -> Iterator[Place]:
    """Yield the commas between two clauses of a segment."""
    for i in range(segment.start + 1, segment.end - 1):
        form = simplified(doc[i].text)
        if form in words("punctuation", "clause_conjunctions"):
            if _joins_clauses(doc, i, form, segment) and gaps.takes_comma(i):
                yield Place("clause", (Change("insert", i, i, "，"),))
        elif form in words("punctuation", "saying") and _introduces(doc, i, segment) and gaps.takes_comma(i + 1):
            yield Place("said", (Change("insert", i + 1, i + 1, "，"),))


def _joins_clauses(doc: Any, i: int, form: str, segment: Segment) -> bool:
    left, right = doc[segment.start : i], doc[i + 1 : segment.end]
    if len(left) < _SHORTEST or len(right) < _SHORTEST - 1 or doc[i].pos_ in ("NOUN", "PROPN", "VERB"):
        return False
    if not _has_predicate(left) or not _has_predicate(right):
        return False
    before, behind = left[-1], right[0]
    if before.pos_ in ("ADP", "ADV", "AUX", "CCONJ", "DET", "SCONJ") and simplified(before.text) not in (
        "了",
        "过",
        "着",
    ):
        return False
    if simplified(before.text) in ("的", "地", "、", "和", "与", "是", "其") or simplified(behind.text) in (
        "的",
        "、",
        "不",
        "非",
        "未",
        "没有",
        "没",
    ):
        return False
    if any(simplified(t.text) in ("在", "当", "由于", "如果", "的") for t in left[:1]):
        return False
    # inside a modifier of a noun: `美丽而且善良的人`
    return not _modifier_behind(doc, i + 1, segment) and not _governed(doc[i], segment)


def _has_predicate(span: Any) -> bool:
    return any(t.pos_ in _VERBAL and t.dep_ not in ("compound", "nmod", "amod", "aux:pass") for t in span)


def _modifier_behind(doc: Any, start: int, segment: Segment) -> bool:
    """Whether a 的 that follows might close a modifier that began in front of the conjunction."""
    forms = [simplified(t.text) for t in doc[start : segment.end]]
    if "的" not in forms:
        return False
    place = start + forms.index("的")
    opener = doc[place].head
    return not (start < opener.i) or doc[place].left_edge.i < start


def _governed(conjunction: Any, segment: Segment) -> bool:
    """Whether the clauses joined here are the complement or modifier of something in front of both."""
    head = conjunction.head
    return head.dep_ in ("acl", "acl:relcl", "nmod", "amod", "compound", "csubj", "case") or head.i < segment.start


def _introduces(doc: Any, i: int, segment: Segment) -> bool:
    """Whether the verb of saying at `i` is the predicate of its piece and a clause with a subject of its own follows."""
    verb, following = doc[i], doc[i + 1]
    if verb.pos_ != "VERB" or (verb.dep_ not in ROOT and verb.dep_ not in ("conj", "parataxis")):
        return False
    if not any(c.dep_.startswith("nsubj") and c.i < i for c in verb.children) or segment.end - i < 5:
        return False
    clause = [c for c in verb.children if c.i > i and c.dep_ in ("ccomp", "parataxis") and c.left_edge.i == i + 1]
    if not clause or clause[0].right_edge.i < segment.end - 1:
        return False
    subjects = [c for c in clause[0].children if c.dep_.startswith("nsubj") and c.left_edge.i == i + 1]
    if not subjects or following.pos_ not in ("PRON", "PROPN", "NOUN", "DET", "NUM"):
        return False
    return following.pos_ == "PRON" or simplified(doc[subjects[0].right_edge.i + 1].text) in words(
        "punctuation", "predicate"
    )
