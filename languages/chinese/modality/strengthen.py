"""A clause that has a modal is strengthened, never given a second one; orders become more urgent.

`会` → `一定会`, `应该` → `必须`, `可能` → `很可能`; `请` → `请务必`, `帮我…` → `请务必帮我…`, `谢谢大家` → `一定要谢谢大家`.
"""

from __future__ import annotations

import random
from typing import Any

from languages.chinese.grammar.changes import Patch, before, instead
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.grammar.script import simplified
from languages.chinese.modality.place import clear_gap, listed

#: a request is short and tells of nothing that has happened
_LONGEST_REQUEST = 16


def strengthened(predicate: Predicate, rng: random.Random) -> list[Patch] | None:
    """Return the patch that strengthens a clause's own modal, None where that cannot be done for certain."""
    doc, at = predicate.doc, predicate.stretch.modal
    gap = clear_gap(predicate)
    if at is None or gap is None or doc[at].pos_ not in ("AUX", "VERB", "ADV"):
        return None
    words, text = lexicon("modals"), form(doc[at])
    if words["instead"].get(text):
        doing = predicate.token.pos_ == "VERB" and at < predicate.token.i
        doing = doing and form(predicate.token) not in listed("words", "states")
        return [instead(doc[at], rng.choice(words["instead"][text]))] if doing else None
    choices = words["before"].get(text)
    if text in ("想", "不想") and predicate.token.pos_ != "VERB":
        return None  # `我想是…`: to think
    if not choices or (at > gap and form(doc[at - 1]) in ("不", "没", "很", "极", "最")):
        return None
    place = at if text == "可能" else gap
    return [before(doc[place], rng.choice(choices))]


def order(doc: Any, start: int, rng: random.Random) -> list[Patch] | None:
    """Return the patch that makes an order, which begins at token `start`, more urgent; None if it is none.

    Characters decide, not tokens: the segmenter may have joined 别 with its verb.
    """
    words = lexicon("modals")["imperative"]
    at = doc[start].idx
    text = simplified(doc.text[at:])
    if text.startswith(tuple(words["requests"])) and len(text) <= _LONGEST_REQUEST:
        return None if any(c in text for c in "了过的？?，") else [Patch(at, at, "请务必")]
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


def thanks(doc: Any, start: int) -> list[Patch] | None:
    """Return the patch that makes thanks a duty (`一定要谢谢大家`), None for other wishes, which nobody can affirm."""
    text = simplified(doc.text[doc[start].idx :])
    alone = text.startswith(tuple(lexicon("modals")["imperative"]["thanks"])) and not any(
        c in text for c in "，,！!？?"
    )
    return [Patch(doc[start].idx, doc[start].idx, "一定要")] if alone and len(text) > _THANKS else None


#: characters of thanks that say for what or to whom
_THANKS = 3
