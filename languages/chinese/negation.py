"""Negation: the same sentence with its polarity flipped exactly once, SDA's softened hard negative (SDA §4.4)."""

from __future__ import annotations

import random
from typing import Any, ClassVar

from harness.protocols import Change, Edit, Operator, OperatorTools
from languages.chinese.grammar.changes import to_changes
from languages.chinese.grammar.lexicon import lexicon_sha
from languages.chinese.grammar.pieces import is_word
from languages.chinese.polarity.flip import flip_text
from languages.chinese.polarity.templates import deny_text

LEXICONS = ("negation", "verbs", "adverbs", "clauses", "questions", "script")


class Negation(Operator):
    """Negate a positive sentence, affirm a negative one.

    A clear predicate decides: 是→不是, 有→没有, 被→没有被, V了→没有V, 能→不能, states and adjectives 不; a negative predicate
    loses its negation (没收到→收到了, 无法→能够, 看不见→看得见). Noun phrases go behind 不是. Everything else is denied as a whole,
    by words behind it (…，这不是事实), around it (说…是不对的) or in front of it (以下说法不是事实：…); questions that cannot be
    flipped are denied to be asked (我问的不是：…). Every text with a letter, digit or Han character is changed.
    """

    name = "negation"
    variants: ClassVar[tuple[str, ...]] = ("paper",)

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """No variant but `paper`, which is another class. Raises ValueError for others."""
        if variant is not None:
            raise ValueError(f"negation has no variant {variant!r}; there are: paper.")
        super().__init__(variant, tools)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the flipped sentence, None for a text without letters and digits."""
        if not any(is_word(t) for t in doc):
            return None
        return Edit.of(doc, self.changes(doc, rng)[0])

    def changes(self, doc: Any, rng: random.Random) -> tuple[list[Change], str]:
        """Return the changes that flip the polarity, and the name of the rule that made them."""
        flip = flip_text(doc, rng)
        if flip is not None:
            changes = to_changes(doc, flip.patches)
            if changes:
                return changes, flip.rule
        patches, rule = deny_text(doc, rng)
        return to_changes(doc, patches), rule

    def fingerprint(self) -> dict[str, Any]:
        """The operator and its word lists."""
        return {**super().fingerprint(), "lexicon": lexicon_sha(*LEXICONS)}
