"""What stands between subject and predicate? Adverbials, phrases, modals, negation, 把, 被, read from the verb leftwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from languages.chinese.grammar import labels
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import words
from languages.chinese.grammar.pieces import Piece


@dataclass(frozen=True)
class Stretch:
    """The words of a piece in front of its predicate.

    start    index of the first token of the stretch: words to its left are subject, topic, time and openers
    inner    index of the first token that negation goes in front of (behind 也, 都, 则, 曾 …)
    region   index of the first token of the piece that is no conjunction (但, 因此 …)
    modal, negator, ba, bei   index of such a token in the stretch, None if there is none
    adverbs  indices of its adverbs
    phrases  token spans of its prepositional phrases, 把 and 被 included
    """

    start: int
    inner: int
    region: int
    modal: int | None
    negator: int | None
    ba: int | None
    bei: int | None
    adverbs: tuple[int, ...]
    phrases: tuple[tuple[int, int], ...]


def stretch_of(piece: Piece, verb: Any) -> Stretch:
    """Return the stretch in front of `verb`."""
    doc, region = piece.doc, region_of(piece, verb)
    at = inner = verb.i
    modal = negator = ba = bei = None
    adverbs: list[int] = []
    phrases: list[tuple[int, int]] = []
    outer = False
    while at > region:
        token = doc[at - 1]
        far = None
        if labels.is_modal(token):
            modal, at = token.i, at - 1
            outer = True
        elif is_negator(token):
            negator, at = token.i, at - 1
            outer = True
        elif labels.is_bei(token) or labels.is_ba(token):
            bei, ba = (token.i, ba) if labels.is_bei(token) else (bei, token.i)
            at -= 1
            phrases.append((at, at + 1))
        elif (
            (
                labels.is_adverb(token)
                or form(token) in words("adverbs", "outer")
                or form(token) in words("adverbs", "close")
            )
            and not _is_time(token)
            and not (token.i > region and doc[token.i - 1].pos_ == "NUM")
        ):
            adverbs.append(token.i)
            at -= 1
            outer = outer or form(token) in words("adverbs", "outer")
        elif form(token) in ("地", "所", "来", "去", "而") and at - 1 > region:
            at -= 1
            if form(token) == "地" and doc[at - 1].pos_ in ("ADJ", "VERB", "ADV", "NOUN"):
                at -= 1
        elif (begin := phrase_start(piece, region, token, verb)) is not None:
            opener = doc[begin]
            if labels.is_bei(opener):
                bei = begin
            elif labels.is_ba(opener):
                ba = begin
            phrases.append((begin, at))
            at = begin
        elif form(token) in words("adverbs", "manner"):
            adverbs.append(token.i)
            at -= 1
        elif (far := _cause(piece, region, at)) is not None or (far := _far_phrase(piece, region, at)) is not None:
            bei, ba = (far if labels.is_bei(doc[far]) else bei), (far if labels.is_ba(doc[far]) else ba)
            phrases.append((far, at))
            at = inner = far
        else:
            break
        if not outer:
            inner = at
    if verb.i == at:
        inner = at
    return Stretch(at, max(inner, at), region, modal, negator, ba, bei, tuple(sorted(adverbs)), tuple(sorted(phrases)))


def _cause(piece: Piece, region: int, at: int) -> int | None:
    """The 因 or 为 of `因 … 而 V`, which negation goes in front of."""
    joined = any(form(t) == "而" for t in piece.doc[max(region, at - 1) : at + 1])
    causes = ("因", "因为", "为", "为了", "由于") if joined else ("因", "因为", "由于")
    return next((i for i in range(region + 1, at) if form(piece.doc[i]) in causes and i in piece.visible), None)


def _far_phrase(piece: Piece, region: int, at: int) -> int | None:
    """A 被, 把 or preposition further left whose phrase is too long to be walked through, without a verb in between."""
    doc = piece.doc
    for i in range(region + 1, at):
        token = doc[i]
        if i not in piece.visible or not labels.is_adposition(token) or form(token) in words("adverbs", "joining"):
            continue
        if token.pos_ not in ("ADP", "AUX") or i + 1 >= at:
            continue
        between = [t for t in doc[i + 1 : at] if t.i in piece.visible]
        if any(
            t.pos_ in ("VERB", "PRON") or form(t) in ("的", "后", "时", "前") for t in between
        ) and not labels.is_bei(token):
            return None
        return i
    return None


def is_negator(token: Any) -> bool:
    """A word of negation in front of a predicate: 不, 没有, 未 … (`lexicon/adverbs.toml`)."""
    return form(token) in words("adverbs", "negators")


def region_of(piece: Piece, verb: Any) -> int:
    """Return the first token behind the opening conjunctions of a piece."""
    at = piece.start
    while at < verb.i and (form(piece.doc[at]) in words("clauses", "openers") or not _is_word(piece.doc[at])):
        if at in piece.visible or not _is_word(piece.doc[at]):
            at += 1
        else:
            break
    return at


def phrase_start(piece: Piece, region: int, last: Any, verb: Any) -> int | None:
    """Return where the prepositional phrase begins that `last` ends, None if `last` ends none.

    The nearest preposition to the left opens it, unless a subject by parse, a pronoun or another verb stands in between.
    """
    doc = piece.doc
    subject = last.dep_ in labels.SUBJECT and last.head.i >= verb.i and not _has_case(last)
    if form(last) in ("来说", "而言", "来看", "来讲"):
        return None
    depth_de = False
    for i in range(last.i, region - 1, -1):
        token = doc[i]
        if i not in piece.visible:
            continue
        if labels.is_adposition(token) and i < last.i:
            if subject and form(token) not in words("adverbs", "close_openers"):
                return None
            if form(token) not in words("adverbs", "joining") or _marks_phrase(token, verb):
                return i
        if form(token) == "的":
            depth_de = True
        elif (
            labels.is_copula(token)
            or (token.pos_ == "VERB" and not depth_de and token.dep_ not in labels.ATTRIBUTIVE)
            or (token.pos_ == "PRON" and i == last.i and not (i > region and labels.is_adposition(doc[i - 1])))
            or (token.pos_ == "ADV" and form(token) in words("adverbs", "outer"))
        ):
            return None
    return None


def _has_case(token: Any) -> bool:
    return any(c.dep_ == "case" and c.i < token.i for c in token.children)


def _marks_phrase(token: Any, verb: Any) -> bool:
    """与, 和, 跟, 同 open a phrase only if the parse says so; else they join two nouns."""
    return token.pos_ == "ADP" and token.head.dep_ not in ("conj", "nsubj") and token.dep_ != "cc"


def _is_time(token: Any) -> bool:
    return form(token) in words("adverbs", "times") or token.dep_ in ("nmod:tmod",)


def _is_word(token: Any) -> bool:
    return any(map(str.isalnum, token.text))
