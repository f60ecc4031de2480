"""What stands in front of the subject of a clause, and where may a comma close it off?

Times (`1997年`), linking words (`因此`), phrases such as `在…中` and clauses such as `毕业后`. The words decide, not the tree: a
date is read off its characters, a phrase off its preposition and the word that closes it; the tree only may object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from harness.protocols import Change
from languages.chinese.grammar.lexicon import words
from languages.chinese.grammar.script import simplified
from languages.chinese.marks.characters import is_han
from languages.chinese.marks.gaps import Gaps, Place, Segment, attributive_behind

_NUMBER = "[0-9０-９〇零一二三四五六七八九十百千两]{1,5}"
_DAY = f"{_NUMBER}月(?:份)?(?:{_NUMBER}[日号](?:[上下]午|凌晨|晚上?)?|[初末底中]旬?)?"
_TIME = re.compile(
    rf"(?:(?:公元前?|西元前?|民国|约)?{_NUMBER}年(?:{_DAY}|[初末底]|代(?:[初末中]期)?|[春夏秋冬](?:天|季)?|后|之后|前|以前|以来|间)?"
    rf"|[一-鿿]{{2}}(?:元|[二三四五六七八九]|[一二三四五]?十[一二三四五六七八九]?)年(?:{_DAY})?"
    rf"|(?:同年|次年|翌年|隔年|当年|今年|去年|明年)(?:{_DAY}|[初末底]|[春夏秋冬](?:天|季)?)?"
    rf"|{_NUMBER}月{_NUMBER}[日号](?:[上下]午|凌晨|晚上?)?|{_NUMBER}世纪(?:{_NUMBER}年代)?(?:[初末]|[初中末]期|前期|后期)?"
    rf"|(?:{_NUMBER}|几|数)(?:个月|天|周|年|日|小时|分钟)(?:后|之后|以后|前|之前|以前))"
)
#: how far a fronted phrase may reach, in tokens
_LONGEST = 14


def front_places(doc: Any, gaps: Gaps, segment: Segment) -> Iterator[Place]:
    """Yield the commas that close off what is fronted in a segment, in no particular order."""
    call = _call(doc, segment)
    if call is not None and gaps.takes_comma(call):
        yield Place("clause", (Change("insert", call, call, "，"),))
    for end, kind in fronted(doc, segment):
        if kind == "conjunction" or end >= segment.end or not gaps.takes_comma(end):
            continue
        if segment.end - end < 2 or _modifies(doc, end, segment):
            continue
        yield Place("clause", (Change("insert", end, end, "，"),))


def _call(doc: Any, segment: Segment) -> int | None:
    """The token behind a call that begins a sentence (`哦 | 没什么事`, `是的 | 我不去`), None if there is none."""
    text = simplified(doc[segment.start : segment.end].text) if segment.begins else ""
    said = max((c for c in words("punctuation", "calls") if text.startswith(c)), key=len, default="")
    end = _token_end(doc, segment.start, segment.end, len(said)) if said else None
    if end is None or segment.end - end < 2:
        return None
    return end if is_han(text[len(said)]) and text[len(said)] not in said + "的呀啊哦哟" else None


def _modifies(doc: Any, end: int, segment: Segment) -> bool:
    """Whether what is fronted may belong to a modifier behind it (`在山坡上走路的人们`)."""
    if attributive_behind(doc, end, segment):
        return True
    following = doc[end]
    if following.pos_ != "VERB" or simplified(following.text) in words("punctuation", "predicate"):
        return False
    return any(token.text == "的" for token in doc[end + 1 : min(segment.end, end + 6)])


def fronted(doc: Any, segment: Segment) -> list[tuple[int, str]]:
    """Return (end, kind) of what stands in front of the subject of a segment, in text order.

    Kinds: conjunction, time, opener, phrase. Each begins where the one before ends, the first at the segment's start.
    """
    found: list[tuple[int, str]] = []
    position = segment.start
    while position < segment.end and len(found) < 4:
        step = _step(doc, position, segment)
        if step is None:
            break
        found.append(step)
        position = step[0]
    return found


def _step(doc: Any, start: int, segment: Segment) -> tuple[int, str] | None:
    for kind, find in (("time", _time), ("opener", _opener), ("phrase", _phrase), ("conjunction", _conjunction)):
        end = find(doc, start, segment)
        if end is not None:
            return end, kind
    return None


def _time(doc: Any, start: int, segment: Segment) -> int | None:
    """`1997年`, `同年11月`, `20世纪初` in front of a clause; not `1997年的`, `1997年世界杯`."""
    limit = min(segment.end, start + _LONGEST)
    text = simplified(doc[start:limit].text)
    match = _TIME.match(text)
    if match is None:
        return None
    end = _token_end(doc, start, limit, len(match[0]))
    if end is None or end >= segment.end:
        return None
    if doc[end].text == "（":
        return None
    return end if _is_adverbial(doc, end) else None


def begins_with_time(text: str) -> bool:
    """Tell whether a text begins with a date or the like."""
    return _TIME.match(simplified(text)) is not None


def _is_adverbial(doc: Any, end: int) -> bool:
    """Whether the time that ends at `end` says when something happens, instead of belonging to the noun behind it."""
    last, following = doc[end - 1], doc[end]
    form = simplified(following.text)
    if form[0] in "的之度级版届款至到末初底中期代生第间起以前后来内、和与及或-–—~～" or form in (
        "时",
        "开始",
        "左右",
        "出生",
        "年",
    ):
        return False
    if form in words("punctuation", "predicate") or following.pos_ in ("PRON", "ADP", "ADV", "AUX"):
        return True
    head = last
    while head.head.i < end and head.head.i != head.i:
        head = head.head
    head = head.head
    if head.i < end or not following.dep_:
        return False
    if head.dep_.startswith(("acl", "nmod", "amod", "compound", "relcl")):
        return False  # `1946年创刊于台中的报纸`
    return head.pos_ in ("VERB", "AUX", "ADJ") or head.dep_ in ("ROOT", "root")


def _opener(doc: Any, start: int, segment: Segment) -> int | None:
    """The longest linking word or adverb of time at `start` that can be set off."""
    limit = min(segment.end, start + 5)
    text = simplified(doc[start:limit].text)
    for size in range(min(len(text), 7), 1, -1):
        if text[:size] in words("punctuation", "openers"):
            end = _token_end(doc, start, limit, size)
            if end is None or end >= segment.end:
                return None
            behind = simplified(doc[end].text)
            blocked = behind[0] in "的之、和与及或起至到以间" or behind in ("时", "开始", "左右")
            modifies = doc[end - 1].dep_ in ("nmod", "compound", "amod", "nsubj", "obj", "det") and size < 3
            modifies = modifies and doc[end - 1].head.i == end and doc[end].pos_ in ("NOUN", "PROPN")
            return None if blocked or modifies or _single_word(text[:size], behind) else end
    return None


def _single_word(opener: str, behind: str) -> bool:
    """`其中一`, `最后一批`, `下午2时`: not an adverb in front of a clause."""
    counted = behind[0].isdigit() or behind[0] in "一两三四五六七八九十"
    return counted or (opener == "其中" and behind[0] in "多有大部")


def _conjunction(doc: Any, start: int, segment: Segment) -> int | None:
    form = simplified(doc[start].text)
    listed = form in words("punctuation", "conjunctions") and start + 1 < segment.end
    return start + 1 if listed and doc[start].pos_ not in ("NOUN", "PROPN", "VERB") else None


def _phrase(doc: Any, start: int, segment: Segment) -> int | None:
    """`在这种情况下`, `毕业后`, `除…之外`: from a preposition, or a verb, to the word that closes the phrase."""
    opens = simplified(doc[start].text) in words("punctuation", "fronting")
    closers = words("punctuation", "closers" if opens else "time_closers")
    verb = False
    for i in range(start, min(segment.end - 1, start + _LONGEST)):
        form = simplified(doc[i].text)
        if form not in closers or i < start + 1:
            verb = verb or doc[i].pos_ == "VERB"
            if i > start and (
                form in words("punctuation", "predicate_certain") or (doc[i].pos_ == "AUX" and i > start + 1)
            ):
                return None
            continue
        if _closes(doc, start, i, segment, opens=opens, verb=verb):
            return i + 1
    return None


def _closes(doc: Any, start: int, i: int, segment: Segment, *, opens: bool, verb: bool) -> bool:
    """Whether the closing word at `i` really closes the phrase that begins at `start`, and a clause follows."""
    token, following = doc[i], doc[i + 1]
    form = simplified(following.text)
    if (
        form[0] in "的之、和与及或一"
        or form in words("punctuation", "closers")
        or form in ("开始", "为止", "左右", "就", "便")
    ):
        return False
    if token.pos_ in ("VERB", "ADV", "ADJ", "CCONJ") or token.dep_ in (
        "compound",
        "nsubj",
        "obj",
        "root",
        "ROOT",
        "advmod",
    ):
        return False
    if following.pos_ in ("PUNCT", "PART", "ADP") and form not in ("在", "由", "被", "从", "把", "以", "对"):
        return False
    if not opens:
        # without a preposition the closing word has to make a clause or an event a time: 毕业后, 战争期间
        if segment.end - i < 3 or not (verb or simplified(token.text) in ("期间", "时期")):
            return False
        return following.pos_ in ("PRON", "PROPN") or form in words("punctuation", "predicate")
    inside = doc[start].head
    # the preposition has to belong to what the closing word closes
    if doc[start].dep_ in ("root", "ROOT") or not start <= inside.i <= i:
        return simplified(doc[start].text) == "当" and following.pos_ == "PRON"
    if following.pos_ in ("NOUN", "ADJ", "NUM", "DET") and following.dep_ in ("nmod", "compound", "amod"):
        return segment.end - i > 4 and not _noun_phrase_to_end(doc, i + 1, segment.end)
    return following.pos_ != "NOUN" or following.dep_.startswith("nsubj") or inside.head.i > i + 1


def _noun_phrase_to_end(doc: Any, start: int, end: int) -> bool:
    return not any(token.pos_ in ("VERB", "AUX") for token in doc[start:end])


def _token_end(doc: Any, start: int, limit: int, length: int) -> int | None:
    """The index behind the token that ends `length` characters behind token `start`; None inside a token or at a blank."""
    total = 0
    for i in range(start, limit):
        total += len(doc[i].text)
        if total == length:
            return i + 1
        if total > length or doc[i].whitespace_:
            return None
    return None
