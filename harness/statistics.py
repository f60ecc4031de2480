"""How well do predictions agree with gold scores, and is one system's agreement really higher than another's?

And how sure is a proportion (`wilson`)?

Correlations are × 100, as papers print them, and `None` where they are undefined (one side constant).
Aggregations over the subsets of a task:

    all     all subsets concatenated, one coefficient (what SimCSE and its successors report)
    mean    unweighted mean of the subsets' coefficients
    wmean   mean weighted by the subsets' numbers of items (older papers and SentEval)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

Metric = Literal["spearman", "pearson"]
Aggregation = Literal["all", "mean", "wmean"]
METRICS: tuple[Metric, ...] = ("spearman", "pearson")
AGGREGATIONS: tuple[Aggregation, ...] = ("all", "mean", "wmean")

#: numbers held at once by the bootstrap (resamples of one batch × items)
_BATCH_NUMBERS = 1_000_000


def pearson(x: np.ndarray, y: np.ndarray) -> float | None:
    """Return Pearson's r × 100 of two arrays of shape (n,), or None if one of them is constant."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"expected two arrays of one length, got shapes {x.shape} and {y.shape}")
    # np.ptp, not the variance: a constant 0.1 has a tiny non-zero variance in floating point
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    x, y = x - x.mean(), y - y.mean()
    x, y = x / np.abs(x).max(), y / np.abs(y).max()  # squares of tiny numbers would vanish
    r = float(x @ y / np.sqrt((x @ x) * (y @ y)))
    return 100.0 * min(1.0, max(-1.0, r))


def spearman(x: np.ndarray, y: np.ndarray) -> float | None:
    """Return Spearman's ρ × 100 (ties get their average rank), or None if one of the arrays is constant."""
    from scipy.stats import rankdata

    return pearson(rankdata(x), rankdata(y))


def correlation(
    gold: np.ndarray,
    predictions: np.ndarray,
    *,
    metric: Metric = "spearman",
    aggregation: Aggregation = "all",
    groups: Sequence[int] | None = None,
) -> float | None:
    """Return a correlation × 100 under an aggregation, `None` where any coefficient it needs is undefined.

    gold, predictions  shape (items,);  groups: sizes of the contiguous subsets, needed for `mean` and `wmean`
    """
    coefficient = {"spearman": spearman, "pearson": pearson}[metric]
    if aggregation == "all":
        return coefficient(gold, predictions)
    sizes = _sizes(groups, len(gold))
    values = [
        coefficient(gold[start : start + size], predictions[start : start + size])
        for start, size in zip(np.cumsum([0, *sizes[:-1]]), sizes, strict=True)
    ]
    defined = [value for value in values if value is not None]
    if len(defined) < len(values):
        return None
    return float(np.average(defined, weights=sizes if aggregation == "wmean" else None))


