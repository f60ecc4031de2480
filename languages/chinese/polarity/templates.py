"""What denies a whole text whose predicate cannot be flipped safely, and where do such words go?"""

from __future__ import annotations

import random
from typing import Any

from languages.chinese.grammar.changes import Patch
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, words
from languages.chinese.grammar.pieces import COMMAS, STOPS, Piece, is_word, pieces
from languages.chinese.grammar.sentences import is_fragment, is_question

_CLOSING = set("”」』’\"')）】》〉")


def deny_text(doc: Any, rng: random.Random) -> tuple[list[Patch], str]:
    """Return patches that deny the whole text, and the rule's name; the text has at least one word."""
    templates = lexicon("negation")["templates"]
    start = opening(doc)
    if is_question(doc):
        return [Patch(start, start, templates["question"])], "question template"
    verbless = not any(t.pos_ in ("VERB", "AUX") for t in doc)
    if verbless and is_fragment(doc) and len(pieces(doc)) <= 2 and pieces(doc)[-1].sentence == 0:
        return [Patch(start, start, rng.choice(templates["nominal"]))], "nominal"
    return [behind_text(doc, rng.choice(templates["behind"]))], "template"


def opening(doc: Any) -> int:
    """The character in front of which a template goes: behind blanks, marks and an opening conjunction."""
    found = pieces(doc)
    if not found:
        return next((t.idx for t in doc if is_word(t)), 0)
    first = found[0]
    alone = bool(first.tokens) and all(form(t) in words("clauses", "openers") for t in first.tokens)
    # `然而，…`: the clause begins behind the comma
    return piece_opening(found[1] if alone and len(found) > 1 and not first.ends_sentence else first)


def piece_opening(piece: Piece) -> int:
    """The first character of a piece that is no conjunction (但, 因此 …)."""
    doc = piece.doc
    at = piece.start
    while at + 1 < piece.end and at in piece.visible and form(doc[at]) in words("clauses", "openers"):
        at += 1
    return int(doc[at].idx)


def joins(piece: Piece) -> bool:
    """Whether a piece begins with a word that must stand right in front of its predicate (并, 也, 又, 遂 …)."""
    return form(piece.doc[piece.start]) in words("clauses", "joining")


def behind_text(doc: Any, words_: str) -> Patch:
    """Words behind the text's last word, in front of its full stop."""
    tokens = [t for t in doc if not t.is_space]
    at = len(tokens)
    while (
        at > 0 and tokens[at - 1].text and all(c in STOPS or c in COMMAS or c in ".、~～" for c in tokens[at - 1].text)
    ):
        at -= 1
    if at == 0:
        return Patch(len(doc.text), len(doc.text), words_)
    end = tokens[at - 1].idx + len(tokens[at - 1].text)
    return Patch(end, end, words_)
