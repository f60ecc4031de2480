"""Who is best, who cannot be told from the best, who is worse, and how sure is that?

Rows are compared line by line and seed by seed (`harness.statistics`: the held-out lines are resampled, the same ones for
every row, and what other seeds would add is counted in); p values are those of the differences to the best row, corrected for
their number by Holm's method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from harness.statistics import Ranking, ranking, resolvable
from harness.statistics.kernels import Measure


class Standing(BaseModel):
    """Where a row stands: its mean × 100 with its 95 % interval, and the difference to the best row with its own.

    p  of that difference, corrected (None for the best row);  tied: whether it cannot be told from the best
    """

    model_config = ConfigDict(frozen=True)

    label: str
    value: float
    low: float | None
    high: float | None
    rank_low: int
    rank_high: int
    behind: float | None = None
    behind_low: float | None = None
    behind_high: float | None = None
    p: float | None = None
    tied: bool


class Verdict(BaseModel):
    """All rows from best to worst, on one criterion.

    resolvable  the smallest difference to the best row that these lines and seeds would show four times in five (the median
                over rows), None if it is unknown
    """

    model_config = ConfigDict(frozen=True)

    standings: tuple[Standing, ...]
    undefined: tuple[str, ...] = ()
    seeds: int
    items: int
    resolvable: float | None = None

    def find(self, label: str) -> Standing | None:
        """Return where a row stands, None if it has no score."""
        return next((standing for standing in self.standings if standing.label == label), None)


def judge(
    systems: Mapping[str, np.ndarray],
    seeds: Mapping[str, Sequence[int]],
    *,
    gold: np.ndarray | None = None,
    measure: Measure = "mean",
) -> Verdict:
    """Return the order of rows.

    systems  label -> values (seeds, items): scores of the items for the measure `mean`, else predictions for `gold` (items,)
    seeds    label -> the numbers of its seeds
    """
    items = next(iter(systems.values())).shape[-1]
    found: Ranking = ranking(systems, np.zeros(items) if gold is None else gold, seeds=seeds, metric=measure)
    visible = [resolvable(system.behind_best) for system in found.systems if system.behind_best is not None]
    known = [value for value in visible if value is not None]
    return Verdict(
        standings=tuple(
            Standing(
                label=system.name,
                value=system.score.value if system.score.value is not None else float("nan"),
                low=system.score.low,
                high=system.score.high,
                rank_low=system.rank_low,
                rank_high=system.rank_high,
                behind=system.behind_best.value if system.behind_best else None,
                behind_low=system.behind_best.low if system.behind_best else None,
                behind_high=system.behind_best.high if system.behind_best else None,
                p=system.p,
                tied=system.tied_with_best,
            )
            for system in found.systems
        ),
        undefined=found.undefined,
        seeds=max(map(len, seeds.values()), default=0),
        items=items,
        resolvable=float(np.median(known)) if known else None,
    )


def recommendation(verdict: Verdict, *, plain: str | None, untrained: str | None, what: str) -> list[str]:
    """Return the verdict in sentences: what to take, what is worse, and what this comparison could not have shown.

    plain, untrained  the labels of dropout alone and of the encoder as it is, None if they did not take part
    what              the criterion, as in `on held-out lines`
    """
    if not verdict.standings:
        return [f"No recommendation: no row has a score {what}."]
    best, *rest = verdict.standings
    tied, worse = [s for s in rest if s.tied], [s for s in rest if not s.tied]
    named = [best.label, *(s.label for s in tied)]
    score = f"{best.value:.1f}{_interval(best.low, best.high)}"
    out = []
    if not tied:
        out.append(f"Recommendation: {best.label} is better than every other row {what} ({score}).")
    elif not worse:
        out.append(f"Recommendation: none. No two rows can be told apart {what} (highest: {best.label}, {score}).")
    else:
        out.append(
            f"Recommendation: {_either(named)}; they cannot be told apart {what} (highest: {best.label}, {score})."
        )
    if worse:
        listed = ", ".join(f"{s.label} ({_minus(s.behind)}, {_p(s.p)})" for s in worse)
        out.append(f"Worse than {best.label}: {listed}; p corrected by Holm's method.")
    if untrained in named:
        out.append("The encoder before any training is among the best: so little training did not help it.")
    elif plain in named and len(named) > 1:
        out.append(f"{plain} is among the best: this comparison gives no reason to prefer an augmentation to it.")
    if verdict.resolvable is not None:
        out.append(f"Differences below about {verdict.resolvable:.1f} points could not have been seen.")
    if verdict.seeds < 2:
        out.append("One seed: nothing is known about other seeds; use --seeds 0-2 or more.")
    return out


def _either(labels: Sequence[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} or {labels[-1]}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f", 95 % {low:.1f} to {high:.1f}"


def _minus(value: float | None) -> str:
    return "" if value is None else f"−{abs(value):.1f}"


def _p(p: float | None) -> str:
    if p is None:
        return "p unknown"
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
