"""A modal into a question.

`如何下载` → `应该如何下载`, `省会是哪里` → `省会应该是哪里`, `你住在北京吗` → `你真的住在北京吗`. Other questions that somebody
wants answered go behind an opener of their own (`请务必告诉我，…`); 请问 gives way to it.
"""

from __future__ import annotations

import random
from typing import Any

from languages.chinese.grammar.changes import Patch, before
from languages.chinese.grammar.labels import form, is_modal, is_nominal
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.grammar.pieces import Piece
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.grammar.script import simplified
from languages.chinese.grammar.sentences import a_not_a
from languages.chinese.marks.final import asking
from languages.chinese.modality.place import clear_gap, fits, listed

#: characters of a question that stands alone
_LONGEST = 40
_SHORTEST = 4


def modal_before_how(doc: Any, rng: random.Random) -> list[Patch] | None:
    """Return the patch for a question that asks how something is done: a verb of doing follows 如何, no modal stands near."""
    words, modals = lexicon("modals")["question"], listed("before") | listed("instead")
    for token in doc[: len(doc) - 1]:
        if form(token) not in words["how_words"] or not fits(doc, token.i):
            continue
        following = token.nbor()
        near = {form(t) for t in doc[: token.i + 4]}
        plain = following.pos_ in ("VERB", "ADP") and not form(following).startswith(tuple(words["no_doing"]))
        done = any(form(t) in ("的", "了", "过") for t in doc[token.i + 1 :])
        front = doc[token.i - 1] if token.i else None
        clear = front is None or is_nominal(front) or front.text in "，,"
        if near & modals or not plain or done or not clear or any(is_modal(t) for t in doc[: token.i + 4]):
            return None
        return [before(token, rng.choice(words["how"]))]
    return None


def modal_before_what(doc: Any, rng: random.Random) -> list[Patch] | None:
    """Return the patch for a question that asks what or which something is: 是 between a noun and the question word."""
    words = lexicon("modals")["question"]
    for token in doc[1 : len(doc) - 1]:
        if form(token) != "是" or not form(token.nbor()).startswith(tuple(words["wh"])):
            continue
        previous = token.nbor(-1)
        if previous.pos_ not in ("NOUN", "PROPN") or not fits(doc, token.i) or any(map(is_modal, doc[: token.i])):
            return None
        if simplified(doc.text[: token.idx]).endswith(("什么", "谁", "哪", "还", "不", "就", "都", "也", "说", "人")):
            return None
        return [before(token, rng.choice(words["what"]))]
    return None


def really(predicate: Predicate, rng: random.Random) -> list[Patch] | None:
    """Return the patch for a question with 吗: 真的 in front of the predicate, where its place is certain."""
    doc = predicate.doc
    text = simplified(doc.text).rstrip("？?。 ")
    gap = clear_gap(predicate)
    if gap is None or not text.endswith(("吗", "嘛")) or predicate.stretch.negator is not None:
        return None
    return [before(doc[gap], rng.choice(lexicon("modals")["question"]["yes_no"]))]


def asked(found: list[Piece], rng: random.Random) -> list[Patch] | None:
    """Return the patch that puts a question behind an opener, None for one that belongs to a conversation."""
    words = lexicon("modals")["question"]
    doc, at = found[0].doc, found[0].start
    text = simplified(doc.text)
    if at or len(text) > _LONGEST or len(found) > 2 or found[-1].sentence > 0 or not fits(doc, at):
        return None
    for polite in words["polite"]:
        if text.startswith(polite):
            rest = text[len(polite) :].lstrip("，,：: ")
            skipped = len(text) - len(rest)
            return [Patch(0, skipped, rng.choice(words["openers"]))] if rest[:1].isalnum() else None
    if not asking(text.rstrip("？? ")) and a_not_a(doc) is None:
        return None  # a statement with a question mark
    if text.startswith(tuple(words["reproach"])):
        return None
    alone = len(found) == 1 and len(text) > _SHORTEST
    if alone and text.startswith(tuple(words["asked"])):
        return [before(doc[at], rng.choice(words["openers"]))]
    if text.startswith(tuple(words["not_asked"])):
        spoken = alone and text.startswith(tuple(words["rejoins"])) and text[-1:] in "？?"
        return [before(doc[at], rng.choice(words["spoken"]))] if spoken else None
    return [before(doc[at], rng.choice(words["openers"]))]
