"""Negation: the same sentence with its polarity flipped exactly once, SDA's softened hard negative (SDA §4.4)."""

from __future__ import annotations

import random
from typing import Any, ClassVar

from harness.protocols import Change, Edit, Operator, OperatorTools
from languages.english.grammar.clauses import Clause
from languages.english.grammar.fragments import seems_finite
from languages.english.polarity.flip import Flip, flip_clause, flip_fragment
from languages.english.polarity.scope import negative_beside, unclear
from languages.english.polarity.templates import clause_opening, opening, under_template


class Negation(Operator):
    """Negate a positive sentence, affirm a negative one.

    A clause is negated at its finite verb (auxiliary, copula, do-support; questions and imperatives in their own ways); a
    negative clause loses its negation and is re-inflected. A clause of another build goes behind `It is not true that`, a
    text without a clause behind `Not`. Every text with a letter or digit is changed.
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
        return Edit.of(doc, self.changes(doc, rng)) if any(_is_word(t) for t in doc) else None

    def changes(self, doc: Any, rng: random.Random) -> list[Change]:
        """Return the changes that flip the polarity."""
        clause, flip = flip_clause(doc, rng)
        if clause is not None and flip is not None and not _unclear(clause, flip):
            return flip.changes
        if clause is None and not seems_finite(doc):
            return flip_fragment(doc, rng)
        start = clause_opening(clause) if clause is not None else opening(doc)
        return under_template(doc, start if start < len(doc) else 0, [], rng, kind="denying")

    def fingerprint(self) -> dict[str, Any]:
        """The operator and its word lists."""
        from languages.english.grammar.verbs import lexicon_sha

        return {
            **super().fingerprint(),
            "lexicon": lexicon_sha("negation", "templates", "scope", "modals", "inflection"),
        }


def _unclear(clause: Clause, flip: Flip) -> bool:
    """Whether a template is clearer than `not` at the verb; questions and commands have no choice."""
    if clause.mood != "declarative" or clause.asks:
        return False
    first = clause.doc[flip.start]
    if first.tag_ in ("VBN", "VBG") or first.lower_ in (
        "although",
        "though",
        "despite",
        "while",
        "whereas",
        "when",
        "if",
    ):
        return False  # behind `that` such an opening leads the reader astray
    subject = clause.subject
    if subject is not None and subject.left_edge.i > flip.start and first.pos_ in ("DET", "NOUN", "ADJ", "PROPN"):
        return False
    return unclear(clause) if flip.added else negative_beside(clause)


def _is_word(token: Any) -> bool:
    return any(map(str.isalnum, token.text))
