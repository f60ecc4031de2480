"""What kind of sentence is this: a question, a command, a noun phrase standing alone?"""

from __future__ import annotations

import re
from typing import Any

from languages.chinese.grammar import labels
from languages.chinese.grammar.candidates import is_attributive
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, words
from languages.chinese.grammar.pieces import Piece, is_word, pieces
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.grammar.script import simplified

#: V不V, V没V: the verb said twice
A_NOT_A = re.compile(r"([一-鿿]{1,2})(不|没)(\1)|能否|可否|是否")
_PARTICLES = ("吗", "呢", "么")


def is_question(doc: Any) -> bool:
    """Whether a text asks: by its mark, a final 吗, a question word without a mark, or V不V in a text without full stop."""
    tokens = [t for t in doc if not t.is_space]
    while tokens and not is_word(tokens[-1]) and tokens[-1].text[:1] in "”」』\"'）)":
        tokens.pop()
    if not tokens:
        return False
    last = tokens[-1].text
    if last[:1] in "？?":
        return True
    if last[:1] in "。！!.…；;":
        return False
    if form(tokens[-1]) in _PARTICLES or form(tokens[-1]) in ("几", "何"):
        return True
    # captions of question forums have no marks
    wh = words("questions", "wh")
    last_and_first = {piece.start: piece for piece in (*pieces(doc)[:1], *pieces(doc)[-1:])}.values()
    asks = any(form(t) in wh or _asks(form(t)) for piece in last_and_first for t in piece.tokens)
    return asks or (len(doc) <= 30 and a_not_a(doc) is not None)


def _asks(text: str) -> bool:
    """Segmenters glue question words to others: 在哪, 几岁, 什么样."""
    return any(word in text for word in words("questions", "inside_word"))


def a_not_a(doc: Any) -> tuple[int, int, str] | None:
    """Return characters `[start, end)` and form of the first V不V of a text, outside quotations; None if there is none."""
    text = simplified(doc.text)
    if A_NOT_A.search(text) is None:
        return None
    visible = [(doc[i].idx, doc[i].idx + len(doc[i].text)) for piece in pieces(doc) for i in piece.visible]
    for match in A_NOT_A.finditer(text):
        start, end = match.span()
        if any(a <= start < b for a, b in visible) and match.group(0) not in ("一不一", "人不人"):
            return start, end, match.group(0)
    return None


def is_imperative(doc: Any, found: Predicate) -> bool:
    """Whether a predicate is a command: behind 请, 别, 快 …, or a short text without a subject that ends in ！ or 吧."""
    piece = found.piece
    if is_question(doc) or found.kind in ("shi", "possess", "bei"):
        return False
    before = [form(t) for t in piece.tokens if t.i <= found.token.i][:2]
    if any(w in words("questions", "commands") for w in before) and found.subject is None:
        return True
    if found.subject is not None and form(doc[found.subject[0]]) not in ("你", "您", "你们", "咱们", "我们"):
        return False
    if found.stretch.phrases and found.kind != "ba":
        return False
    alone = len(pieces(doc)) <= 2 and piece.start == pieces(doc)[0].start
    ending = form(doc[piece.end - 1]) == "吧" or (piece.mark is not None and doc[piece.mark].text[:1] in "！!")
    plain = form(found.token) not in words("verbs", "states") and found.kind in ("verb", "ba")
    has_aspect = any(form(t) in ("了", "过", "着") for t in piece.tokens)
    return alone and ending and plain and not has_aspect and found.token.pos_ == "VERB"


def is_fragment(doc: Any) -> bool:
    """Whether a text has no word that could be a verb: a noun phrase, a title, a caption."""
    return not any(_may_be_verb(t, piece) for piece in pieces(doc) for t in piece.tokens)


def _may_be_verb(token: Any, piece: Piece) -> bool:
    if labels.is_copula(token) or form(token) in lexicon("verbs")["possess"]:
        return True
    if form(token) in words("verbs", "states"):
        return True  # 位于, 属于: taggers take them for prepositions
    if token.pos_ in ("AUX", "VERB"):
        nounish = token.dep_ in labels.ATTRIBUTIVE or is_attributive(token, piece)
        return not nounish
    return False
