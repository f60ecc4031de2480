"""How do the vectors of an STS set lie in their space? Tasks `STS-B-geometry` (test) and `STS-B-geometry:dev`.

Alignment over the pairs with a gold score above 4, uniformity, effective rank and anisotropy over the set's different sentences, as
`harness.diagnostics.geometry` defines them. Values are in the units given there and not × 100. SimCSE does not say which
split it measures; test and dev are both there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.data import DataFolder
from harness.diagnostics.geometry import LARGEST_SPECTRUM, alignment, anisotropy, effective_rank, uniformity, unit_rows
from harness.protocols import Protocol, Score, Task, TaskOptions, TaskResult
from harness.tasks.beside_sts import beside_sts
from harness.tasks.resolve import Family
from harness.tasks.sts import cosine

POSITIVE_ABOVE = 4.0
DETAILS = {
    "alignment": {"pairs": "gold > 4", "power": 2},
    "uniformity": {"pairs": "all of different sentences", "t": 2},
    "effective_rank": "exp of the entropy of the singular values of the unit vectors, not centred",
    "anisotropy": "mean cosine of all pairs of different sentences",
}


class GeometryTask(Task):
    """The geometry of the sentences of one STS set on one split.

    `gold` (items,) and `pairs` are those of the set; predictions are the squared distances of the pairs' unit vectors, 0 … 4.
    Lower is better for alignment and uniformity, higher for the effective rank; an anisotropy near 0 is best.
    """

    main = ("uniformity", "all")

    def __init__(self, base: Any) -> None:
        self.name, self.language, self.split = f"{base.name}-geometry", base.language, base.split
        self.pairs, self.gold, self.data_sha = base.pairs, base.gold, base.data_sha
        self.protocol = Protocol("geometry", 1, text=base.protocol.text, similarity="euclidean", details=DETAILS)
        first: dict[str, int] = {}
        self._sentences = [pair[0] for pair in self.pairs] + [pair[1] for pair in self.pairs]
        for place, text in enumerate(self._sentences):
            first.setdefault(text, place)
        self._unique = np.fromiter(first.values(), dtype=np.intp, count=len(first))

    def sentences(self) -> list[str]:
        """All first sentences, then all second ones."""
        return self._sentences

    def score(self, vectors: Any) -> TaskResult:
        """Measure `vectors`, shape (2 × items, d), dense or CSR; a vector of zeros has no direction and is left out."""
        items = len(self.pairs)
        if vectors.shape[0] != 2 * items:
            raise ValueError(f"{self.id} has {2 * items} sentences, got {vectors.shape[0]} vectors")
        cosines, undefined = cosine(vectors[:items], vectors[items:])
        units, there = unit_rows(vectors[self._unique])
        count = units.shape[0]
        directed = _directed(vectors)
        positive = (self.gold > POSITIVE_ABOVE) & directed[:items] & directed[items:]
        values = (
            ("uniformity", uniformity(units), count),
            ("alignment", alignment(cosines[positive]), int(positive.sum())),
            ("effective-rank", effective_rank(units), count),
            ("anisotropy", anisotropy(units), count),
        )
        notes = []
        if not there.all():
            notes.append(
                f"{int((~there).sum())} of {len(there)} sentences have a vector of zeros and are left out"
                + (f", and with them {undefined} of {items} pairs" if undefined else "")
            )
        if not positive.any():
            notes.append(f"alignment is undefined: no pair has a gold score above {POSITIVE_ABOVE:g}")
        if min(units.shape) > LARGEST_SPECTRUM:
            notes.append(f"the effective rank is not computed beyond {LARGEST_SPECTRUM:,} sentences and dimensions")
        scores = tuple(Score(metric, "all", value, number) for metric, value, number in values)
        return TaskResult(scores, (2 - 2 * cosines).astype(np.float32), {self.split: items}, tuple(notes))


def _directed(vectors: Any) -> np.ndarray:
    """Tell which rows are not all zeros, bool (n,)."""
    return np.asarray((vectors != 0).sum(axis=1)).ravel() > 0


def family(data: DataFolder, language: str, options: TaskOptions) -> Family:
    """Return a task for every STS set; `geometry` stands for test and dev of STS-B."""
    return beside_sts(data, language, options, suffix="geometry", make=GeometryTask, shown=("test", "dev"))
