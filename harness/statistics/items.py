"""What are the scores of several runs of one task, on its items and on resamples of its items?

The first half of every bootstrap here; the second half (`hierarchical`) decides what to make of the runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.statistics.correlations import Aggregation, subset_sizes
from harness.statistics.kernels import Measure, kernel, resample

RESAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Draws:
    """Scores of runs, × 100, NaN where undefined.

    observed   shape (runs,): on the items as they are
    resampled  shape (resamples, runs): on resamples of the items, in each row the same ones for all runs
    items      how many items there are
    """

    observed: np.ndarray
    resampled: np.ndarray
    items: int

    def of(self, runs: Sequence[int]) -> Draws:
        """Return some of the runs, by number."""
        chosen = list(runs)
        return Draws(self.observed[chosen], self.resampled[:, chosen], self.items)

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.observed)


def draw_scores(
    gold: np.ndarray,
    predictions: np.ndarray,
    *,
    metric: Measure = "spearman",
    aggregation: Aggregation = "all",
    groups: Sequence[int] | Mapping[str, int] | None = None,
    resamples: int = RESAMPLES,
    seed: int | Sequence[int] = 0,
) -> Draws:
    """Return the scores of runs on a task's items and on `resamples` resamples of them.

    gold         shape (items,): gold scores or class numbers (not looked at by the metric `mean`)
    predictions  shape (runs, items)
    groups       sizes of the contiguous subsets; for `mean` and `wmean` items are resampled inside each subset

    Memory is bounded whatever the number of items and runs. Raises ValueError on shapes that do not fit, fewer than two
    items or NaN.
    """
    gold = np.asarray(gold, dtype=np.float64)
    predictions = np.atleast_2d(np.asarray(predictions, dtype=np.float64))
    if gold.ndim != 1 or predictions.ndim != 2 or predictions.shape[1] != len(gold):
        raise ValueError(
            f"expected gold (items,) and predictions (runs, items), got {gold.shape} and {predictions.shape}"
        )
    if len(gold) < 2 or resamples < 1:
        raise ValueError(f"expected two items or more and resamples >= 1, got {len(gold)} items and {resamples}")
    if np.isnan(predictions).any() or (metric != "mean" and np.isnan(gold).any()):
        raise ValueError("expected numbers, got NaN among the gold scores or predictions")
    sizes = [len(gold)] if aggregation == "all" else subset_sizes(groups, len(gold))
    weights = np.array(sizes if aggregation == "wmean" else [1] * len(sizes), dtype=np.float64)
    rng = np.random.default_rng(seed)
    observed, drawn = np.zeros(len(predictions)), np.zeros((resamples, len(predictions)))
    for start, size, weight in zip(np.cumsum([0, *sizes[:-1]]), sizes, weights / weights.sum(), strict=True):
        part = slice(start, start + size)
        use = kernel(gold[part], predictions[:, part], metric)
        with np.errstate(divide="ignore", invalid="ignore"):
            observed += weight * use(np.ones((size, 1)))[:, 0]
        drawn += weight * resample(use, size, len(predictions), resamples, rng)
    return Draws(observed, drawn, len(gold))


def average_draws(tasks: Sequence[Draws]) -> Draws:
    """Return the draws of the runs' mean score over several tasks (items of different tasks are resampled independently).

    Each task must have been drawn with a `seed` of its own and as many resamples. Raises ValueError if shapes differ.
    """
    if not tasks or len({task.resampled.shape for task in tasks}) > 1:
        raise ValueError("expected tasks with one number of runs and of resamples")
    return Draws(
        np.mean([task.observed for task in tasks], axis=0),
        np.mean([task.resampled for task in tasks], axis=0),
        sum(task.items for task in tasks),
    )


def fixed_draws(scores: Sequence[float], *, resamples: int = RESAMPLES) -> Draws:
    """Return the draws of runs whose predictions are not at hand: their items are not resampled, only seeds can be."""
    observed = np.asarray(scores, dtype=np.float64)
    return Draws(observed, np.tile(observed, (resamples, 1)), 0)
