"""Where in a clause does a modal go? In front of the whole pre-verbal part: adverbs, 在 …, 把 …, 被 …, negation and all.

Only what links the clause to its context (也, 却, 则 …) stays in front. So a modal never comes between 被 and its verb, and 必须不
or 一定没有 deny what the clause denied.
"""

from __future__ import annotations

from typing import Any

from languages.chinese.grammar.labels import form, is_modal
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.grammar.stretch import is_negator
from languages.chinese.marks.characters import counts


def listed(*keys: str) -> frozenset[str]:
    """Return a list of `lexicon/modals.toml` by its table and name, as a set."""
    found: Any = lexicon("modals")
    for key in keys:
        found = found[key]
    return frozenset(found)


def modal_gap(predicate: Predicate) -> int:
    """Return the token in front of which a modal goes."""
    doc, at, end = predicate.doc, predicate.stretch.start, predicate.token.i
    outer = listed("words", "outer")
    while at < end and form(doc[at]) in outer and not _bound(doc, at):
        at += 1
    if at > predicate.stretch.region and form(doc[at]) == "也" and _bound(doc, at):
        at -= 1  # `什么也没有`: in front of both
    behind = predicate.token.i + 1
    found = behind < predicate.piece.end and form(doc[behind]) in listed("words", "found")
    if found and form(predicate.token) in listed("words", "findings"):
        return behind  # `研究 | 发现`
    at = _before_coverb(predicate, at)
    while at - 1 > predicate.stretch.region and form(doc[at - 1]) in listed("words", "manner"):
        at -= 1
    return at


def _bound(doc: Any, at: int) -> bool:
    """Whether a linking word belongs to what follows or precedes it: `并没有`, `再也没有`."""
    if form(doc[at]) == "并" and at + 1 < len(doc) and form(doc[at + 1])[0] in "不没未非无":
        return True
    return form(doc[at]) == "也" and at > 0 and form(doc[at - 1]) in ("再", "一点", "什么", "谁", "怎么", "半点")


def _before_coverb(predicate: Predicate, at: int) -> int:
    """In front of a prepositional phrase that ends at `at`, where the stretch did not reach over it (`由 文学 和 历史 | 组成`)."""
    span, doc = predicate.subject, predicate.doc
    first = predicate.stretch.region + (span is not None)
    if span is not None and "的" in {form(t) for t in doc[span[0] : span[1]]}:
        first = max(first, span[1])
    for i in range(at - 1, first - 1, -1):
        if (
            form(doc[i]) in listed("words", "coverbs")
            and doc[i].pos_ in ("ADP", "AUX", "PART")
            and form(doc[i + 1]) not in ("的", "之")
        ):
            return i
        if doc[i].pos_ in ("PUNCT", "ADV") or (doc[i].pos_ == "VERB" and "的" not in {form(t) for t in doc[i:at]}):
            break
    return at


def clashes(predicate: Predicate) -> bool:
    """Tell whether the clause has a word, in front of its predicate, that a modal would contradict or double."""
    words = listed("words", "clashing")
    doc, stretch, first = predicate.doc, predicate.stretch, predicate.piece.start
    opening = [form(doc[i]) for i in range(first, min(stretch.region + 1, predicate.token.i))]
    before = [form(doc[i]) for i in range(max(stretch.start - 1, first), predicate.token.i + 1)]
    if any(word in words for word in opening + before):
        return True
    # `一定` and the like may be cut in two by the segmenter
    text = "".join(form(doc[i]) for i in range(first, predicate.token.i + 1))
    return any(word in text for word in _CLASHING)


_CLASHING = ("一定", "必定", "想必", "不得不", "必须", "应该", "似乎", "可能", "越来越", "如果", "虽然", "好像")


def fits(doc: Any, at: int) -> bool:
    """Tell whether words may be put in front of token `at`: not inside a Latin word or number, not behind 的 or a preposition."""
    if at >= len(doc) or not any(map(str.isalnum, doc[at].text)):
        return False
    if at == 0:
        return True
    before, here = doc[at - 1], doc[at]
    if before.text[-1:].isascii() and here.text[:1].isascii() and before.text[-1:].isalnum() and not before.whitespace_:
        return False
    if before.text[-1:] in "《〈“‘「『（([-–—/·‧•":
        return False
    if form(here) in listed("words", "never_in_front_of"):
        return False
    if form(here)[0] in "了着过" and form(here) not in ("过去", "过年", "着手", "着迷", "了解"):
        return False
    if (
        before.dep_ in ("clf", "mark:clf", "det")
        or counts(form(before))
        or (at > 1 and counts(form(doc[at - 2]) + form(before)))
    ):
        return False  # `一个 | 穿着雪裤的小孩`
    return form(before) not in listed("words", "never_behind") and not form(before).endswith(("得", "的"))


