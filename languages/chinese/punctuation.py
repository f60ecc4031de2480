"""Which punctuation may a sentence take on without a change of meaning? `pi`, SDA's punctuation insertion,
as grammar has it.

SDA §4.1 and Algorithm 1 (Zhu et al., 2024) name three places: a clause boundary (comma), a noun subject
(quotation marks around it or a comma behind it), the end (`!`). The released Chinese rule is `pi@paper`.
Here one of the places that the sentence really has is drawn, natural ones more often. All marks are
full-width; Traditional text, and text that has them already, takes 「 」 for quotation marks. Only
punctuation changes; no title, quotation, bracket, number or Latin word is cut, and no mark is doubled.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar, Literal

from harness.protocols import Doc, Edit, Operator, OperatorTools
from languages.chinese.grammar.lexicon import lexicon_sha
from languages.chinese.marks.characters import has_han
from languages.chinese.marks.clause import clause_places
from languages.chinese.marks.final import final_place
from languages.chinese.marks.front import front_places
from languages.chinese.marks.gaps import Gaps, Place
from languages.chinese.marks.subject import subject_places

#: how often each rule is drawn where several apply
WEIGHTS = {"clause": 60.0, "said": 20.0, "quotes": 20.0, "topic": 12.0, "final": 40.0, "pronoun": 1.0, "odd final": 1.0}
#: rules that read oddly: they serve where there is no other
ODD = frozenset({"pronoun", "odd final"})


class PunctuationInsertion(Operator):
    """SDA's PI: a comma at a clause boundary, marks at the subject, or a final `！` (`？` for a question without its mark)."""

    name: ClassVar[str] = "pi"
    variants: ClassVar[tuple[str, ...]] = ("paper",)
    changes_only: ClassVar[Literal["punctuation"] | None] = "punctuation"

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """No variant but `paper`, which is another class. Raises ValueError for others."""
        if variant is not None:
            raise ValueError(
                f"{variant!r} is no variant of this rule; write pi, or pi@paper for the released algorithm."
            )
        super().__init__(variant, tools)

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the sentence with the marks of one place, or None if it has none (no Chinese word, a marked question …)."""
        found: dict[str, list[Place]] = {}
        for place in places(doc):
            group = found.setdefault(place.rule, [])
            if place not in group:
                group.append(place)
        if not found:
            return None
        rules = sorted(found.keys() - ODD) or sorted(found)
        rule = rng.choices(rules, [WEIGHTS[r] for r in rules])[0]
        return Edit.of(doc, rng.choice(found[rule]).changes)

    def fingerprint(self) -> dict[str, Any]:
        """The weights of the rules and the words they know."""
        return {
            "operator": self.spec,
            "weights": dict(WEIGHTS),
            "lexicon": lexicon_sha("known_verbs", "punctuation", "script"),
        }


def places(doc: Any) -> list[Place]:
    """Return every place of a document where `pi` may put marks."""
    if not has_han(doc.text):
        return []
    gaps = Gaps(doc)
    found: list[Place] = []
    for segment in gaps.segments:
        found += front_places(doc, gaps, segment)
        found += clause_places(doc, gaps, segment)
        found += subject_places(doc, gaps, segment)
    final = final_place(doc)
    return found if final is None else [*found, final]
