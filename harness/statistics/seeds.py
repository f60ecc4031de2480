"""What do a few seeds say: mean, spread and 95 % interval of a score over training runs?"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SeedSummary:
    """Scores of one method over seeds, in the unit they came in.

    std        sample standard deviation (n - 1), None with fewer than two seeds
    low, high  Student's t interval of the mean, None with fewer than two seeds: one run says nothing about the next
    """

    mean: float | None
    std: float | None
    low: float | None
    high: float | None
    seeds: int


def over_seeds(values: Sequence[float], *, level: float = 0.95) -> SeedSummary:
    """Return mean, sample standard deviation and t interval of one score per seed.

    The interval is mean ± t · std / √n with n - 1 degrees of freedom; it is about other seeds on the same test items, and
    says nothing about other items. Raises ValueError unless 0 < level < 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"expected 0 < level < 1, got {level}")
    n = len(values)
    if n < 2:
        return SeedSummary(float(values[0]) if n else None, None, None, None, n)
    mean, std = statistics.fmean(values), statistics.stdev(values)
    half = t_quantile((1 + level) / 2, n - 1) * std / math.sqrt(n)
    return SeedSummary(mean, std, mean - half, mean + half, n)


def t_quantile(probability: float, df: float) -> float:
    """Return the quantile of Student's t with `df` degrees of freedom; of the normal distribution for infinitely many."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(probability) if math.isinf(df) else stdtrit(df, probability))


def t_p(statistic: float, df: float) -> float:
    """Return the two-sided p of a t statistic with `df` degrees of freedom (infinitely many: of a normal one)."""
    from scipy.special import ndtr, stdtr

    tail = -abs(statistic)
    return min(1.0, 2 * float(ndtr(tail) if math.isinf(df) else stdtr(df, tail)))
