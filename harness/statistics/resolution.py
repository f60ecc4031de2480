"""How small a difference can a task still show, with these seeds and these items?"""

from __future__ import annotations

import math

from harness.statistics.hierarchical import Estimate
from harness.statistics.seeds import t_quantile


def smallest_difference(se: float, df: float = math.inf, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the true difference that a two-sided test at `alpha` finds with probability `power`.

        δ = (t(1 - alpha/2, df) + t(power, df)) · se        with very many degrees of freedom (1.96 + 0.84) · se = 2.80 · se

    se  the paired standard error of the difference, over seeds and items;  df: its degrees of freedom (`Estimate.df`)

    The usual approximation of the non-central t distribution by a shifted central one. Raises ValueError on se < 0, df <= 0
    or probabilities outside (0, 1).
    """
    if not (se >= 0 and df > 0 and 0 < alpha < 1 and 0 < power < 1):
        raise ValueError(f"expected se >= 0, df > 0, alpha and power in (0, 1), got {se}, {df}, {alpha} and {power}")
    return (t_quantile(1 - alpha / 2, df) + t_quantile(power, df)) * se


def resolvable(difference: Estimate, *, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """Return the smallest difference that the comparison behind `difference` can show, None if its error is unknown.

    A standard error of exactly 0 (a system compared with itself) is no measurement of noise: None.
    """
    if difference.se is None or difference.df is None or difference.se == 0:
        return None
    return smallest_difference(difference.se, difference.df, alpha=alpha, power=power)
