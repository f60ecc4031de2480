"""Put one negation into a predicate: 是→不是, 有→没有, 被→没有被, V了→没有V, 能→不能, states 不V."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from languages.chinese.grammar import labels
from languages.chinese.grammar.aspect import aspect_of
from languages.chinese.grammar.changes import Patch
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, words
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.grammar.script import simplified
from languages.chinese.polarity.scope import (
    bound_adverb,
    drop_le,
    focus_phrase,
    is_past,
    located,
    previous_adverb,
    questioning,
    replaced_adverb,
    tangled,
    with_next,
    words_,
)


@dataclass(frozen=True)
class Flip:
    """One change of polarity.

    patches   the edits at characters
    at        character in front of which a second negation may go (没有… → 并非没有…)
    added     True if a negation was put in, False if one was taken out
    rule      name of the rule, for tables and tests
    negation  the words of negation that were put in, "" if one was taken out
    """

    predicate: Predicate
    patches: tuple[Patch, ...]
    at: int
    added: bool
    rule: str
    negation: str = ""


def deny(found: Predicate, rng: random.Random, *, imperative: bool = False) -> Flip | None:
    """Return the flip that negates a positive predicate, None if its scope would be unclear."""
    if tangled(found):
        return None
    if imperative:
        return _forbid(found)
    rule = {"modal": _modal, "shi": _shi, "possess": _possess}.get(found.kind, _verb)
    return rule(found, rng)


def _forbid(found: Predicate) -> Flip:
    first = found.doc[found.piece.start]
    text = form(first)
    if text in ("请", "请您", "请你"):
        asked = first.nbor() if first.i + 1 < found.piece.end else first
        last = asked if form(asked) in words_("asked_of") else first
        at = last.idx + len(last.text)
        return Flip(found, (Patch(at, at, "不要"), *drop_le(found)), at, True, "imperative", "不要")
    if text in ("快", "快点", "赶快", "赶紧", "务必"):
        whole = Patch(first.idx, first.idx + len(text), "别")
        return Flip(found, (whole, *drop_le(found)), first.idx, True, "imperative", "别")
    at = _start(found.doc, max(found.stretch.start, found.subject[1] if found.subject else 0))
    return Flip(found, (Patch(at, at, "别"), *drop_le(found)), at, True, "imperative", "别")


def _modal(found: Predicate, rng: random.Random) -> Flip | None:
    i = found.stretch.modal
    assert i is not None
    token = found.doc[i]
    denied = lexicon("verbs")["deny_modal"].get(form(token))
    if denied is None:
        return None
    bound = bound_adverb(found, before=i)
    if bound is not None:
        return _bianfei(found, bound, "modal behind an adverb")
    previous = form(found.doc[i - 1]) if i > found.piece.start else ""
    if previous == "很":
        at = found.doc[i - 1].idx
        return Flip(found, (Patch(at, at + 1, "不太"),), at, True, "modal", "不太")
    if previous in ("才", "就", "便") and form(token) not in ("会", "能", "可以", "可"):
        return None
    if previous in ("才", "还"):
        return None
    patches = [Patch(token.idx, token.idx + len(token.text), denied), *drop_le(found)]
    return Flip(found, tuple(patches), token.idx, True, "modal", denied)


def _shi(found: Predicate, rng: random.Random) -> Flip | None:
    token = found.token
    text = form(token)
    if text.startswith(("不", "并不", "并非")) or text == "而是":
        return None
    bound = bound_adverb(found, before=token.i)
    if bound is not None:
        return _bianfei(found, bound, "copula behind an adverb")
    denied = lexicon("negation")["shi"].get(text)
    replaced = replaced_adverb(found, "adverb_state")
    with_ = next((t.i for t in found.piece.tokens if text == "为" and t.i < token.i and form(t) == "以"), None)
    if with_ is not None:
        return _bianfei(found, with_, "以…为")
    if text == "为" and token.i > found.piece.start and form(token.nbor(-1)) in ("均", "皆", "都", "也", "亦"):
        denied = "不是"
    if denied is None:
        denied = text[: text.index("是")] + "不是" + text[text.index("是") + 1 :] if "是" in text else None
    if denied is None:
        return None
    if replaced is not None:
        adverb, word = replaced
        gap = found.doc[adverb.i + 1 : token.i]
        if len(gap) == 0 and text in ("是", "为"):
            whole = Patch(adverb.idx, token.idx + len(token.text), word + "是")
            return Flip(found, (whole,), adverb.idx, True, "copula", word)
        return None
    return Flip(found, (Patch(token.idx, token.idx + len(token.text), denied),), token.idx, True, "copula", denied)


def _possess(found: Predicate, rng: random.Random) -> Flip | None:
    token = found.token
    text = form(token)
    denied = lexicon("verbs")["possess"].get(text)
    if denied is None:
        return None
    bound = bound_adverb(found, before=token.i)
    if bound is not None:
        return _bianfei(found, bound, "possession behind an adverb")
    replaced = replaced_adverb(found, "adverb_state")
    if replaced is not None and found.token.i == replaced[0].i + 1:
        adverb, word = replaced
        word = word if text != "有" else word.replace("不", "没", 1) if not word.endswith(("不再", "会")) else word
        whole = Patch(adverb.idx, token.idx + len(text), word.replace("没曾", "不曾") + text)
        return Flip(found, (whole, *drop_le(found)), adverb.idx, True, "possession", word)
    if replaced is not None:
        return None
    following = form(token.nbor()) if token.i + 1 < found.piece.end else ""
    if following in ("约", "大约", "近", "超过", "将近", "至少", "共"):
        return _bianfei(found, token.i, "quantity")
    # 有着 many: no 着 behind 没有
    end = token.idx + len(text) + (following == "着")
    whole = Patch(token.idx, end, denied)
    return Flip(found, (whole, *drop_le(found)), token.idx, True, "possession", denied)


def _verb(found: Predicate, rng: random.Random) -> Flip | None:
    token, stretch = found.token, found.stretch
    text = form(token)
    denied = lexicon("negation")["deny_verb"].get(text)
    if denied is not None:
        return Flip(found, (Patch(token.idx, token.idx + len(text), denied),), token.idx, True, "named verb", denied)
    if text.startswith("有") and len(text) > 1:
        found_ = Patch(token.idx, token.idx + 1, "没有")
        return Flip(found, (found_,), token.idx, True, "possession", "没有")
    if text[0] in "不未无没非" and text not in words_("not_negative"):
        return None
    if any(form(t) in words_("how") for t in found.doc[found.piece.start : token.i]) and not questioning(found):
        return None
    potential = _potential(found)
    if potential is not None:
        return potential
    aspect = aspect_of(found.piece, token)
    adjective = found.kind == "adjective"
    state = (
        (adjective or text in words("verbs", "states") or with_next(found) in words("verbs", "states"))
        and not aspect.mark
        and found.kind not in ("ba", "bei")
    )
    if adjective and aspect.final is not None:
        state = False
    last = found.doc[found.piece.end - 1]
    if text == "在" and form(last) in words("known_verbs", "verbs"):
        state = False  # the verb was taken for a noun (`在大学工作`)
    if token.i + 1 < found.piece.end and form(token.nbor()) == "有":
        state = False
    replaced = replaced_adverb(found, "adverb_state" if state else "adverb_event")
    if questioning(found) and any(form(t) in words_("wh") for a, b in stretch.phrases for t in found.doc[a:b]):
        return None  # 在哪里办理
    bound = bound_adverb(found, before=token.i)
    if bound is not None and (replaced is None or bound < replaced[0].i):
        return _bianfei(found, bound, "verb behind an adverb")
    if replaced is not None:
        adverb, word = replaced
        if form(adverb) == "在" and not found.piece.ends_sentence:
            return None  # more likely the preposition of a long phrase
        previous = found.doc[adverb.i - 1] if adverb.i > found.piece.start else adverb
        begin = previous.idx if form(previous) == "正" and form(adverb) == "在" else adverb.idx
        patches = [Patch(begin, adverb.idx + len(adverb.text), word), *drop_le(found)]
        return Flip(found, tuple(patches), adverb.idx, True, "adverb", word)
    previous = previous_adverb(found)
    if previous in words_("takes_not") and not aspect.mark:
        at = _start(found.doc, found.token.i - 1)
        return Flip(found, (Patch(at, at, "不"),), at, True, "frequency adverb", "不")
    if located(found) or focus_phrase(found):
        return _bianfei(found, stretch.inner, "focus")
    at = _start(found.doc, stretch.inner)
    plain = stretch.inner > found.piece.start and labels.is_adverb(found.doc[stretch.inner - 1])
    if state:
        word = "不" if plain or questioning(found) else rng.choice(["不", "并不"])
        rule = "adjective" if adjective else "state"
    elif questioning(found) and not aspect.mark and found.kind == "verb" and not is_past(found):
        word, rule = "不", "question"
    else:
        word = "没有" if plain or questioning(found) else rng.choice(["没有", "并没有"])
        rule = {"bei": "被", "ba": "把"}.get(found.kind, "event")
    return Flip(found, (Patch(at, at, word), *drop_le(found)), at, True, rule, word)


def _bianfei(found: Predicate, index: int, rule: str) -> Flip:
    at = _start(found.doc, index)
    while index > found.stretch.region and form(found.doc[index - 1]) in words_("takes_not"):
        index -= 1
        at = _start(found.doc, index)
    word = "不是" if questioning(found) else "并非"
    return Flip(found, (Patch(at, at, word),), at, True, rule, word)


def _start(doc: Any, index: int) -> int:
    return int(doc[index].idx)


def _potential(found: Predicate) -> Flip | None:
    """看得见 → 看不见, whether it is one token or three."""
    token, doc = found.token, found.doc
    text = form(token)
    if len(text) == 3 and text[1] == "得":
        return Flip(found, (Patch(token.idx + 1, token.idx + 2, "不"),), token.idx, True, "potential", "不")
    # segmenters cut 看得见远处 in many ways
    end = token.idx + len(text) - text.endswith("得")
    behind = simplified(doc.text[end : end + 3])
    known = text[:1] in words("known_verbs", "verbs") and len(text.removesuffix("得")) == 1
    if known and behind[:1] == "得" and (behind[1:3] in RESULTS or behind[1:2] in RESULTS - {"了"}):
        return Flip(found, (Patch(end, end + 1, "不"),), token.idx, True, "potential", "不")
    return None


RESULTS = {
    "见",
    "到",
    "懂",
    "完",
    "起",
    "住",
    "了",
    "动",
    "出",
    "上",
    "下",
    "清",
    "来",
    "去",
    "开",
    "进",
    "通",
    "出来",
    "起来",
    "下去",
    "清楚",
}
