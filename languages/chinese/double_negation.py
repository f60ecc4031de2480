"""DN, double negation: two changes of polarity, so that the sentence says what it said (SDA §4.3, Algorithm 3)."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any, ClassVar

from harness.protocols import Change, Edit, Operator, OperatorTools
from languages.chinese.grammar.changes import Patch, to_changes
from languages.chinese.grammar.labels import form, is_nominal
from languages.chinese.grammar.lexicon import lexicon, lexicon_sha
from languages.chinese.grammar.pieces import is_word, pieces
from languages.chinese.grammar.predicates import main_predicate
from languages.chinese.grammar.sentences import is_fragment, is_imperative, is_question
from languages.chinese.negation import LEXICONS
from languages.chinese.polarity.deny import Flip
from languages.chinese.polarity.flip import flip_text
from languages.chinese.polarity.templates import behind_text, joins, opening, piece_opening

#: modals whose double negation means the modal (不是不会)
_WILLING = {"能", "能够", "会", "可以", "愿意", "想", "敢", "肯"}
#: a longer text is not wrapped: its end would be too far from its beginning
_SHORT = 45
#: a longer text without a verb is a sentence whose verb was not found
_TITLE = 16
#: rules whose negation a second one may stand directly in front of (并非没有, 并非不)
_INNER = {"event", "被", "把", "possession", "state", "adjective", "modal"}


class DoubleNegation(Operator):
    """Negate the predicate and deny the result: 他并非没有去过欧洲, 不能说他没有去过欧洲, 他没有去过欧洲，这是不可能的.

    必须 and its like become 不得不 or 不能不. A negative sentence loses its negation behind the denial (不能说他去了), which
    again makes two changes. Where no predicate can be trusted, the sentence stays whole behind 不能否认, which is two
    negations too. Questions, commands, and texts of any other build are refused.
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

    def _patches(self, doc: Any, rng: random.Random) -> tuple[Sequence[Patch], str]:
        if not any(is_word(t) for t in doc):
            return [], "no word"
        if is_question(doc):
            return [], "question"
        main = main_predicate(doc)
        if main is not None and is_imperative(doc, main):
            return [], "command"
        flip = flip_text(doc, rng)
        if flip is None:
            return self._whole(doc, rng)
        if flip.rule in ("imperative", "V-not-V question"):
            return [], "command"
        ways = _ways(doc, flip)
        return rng.choice(ways) if ways else self._whole(doc, rng)

    def _whole(self, doc: Any, rng: random.Random) -> tuple[Sequence[Patch], str]:
        start = opening(doc)
        found = pieces(doc)
        if is_fragment(doc):
            verbless = not any(t.pos_ in ("ADP", "ADV", "VERB", "AUX") for t in doc)
            if verbless and (len(doc.text) > _TITLE or len(found) > 1):
                return [], "fragment"
            if len(doc.text) > _TITLE:
                return [Patch(start, start, rng.choice(lexicon("negation")["double"]["undeniable"]))], "undeniable"
            plain = len(found) == 1 and found[0].tokens and is_nominal(found[0].tokens[-1])
            if not plain or (
                not is_nominal(found[0].tokens[0]) and found[0].tokens[0].pos_ not in ("DET", "ADJ", "PART")
            ):
                return [], "fragment"
            return [Patch(start, start, rng.choice(lexicon("negation")["double"]["nominal"]))], "nominal"
        at = opening(doc) if not found or not joins(found[0]) else int(doc[found[0].start].idx)
        return [Patch(at, at, rng.choice(lexicon("negation")["double"]["undeniable"]))], "undeniable"

    def fingerprint(self) -> dict[str, Any]:
        """The operator and its word lists."""
        return {**super().fingerprint(), "lexicon": lexicon_sha(*LEXICONS)}


def _ways(doc: Any, flip: Flip) -> list[tuple[Sequence[Patch], str]]:
    """All ways to deny a flipped predicate, the more natural ones more than once."""
    words = lexicon("negation")["double"]
    found = flip.predicate
    ways: list[tuple[Sequence[Patch], str]] = []
    if flip.added and flip.rule == "modal" and found.stretch.modal is not None:
        modal = doc[found.stretch.modal]
        doubled = lexicon("negation")["double_modal"].get(form(modal))
        if doubled is not None:
            return [([Patch(modal.idx, modal.idx + len(modal.text), word)], "double modal") for word in doubled]
    plain = flip.rule != "modal" or (found.stretch.modal is not None and form(doc[found.stretch.modal]) in _WILLING)
    if flip.added and flip.rule in _INNER and plain and not flip.negation.startswith("并非") and not _says(found.token):
        ways += [(_in_front(flip, word), "inner") for word in words["inner"]] * 2
    at = piece_opening(found.piece)
    follows = doc.text[at : at + 1]
    if not joins(found.piece) and follows != "说" and not doc.text[:at].endswith("说"):
        for word in words["outer"]:
            ways += [([Patch(at, at, word), *flip.patches], "outer")] * 2
    if len(pieces(doc)) == 1 and len(doc.text) <= _SHORT:
        for word in words["behind"]:
            ways.append(([*flip.patches, behind_text(doc, word)], "behind"))
    return [way for way in ways if _fits(way[0])]


def _in_front(flip: Flip, word: str) -> list[Patch]:
    """Put the second negation in front of the first, which loses its 并."""
    patches = []
    for patch in flip.patches:
        if patch.start == flip.at and patch.text.removeprefix("并") and patch.text:
            patches.append(Patch(patch.start, patch.end, word + patch.text.removeprefix("并")))
        else:
            patches.append(patch)
    return patches


def _fits(patches: Sequence[Patch]) -> bool:
    """Whether no two patches overlap."""
    ordered = sorted(patches, key=lambda p: (p.start, p.end))
    return all(a.end <= b.start for a, b in itertools.pairwise(ordered))


def _says(token: Any) -> bool:
    return form(token) in ("说", "称", "道", "曰", "云")