def wilson(successes: int, trials: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval (1927) of a proportion, both ends in [0, 1]; (0, 1) where nothing was tried.

    Unlike p ± z √(p (1 - p) / n) it holds its level for few trials and near 0 and 1, and it never leaves [0, 1].
    Raises ValueError unless 0 <= successes <= trials and 0 < level < 1.
    """
    if not 0 <= successes <= trials or not 0 < level < 1:
        raise ValueError(f"expected 0 <= successes <= trials and 0 < level < 1, got {successes}, {trials} and {level}")
    if trials == 0:
        return 0.0, 1.0
    z, p = NormalDist().inv_cdf((1 + level) / 2), successes / trials
    middle = p + z * z / (2 * trials)
    half = z * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    # where nothing or everything succeeded that end is exactly 0 or 1; rounding must not move it
    low = 0.0 if successes == 0 else (middle - half) / scale
    high = 1.0 if successes == trials else (middle + half) / scale
    return low, high


@dataclass(frozen=True)
class Difference:
    """System b minus system a on the same items, in points (correlation × 100).

    value      the observed difference, None where a correlation is undefined
    low, high  the 95 % percentile interval of the paired bootstrap (another `level` if asked for)
    p          two-sided, by inverting that interval: how far it can widen before it touches 0; never below
               2 / (resamples + 1)
    undefined  resamples left out because a correlation was undefined in them (tiny or nearly constant data)
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    resamples: int
    undefined: int = 0

    @property
    def separable(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def paired_bootstrap(
    gold: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    groups: Sequence[int] | None = None,
    *,
    metric: Metric = "spearman",
    aggregation: Aggregation = "all",
    resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """Is system b better than system a? Resample the items, the same ones for both systems, and look at the difference.

    gold, a, b  shape (items,): the gold scores and the two systems' predictions
    groups      sizes of the contiguous subsets; for `mean` and `wmean` items are resampled inside each subset

    Every resample is ranked anew. With the items sorted once, the average ranks in a resample follow from
    running sums of how often each item was drawn, so that no resample is sorted: exact, and several times
    faster. Percentile method of Efron & Tibshirani (1993). Raises ValueError on unequal lengths or bad sizes.
    """
    gold, a, b = (np.asarray(x, dtype=np.float64) for x in (gold, a, b))
    if not (gold.ndim == 1 and gold.shape == a.shape == b.shape and len(gold)):
        raise ValueError(f"expected three arrays of one length, got {gold.shape}, {a.shape} and {b.shape}")
    if resamples < 1 or not 0 < level < 1:
        raise ValueError(f"expected resamples >= 1 and 0 < level < 1, got {resamples} and {level}")
    sizes = [len(gold)] if aggregation == "all" else _sizes(groups, len(gold))
    options: dict = {"metric": metric, "aggregation": aggregation, "groups": sizes}
    of_a, of_b = correlation(gold, a, **options), correlation(gold, b, **options)
    if of_a is None or of_b is None:
        return Difference(None, None, None, None, 0)

    rng = np.random.default_rng(seed)
    differences = np.zeros(resamples)
    weights = np.array(sizes if aggregation == "wmean" else [1] * len(sizes), dtype=np.float64)
    for start, size, weight in zip(np.cumsum([0, *sizes[:-1]]), sizes, weights / weights.sum(), strict=True):
        part = slice(start, start + size)
        differences += weight * _resampled(gold[part], a[part], b[part], metric, resamples, rng)

    defined = differences[~np.isnan(differences)]
    value, undefined = of_b - of_a, resamples - len(defined)
    if not len(defined):
        return Difference(value, None, None, None, resamples, undefined)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    # a difference of exactly 0 speaks for neither side; rounding must not decide
    below, above = int((defined <= 1e-9).sum()), int((defined >= -1e-9).sum())
    p = min(1.0, 2 * (1 + min(below, above)) / (1 + len(defined)))
    return Difference(value, float(low), float(high), p, resamples, undefined)


def _resampled(
    gold: np.ndarray, a: np.ndarray, b: np.ndarray, metric: Metric, resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """Return b - a on `resamples` resamples of one block of items, × 100; NaN where undefined."""
    n, out = len(gold), np.empty(resamples)
    compare = _RankCorrelations(gold, a, b) if metric == "spearman" else _LinearCorrelations(gold, a, b)
    batch = max(1, _BATCH_NUMBERS // n)
    for start in range(0, resamples, batch):
        rows = min(batch, resamples - start)
        drawn = rng.integers(n, size=(rows, n)) + np.arange(rows)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            first, second = compare(counts)
        out[start : start + rows] = 100.0 * (second - first)
    return out


class _LinearCorrelations:
    """Pearson's r of gold with a and with b, for a matrix of draw counts (resamples, n)."""

    def __init__(self, gold: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
        def scaled(x: np.ndarray) -> np.ndarray:
            x = x - x.mean()
            return x / np.abs(x).max()

        gold, a, b = scaled(gold), scaled(a), scaled(b)
        self.moments = np.stack([gold, a, b, gold**2, a**2, b**2, gold * a, gold * b], axis=1)

    def __call__(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g, a, b, gg, aa, bb, ga, gb = (counts @ self.moments / counts.shape[1]).T
        spread = [np.where(v > 1e-14, v, np.nan) for v in (gg - g * g, aa - a * a, bb - b * b)]
        return (ga - g * a) / np.sqrt(spread[0] * spread[1]), (gb - g * b) / np.sqrt(spread[0] * spread[2])


class _RankCorrelations:
    """Spearman's ρ of gold with a and with b, for a matrix of draw counts (resamples, n)."""

    def __init__(self, gold: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
        self.variables = []
        for values in (gold, a, b):
            order = np.argsort(values, kind="stable")
            ordered = values[order]
            starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
            tie = np.empty(len(values), dtype=np.intp)  # number of each item's tie group
            tie[order] = np.repeat(np.arange(len(starts)), np.diff([*starts, len(values)]))
            self.variables.append((order, starts, tie))

    def __call__(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = counts.shape[1]
        centred = []
        for order, starts, tie in self.variables:
            drawn = np.add.reduceat(counts[:, order], starts, axis=1)
            # average rank of a tie group: all that are smaller, plus the middle of itself; minus the mean
            # rank
            rank = np.cumsum(drawn, axis=1) - (drawn - 1) / 2 - (n + 1) / 2
            centred.append(rank[:, tie])
        gold, a, b = centred
        weighted = counts * gold
        gg = np.einsum("ij,ij->i", weighted, gold)
        of_a, of_b = (
            np.einsum("ij,ij->i", weighted, x) / np.sqrt(gg * np.einsum("ij,ij,ij->i", counts, x, x)) for x in (a, b)
        )
        return of_a, of_b


def _sizes(groups: Sequence[int] | Mapping[str, int] | None, items: int) -> list[int]:
    if groups is None:
        raise ValueError("the aggregations `mean` and `wmean` need the sizes of the subsets (groups)")
    sizes = [int(n) for n in (groups.values() if isinstance(groups, Mapping) else groups)]
    if min(sizes, default=0) < 1 or sum(sizes) != items:
        raise ValueError(f"the subsets have {sum(sizes)} items in all, expected {items} in non-empty subsets")
    return sizes
