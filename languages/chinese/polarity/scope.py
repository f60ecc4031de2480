"""What decides where a negation goes: adverbs that bind it, phrases it would miss, words that make its scope unclear."""

from __future__ import annotations

from typing import Any

from languages.chinese.grammar import labels
from languages.chinese.grammar.aspect import aspect_of
from languages.chinese.grammar.changes import Patch
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, words
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.grammar.sentences import is_question


def tangled(found: Predicate) -> bool:
    """Whether a correlative (不仅…, 越…越, 不是…而是) makes the scope of a negation unclear."""
    doc, piece = found.doc, found.piece
    forms = [form(t) for t in doc[piece.start : found.token.i + 1]]
    if any(w in words_("tangled") for w in forms):
        return True
    following = doc[piece.mark + 1 :] if piece.mark is not None and not piece.ends_sentence else doc[:0]
    opening = "".join(form(t) for t in following[:2])
    return opening.startswith(("而是", "而非", "而不是", "不是", "就是"))


def words_(key: str) -> frozenset[str]:
    """One list of `negation.toml`."""
    return _list(key)


def _list(key: str) -> frozenset[str]:
    return frozenset(lexicon("negation")["lists"][key])


def bound_adverb(found: Predicate, *, before: int) -> int | None:
    """Index of the first adverb in front of the predicate that binds a negation behind it (只, 主要, 一直 …)."""
    for i in range(found.stretch.region, before):
        token = found.doc[i]
        if i >= found.stretch.start or labels.is_adverb(token):
            numbered = i > found.piece.start and found.doc[i - 1].pos_ == "NUM"
            attribute = (
                token.i + 1 < before
                and labels.is_nominal(token.nbor())
                and form(token) in ("主要", "最", "多", "全", "全部", "本", "原", "各", "总")
            )
            if form(token) in words_("bound") and not numbered and not attribute and i >= found.stretch.start:
                return i
    return None


def replaced_adverb(found: Predicate, table: str) -> tuple[Any, str] | None:
    """The adverb of the stretch that negation replaces, and by what; the one nearest to the predicate."""
    for i in reversed(range(found.stretch.start, found.token.i)):
        token = found.doc[i]
        inside = any(a <= i < b for a, b in found.stretch.phrases)
        if not inside and (labels.is_adverb(token) or i in found.stretch.adverbs):
            word = lexicon("negation")[table].get(form(token))
            if word is not None:
                return token, word
    return None


def previous_adverb(found: Predicate) -> str:
    """Return the form of the word right in front of the predicate, "" if it is no part of the stretch."""
    i = found.token.i - 1
    return form(found.doc[i]) if i >= found.stretch.start else ""


def questioning(found: Predicate) -> bool:
    """Whether the text asks."""
    return is_question(found.doc)


def with_next(found: Predicate) -> str:
    """位 于, 属 于 cut in two are one word."""
    following = found.token.nbor() if found.token.i + 1 < found.piece.end else None
    return (
        form(found.token) + form(following) if following is not None and form(following) in ("于", "自", "在") else ""
    )


def is_past(found: Predicate) -> bool:
    """Whether the piece names a time or asks for a reason: what it tells has happened."""
    return any(
        t.text[:1].isdigit() or form(t) in ("昨天", "去年", "曾", "为什么", "谁", "什么时候", "何时")
        for t in found.piece.tokens
    )


def located(found: Predicate) -> bool:
    """Whether 于 or 自 behind the verb opens the place or time that a negation is about (成立于)."""
    following = found.token.nbor() if found.token.i + 1 < found.piece.end else None
    text = form(found.token)
    if text in words("verbs", "states") or with_next(found) in words("verbs", "states"):
        return False
    if text.endswith("于") and len(text) > 1:
        return text not in ("由于", "终于", "至于", "敢于", "乐于")
    # 位 于, 属 于: one word cut in two
    return following is not None and form(following) in ("于", "自")


def focus_phrase(found: Predicate) -> bool:
    """Whether a phrase of agent, cause or means stands in front, which a negation is about."""
    return any(form(found.doc[a]) in words_("focus_phrase") for a, b in found.stretch.phrases)


def drop_le(found: Predicate) -> list[Patch]:
    """了 goes with a negation; 过 and 着 stay."""
    if found.kind == "shi":
        return []
    aspect = aspect_of(found.piece, found.token)
    spans = [aspect.at] if aspect.mark == "了" and aspect.at else []
    if aspect.final is not None:
        spans.append(aspect.final)
    return [Patch(a, b, "") for a, b in sorted(set(spans))]
