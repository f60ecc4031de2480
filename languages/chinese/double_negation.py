"""DN, double negation: two changes of polarity, so that the sentence says what it said (SDA §4.3, Algorithm 3)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, ClassVar

from harness.protocols import Change, Edit, Operator, OperatorTools
from languages.chinese.grammar.changes import Patch, to_changes
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, lexicon_sha, words
from languages.chinese.grammar.pieces import is_word, pieces
from languages.chinese.grammar.script import simplified
from languages.chinese.negation import LEXICONS
from languages.chinese.polarity.deny import Flip
from languages.chinese.polarity.flip import flip_text, is_command
from languages.chinese.polarity.kinds import asks, is_notice, is_open, is_title, takes_a_stance, tells
from languages.chinese.polarity.templates import behind_text, in_front, opening, start_of

#: modals whose double negation means the modal (不是不会)
_WILLING = {"能", "能够", "会", "可以", "愿意", "想", "敢", "肯"}
#: rules whose negation a second one may stand directly in front of (并非没有, 并非不)
_INNER = {"event", "被", "把", "possession", "state", "modal"}

Way = tuple[Sequence[Patch], str]


class DoubleNegation(Operator):
    """Negate a clear predicate and deny the result: 他并非没有去过欧洲, 不能说他没有去过欧洲, 他没有去过欧洲，这不是事实.

    必须 and its like become 不得不 or 不能不. A negative sentence loses its negation behind the denial (不能说他去了), which again
    makes two changes. Where no predicate is clear, the sentence stays whole under words that are two negations themselves:
    不能否认，…, behind it …，这是无法否认的, a question behind 不能不问：…. Commands are refused.
    """

    name = "dn"
    variants: ClassVar[tuple[str, ...]] = ("paper",)

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """No variant but `paper`, which is another class. Raises ValueError for others."""
        if variant is not None:
            raise ValueError(f"dn has no variant {variant!r}; there are: paper.")
        super().__init__(variant, tools)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the doubly negated sentence, None where it would be neither readable nor safe."""
        changes = self.changes(doc, rng)[0]
        return Edit.of(doc, changes) if changes else None

    def changes(self, doc: Any, rng: random.Random) -> tuple[list[Change], str]:
        """Return the changes and the name of the rule; no changes and the reason where the sentence is left alone."""
        patches, rule = self._patches(doc, rng)
        return to_changes(doc, patches), rule

    def _patches(self, doc: Any, rng: random.Random) -> Way:
        if not any(is_word(t) for t in doc):
            return [], "no word"
        if asks(doc):
            return [in_front(doc, rng.choice(lexicon("negation")["double"]["question"]))], "question"
        if is_command(doc) or is_notice(doc):
            return [], "command"
        if any(p.mark is not None and doc[p.mark].text[:1] in "?？" for p in pieces(doc)[:-1]):
            return [], "question inside"
        if is_title(doc):
            return [in_front(doc, rng.choice(lexicon("negation")["double"]["nominal"]))], "nominal"
        flip = flip_text(doc, rng) if len(pieces(doc)) == 1 else None
        ways = [] if flip is None else _ways(doc, flip)
        return rng.choice(ways or _whole(doc))

    def fingerprint(self) -> dict[str, Any]:
        """The operator and its word lists."""
        return {**super().fingerprint(), "lexicon": lexicon_sha(*LEXICONS)}


def _ways(doc: Any, flip: Flip) -> list[Way]:
    """All ways to deny a flipped predicate."""
    double = lexicon("negation")["double"]
    found = flip.predicate
    modal = form(doc[found.stretch.modal]) if flip.rule == "modal" and found.stretch.modal is not None else None
    if flip.added and modal is not None and found.stretch.modal is not None:
        doubled = lexicon("negation")["double_modal"].get(modal)
        if doubled is not None:
            token = doc[found.stretch.modal]
            return [([Patch(token.idx, token.idx + len(token.text), word)], "double modal") for word in doubled]
    if modal is not None and modal not in _WILLING:
        return []
    if any(form(t) == "则" for t in doc):
        return []
    ways: list[Way] = []
    plain = [
        Patch(p.start, p.end, p.text.removeprefix("并") if p.text in ("并没有", "并不") else p.text)
        for p in flip.patches
    ]
    if flip.added and flip.rule in _INNER and flip.negation[:2] != "并非":
        ways += [(_in_front(flip, word), "inner") for word in double["inner"]]
    at = opening(doc)
    # 并不是说…并非 has to be read twice
    outer = [word for word in double["outer"] if not (flip.negation.startswith("并非") and word.startswith("并"))]
    if form(doc[0]) != "说":
        ways += [([Patch(at, at, word), *plain], "outer") for word in outer]
    if form(doc[0]) not in ("这", "那", "此"):
        # 这不是…，这不是事实 says 这 of two things
        words_ = [word for word in double["behind"] if not flip.negation.startswith("并非") or "并非" not in word]
        ways += [([*plain, behind_text(doc, word)], "behind") for word in words_]
    return ways


def _whole(doc: Any) -> list[Way]:
    """The text stays, and two negations are said of it."""
    double = lexicon("negation")["double"]
    ways: list[Way] = []
    first = "".join(form(doc[p.start]) for p in pieces(doc)[:1])
    # segmenters cut 因此 in two now and then
    joins = simplified(doc.text[start_of(doc) :][:3]).startswith(tuple(words("clauses", "conjunctions")))
    at = opening(doc)
    joined = at != start_of(doc)
    goes_on = first in words("clauses", "narrating") | words("clauses", "interjections") or (joins and not joined)
    stance = takes_a_stance(doc) or tells(doc)
    if not goes_on and (stance or not _lacks_subject(doc)):
        ways += [([Patch(at, at, word)], "undeniable") for word in double["joined" if joined else "undeniable"]]
    if not is_open(doc) and not stance and (goes_on or _lacks_subject(doc) or len(doc.text) <= 60):
        ways += [([behind_text(doc, word)], "undeniable behind") for word in double["undeniable_behind"]]
    return ways or [([in_front(doc, word)], "undeniable") for word in double["undeniable"]]


def _lacks_subject(doc: Any) -> bool:
    """Whether a text begins with its verb (`曾任…`, `出自…`): behind 不得不承认 it would seem to be about who admits it."""
    tokens = pieces(doc)[0].tokens
    return bool(tokens) and (tokens[0].pos_ in ("VERB", "AUX") or form(tokens[0]) in words("verbs", "adverbs"))


def _in_front(flip: Flip, word: str) -> list[Patch]:
    """Put the second negation in front of the first, which loses its 并."""
    return [
        Patch(p.start, p.end, word + p.text.removeprefix("并"))
        if p.start == flip.at and p.text.removeprefix("并")
        else p
        for p in flip.patches
    ]
