"""Do two methods differ, task by task? What the page Compare shows; every statistic is harness's.

A method here is a set of runs that differ in nothing but their seeds (a `system` of the index); a single run is a method of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from harness.errors import AugBenchError
from harness.statistics import (
    Correction,
    Draws,
    Estimate,
    average_draws,
    corrected,
    difference_estimate,
    draw_scores,
    fixed_draws,
    resolvable,
)

if TYPE_CHECKING:
    from harness.records.itemwise import Itemwise
    from harness.records.schema import ScoreRecord
    from harness.records.store import Run

#: of the items; with 500 a standard error is known to 3 %, and a page of eight tasks takes seconds
RESAMPLES = 500
#: the chance of one false difference among all tasks that "wins" and "losses" allow
ALPHA = 0.05
#: (task id, language, protocol)
Place = tuple[str, str, str]
Outcome = Literal["better", "worse", "tied", "unknown"]


@dataclass(frozen=True)
class Method:
    """Runs that differ in nothing but their seeds, in order of the seeds.

    scores  one dictionary per run: task, language and protocol -> record
    """

    key: str
    label: str
    runs: tuple[Run, ...]
    scores: tuple[Mapping[Place, ScoreRecord], ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the runs."""
        return tuple(run.record.spec.seed for run in self.runs)

    @property
    def plumbing(self) -> str | None:
        """Why these runs are no results, None if they are."""
        return next((run.record.plumbing for run in self.runs if run.record.plumbing), None)

    def at(self, place: Place) -> tuple[list[int], list[ScoreRecord]]:
        """Return the seeds scored on a task, and their records."""
        found = [
            (run.record.spec.seed, own[place]) for run, own in zip(self.runs, self.scores, strict=True) if place in own
        ]
        return [seed for seed, _ in found], [record for _, record in found]

    @property
    def places(self) -> list[Place]:
        """What any of its runs was scored on, sorted."""
        return sorted({place for own in self.scores for place in own})


@dataclass(frozen=True)
class TaskDifference:
    """Method b minus method a on one task.

    a, b        means over the seeds, None where undefined
    difference  with its interval over seeds and items (over the seeds alone where `reason` says so); None if it cannot be had
    p           corrected for the number of tasks compared;  smallest: the smallest difference this comparison can show
    average     whether this is the mean over the other tasks, which is no test of its own and is not corrected with them
    """

    task: str
    language: str
    protocol: str
    metric: str
    items: int
    seeds_a: tuple[int, ...]
    seeds_b: tuple[int, ...]
    a: float | None
    b: float | None
    difference: Estimate | None
    p: float | None = None
    smallest: float | None = None
    reason: str | None = None
    average: bool = False

    @property
    def place(self) -> Place:
        """What names the task."""
        return self.task, self.language, self.protocol

    @property
    def outcome(self) -> Outcome:
        """Whether b is better: decided by the corrected p, so that a tie means "cannot be told apart here"."""
        if self.difference is None or self.difference.value is None or self.p is None:
            return "unknown"
        if self.p > ALPHA or self.difference.value == 0:
            return "tied"
        return "better" if self.difference.value > 0 else "worse"


def of_runs(runs: Iterable[Run], *, key: str | None = None, label: str | None = None) -> Method:
    """Return some runs as one method; of two runs of one seed, the one finished last counts. Raises ValueError without runs."""
    by_seed = {run.record.spec.seed: run for run in sorted(runs, key=lambda one: one.record.finished)}
    if not by_seed:
        raise ValueError("expected at least one run")
    ordered = tuple(by_seed[seed] for seed in sorted(by_seed))
    first = ordered[0].record
    scores = tuple({(s.task_id, s.language, s.protocol): s for s in run.scores(_nothing)} for run in ordered)
    return Method(key or first.train_id, label or first.spec.row, ordered, scores)


def compare(
    a: Method, b: Method, *, correction: Correction = "holm", resamples: int = RESAMPLES, seed: int = 0
) -> list[TaskDifference]:
    """Return b minus a on every task that either was scored on; their mean at the end, if there are several test tasks.

    The mean is over the test splits on which both have every seed, of one metric; it stands apart (`average`).
    """
    rows: list[TaskDifference] = []
    drawn: list[tuple[TaskDifference, Draws, Draws]] = []
    for number, place in enumerate(sorted({*a.places, *b.places})):
        row, draws = _task(a, b, place, resamples=resamples, seed=seed + number)
        rows.append(row)
        if draws is not None and ":" not in row.task:
            drawn.append((row, *draws))
    p = corrected([None if row.difference is None else row.difference.p for row in rows], correction)
    rows = [replace(row, p=value) for row, value in zip(rows, p, strict=True)]
    average = _average(a, b, drawn)
    return rows if average is None else [*rows, average]


