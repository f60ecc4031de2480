"""Where a clause takes no modal itself: a noun phrase is predicated, a statement goes behind an opener.

`三只猫` → `一定是三只猫`; else `毋庸置疑，…`.
"""

from __future__ import annotations

import random

from languages.chinese.grammar.changes import Patch, before
from languages.chinese.grammar.labels import form, is_nominal
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.grammar.pieces import Piece
from languages.chinese.grammar.script import simplified
from languages.chinese.modality.place import fits, listed

_LONGEST_FRAGMENT = 8


def predicated(piece: Piece, rng: random.Random) -> list[Patch] | None:
    """Return the patch that makes a statement of a noun phrase that is the whole text, None if it is
    something else.

    `三只猫` becomes `一定是三只猫`; `四人在楼外`, whose preposition is its predicate, `四人一定在楼外`.
    """
    doc, tokens = piece.doc, piece.tokens
    if not tokens or len(tokens) > _LONGEST_FRAGMENT or tokens[0].i != piece.start or not fits(doc, piece.start):
        return None
    words = lexicon("modals")
    first, last = tokens[0], tokens[-1]
    there = next(
        (
            t
            for t in tokens[1:]
            if form(t) == "在"
            and is_nominal(t.nbor(-1))
            and form(t.nbor(-1)) not in listed("words", "states")
            and fits(doc, t.i)
        ),
        None,
    )
    if there is not None:
        return None if last.i == there.i else [before(there, rng.choice(["一定", "肯定", "应该"]))]
    if not is_nominal(last) or last.pos_ == "PRON" or first.pos_ not in ("NOUN", "PROPN", "NUM", "DET", "ADJ", "PRON"):
        return None
    if any(form(t)[0] == "每" or form(t) in ("晚上", "早上", "点") for t in tokens):
        return None  # a verb that was taken for a noun: `商店每天开门`
    verbal = ("AUX", "ADV", "INTJ") if "的" in {form(t) for t in tokens} else ("VERB", "AUX", "ADV", "ADP", "INTJ")
    if any(t.pos_ in verbal for t in tokens):
        return None
    if (
        form(first).startswith((*words["opener"]["no_sentence"], *words["opener"]["verbless"]))
        or form(first)[0] in "哪谁几什多何"
    ):
        return None
    return [before(first, rng.choice(words["fragment"]["phrases"]))]


def opened(pieces: list[Piece], rng: random.Random) -> list[Patch] | None:
    """Return the patch that puts a statement behind an opener, None for texts that do not begin like a statement."""
    piece = pieces[0]
    doc, at = piece.doc, piece.start
    words = lexicon("modals")["opener"]
    if form(doc[at]) in words["conjunctions"]:
        at += 1
        if at == piece.end and len(pieces) > 1:
            piece = pieces[1]
            at = piece.start
    if at >= piece.end or not fits(doc, at):
        return None
    text = form(doc[at])
    if (
        text.startswith(tuple(words["no_sentence"]))
        or doc[at].pos_ in ("INTJ", "PUNCT", "SYM")
        or text[0] in "哪谁几什何"
    ):
        return None
    if sum(len(t.text) for t in doc[at : piece.end]) < 3:
        return None
    plain = simplified(doc.text)
    return [before(doc[at], rng.choice(words["hedged" if any(h in plain for h in words["hedges"]) else "phrases"]))]
