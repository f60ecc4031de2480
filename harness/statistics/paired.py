"""Is one system really better than another on these items? Two sets of weights, one test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from harness.statistics.correlations import Aggregation, Metric, correlation, subset_sizes
from harness.statistics.kernels import kernel, resample

Test = Literal["paired bootstrap", "McNemar exact"]


@dataclass(frozen=True)
class Difference:
    """System b minus system a on the same items, in points (scores × 100).

    value      the observed difference, None where a score is undefined
    low, high  the 95 % percentile interval of the paired bootstrap (another `level` if asked for)
    p          two-sided. `paired bootstrap`: by inverting that interval, how far it can widen before it touches 0; never
               below 2 / (resamples + 1). `McNemar exact`: the binomial test on the items that only one system got right
    undefined  resamples left out because a score was undefined in them (tiny or nearly constant data)
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    resamples: int
    undefined: int = 0
    test: Test = "paired bootstrap"
    level: float = 0.95

    @property
    def separable(self) -> bool:
        """Whether the interval excludes 0 and, where the test is another than the interval's, the test agrees."""
        apart = self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)
        return apart and (self.test == "paired bootstrap" or (self.p is not None and self.p <= 1 - self.level))


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
    """Does system b agree better with gold than system a? Resample the items, the same ones for both systems.

    gold, a, b  shape (items,): the gold scores and the two systems' predictions
    groups      sizes of the contiguous subsets; for `mean` and `wmean` items are resampled inside each subset

    Every resample is ranked anew, exactly (see `kernels`). Percentile method of Efron & Tibshirani (1993). Raises
    ValueError on unequal lengths or bad sizes.
    """
    gold, a, b = _checked(gold, a, b, resamples=resamples, level=level)
    sizes = [len(gold)] if aggregation == "all" else subset_sizes(groups, len(gold))
    of_a, of_b = (correlation(gold, x, metric=metric, aggregation=aggregation, groups=sizes) for x in (a, b))
    if of_a is None or of_b is None:
        return Difference(None, None, None, None, 0, level=level)

    rng = np.random.default_rng(seed)
    differences = np.zeros(resamples)
    weights = np.array(sizes if aggregation == "wmean" else [1] * len(sizes), dtype=np.float64)
    for start, size, weight in zip(np.cumsum([0, *sizes[:-1]]), sizes, weights / weights.sum(), strict=True):
        part = slice(start, start + size)
        drawn = resample(kernel(gold[part], np.stack([a[part], b[part]]), metric), size, 2, resamples, rng)
        differences += weight * (drawn[:, 1] - drawn[:, 0])
    return _from_resamples(of_b - of_a, differences, level)


def paired_accuracy(
    gold: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    *,
    resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """Does system b get more items right than system a?

    gold, a, b  shape (items,): class numbers

    The p value is McNemar's exact test (1947): of the items that one system alone got right, is the share of either
    system a fair coin's? The interval is that of the paired bootstrap over the items. Raises ValueError on unequal lengths.
    """
    gold, a, b = _checked(gold, a, b, resamples=resamples, level=level)
    right_a, right_b = a == gold, b == gold
    found = paired_means(right_a, right_b, resamples=resamples, level=level, seed=seed)
    p = mcnemar(int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum()))
    return Difference(found.value, found.low, found.high, p, resamples, test="McNemar exact", level=level)


def paired_means(
    a: np.ndarray, b: np.ndarray, *, resamples: int = 10_000, level: float = 0.95, seed: int = 0
) -> Difference:
    """Does system b have a higher mean than system a over the same items? Paired bootstrap over the items.

    a, b  shape (items,): scores of the items in [0, 1] (the share of runs that got an item right); × 100 in the result

    How often each different gap is drawn is multinomial, so items need not be drawn one by one: exact, and far faster.
    Raises ValueError on unequal lengths.
    """
    a, b, gaps = _checked(a, b, np.zeros(np.shape(a)), resamples=resamples, level=level)
    gaps, counts = np.unique(b - a, return_counts=True)
    drawn = np.random.default_rng(seed).multinomial(len(a), counts / len(a), size=resamples)
    return _from_resamples(100.0 * float((b - a).mean()), 100.0 * (drawn @ gaps) / len(a), level)


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the two-sided p of McNemar's exact test: a binomial test of `only_b` among both with probability 1/2.

    only_a, only_b  items that system a alone, and system b alone, got right;  1.0 where there are none
    """
    from scipy.special import bdtr

    if only_a < 0 or only_b < 0:
        raise ValueError(f"expected counts of items, got {only_a} and {only_b}")
    return min(1.0, 2 * float(bdtr(min(only_a, only_b), only_a + only_b, 0.5)))


def _checked(gold: np.ndarray, a: np.ndarray, b: np.ndarray, *, resamples: int, level: float) -> list[np.ndarray]:
    arrays = [np.asarray(x, dtype=np.float64) for x in (gold, a, b)]
    if not (arrays[0].ndim == 1 and len({x.shape for x in arrays}) == 1 and len(arrays[0])):
        shapes = [x.shape for x in arrays]
        raise ValueError(f"expected three arrays of one length, got {shapes[0]}, {shapes[1]} and {shapes[2]}")
    if resamples < 1 or not 0 < level < 1:
        raise ValueError(f"expected resamples >= 1 and 0 < level < 1, got {resamples} and {level}")
    return arrays


def _from_resamples(value: float, differences: np.ndarray, level: float) -> Difference:
    """The percentile interval of resampled differences, and the p value that belongs to it."""
    defined = differences[~np.isnan(differences)]
    resamples, undefined = len(differences), len(differences) - len(defined)
    if not len(defined):
        return Difference(value, None, None, None, resamples, undefined, level=level)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    # a difference of exactly 0 speaks for neither side; rounding must not decide
    below, above = int((defined <= 1e-9).sum()), int((defined >= -1e-9).sum())
    p = min(1.0, 2 * (1 + min(below, above)) / (1 + len(defined)))
    return Difference(value, float(low), float(high), p, resamples, undefined, level=level)
