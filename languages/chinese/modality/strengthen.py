"""A clause that has a modal is strengthened, never given a second one; orders become more urgent.

`会` → `一定会`, `应该` → `必须`, `可能` → `很可能`; `请` → `请务必`.
"""

from __future__ import annotations

import random
from typing import Any

from languages.chinese.grammar.changes import Patch, before, instead
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.grammar.script import simplified
from languages.chinese.modality.place import clashes, fits, modal_gap


def strengthened(predicate: Predicate, rng: random.Random, *, asks: bool) -> list[Patch] | None:
    """Return the patch that strengthens a clause's own modal, None where that cannot be done."""
    doc, at = predicate.doc, predicate.stretch.modal
    if at is None or clashes_beside(predicate, doc[at]):
        return None
    modal, words = doc[at], lexicon("modals")
    text = form(modal)
    if text in ("不",) or (at > 0 and form(doc[at - 1]) in ("不", "没", "没有") and text in words["instead"]):
        return [before(doc[at - 1], "绝对")] if fits(doc, at - 1) else None
    if not asks and words["instead"].get(text):
        return [instead(modal, rng.choice(words["instead"][text]))]
    choices = words["before"].get(text)
    if not choices or (asks and (text in ("可能", "要") or text[0] in "不无没未")):
        return None
    gap = at if text == "可能" else min(modal_gap(predicate), at)
    return [before(doc[gap], rng.choice(choices))] if fits(doc, gap) else None


def clashes_beside(predicate: Predicate, modal: Any) -> bool:
    """Tell whether a word other than the modal itself already affirms or doubts the clause."""
    text = form(modal)
    if text not in ("可能", "必须", "应该", "应当", "是否", "能否", "可否"):
        return clashes(predicate)
    others = [form(t) for t in predicate.doc[predicate.piece.start : predicate.token.i] if t.i != modal.i]
    known = frozenset(lexicon("modals")["words"]["clashing"])
    return text in ("是否", "能否", "可否") or any(word in known or word in ("很", "极", "最", "不") for word in others)


def order(doc: Any, start: int, rng: random.Random) -> list[Patch] | None:
    """Return the patch that makes an order, which begins at token `start`, more urgent; None if it is none.

    Characters decide, not tokens: the segmenter may have joined 别 with its verb.
    """
    words = lexicon("modals")["imperative"]
    at = doc[start].idx
    text = simplified(doc.text[at:])
    for word in ("请", "不要", "别", "勿"):
        rest = text.removeprefix(word)
        if rest == text or not rest[:1].isalnum() or rest.startswith(tuple(words["no_order"][word])):
            continue
        for person in words["after_please"]:
            if word == "请" and rest.startswith(person):
                behind = at + len(word) + len(person)
                plain = rest.removeprefix(person)
                if not plain[:1].isalnum() or plain.startswith(("的", "们", *words["no_order"]["请"])):
                    return None
                return [Patch(behind, behind, rng.choice(["务必", "一定要"]))]
        return [Patch(at, at + len(word), rng.choice(words[word]))]
    return None
