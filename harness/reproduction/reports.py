"""Did we get what the paper printed? Row by row with the noise beside it, and the order of the rows.

Per table of a suite (see `tables`) and published column: published value, ours with its uncertainty over seeds and items, the
difference and whether it lies inside the noise, the paired difference to SimCSE's row with a p corrected for the number of
rows, and the smallest difference that could have been seen. Then the paper's order against ours, a verdict where encoder,
corpus size and scale are the paper's, and the settings in which they are not. A suite that no paper has printed is compared with
SimCSE alone.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.records.itemwise import Itemwise, NotItemwise, itemwise
from harness.records.schema import ScoreRecord
from harness.records.store import Broken, Run, Store
from harness.reports.suite_tables import suite_tables
from harness.reports.table import Cell, Table
from harness.reproduction.causes import Cause, ladder, no_verdict
from harness.reproduction.columns import Column, columns, reference_row
from harness.reproduction.order import Ordering, Verdict, compare_order, judge
from harness.statistics import (
    Draws,
    Estimate,
    SeedSummary,
    average_draws,
    corrected,
    difference_estimate,
    draw_scores,
    fixed_draws,
    over_seeds,
    resolvable,
    score_estimate,
)
from harness.statistics.items import RESAMPLES
from harness.statistics.seeds import t_quantile
from harness.suite import Suite


@dataclass(frozen=True)
class ReproducedRow:
    """A row of the paper's table beside ours, in points.

    published, published_std  as printed, None where the paper has no such row or no spread
    over_seeds   mean, sample standard deviation and t interval over the seeds alone
    ours         the mean with its interval over seeds and items (`Estimate.items` 0: predictions were not at hand)
    difference   ours minus published
    inside_noise whether |difference| <= t · √(se² + published_std²): None without a standard error. A published value without
                 a spread is taken as exact
    to_reference this row minus SimCSE's, paired;  p: corrected (Holm) over the rows;  smallest: the smallest difference that
                 this comparison can show (two-sided 5 %, power 80 %)
    remarks      what a reader must know: missing tasks, failed runs, stand-in encoders
    """

    label: str
    published: float | None
    published_std: float | None
    over_seeds: SeedSummary
    seeds: tuple[int, ...]
    ours: Estimate | None
    difference: float | None
    inside_noise: bool | None
    to_reference: Estimate | None = None
    p: float | None = None
    smallest: float | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reproduction:
    """The reproduction report of one published column of one table, or the comparison with SimCSE of a column of our own.

    published  whether a paper has printed the column
    reference  label of SimCSE's row, None if the suite has none
    """

    suite: str
    title: str
    column: str
    published: bool
    facts: Mapping[str, str]
    tasks: tuple[str, ...]
    reference: str | None
    rows: tuple[ReproducedRow, ...]
    ordering: Ordering
    verdict: Verdict
    causes: tuple[Cause, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Measured:
    """A row's complete runs: seeds in order, one score each, and the records behind it, one per part of the column."""

    runs: tuple[Run, ...]
    scores: tuple[float, ...]
    records: tuple[tuple[ScoreRecord, ...], ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(run.record.spec.seed for run in self.runs)


def reproduce(
    suite: Suite, store: Store, *, older: bool = False, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[list[Reproduction], list[Broken]]:
    """Return the reproduction reports of a suite from a results folder, and the records that could not be read.

    One report per table and published column; tables without one (other scales' tasks) give none. Of a suite without published
    values one report per table, the average (without one, one per task) compared with SimCSE; none if it has no row of SimCSE.
    older  fill empty rows with runs of older code or settings, as in `suite_tables`
    """
    tables, broken = suite_tables(suite, store, older=older)
    found = []
    for table in tables:
        ids = dict.fromkeys(train_id for line in table.lines for train_id in line.runs)
        runs = {train_id: run for train_id in ids if (run := store.get(train_id)) is not None}
        scores = {train_id: run.scores() for train_id, run in runs.items() if run.record.status == "ok"}
        for column in columns(suite, table):
            found.append(_reproduce(suite, table, column, runs, scores, resamples, seed))
    return found, broken


def _reproduce(
    suite: Suite,
    table: Table,
    column: Column,
    runs: Mapping[str, Run],
    scores: Mapping[str, Sequence[ScoreRecord]],
    resamples: int,
    seed: int,
) -> Reproduction:
    place = None if column.published is None else table.headings.index(column.published)
    lines = {line.label: line for line in table.lines}
    measured = {label: _measured(line.runs, column, runs, scores) for label, line in lines.items()}
    present = {label: row for label, row in measured.items() if row.runs}
    draws, reason = _draws(present, resamples, seed)
    seeds = {label: row.seeds for label, row in present.items()}
    reference = reference_row(suite)
    against = {}
    if reference in draws:
        against = {
            label: difference_estimate(draws[reference], row, seeds_a=seeds[reference], seeds_b=seeds[label])
            for label, row in draws.items()
            if label != reference
        }
    p = dict(zip(against, corrected([found.p for found in against.values()]), strict=True))
    printed = {label: Cell() if place is None else line.cells[place] for label, line in lines.items()}
    rows = []
    for label, line in lines.items():
        ours = score_estimate(draws[label]) if label in draws else None
        summary = over_seeds(measured[label].scores)
        cell, gap = printed[label], against.get(label)
        difference = None if cell.printed is None or summary.mean is None else summary.mean - cell.printed
        rows.append(
            ReproducedRow(
                label,
                cell.printed,
                cell.printed_std,
                summary,
                measured[label].seeds,
                ours,
                difference,
                _inside(difference, ours, cell.printed_std),
                gap,
                p.get(label),
                None if gap is None else resolvable(gap),
                tuple(table.footnotes[number - 1] for number in line.remarks),
            )
        )
    published = {label: cell.printed for label, cell in printed.items() if cell.printed is not None}
    ordering = compare_order(draws, published, seeds, seed=seed)
    compared = [row for label, row in present.items() if label in published]
    causes = (
        ladder(
            suite,
            table,
            [run for row in compared for run in row.runs],
            [record for row in compared for records in row.records for record in records],
        )
        if column.published
        else ()
    )
    return Reproduction(
        suite.name,
        suite.title,
        column.title,
        column.published is not None,
        dict(table.facts),
        tuple(task for task, _ in column.parts),
        reference,
        tuple(rows),
        ordering,
        judge(ordering, [*no_verdict(causes), *_gaps(lines, present, published)]),
        causes,
        (*((reason,) if reason else ()), *table.remarks),
    )


def _measured(
    ids: Sequence[str], column: Column, runs: Mapping[str, Run], scores: Mapping[str, Sequence[ScoreRecord]]
) -> _Measured:
    """A row's runs that have every score of the column."""
    complete = []
    for run in sorted((runs[i] for i in ids if i in scores), key=lambda run: run.record.spec.seed):
        by_part = {(score.task_id, score.protocol): score for score in scores[run.train_id]}
        records = tuple(by_part[part] for part in column.parts if part in by_part)
        values = [record.value for record in records if record.value is not None]
        if values and len(values) == len(column.parts):
            complete.append((run, statistics.fmean(values), records))
    return _Measured(*(tuple(parts) for parts in zip(*complete, strict=True))) if complete else _Measured((), (), ())


def _draws(rows: Mapping[str, _Measured], resamples: int, seed: int) -> tuple[dict[str, Draws], str | None]:
    """The draws of every row's runs, all on the same resamples of the items; over the seeds alone, with the reason, if the
    stored predictions of any run do not give its score."""
    if not rows:
        return {}, None
    try:
        tasks = []
        for number, records in enumerate(zip(*(r for row in rows.values() for r in row.records), strict=True)):
            items = _same_items(records)
            predictions = np.stack([one.predictions for one in items])
            tasks.append(
                draw_scores(items[0].gold, predictions, resamples=resamples, seed=[seed, number], **items[0].options)
            )
    except NotItemwise as error:
        fixed = {label: fixed_draws(row.scores, resamples=resamples) for label, row in rows.items()}
        return fixed, f"intervals are over the seeds alone, not over the test items: {error}"
    drawn, start, found = average_draws(tasks), 0, {}
    for label, row in rows.items():
        found[label] = drawn.of(range(start, start + len(row.runs)))
        start += len(row.runs)
    return found, None


def _same_items(records: Sequence[ScoreRecord]) -> list[Itemwise]:
    """The items of one task behind each record. Raises NotItemwise if they are not the same ones."""
    found = [itemwise(record) for record in records]
    first = found[0]
    for record, one in zip(records, found, strict=True):
        if record.data_sha != records[0].data_sha or not np.array_equal(one.gold, first.gold):
            raise NotItemwise(f"{record.task_id} was scored on different data in different runs")
        if one.options != first.options:
            raise NotItemwise(f"{record.task_id} was scored in different ways in different runs")
    return found


def _inside(difference: float | None, ours: Estimate | None, printed_std: float | None) -> bool | None:
    if difference is None or ours is None or ours.se is None or ours.df is None:
        return None
    return abs(difference) <= t_quantile(0.975, ours.df) * math.hypot(ours.se, printed_std or 0.0)


def _gaps(lines: Mapping[str, object], present: Mapping[str, _Measured], published: Mapping[str, float]) -> list[str]:
    """What the rows themselves lack for a verdict."""
    reasons = []
    missing = [label for label in published if label not in present]
    if missing:
        reasons.append(f"not measured: {', '.join(missing)}")
    compared = [present[label] for label in published if label in present]
    if compared and max(len(row.runs) for row in compared) < 2:
        reasons.append("one seed: nothing is known about other seeds")
    if any(run.record.plumbing for row in compared for run in row.runs):
        reasons.append("some rows are plumbing, not results")
    return reasons
