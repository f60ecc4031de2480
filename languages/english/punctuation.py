"""Which punctuation may a sentence take on without a change of meaning? `pi`, SDA's punctuation insertion, as grammar has it.

SDA §4.1 and Algorithm 1 (Zhu et al., 2024) name three places: a clause boundary (comma), a noun subject (double quotation
marks around it or a comma behind it), the end (`!`). The printed order is `pi@paper`. Here one of the places that the
sentence really has is drawn, natural ones more often: a comma at a clause boundary first, quotation marks around a noun
subject, `!`; a comma behind the subject, which only the paper licenses, is the rare choice. Only punctuation changes;
blanks stay; no token, number, URL, quotation or bracket is cut.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar, Literal

from harness.protocols import Doc, Edit, Operator, OperatorTools
from languages.english.grammar.verbs import lexicon_sha
from languages.english.marks.clause import clause_places
from languages.english.marks.final import ends_plainly, final_mark, has_words
from languages.english.marks.gaps import Gaps, Place
from languages.english.marks.subject import subject_places

#: how often each rule is drawn where several apply
WEIGHTS = {
    "clause": 60.0, "long clause": 15.0, "quotes": 40.0, "comma": 2.0, "pronoun comma": 0.4, "final": 15.0,
    "odd final": 1.0,
}  # fmt: skip


class PunctuationInsertion(Operator):
    """SDA's PI: a comma at a clause boundary, marks at the subject, or a final `!`."""

    name: ClassVar[str] = "pi"
    variants: ClassVar[tuple[str, ...]] = ("paper",)
    changes_only: ClassVar[Literal["punctuation"] | None] = "punctuation"

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        if variant is not None:
            raise ValueError(
                f"{variant!r} is no variant of this rule; write pi, or pi@paper for the printed algorithm."
            )
        super().__init__(variant, tools)

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the sentence with the marks of one place, or None if it has none (no word, a question without subject …)."""
        found: dict[str, list[Place]] = {}
        for place in places(doc):
            group = found.setdefault(place.rule, [])
            if place not in group:
                group.append(place)
        if not found:
            return None
        # a place that reads oddly serves where there is no other
        rules = sorted(found.keys() - {"odd final"}) or sorted(found)
        rule = rng.choices(rules, [WEIGHTS[r] for r in rules])[0]
        return Edit.of(doc, rng.choice(found[rule]).changes)

    def fingerprint(self) -> dict[str, Any]:
        """The weights of the rules and the words they know."""
        return {"operator": self.spec, "weights": dict(WEIGHTS), "lexicon": lexicon_sha("punctuation")}


def places(doc: Any) -> list[Place]:
    """Return every place of a document where `pi` may put marks."""
    if not has_words(doc):
        return []
    gaps = Gaps(doc)
    found = [*clause_places(doc, gaps), *subject_places(doc, gaps)]
    final = final_mark(doc)
    if final is not None:
        found.append(Place("final" if ends_plainly(doc) else "odd final", (final,)))
    return found