def outcomes(rows: Iterable[TaskDifference]) -> dict[Outcome, int]:
    """Return on how many tasks b is better, worse, tied or not to be judged."""
    counts: dict[Outcome, int] = {"better": 0, "tied": 0, "worse": 0, "unknown": 0}
    for row in rows:
        if not row.average:
            counts[row.outcome] += 1
    return counts


def same_items(records: Sequence[ScoreRecord]) -> list[Itemwise]:
    """Return the items of one task behind each record. Raises AugBenchError, saying why, if they are not the same ones."""
    import numpy as np

    from harness.records.itemwise import NotItemwise, itemwise

    found = [itemwise(record) for record in records]
    for record, one in zip(records, found, strict=True):
        if record.data_sha != records[0].data_sha or not np.array_equal(one.gold, found[0].gold):
            raise NotItemwise("the two were scored on different data; evaluate them again on one")
        if one.options != found[0].options:
            raise NotItemwise("the two were scored in different ways")
        if not (np.isfinite(one.predictions).all() and np.isfinite(one.gold).all()):
            raise NotItemwise("some stored predictions are no numbers")
    return found


def _task(
    a: Method, b: Method, place: Place, *, resamples: int, seed: int
) -> tuple[TaskDifference, tuple[Draws, Draws] | None]:
    """One task: its line, and the draws of both methods if the line may enter the mean."""
    (seeds_a, of_a), (seeds_b, of_b) = a.at(place), b.at(place)
    records = [*of_a, *of_b]
    metric, aggregation = records[0].main
    values_a, values_b = ([record.find(metric, aggregation) for record in found] for found in (of_a, of_b))
    task, language, protocol = place
    items = next(
        (score.items for score in records[0].scores if (score.metric, score.aggregation) == records[0].main), 0
    )
    row = TaskDifference(
        task, language, protocol, metric, items, tuple(seeds_a), tuple(seeds_b), _mean(values_a), _mean(values_b), None
    )
    if not of_a or not of_b:
        return replace(row, reason=f"only {(a if of_a else b).label} was scored on it"), None
    if any(value is None for value in (*values_a, *values_b)):
        return replace(row, reason="a score is undefined (constant predictions)"), None
    if len({record.data_sha for record in records}) > 1:
        return replace(row, reason="the two were scored on different data; evaluate them again on one"), None
    reason = None
    try:
        found = same_items(records)
        import numpy as np

        stacked = np.stack([one.predictions for one in found])
        draws = draw_scores(found[0].gold, stacked, resamples=resamples, seed=seed, **found[0].options)
        first, second = draws.of(range(len(of_a))), draws.of(range(len(of_a), len(records)))
    except (AugBenchError, ValueError) as error:
        reason = f"over the seeds alone: {error}"
        first, second = (
            fixed_draws([value for value in values if value is not None], resamples=resamples)
            for values in (values_a, values_b)
        )
    difference = difference_estimate(first, second, seeds_a=seeds_a, seeds_b=seeds_b)
    if difference.p is None and reason is None:
        reason = "the stored predictions are constant"
    if difference.p is None and reason and difference.value is not None and difference.items == 0:
        reason = f"no interval: {reason.removeprefix('over the seeds alone: ')}"
    line = replace(row, difference=difference, smallest=resolvable(difference), reason=reason)
    return line, (first, second) if difference.items else None


def _average(a: Method, b: Method, drawn: Sequence[tuple[TaskDifference, Draws, Draws]]) -> TaskDifference | None:
    metrics = [row.metric for row, _, _ in drawn]
    common = max(sorted(set(metrics)), key=metrics.count) if metrics else ""
    taking = [
        (row, first, second)
        for row, first, second in drawn
        if row.metric == common and (row.seeds_a, row.seeds_b) == (a.seeds, b.seeds)
    ]
    if len(taking) < 2:
        return None
    first = average_draws([of_a for _, of_a, _ in taking])
    second = average_draws([of_b for _, _, of_b in taking])
    difference = difference_estimate(first, second, seeds_a=a.seeds, seeds_b=b.seeds)
    return TaskDifference(
        f"mean of {len(taking)}",
        "",
        "",
        common,
        difference.items,
        a.seeds,
        b.seeds,
        float(first.observed.mean()),
        float(second.observed.mean()),
        difference,
        p=difference.p,
        smallest=resolvable(difference),
        reason="of " + ", ".join(row.task for row, _, _ in taking) + "; its p is not corrected",
        average=True,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present and len(present) == len(values) else None


def _nothing(_: object) -> None:
    """Damaged score files are listed by the index, not here."""
