"""How well do predictions agree with gold scores?

Correlations are × 100, as papers print them, and `None` where they are undefined (one side constant).
Aggregations over the subsets of a task:

    all     all subsets concatenated, one coefficient (what SimCSE and its successors report)
    mean    unweighted mean of the subsets' coefficients
    wmean   mean weighted by the subsets' numbers of items (older papers and SentEval)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

Metric = Literal["spearman", "pearson"]
Aggregation = Literal["all", "mean", "wmean"]
METRICS: tuple[Metric, ...] = ("spearman", "pearson")
AGGREGATIONS: tuple[Aggregation, ...] = ("all", "mean", "wmean")


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
    sizes = subset_sizes(groups, len(gold))
    values = [
        coefficient(gold[start : start + size], predictions[start : start + size])
        for start, size in zip(np.cumsum([0, *sizes[:-1]]), sizes, strict=True)
    ]
    defined = [value for value in values if value is not None]
    if len(defined) < len(values):
        return None
    return float(np.average(defined, weights=sizes if aggregation == "wmean" else None))


def subset_sizes(groups: Sequence[int] | Mapping[str, int] | None, items: int) -> list[int]:
    """Return the sizes of contiguous subsets as a list. Raises ValueError unless they are there and add up to `items`."""
    if groups is None:
        raise ValueError("the aggregations `mean` and `wmean` need the sizes of the subsets (groups)")
    sizes = [int(n) for n in (groups.values() if isinstance(groups, Mapping) else groups)]
    if min(sizes, default=0) < 1 or sum(sizes) != items:
        raise ValueError(f"the subsets have {sum(sizes)} items in all, expected {items} in non-empty subsets")
    return sizes
