"""Take the negation out of a predicate: 不V→V, 没(有)V→V了, 没有N→有N, 从来没V过→曾经V过, 无法→能够, 看不见→看得见."""

from __future__ import annotations

from typing import Any

from languages.chinese.grammar import labels
from languages.chinese.grammar.aspect import aspect_of
from languages.chinese.grammar.candidates import is_attributive
from languages.chinese.grammar.changes import Patch
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, words
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.polarity.deny import RESULTS, Flip
from languages.chinese.polarity.scope import words_

_PERFECTIVE = {"没", "没有", "并没", "并没有", "也没", "也没有", "都没", "都没有", "却没有", "还没", "还没有"}


def is_negative(found: Predicate) -> bool:
    """Whether the predicate is negated, in the stretch in front of it or by its own form."""
    return _where(found) is not None


def affirm(found: Predicate) -> Flip | None:
    """Return the flip that takes the negation away, None if the predicate has none or it cannot simply go."""
    where = _where(found)
    if where is None:
        return None
    kind, token = where
    if kind == "potential":
        at = token.idx + form(token).index("不")
        return Flip(found, (Patch(at, at + 1, "得"),), found.token.idx, False, "potential")
    if kind == "own":
        prefix = Patch(token.idx, token.idx + 1, "")
        return Flip(found, (*_bing(found, token), prefix, *_own_le(found, token)), token.idx, False, "negator")
    if kind == "modal":
        return _modal(found, token)
    if kind == "predicate":
        return _predicate(found, token)
    return _negator(found, token)


def _where(found: Predicate) -> tuple[str, Any] | None:
    doc, stretch, token = found.doc, found.stretch, found.token
    if stretch.modal is not None and form(doc[stretch.modal]) in lexicon("verbs")["affirm_modal"]:
        return "modal", doc[stretch.modal]
    if stretch.negator is not None:
        return "negator", doc[stretch.negator]
    text = form(token)
    if text == "来不及" or (text == "不及" and token.i > 0 and form(token.nbor(-1)) == "来"):
        return "potential", token
    if text in lexicon("negation")["affirm_verb"]:
        return "predicate", token
    verbs = words("known_verbs", "verbs")
    result = form(token.nbor())[:1] if token.i + 1 < found.piece.end else ""
    glued = text[0] in "没别未不" and len(text) > 1 and text[1:] in verbs
    if (
        glued
        and text not in lexicon("negation")["affirm_verb"]
        and (text not in words_("not_negative") or result in RESULTS)
    ):
        return "own", token  # 没收|到, 别碰
    if len(text) == 3 and text[1] == "不" and text[0] in verbs and text[2] in RESULTS:
        return "potential", token
    following = token.nbor() if token.i + 1 < found.piece.end else None
    behind = form(token.nbor(2)) if token.i + 2 < found.piece.end else ""
    if following is not None and form(following) == "不" and behind in RESULTS and text in verbs:
        return "potential", following
    return None


def _own_le(found: Predicate, token: Any) -> list[Patch]:
    aspect = aspect_of(found.piece, token)
    if form(token)[0] != "没" or not _takes_le(found, token, aspect):
        return []
    return [Patch(aspect.end, aspect.end, "了")]


def _modal(found: Predicate, token: Any) -> Flip:
    word = lexicon("verbs")["affirm_modal"][form(token)]
    doc = found.doc
    start, end = token.idx, token.idx + len(token.text)
    previous = doc[token.i - 1] if token.i > found.piece.start else None
    patches = []
    if previous is not None and form(previous) in ("并", "绝", "决", "绝对", "从来", "根本", "再也", "再"):
        strong = form(previous) in ("绝", "决", "绝对")
        patches.append(Patch(previous.idx, previous.idx + len(previous.text), "一定" if strong else ""))
    alone = (
        found.subject is None
        and token.i == found.piece.start
        and form(token) in ("不要", "不用", "不必", "不得", "不准", "不许")
    )
    patches.append(Patch(start, end, "" if alone and not patches else word))
    return Flip(found, (*patches, *_any(found, token.i)), start, False, "negative modal")


def _predicate(found: Predicate, token: Any) -> Flip | None:
    """没有钱 → 有钱, 不是 → 是, 不同 → 相同."""
    text = form(token)
    following = token.nbor() if token.i + 1 < found.piece.end else None
    if text in _PERFECTIVE and following is not None and _verbal_use(found, following):
        return _negator(found, token)
    word = lexicon("negation")["affirm_verb"][text]
    patches = [*_bing(found, token), Patch(token.idx, token.idx + len(token.text), word), *_any(found, token.i)]
    return Flip(found, tuple(patches), token.idx, False, "negative predicate")


def _verbal_use(found: Predicate, following: Any) -> bool:
    """Whether 没有 stands in front of a verb (没有来) and not of a noun (没有钱)."""
    text = form(following)
    if text in words_("nounish"):
        last = following.i + 1 >= found.piece.end
        return not last and following.pos_ == "VERB" and following.nbor().pos_ in ("NOUN", "PROPN", "PRON", "NUM")
    if labels.is_nominal(following) or following.pos_ in ("DET",) or text in words_("any"):
        return False
    if labels.is_adposition(following) or labels.is_modal(following) or text in words("known_verbs", "verbs"):
        return not (following.i + 1 < found.piece.end and form(following.nbor()) == "的")
    if following.pos_ == "VERB" and not any(form(t) == "的" and t.i > following.i for t in found.piece.tokens):
        return True
    if following.pos_ in ("VERB", "AUX", "ADV", "SCONJ"):
        return not is_attributive(following, found.piece)
    return False


