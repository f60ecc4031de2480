"""Who is best, who cannot be told from the best, and how sure is each place?

Places are decided by paired tests over seeds and items (`hierarchical`), corrected for their number, not by percentiles of
resampled ranks, which are far from their level where systems are close (Xie, Singh & Zhang 2009). A system's rank interval
counts those significantly better and those significantly worse than it (Mogstad, Romano, Shaikh & Wilhelm 2024).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.statistics.corrections import Correction, corrected
from harness.statistics.correlations import Aggregation
from harness.statistics.hierarchical import Estimate, difference_estimate, score_estimate
from harness.statistics.items import RESAMPLES, Draws, draw_scores
from harness.statistics.kernels import Measure


@dataclass(frozen=True)
class Ranked:
    """A system's place.

    score              mean over its seeds, with its interval over seeds and items
    rank               1 + the number of systems with a higher score
    rank_low, _high    95 % interval of the rank: 1 + the number that are significantly better, and the number of systems less
                       those that are significantly worse (tests of this system against all others, corrected for their number)
    behind_best        this system minus the best one (None for the best itself);  p: its corrected p
    tied_with_best     the best, and every system whose difference to it is not significant after correction
    """

    name: str
    score: Estimate
    rank: int
    rank_low: int
    rank_high: int
    behind_best: Estimate | None
    p: float | None
    tied_with_best: bool


@dataclass(frozen=True)
class Place:
    """Where a system stands: see the fields of `Ranked` of the same names."""

    rank: int
    rank_low: int
    rank_high: int
    p: float | None
    tied_with_best: bool


@dataclass(frozen=True)
class Ranking:
    """Systems from best to worst, and the names of those whose score is undefined."""

    systems: tuple[Ranked, ...]
    undefined: tuple[str, ...]
    correction: Correction
    level: float

    @property
    def tied_with_best(self) -> tuple[str, ...]:
        """The best system and those that cannot be told from it."""
        return tuple(system.name for system in self.systems if system.tied_with_best)


def ranking(
    systems: Mapping[str, np.ndarray],
    gold: np.ndarray,
    *,
    seeds: Mapping[str, Sequence[int]] | None = None,
    metric: Measure = "spearman",
    aggregation: Aggregation = "all",
    groups: Sequence[int] | Mapping[str, int] | None = None,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    correction: Correction = "holm",
    seed: int = 0,
) -> Ranking:
    """Return the order of systems on one task.

    systems  name -> predictions, shape (seeds, items) or (items,);  gold: shape (items,)
    seeds    name -> the numbers of its seeds (default 0, 1, …): systems with the same ones are compared seed by seed
    the rest as for `draw_scores`; higher scores are better

    Raises ValueError on shapes that do not fit.
    """
    rows = {name: np.atleast_2d(predictions) for name, predictions in systems.items()}
    if not rows:
        return Ranking((), (), correction, level)
    wrong = [name for name, found in rows.items() if found.ndim != 2 or found.shape[1] != len(gold)]
    if wrong:
        raise ValueError(f"{wrong[0]}: expected predictions (seeds, {len(gold)}), got {rows[wrong[0]].shape}")
    draws = draw_scores(
        gold,
        np.concatenate(list(rows.values())),
        metric=metric,
        aggregation=aggregation,
        groups=groups,
        resamples=resamples,
        seed=seed,
    )
    starts = np.cumsum([0, *(len(found) for found in rows.values())])
    parts = {name: draws.of(range(starts[i], starts[i + 1])) for i, name in enumerate(rows)}
    return rank_draws(parts, seeds=seeds, level=level, correction=correction)


def rank_draws(
    systems: Mapping[str, Draws],
    *,
    seeds: Mapping[str, Sequence[int]] | None = None,
    level: float = 0.95,
    correction: Correction = "holm",
) -> Ranking:
    """Return the order of systems from the draws of their runs, all on the same resamples (also of an average of tasks)."""
    scores = {name: score_estimate(draws, level=level) for name, draws in systems.items()}
    values = {name: score.value for name, score in scores.items() if score.value is not None}
    gaps = gaps_of({name: systems[name] for name in _order(values)}, seeds=seeds, level=level)
    placed = places(values, {pair: gap.p for pair, gap in gaps.items()}, level=level, correction=correction)
    best = next(iter(placed), "")
    found = tuple(
        Ranked(
            name,
            scores[name],
            place.rank,
            place.rank_low,
            place.rank_high,
            None if name == best else _negative(gaps[best, name]),
            place.p,
            place.tied_with_best,
        )
        for name, place in placed.items()
    )
    return Ranking(found, tuple(name for name in systems if name not in values), correction, level)


def gaps_of(
    systems: Mapping[str, Draws], *, seeds: Mapping[str, Sequence[int]] | None = None, level: float = 0.95
) -> dict[tuple[str, str], Estimate]:
    """Return the difference of every two systems, first minus second, once per pair, in the order given."""
    names = list(systems)
    numbers = {name: (seeds or {}).get(name) for name in names}
    return {
        (a, b): difference_estimate(systems[b], systems[a], seeds_a=numbers[b], seeds_b=numbers[a], level=level)
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    }


def places(
    values: Mapping[str, float],
    p: Mapping[tuple[str, str], float | None],
    *,
    level: float = 0.95,
    correction: Correction = "holm",
) -> dict[str, Place]:
    """Return the places of systems from best to worst, from their scores and the p values of their differences.

    values  name -> score;  p: uncorrected, under each pair of names in either order; a pair that is not there is not apart

    p values are corrected for the systems given: of a part of them, those of the part.
    """
    names = _order(values)
    known = {frozenset(pair): value for pair, value in p.items()}

    def against(name: str, others: Sequence[str]) -> list[float | None]:
        return corrected([known.get(frozenset((name, other))) for other in others], correction)

    to_best = against(names[0], names[1:]) if names else []
    found = {}
    for at, name in enumerate(names):
        others = [other for other in names if other != name]
        better = worse = 0
        for other, value in zip(others, against(name, others), strict=True):
            apart = value is not None and value <= 1 - level
            better += apart and values[other] > values[name]
            worse += apart and values[other] < values[name]
        p_best = to_best[at - 1] if at else None
        found[name] = Place(
            1 + sum(values[other] > values[name] for other in others),
            1 + better,
            len(names) - worse,
            p_best,
            at == 0 or p_best is None or p_best > 1 - level,
        )
    return found


def _order(values: Mapping[str, float]) -> list[str]:
    """Names from best to worst."""
    return sorted(values, key=lambda name: (-values[name], name))


def _negative(gap: Estimate) -> Estimate:
    """The same difference the other way round."""
    if gap.value is None or gap.low is None or gap.high is None:
        return gap
    return replace(gap, value=-gap.value, low=-gap.high, high=-gap.low)
