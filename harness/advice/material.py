"""What is looked at, the same for every row: held-out lines, their windows and views, and labelled pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from harness.advice.labelled import Labelled
from harness.advice.retrieval import both_ways, ranks
from harness.advice.windows import Windows
from harness.corpus import rows_sha
from harness.diagnostics.geometry import uniformity
from harness.provenance import digest
from harness.statistics import spearman


@dataclass(frozen=True)
class Scores:
    """What one encoder does with the material.

    windows     reciprocal rank of each line's ending for its beginning and the other way, mean, shape (windows,)
    views       operator -> reciprocal rank of the line for its view, shape (views,)
    cosines     operator -> cosine of view and line, shape (views,)
    uniformity  of the held-out lines;  labelled: cosine of each pair, None without pairs
    """

    windows: np.ndarray
    views: Mapping[str, np.ndarray]
    cosines: Mapping[str, np.ndarray]
    uniformity: float | None
    labelled: np.ndarray | None

    def others(self, own: str | None) -> float | None:
        """Return the mean reciprocal rank × 100 of the views of every operator but `own`, each operator counting once."""
        means = [float(found.mean()) for spec, found in self.views.items() if spec != own and len(found)]
        return 100 * sum(means) / len(means) if means else None

    def alignment(self, own: str | None) -> float | None:
        """Return the mean squared distance of lines and views (Wang and Isola's alignment), of every operator but `own`."""
        means = [2 - 2 * float(found.mean()) for spec, found in self.cosines.items() if spec != own and len(found)]
        return sum(means) / len(means) if means else None

    def correlation(self, gold: np.ndarray) -> float | None:
        """Return Spearman's ρ × 100 with gold scores, None without pairs or for constant cosines."""
        return None if self.labelled is None else spearman(gold, self.labelled)


@dataclass(frozen=True)
class Material:
    """The held-out lines and what was made of them.

    views  operator -> line number -> its view, for the lines it changes
    """

    lines: Sequence[str]
    windows: Windows
    views: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    labelled: Labelled | None = None

    @cached_property
    def sha(self) -> str:
        """The hash of everything that is looked at."""
        views = {spec: [rows_sha(found.values()), list(found)] for spec, found in self.views.items()}
        pairs = None if self.labelled is None else self.labelled.sha
        return digest([rows_sha(self.lines), self.windows.size, views, pairs])

    def score(self, embedder: Any) -> Scores:
        """Encode everything once and return the scores."""
        pairs = self.labelled.pairs if self.labelled else ()
        parts = [
            self.lines,
            self.windows.beginnings,
            self.windows.endings,
            *(list(found.values()) for found in self.views.values()),
            [first for first, _ in pairs],
            [second for _, second in pairs],
        ]
        vectors = unit_vectors(embedder.encode([text for part in parts for text in part]))
        lines, begin, end, *views, left, right = np.split(vectors, np.cumsum([len(part) for part in parts])[:-1])
        numbers = {spec: np.array(list(found), dtype=np.int64) for spec, found in self.views.items()}
        made = dict(zip(self.views, views, strict=True))
        return Scores(
            windows=_rounded(both_ways(begin, end)),
            views={spec: _rounded(1 / ranks(of, lines, numbers[spec])) for spec, of in made.items()},
            cosines={spec: _rounded((of * lines[numbers[spec]]).sum(axis=1)) for spec, of in made.items()},
            uniformity=uniformity(lines),
            labelled=_rounded((left * right).sum(axis=1)) if pairs else None,
        )


def unit_vectors(vectors: Any) -> np.ndarray:
    """Return rows of length 1, float64 (n, d), of `vectors` (n, d); a row of zeros stays one."""
    dense = np.asarray(vectors, dtype=np.float64)
    norms = np.linalg.norm(dense, axis=1, keepdims=True)
    return np.divide(dense, norms, out=np.zeros_like(dense), where=norms > 0)


def _rounded(values: np.ndarray) -> np.ndarray:
    """What is left of `values` when they come back from the cache: so it makes no difference where they come from."""
    return values.astype(np.float32).astype(np.float64)
