"""Is the space still healthy? Alignment, uniformity and effective rank while training runs, with a collapse alarm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

#: effective rank below this share of its value before training, or mean cosine above the limit, counts as collapse
RANK_SHARE, MEAN_COSINE = 0.1, 0.98


def normalise(vectors: np.ndarray) -> np.ndarray:
    """Rows scaled to length 1 (zero rows stay zero), float64."""
    vectors = np.asarray(vectors, dtype=np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)


def alignment(a: np.ndarray, b: np.ndarray) -> float:
    """Mean squared distance of matching unit vectors, a and b (n, d); lower is better (Wang & Isola 2020, α = 2)."""
    return float(np.mean(np.sum((normalise(a) - normalise(b)) ** 2, axis=1)))


def uniformity(vectors: np.ndarray) -> float:
    """log mean over pairs x ≠ y of exp(−2‖x − y‖²), unit vectors (n, d); lower is better (Wang & Isola 2020, t = 2)."""
    unit = normalise(vectors)
    squared = np.clip(2 - 2 * (unit @ unit.T), 0, None)
    upper = np.triu_indices(len(unit), k=1)
    return float(np.log(np.mean(np.exp(-2 * squared[upper]))))


def effective_rank(vectors: np.ndarray) -> float:
    """exp of the entropy of the normalised singular values of the unit vectors (Roy & Vetterli 2007); 1 … d."""
    values = np.linalg.svd(normalise(vectors), compute_uv=False)
    shares = values / values.sum() if values.sum() > 0 else np.array([1.0])
    shares = shares[shares > 0]
    return float(np.exp(-np.sum(shares * np.log(shares))))


def mean_cosine(vectors: np.ndarray) -> float:
    """Mean cosine of two different rows."""
    unit = normalise(vectors)
    n = len(unit)
    return float((np.sum(unit.sum(0) ** 2) - np.sum(unit * unit)) / (n * (n - 1)))


@dataclass(frozen=True)
class Health:
    """One look at the space, from two dropout-noised encodings `a`, `b` (n, d) of held-out sentences."""

    alignment: float
    uniformity: float
    effective_rank: float
    mean_cosine: float

    @classmethod
    def of(cls, a: np.ndarray, b: np.ndarray) -> Health:
        """Measure the two encodings; uniformity, rank and cosine are those of `a`."""
        return cls(alignment(a, b), uniformity(a), effective_rank(a), mean_cosine(a))

    @property
    def label_free(self) -> float:
        """The label-free selection score, −(alignment + uniformity); higher is better."""
        return -(self.alignment + self.uniformity)

    def collapsed(self, before: Mapping[str, float] | None) -> str | None:
        """Say why the space looks collapsed, or None. `before` is the first look's `as_dict()`."""
        if self.mean_cosine > MEAN_COSINE:
            return f"all sentences point the same way (mean cosine {self.mean_cosine:.3f} > {MEAN_COSINE})"
        if before and self.effective_rank < RANK_SHARE * before["effective_rank"]:
            return f"effective rank fell from {before['effective_rank']:.1f} to {self.effective_rank:.1f}"
        return None

    def as_dict(self) -> dict[str, float]:
        """The four numbers by name."""
        return {
            "alignment": self.alignment,
            "uniformity": self.uniformity,
            "effective_rank": self.effective_rank,
            "mean_cosine": self.mean_cosine,
        }