def splits_verbs(predicate: Predicate, at: int) -> bool:
    """Tell whether a modal at `at` would come between a verb and what it governs (`列 | 为`), as far as tags show it."""
    doc, piece = predicate.doc, predicate.piece
    if at <= piece.start:
        return False
    before, here = doc[at - 1], form(doc[at])
    if here in listed("words", "complements") and before.pos_ in ("VERB", "ADJ", "AUX"):
        return True
    verbal = [
        t for t in doc[predicate.stretch.region : at] if t.pos_ == "VERB" and form(t) not in listed("words", "manner")
    ]
    if here == "为" and verbal and "的" not in {form(t) for t in doc[verbal[-1].i : at]}:
        return True  # `拥立 孙皓 | 为帝`
    if before.pos_ not in ("VERB", "AUX") and form(before) != "着":
        return False
    return not before.dep_.startswith(("nsubj", "csubj", "compound")) and form(before) not in ("了", "过")


def inside_phrase(predicate: Predicate) -> bool:
    """Tell whether the verb found belongs to a phrase of time, to a modifier or to a noun phrase instead of heading its piece."""
    doc, piece, at = predicate.doc, predicate.piece, predicate.token.i
    behind = [form(t) for t in doc[at + 1 : piece.end]]
    for offset, word in enumerate(behind[:7]):
        if word in ("在", "到", "从", "于", "当", "是", "说"):
            break
        if word in listed("words", "closers") and any(t.pos_ == "VERB" for t in doc[at + 2 + offset : piece.end]):
            return True  # `成立前由…制定的法律`
    front = [
        t
        for t in doc[predicate.stretch.region : predicate.stretch.start]
        if "的" not in {form(u) for u in doc[t.i : at]}
    ]
    if any(
        is_modal(t) or form(t)[-1] in "会能" or is_negator(t) or form(t) in listed("words", "causatives")
        for t in front
        if t.pos_ not in ("NOUN", "PROPN")
    ):
        return True  # `他可绕经车站 | 进行换乘`, `不能用智力 | 来理解`
    if predicate.kind in ("shi", "possess"):
        return False
    if "的" in behind[:3]:
        later = at + 1 + behind.index("的")
        if any(t.dep_ in ("ROOT", "root") for t in doc[later : piece.end]):
            return True  # `以商人为主的联盟成立`
    holds = form(predicate.token)[-1] in "着了过" or behind[:1] in (["着"], ["了"], ["过"])
    if "的" in behind and (behind[0] == "的" or (predicate.subject is None and holds)):
        later = at + 1 + behind.index("的")
        if any(t.pos_ == "VERB" for t in doc[later : piece.end]):
            return True  # `戴着帽子的老人在演奏`
    near = [form(t) for t in doc[max(at - 2, piece.start) : at]]
    # `学校间的病态牵连`: a noun that ends the piece
    return (
        "的" in near
        and at == piece.end - 1
        and predicate.kind == "verb"
        and predicate.stretch.start == at
        and not predicate.sure
    )


def aside(predicate: Predicate) -> bool:
    """Tell whether the piece only leads in: `具体来说`, `从…来看`."""
    piece, word = predicate.piece, form(predicate.token)
    if word in ("到", "至", "直到", "截至", "自", "从") and not piece.ends_sentence:
        return True  # `到11月3日，…`
    if word in ("凌晨", "清晨", "傍晚", "上午", "下午", "晚上", "早上", "中午", "深夜"):
        return True  # `1月3日凌晨，…`
    behind = piece.mark + 1 if piece.mark is not None else len(piece.doc)
    if predicate.kind == "verb" and behind < len(piece.doc) and not piece.ends_sentence:
        plain = not any(form(t) in ("了", "着", "过") for t in piece.tokens)
        if plain and form(piece.doc[behind]) in listed("words", "topic_follows"):
            return True  # `海军综合保障基地，位于…`
    if form(piece.doc[piece.end - 1]) == "的" and not any(form(t) in ("是", "有") for t in piece.tokens):
        return True  # `焚烧国旗的，由…`
    return piece.text.endswith(("来说", "而言", "来看", "来讲", "说来", "来說", "的话", "的時候", "的时候")) or (
        word in ("随着", "关于", "对于", "如", "等", "例如") and not predicate.sure
    )
