"""What denies a whole text whose predicate cannot be flipped safely, and where do such words go?"""

from __future__ import annotations

import random
from typing import Any

from languages.chinese.grammar.changes import Patch
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, words
from languages.chinese.grammar.pieces import COMMAS, STOPS, is_word, pieces
from languages.chinese.grammar.script import simplified
from languages.chinese.grammar.sentences import is_question
from languages.chinese.polarity.kinds import (
    asks,
    hides_its_point,
    is_notice,
    is_open,
    is_plain,
    is_title,
    takes_a_stance,
    tells,
)
from languages.chinese.polarity.scope import words_


def deny_text(doc: Any, rng: random.Random) -> tuple[list[Patch], str]:
    """Return patches that deny the whole text, and the rule's name; the text has at least one word."""
    templates = lexicon("negation")["templates"]
    if asks(doc):
        plain = len(pieces(doc)) == 1 and not is_open(doc) and not _ends_in(doc, STOPS | {"吗", "呢", "吧", "啊", "么"})
        kind = "indirect question" if plain else "question"
        return [in_front(doc, rng.choice(templates["indirect" if plain else "question"]))], kind
    if is_title(doc):
        return [in_front(doc, rng.choice(templates["nominal"]))], "nominal"
    if is_open(doc) or is_question(doc) or tells(doc) or takes_a_stance(doc) or is_notice(doc) or hides_its_point(doc):
        # behind 不过 and 而, which would have nothing to contrast with
        at = opening(doc)
        return [Patch(at, at, rng.choice(templates["front"]))], "front"
    if is_plain(doc) and opening(doc) == start_of(doc) and not _advises(doc) and rng.random() < 0.5:
        before, after = rng.choice(templates["around"])
        return [*([in_front(doc, before)] if before else []), behind_text(doc, after)], "around"
    kind = "advice" if _advises(doc) else "behind"
    return [behind_text(doc, rng.choice(templates[kind]))], kind


def start_of(doc: Any) -> int:
    """The character of the first word, or of the bracket or quotation mark in front of it."""
    found = pieces(doc)
    return int(doc[found[0].start].idx) if found else next((t.idx for t in doc if is_word(t)), 0)


def in_front(doc: Any, text: str) -> Patch:
    """Words in front of a text."""
    at = start_of(doc)
    return Patch(at, at, text)


def opening(doc: Any) -> int:
    """The character behind an opening conjunction and its comma (`然而，…`): the clause that a sentence asserts begins there."""
    found = pieces(doc)
    if not found or not found[0].tokens:
        return start_of(doc)
    first = found[0]
    if simplified(first.text) in words("clauses", "conjunctions") and len(found) > 1 and not first.ends_sentence:
        return int(doc[found[1].start].idx)
    if form(first.tokens[0]) not in words("clauses", "conjunctions"):
        return start_of(doc)
    if len(first.tokens) == 1:
        return int(doc[found[1].start].idx) if len(found) > 1 and not first.ends_sentence else start_of(doc)
    following = first.tokens[1]
    joined = form(following) in words("clauses", "narrating") or following.pos_ in ("PART", "SCONJ", "ADV")
    return start_of(doc) if joined else int(following.idx)


def behind_text(doc: Any, text: str) -> Patch:
    """Words behind the text's last word, in front of its full stop."""
    tokens = [t for t in doc if not t.is_space]
    at = len(tokens)
    while at > 0 and all(c in STOPS or c in COMMAS or c in ".、~～" for c in tokens[at - 1].text):
        at -= 1
    end = tokens[at - 1].idx + len(tokens[at - 1].text) if at else len(doc.text)
    return Patch(end, end, text)


def _advises(doc: Any) -> bool:
    """Whether a text exclaims, or says what ought to be (最好, 应该, 请 …)."""
    early = [t for piece in pieces(doc)[:2] for t in piece.tokens[:4]]
    return _ends_in(doc, set("！!")) or any(form(t) in words_("advice") for t in early)


def _ends_in(doc: Any, marks: set[str]) -> bool:
    last = next((t for t in reversed(doc) if not t.is_space), None)
    return last is not None and form(last)[-1:] in marks
