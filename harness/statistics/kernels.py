"""How is a score computed on thousands of resamples at once, without sorting any of them?

A resample is a column of counts: how often each item was drawn. Every kernel is made once from the gold scores and the
predictions of some systems, and then gives all systems' scores on a matrix of counts, shape (items, resamples). Ranks are
taken anew in every resample, exactly: with the items sorted once, average ranks follow from running sums of the counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

Measure = Literal["spearman", "pearson", "accuracy", "f1", "mean"]
MEASURES: tuple[Measure, ...] = ("spearman", "pearson", "accuracy", "f1", "mean")

#: numbers held at once (items × resamples of one batch); small enough for a processor's cache
BATCH_NUMBERS = 300_000

#: counts (items, resamples) -> scores × 100 (systems, resamples), NaN where undefined
Kernel = Callable[[np.ndarray], np.ndarray]


def kernel(gold: np.ndarray, predictions: np.ndarray, measure: Measure) -> Kernel:
    """Return the kernel of a measure.

    gold  shape (items,);  predictions  shape (systems, items)

    accuracy  share of items where the prediction is the gold class;  f1: of class 1 against all others
    mean      the predictions are scores of the items in [0, 1] already; gold is not looked at
    """
    if measure == "spearman":
        return _Ranks(gold, predictions)
    if measure == "pearson":
        return _Linear(gold, predictions)
    if measure == "f1":
        return _F1(gold, predictions)
    return _Means(predictions if measure == "mean" else (predictions == gold).astype(np.float64))


def resample(use: Kernel, items: int, systems: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Return the scores on `resamples` draws of all items with replacement, shape (resamples, systems)."""
    out = np.empty((resamples, systems))
    batch = max(1, BATCH_NUMBERS // items)
    for start in range(0, resamples, batch):
        rows = min(batch, resamples - start)
        drawn = rng.integers(items, size=(rows, items)) * rows + np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=items * rows).reshape(items, rows).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            out[start : start + rows] = use(counts).T
    return out


class _Means:
    """Means over items × 100."""

    def __init__(self, scores: np.ndarray) -> None:
        self.scores = 100.0 * scores

    def __call__(self, counts: np.ndarray) -> np.ndarray:
        means: np.ndarray = self.scores @ counts / len(counts)
        return means


class _F1:
    """F1 of class 1 × 100; undefined where class 1 is neither in the gold labels nor predicted."""

    def __init__(self, gold: np.ndarray, predictions: np.ndarray) -> None:
        positive, found = gold == 1, predictions == 1
        self.both = (found & positive).astype(np.float64)
        self.either = found.astype(np.float64) + positive

    def __call__(self, counts: np.ndarray) -> np.ndarray:
        scores: np.ndarray = 200.0 * (self.both @ counts) / (self.either @ counts)
        return scores


class _Linear:
    """Pearson's r of gold with every system."""

    def __init__(self, gold: np.ndarray, predictions: np.ndarray) -> None:
        g, x = _scaled(gold), np.stack([_scaled(x) for x in predictions])
        # all moments in one product: g, g², and x, x², x·g of every system
        self.moments = np.concatenate([g[None], g[None] ** 2, x, x**2, x * g]) / len(g)

    def __call__(self, counts: np.ndarray) -> np.ndarray:
        moments = self.moments @ counts
        g, gg = moments[:2]
        x, xx, xg = np.split(moments[2:], 3)
        spread_g, spread_x = (np.where(v > 1e-14, v, np.nan) for v in (gg - g * g, xx - x * x))
        scores: np.ndarray = 100.0 * (xg - x * g) / np.sqrt(spread_g * spread_x)
        return scores


class _Ranks:
    """Spearman's ρ of gold with every system."""

    def __init__(self, gold: np.ndarray, predictions: np.ndarray) -> None:
        self.gold = _Order(gold)
        self.systems = [_Order(x) for x in predictions]

    def __call__(self, counts: np.ndarray) -> np.ndarray:
        drawn, rank = self.gold.ranks(counts)
        of_gold = np.einsum("ij,ij->j", drawn * rank, rank)
        weighted = counts * rank[self.gold.tie]
        out = np.empty((len(self.systems), counts.shape[1]))
        for row, order in enumerate(self.systems):
            drawn, rank = order.ranks(counts)
            together = np.einsum("ij,ij->j", order.sums(weighted), rank)
            drawn *= rank
            out[row] = 100.0 * together / np.sqrt(of_gold * np.einsum("ij,ij->j", drawn, rank))
        return out


class _Order:
    """One variable, sorted once."""

    def __init__(self, values: np.ndarray) -> None:
        self.order = np.argsort(values, kind="stable")
        ordered = values[self.order]
        self.starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        # number of each item's group of equal values
        self.tie = np.empty(len(values), dtype=np.intp)
        self.tie[self.order] = np.repeat(np.arange(len(self.starts)), np.diff([*self.starts, len(values)]))

    def sums(self, weights: np.ndarray) -> np.ndarray:
        """Weights (items, resamples) summed over equal values, in rising order."""
        ordered = weights[self.order]
        return ordered if len(self.starts) == len(ordered) else np.add.reduceat(ordered, self.starts, axis=0)

    def ranks(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How often each value was drawn, and its average rank less the mean rank."""
        drawn = self.sums(counts)
        rank = np.cumsum(drawn, axis=0)
        rank -= drawn / 2
        rank -= len(counts) / 2  # (drawn - 1) / 2 and (items + 1) / 2 less: the halves cancel
        return drawn, rank


def _scaled(x: np.ndarray) -> np.ndarray:
    """Values about their mean, at most 1; a constant stays a constant."""
    x = x - x.mean()
    top = np.abs(x).max()
    return x / top if top > 0 else x