def _negator(found: Predicate, token: Any) -> Flip | None:
    doc, table = found.doc, lexicon("negation")["affirm"]
    first, last = token, token
    text = form(token)
    while first.i > found.piece.start and form(first.nbor(-1)) + text in table:
        first = first.nbor(-1)
        text = form(first) + text
    if last.i + 1 < found.token.i and text + form(last.nbor()) in table:
        last = last.nbor()
        text += form(last)
    if text not in table:
        return None
    word = table[text]
    patches = _bing(found, first)
    verb = _verb_behind(found, token)
    if text in ("不", "并不") and last.i + 1 < found.piece.end and labels.is_copula(doc[token.i + 1]):
        word = ""
    degree = doc[token.i + 1] if token.i + 1 < found.piece.end else token
    if (
        text in ("不", "并不")
        and form(degree) in ("怎么", "太", "甚", "大", "那么", "怎么样", "够", "十分", "很")
        and degree.i < verb.i
    ):
        # 不太高 → 很高
        patches.append(Patch(token.idx, degree.idx + len(degree.text), "很"))
        return Flip(found, tuple(patches), token.idx, False, "negator")
    taken = {p.start for p in patches}
    patches.append(Patch(first.idx, last.idx + len(last.text), word))
    aspect = aspect_of(found.piece, verb)
    if text in ("从没", "从没有", "从来没", "从来没有", "从未", "从来未") and aspect.mark == "":
        patches.append(Patch(aspect.end, aspect.end, "过"))
    elif (text in _PERFECTIVE and word != "已经" and _takes_le(found, verb, aspect)) or (
        word == "已经" and text.startswith("还没") and _takes_le(found, verb, aspect)
    ):
        patches.append(Patch(aspect.end, aspect.end, "了"))
    patches += [p for p in _any(found, verb.i) if p.start not in taken]
    return Flip(found, tuple(patches), token.idx, False, "negator")


def _verb_behind(found: Predicate, token: Any) -> Any:
    """The verb that a word of negation stands in front of."""
    if token.i < found.token.i:
        return found.token
    for t in found.piece.tokens:
        if t.i > token.i and t.pos_ in ("VERB", "ADJ") and not labels.is_adposition(t) and not labels.is_modal(t):
            return t
    return found.token


def _takes_le(found: Predicate, verb: Any, aspect: Any) -> bool:
    text = form(verb)
    if aspect.mark or aspect.final or found.stretch.modal is not None or text in words("verbs", "states"):
        return False
    if verb.pos_ not in ("VERB", "NOUN") or text.endswith(("于", "过", "着", "在")):
        return False
    behind = [t for t in found.piece.tokens if t.idx >= aspect.end]
    if text in ("打算", "想", "准备", "试图", "希望", "决定", "继续", "开始", "停止", "能够", "敢于", "计划", "进行"):
        return text == "进行"
    if behind and len(behind[0].text) > 1 and form(behind[0]) in words("known_verbs", "verbs"):
        return False
    if behind and (
        behind[0].pos_ in ("VERB", "AUX", "ADV", "ADP", "SCONJ", "PRON") or form(behind[0]) in ("在", "于", "得", "的")
    ):
        return behind[0].pos_ == "PRON"
    # 没有要求他离开: a clause follows
    return not any(t.pos_ == "VERB" and t.head.i == verb.i and t.dep_ in ("ccomp", "xcomp") for t in behind)


def _bing(found: Predicate, token: Any) -> list[Patch]:
    """并, 几乎 and 从来 in front of a negation go with it."""
    patches: list[Patch] = []
    i = token.i - 1
    while i >= found.piece.start and form(found.doc[i]) in ("并", "几乎", "根本", "毫", "丝毫", "从来", "再也"):
        previous = found.doc[i]
        text = form(previous)
        if text == "并" and i == found.piece.start and found.piece.start > 0 and token.i != i + 1:
            break
        word = {"从来": "曾经" if form(token).startswith(("没", "未")) else "总是", "再也": "仍然"}.get(text, "")
        patches.append(Patch(previous.idx, previous.idx + len(previous.text), word))
        i -= 1
    if i >= found.piece.start and form(found.doc[i]) in ("也", "都") and i - 1 >= found.piece.start:
        # 一点也不 X, 谁也不 X
        before = found.doc[i - 1]
        if form(before) in ("一点", "丝毫", "一点儿"):
            patches.append(Patch(before.idx, found.doc[i].idx + len(found.doc[i].text), "非常"))
        elif form(before) in words_("wh") and form(found.doc[i]) == "也":
            patches.append(Patch(found.doc[i].idx, found.doc[i].idx + 1, "都"))
    return patches


def _any(found: Predicate, behind: int) -> list[Patch]:
    """任何 and the like right behind the negation or the verb go with it."""
    following = [t for t in found.piece.tokens if behind < t.i <= behind + 2]
    return [Patch(t.idx, t.idx + len(t.text), "") for t in following if form(t) in ("任何", "丝毫", "半点")][:1]
