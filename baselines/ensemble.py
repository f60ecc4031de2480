"""What if every sentence gets another rule? SDA's ensemble: one of several operators, drawn per sentence (Zhu et al.)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, ClassVar

from harness.operators import resolve
from harness.protocols import Doc, Edit, Operator, OperatorTools

RULES = ("pi", "mv", "dn")


class Ensemble(Operator):
    """`ensemble` draws from pi, mv and dn, `ensemble@paper` from their @paper variants, `ensemble@A+B+…` from any others.

    The draw is uniform and comes from the sentence's own generator, which the chosen operator then uses. A sentence that the
    chosen one cannot change stays as it is: there is no second draw, so the shares of the operators are equal.
    """

    name = "ensemble"
    variants: ClassVar[Sequence[str]] = ("paper",)

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """Open the members through the language pack of `tools`.

        Raises ValueError if the variant does not name two or more different operators on text, or there is no pack, and what
        `harness.operators.resolve` raises for a member (UsageError, Skipped).
        """
        super().__init__(variant, tools)
        specs = member_specs(variant)
        if self.tools.pack is None:
            raise ValueError("an ensemble takes its operators from a language pack, and none was given.")
        members = []
        for member in resolve(specs, self.tools.pack, self.tools):
            if not isinstance(member, Operator):
                raise ValueError(
                    f"{member.spec} works on word pieces; an ensemble takes operators on text, such as pi."
                )
            members.append(member)
        self._members = tuple(members)

    @property
    def members(self) -> Sequence[Operator]:
        """The operators that are drawn from, in the order written."""
        return self._members

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the edit of one operator drawn at random, None if that one does not apply."""
        return self._members[self._draw(rng)].apply(doc, rng)

    def apply_batch(self, docs: Sequence[Doc], rngs: Sequence[random.Random]) -> list[Edit | None]:
        """Return what `apply` gives for each sentence; each member gets its sentences in one batch."""
        drawn: dict[int, list[int]] = defaultdict(list)
        for place, rng in enumerate(rngs):
            drawn[self._draw(rng)].append(place)
        edits: list[Edit | None] = [None] * len(docs)
        for number, places in drawn.items():
            made = self._members[number].apply_batch([docs[i] for i in places], [rngs[i] for i in places])
            for place, edit in zip(places, made, strict=True):
                edits[place] = edit
        return edits

    def fingerprint(self) -> dict[str, Any]:
        """The name as written and the members' fingerprints."""
        return {"operator": self.spec, "members": [member.fingerprint() for member in self._members]}

    def _draw(self, rng: random.Random) -> int:
        return rng.randrange(len(self._members))


def member_specs(variant: str | None) -> list[str]:
    """Return the operators an ensemble's variant stands for. Raises ValueError unless it names two or more different ones."""
    if variant is None:
        return list(RULES)
    if variant == "paper":
        return [f"{rule}@paper" for rule in RULES]
    specs = [part.strip() for part in variant.split("+")]
    if len(set(specs)) < max(2, len(specs)) or not all(specs):
        raise ValueError(
            f"{variant!r} does not name two or more different operators; write ensemble, ensemble@paper or, for example, "
            "ensemble@pi+mv."
        )
    return specs
