"""What does this piece assert, and of whom? Its predicate, found by parse, part of speech and position together.

Parses of raw Chinese are wrong in a third of the arcs. The leftmost verb of a piece that is no attribute (`…的 N`), no
preposition and no subject is its predicate in most constructions; where the parse names the same word, the finding is sure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from languages.chinese.grammar import labels
from languages.chinese.grammar.candidates import is_attributive, is_known, may_be_predicate
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, words
from languages.chinese.grammar.pieces import Piece, pieces
from languages.chinese.grammar.stretch import Stretch, stretch_of

Kind = Literal["shi", "possess", "ba", "bei", "modal", "verb", "adjective"]


@dataclass(frozen=True)
class Predicate:
    """The predicate of a piece.

    token    the verb, copula or adjective
    kind     shi (copular), possess (有 …), ba, bei, modal (any of the others behind a modal), verb, adjective
    stretch  what stands between subject and predicate: adverbials, prepositional phrases, modals, negation
    subject  tokens `[start, end)` of the subject's whole subtree inside the piece, None if it has none
    sure     parse and position agree
    """

    piece: Piece
    token: Any
    kind: Kind
    stretch: Stretch
    subject: tuple[int, int] | None
    sure: bool

    @property
    def doc(self) -> Any:
        """The document."""
        return self.token.doc

    @property
    def opening(self) -> int:
        """Index of the first token of the pre-verbal stretch: where a modal or negation may go."""
        return self.stretch.start


def predicate_of(piece: Piece) -> Predicate | None:
    """Return the predicate of a piece, None if it has none (a noun phrase, a time, a prepositional phrase)."""
    found = _choose(piece)
    if found is None:
        return None
    token, sure = found
    stretch = stretch_of(piece, token)
    return Predicate(piece, token, _kind(token, stretch), stretch, _subject(piece, token, stretch), sure)


def predicates(doc: Any) -> list[Predicate]:
    """Return the predicates of all pieces that have one, in order."""
    return [found for piece in pieces(doc) if (found := predicate_of(piece)) is not None]


def main_predicate(doc: Any) -> Predicate | None:
    """Return the predicate of the text's main piece: the parse's root if it can be that, else the first free assertion."""
    return main_of(predicates(doc))


def main_of(found: list[Predicate]) -> Predicate | None:
    """Return the main one of a text's predicates (all of them, in order)."""
    free = [p for p in found if not p.piece.subordinate] or found
    first = [p for p in free if p.piece.sentence == free[0].piece.sentence] if free else []
    for p in first:
        if p.token.dep_ in labels.ROOT or (labels.is_copula(p.token) and p.token.head.dep_ in labels.ROOT):
            return p
    return first[0] if first else None


def _kind(token: Any, stretch: Stretch) -> Kind:
    if stretch.modal is not None:
        return "modal"
    if stretch.bei is not None:
        return "bei"
    if stretch.ba is not None:
        return "ba"
    if labels.is_copula(token):
        return "shi"
    if form(token) in lexicon("verbs")["possess"] or form(token) in ("没有", "没", "无"):
        return "possess"
    return "adjective" if token.pos_ == "ADJ" or token.tag_ in ("JJ", "VA") else "verb"


def _choose(piece: Piece) -> tuple[Any, bool] | None:
    tokens = piece.tokens
    candidates = [t for t in tokens if may_be_predicate(t, piece)]
    if not candidates:
        return _adjective(piece) or _behind_adverb(piece)
    candidates = _behind_closed_clause(piece, candidates)
    candidates = [t for t in candidates if is_known(t, piece)] or candidates
    first = candidates[0]
    local = local_root(piece)
    if local is not None and local.i != first.i:
        # a copula is found below its predicate noun
        if labels.is_copula(first) and first.head.i == local.i:
            return first, True
        by_parse = next((c for c in candidates if c.i == local.i), None)
        if by_parse is not None:
            if first.dep_ in labels.SUBJECT and _takes_clause(by_parse, piece) and by_parse.i > first.i + 1:
                return by_parse, True
            if by_parse.pos_ == "ADJ":
                return first, False
            if _attribute_between(piece, first, by_parse) and labels.is_nominal(by_parse.nbor(-1)):
                return by_parse, labels.is_copula(by_parse)
            agree = first.dep_ in ("xcomp", "advcl", "aux", "mark", "advmod", "aux:pass") or local.dep_ == "ccomp"
            return first, agree and not _attribute_between(piece, first, by_parse)
        copula = next((c for c in candidates if labels.is_copula(c) and c.head.i == local.i), None)
        if copula is not None:
            return copula, copula.i == first.i
        return first, labels.is_copula(first)
    return first, not any(labels.is_copula(c) for c in candidates[1:]) or labels.is_copula(first)


