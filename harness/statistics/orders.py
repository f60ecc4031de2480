"""Do we find the order of methods that a paper prints, and could we tell?

Kendall's τ-b between our scores and the published ones: 1 is the same order, -1 the reverse, ties on either side count for
neither. Its interval comes from a bootstrap that draws seeds and items anew and orders the methods again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.statistics.items import Draws


@dataclass(frozen=True)
class OrderAgreement:
    """Kendall's τ-b of our order with another.

    tau        None where either side has only ties
    low, high  percentiles of the bootstrap; None where there was nothing to resample (one seed, no predictions)
    methods    how many methods were ordered
    over       what was resampled: `seeds and items`, `seeds`, `items`, or `nothing`
    """

    tau: float | None
    low: float | None
    high: float | None
    methods: int
    over: str


def kendall_tau_b(ours: np.ndarray, published: np.ndarray) -> np.ndarray:
    """Return Kendall's τ-b of scores (…, methods) with published ones (methods,), NaN where either has only ties."""
    ours, published = np.asarray(ours, dtype=np.float64), np.asarray(published, dtype=np.float64)
    first, second = np.triu_indices(len(published), k=1)
    mine = np.sign(ours[..., first] - ours[..., second])
    theirs = np.sign(published[first] - published[second])
    with np.errstate(divide="ignore", invalid="ignore"):
        tau: np.ndarray = mine @ theirs / np.sqrt((mine**2).sum(axis=-1) * (theirs**2).sum())
    return tau


def order_agreement(
    systems: Sequence[Draws],
    published: Sequence[float],
    *,
    seeds: Sequence[Sequence[int]] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> OrderAgreement:
    """Return τ-b of our methods' mean scores with published ones, with an interval over seeds and items.

    systems    one per method: the draws of its runs, all on the same resamples of the items (parts of one `draw_scores`),
               or `fixed_draws` where predictions are not at hand: then over the seeds alone
    published  one score per method;  seeds: the runs' seed numbers (default 0, 1, …)

    Raises ValueError on fewer than two methods, or scores that are undefined.
    """
    if len(systems) < 2 or len(systems) != len(published):
        raise ValueError(f"expected two methods or more, got {len(systems)} and {len(published)} published scores")
    means = np.array([system.observed.mean() for system in systems])
    if np.isnan(means).any():
        raise ValueError("expected defined scores; leave methods without a score out")
    tau = float(kendall_tau_b(means, np.asarray(published)))
    over = _over(systems)
    drawn = kendall_tau_b(seed_draws(systems, seeds=seeds, seed=seed), np.asarray(published))
    drawn = drawn[~np.isnan(drawn)]
    if math.isnan(tau) or over == "nothing" or not len(drawn):
        return OrderAgreement(None if math.isnan(tau) else tau, None, None, len(systems), over)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return OrderAgreement(tau, float(low), float(high), len(systems), over)


def seed_draws(systems: Sequence[Draws], *, seeds: Sequence[Sequence[int]] | None = None, seed: int = 0) -> np.ndarray:
    """Return the methods' mean scores on resampled seeds and items, shape (resamples, methods).

    Methods with the same seeds get the same resample of them. Deviations of a resampled mean from the mean are stretched by
    √(S / (S - 1)), without which the variance of S resampled seeds is too small by that factor squared.
    """
    rng = np.random.default_rng([seed, 1])
    chosen: dict[tuple[int, ...], np.ndarray] = {}
    columns = []
    for place, system in enumerate(systems):
        numbers = tuple(range(system.runs)) if seeds is None else tuple(seeds[place])
        order = np.argsort(numbers)
        runs, s = system.resampled[:, order], system.runs
        mean = runs.mean(axis=1)
        if s > 1:
            key = tuple(sorted(numbers))
            if key not in chosen:
                chosen[key] = rng.integers(s, size=(len(runs), s))
            again = np.take_along_axis(runs, chosen[key], axis=1).mean(axis=1)
            mean = mean + math.sqrt(s / (s - 1)) * (again - mean)
        columns.append(mean)
    return np.stack(columns, axis=1)


def _over(systems: Sequence[Draws]) -> str:
    parts = ["seeds"] if any(system.runs > 1 for system in systems) else []
    parts += ["items"] if all(system.items for system in systems) else []
    return " and ".join(parts) or "nothing"