def local_root(piece: Piece) -> Any | None:
    """Return the word of a piece on which the others hang: the first verbal one whose head lies outside the piece."""
    out = [t for t in piece.tokens if t.head.i == t.i or not piece.start <= t.head.i < piece.end]
    out = [
        t for t in out if t.dep_ not in labels.FUNCTION and t.dep_ not in ("nsubj", "advmod", "obl", "nmod:tmod")
    ] or out
    roots = [t for t in out if t.dep_ in labels.ROOT]
    return roots[0] if roots else out[-1] if out else None


def _takes_clause(token: Any, piece: Piece) -> bool:
    """Whether a predicate may have a clause for its subject (`建桥需要钱`)."""
    return (
        labels.is_copula(token)
        or token.pos_ == "ADJ"
        or form(token) in words("verbs", "clausal")
        or (token.i > piece.start and labels.is_modal(token.nbor(-1)))
    )


def _behind_closed_clause(piece: Piece, candidates: list[Any]) -> list[Any]:
    """Leave out the verbs of a clause that a word like 后, 时 closes (`离开后加入`), if others follow."""
    ends = [
        t.i
        for t in piece.tokens
        if form(t) in words("verbs", "clause_ends")
        and t.pos_ in ("ADP", "NOUN", "PART", "ADV", "SCONJ")
        and not (t.i + 1 < piece.end and form(t.nbor()) == "的")
        and not (
            t.i > piece.start
            and form(t.nbor(-1)) in ("按", "及", "准", "随", "当", "同", "小", "届", "定", "平", "不", "先")
        )
    ]
    for end in reversed(ends):
        behind = [c for c in candidates if c.i > end]
        if behind and len(behind) < len(candidates):
            return behind
    return candidates


def _attribute_between(piece: Piece, first: Any, second: Any) -> bool:
    return any(first.i < t.i < second.i and form(t) in ("的", "之") for t in piece.tokens)


def _adjective(piece: Piece) -> tuple[Any, bool] | None:
    """A noun-like word that the parse calls the root although a degree adverb or a subject stands in front of it."""
    local = local_root(piece)
    if local is None or local.i not in piece.visible or local.i == piece.start:
        return None
    previous = local.nbor(-1)
    if form(previous) in words("verbs", "degrees") and local.pos_ in ("ADJ", "NOUN", "VERB"):
        return local, False
    if local.pos_ == "ADJ" and local.dep_ not in labels.ATTRIBUTIVE and not is_attributive(local, piece):
        return local, local.dep_ in labels.ROOT
    return None


def _is_sign(token: Any, piece: Piece) -> bool:
    """Whether a word shows that a predicate follows: a modal, a negation, an adverb like 曾 (and no classifier: 一只)."""
    if labels.is_modal(token) or form(token) in words("adverbs", "negators"):
        return True
    counted = token.i > piece.start and token.nbor(-1).pos_ in ("NUM", "DET")
    return form(token) in words("adverbs", "close") and not counted


def _behind_adverb(piece: Piece) -> tuple[Any, bool] | None:
    """The word behind a modal, negation, adverb or 比 phrase, whatever its tag (`曾在上海工作`); a modal that stands alone."""
    tokens = piece.tokens
    if len(tokens) < 2:
        return None
    last, previous = tokens[-1], tokens[-2]
    signs = [t for t in tokens[:-1] if _is_sign(t, piece)]
    if (
        last.i + 1 < piece.end
        or is_attributive(last, piece)
        or (signs and signs[-1].i == piece.start and len(tokens) > 6)
    ):
        return None
    if form(last) in words("known_verbs", "verbs") and (signs or any(t.pos_ == "ADP" for t in tokens[:-1])):
        return last, True
    for sign in signs:
        behind = sign.nbor()
        if behind.i in piece.visible and behind.pos_ in ("VERB", "NOUN", "ADJ") and not labels.is_adposition(behind):
            return behind, form(behind) in words("known_verbs", "verbs") or labels.is_modal(sign)
    if last.pos_ == "ADJ" and (any(form(t) == "比" for t in tokens) or previous.pos_ == "ADV"):
        return last, True
    return None


def _subject(piece: Piece, token: Any, stretch: Stretch) -> tuple[int, int] | None:
    heads = [token, token.head] if labels.is_copula(token) or token.dep_ in ("xcomp", "cop") else [token]
    for head in heads:
        for child in head.children:
            if child.dep_ in labels.SUBJECT and piece.start <= child.i < token.i and child.i < max(stretch.start, 1):
                start = max(child.left_edge.i, piece.start)
                return start, min(child.right_edge.i + 1, stretch.start)
    # by position: a noun phrase between the opening words and the stretch
    start = stretch.region
    if start < stretch.start and labels.is_nominal(piece.doc[stretch.start - 1]):
        return start, stretch.start
    return None
