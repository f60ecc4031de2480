"""What does the table of a suite look like? Rows and columns of the suite, filled with what was measured, nothing else.

Mean ± sample standard deviation over seeds; the published value in a column of its own; missing is blank, never 0;
averages are taken per seed over unrounded values and only where every score is there. A row that must not be compared says
so in a remark. Runs whose code or settings are not today's are named below the table, not shown in it.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.published import Published, lookup, published
from harness.records.schema import ScoreRecord
from harness.records.store import Run
from harness.reports.footnotes import Footnotes, row_remarks
from harness.suite import Column, Row, Suite

# (task id, protocol) -> main score
_Scores = Mapping[tuple[str, str], float | None]


@dataclass(frozen=True)
class Cell:
    """One value of a table: mean and sample standard deviation (None for one seed) of `values`, one per seed.

    printed, printed_std  the published value and its spread, in cells that show one
    """

    values: tuple[float, ...] = ()
    printed: float | None = None
    printed_std: float | None = None

    @property
    def mean(self) -> float | None:
        """The mean over seeds, or the published value; None where there is nothing."""
        return statistics.fmean(self.values) if self.values else self.printed

    @property
    def std(self) -> float | None:
        """The sample standard deviation, None with fewer than two seeds; or the published spread."""
        return statistics.stdev(self.values) if len(self.values) > 1 else self.printed_std

    def text(self) -> str:
        """`76.25`, `76.25 ± 0.43`, or nothing."""
        if self.mean is None:
            return ""
        return f"{self.mean:.2f}" if self.std is None else f"{self.mean:.2f} ± {self.std:.2f}"


@dataclass(frozen=True)
class Heading:
    """A column of a table: its title, and what it holds (`task` id and `protocol`, `note`, `published`, `average`)."""

    title: str
    kind: str
    task: str | None = None
    protocol: str | None = None


@dataclass(frozen=True)
class Line:
    """A row of a table: cells in the order of the headings, seeds that count, and remarks (numbers of footnotes)."""

    label: str
    cells: tuple[Cell, ...]
    seeds: tuple[int, ...]
    runs: tuple[str, ...]
    remarks: tuple[int, ...] = ()
    anchor: bool = False
    extra: bool = False
    plumbing: bool = False


@dataclass(frozen=True)
class Table:
    """A filled table. `facts` says what its numbers were measured with; footnote n is `footnotes[n - 1]`."""

    suite: str
    title: str
    facts: Mapping[str, str]
    headings: tuple[Heading, ...]
    lines: tuple[Line, ...]
    footnotes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def build_table(
    suite: Suite,
    scale: str,
    rows: Mapping[str, Sequence[Run]],
    *,
    facts: Mapping[str, str] | None = None,
    older: Sequence[Run] = (),
    marked: Collection[str] = (),
    references: Sequence[Published] | None = None,
    aggregation: str | None = None,
) -> Table:
    """Return the table of a suite at a scale.

    rows        row label -> its runs, one per seed, whatever their status;  facts: what the table is headed with
    older       runs of these rows that today's code or settings would not give; they are only named
    marked      ids of such runs that stand in `rows` all the same
    references  published numbers (default: all that are installed)
    aggregation  score the stored predictions under this one (`all`, `mean`, `wmean`) instead of each task's own; published
                 values, which were computed under theirs, are then left out

    Raises UsageError if the suite names published values that are not there.
    """
    references = published() if references is None else references
    columns = suite.columns_at(scale)
    notes = Footnotes()
    headings: list[Heading] = []
    parts: list[tuple[Heading, Column]] = []
    runs = [run for found in rows.values() for run in found if run.record.status == "ok"]
    records = {run.train_id: list(run.scores()) for run in runs}
    asked = _asked(suite, scale, [record for found in records.values() for record in found])
    scores = {
        train_id: {
            (s.task_id, s.protocol): s.value if aggregation is None else s.under(aggregation)
            for s in found
            if s.protocol in asked[s.task_id]
        }
        for train_id, found in records.items()
    }
    for column in columns:
        for heading in _headings(column, scores.values()):
            headings.append(heading)
            parts.append((heading, column))
        if column.published and aggregation is None and any(row.published for row in suite.rows):
            headings.append(Heading(f"{column.title}, published", "published", column.published))
            parts.append((headings[-1], column))
    average = suite.average_at(scale)
    printed_average = suite.published_average_at(scale) if aggregation is None else None
    if average:
        headings.append(Heading(average, "average"))
    if printed_average:
        headings.append(Heading(f"{average}, published", "published", printed_average))
    lines = []
    for row in suite.rows:
        found = sorted(rows.get(row.label, ()), key=lambda run: run.record.spec.seed)
        done = [run for run in found if run.record.status == "ok"]
        values = {run.train_id: _values(run, scores[run.train_id], parts) for run in done}
        cells = [
            _reference(row, column.published, references)
            if heading.kind == "published"
            else _cell([values[run.train_id].get(heading) for run in done])
            for heading, column in parts
        ]
        if average:
            cells.append(_cell([_average(values[run.train_id], parts) for run in done]))
        if printed_average:
            cells.append(_reference(row, printed_average, references))
        remarks = row_remarks(row, found, done, values, parts, marked, notes)
        lines.append(
            Line(
                row.label,
                tuple(cells),
                tuple(run.record.spec.seed for run in done),
                tuple(run.train_id for run in found),
                tuple(remarks),
                anchor=row.anchor,
                extra=row.extra,
                plumbing=any(run.record.plumbing for run in done),
            )
        )
    general = [suite.note] if suite.note else []
    if aggregation is not None:
        general.append(
            f"scored again from stored predictions, aggregation over subsets: {aggregation}; no published values"
        )
    if older:
        ids = ", ".join(run.train_id for run in older)
        general.append(f"not shown, because measured by other code or settings than today's: {ids}")
    return Table(
        suite.name, suite.title, dict(facts or {}), tuple(headings), tuple(lines), tuple(notes.texts), tuple(general)
    )


def _asked(suite: Suite, scale: str, records: Sequence[ScoreRecord]) -> Mapping[str, set[str]]:
    """Return, per task, the protocols a suite asks for, all of them where none is of its text variant and probe.

    A run that several suites share has scores for each of them.
    """
    wanted = {"text": suite.text_at(scale), "probe": suite.probe_at(scale)}
    found: dict[str, set[str]] = defaultdict(set)
    own: dict[str, set[str]] = defaultdict(set)
    for record in records:
        said = {**record.protocol_fingerprint, **(record.protocol_fingerprint.get("details") or {})}
        found[record.task_id].add(record.protocol)
        if all(said.get(name, value) == value for name, value in wanted.items()):
            own[record.task_id].add(record.protocol)
    return {task: own[task] or protocols for task, protocols in found.items()}


def _headings(column: Column, scores: Iterable[_Scores]) -> list[Heading]:
    """One heading per protocol the column's task was scored under; scores of two protocols never share one."""
    if column.note:
        return [Heading(column.title, "note", column.note)]
    protocols = sorted({protocol for found in scores for task, protocol in found if task == column.task})
    if len(protocols) < 2:
        return [Heading(column.title, "task", column.task, protocols[0] if protocols else None)]
    return [Heading(f"{column.title} ({protocol})", "task", column.task, protocol) for protocol in protocols]


def _values(run: Run, scores: _Scores, parts: Sequence[tuple[Heading, Column]]) -> dict[Heading, float | None]:
    found: dict[Heading, float | None] = {}
    for heading, _ in parts:
        if heading.kind == "task":
            found[heading] = scores.get((heading.task or "", heading.protocol or ""))
        elif heading.kind == "note":
            found[heading] = _note(run.record.notes, heading.task or "")
    return found


def _note(notes: Any, place: str) -> float | None:
    for key in place.split("."):
        notes = notes.get(key) if isinstance(notes, Mapping) else None
    return float(notes) if isinstance(notes, int | float) and not isinstance(notes, bool) else None


def _cell(values: Sequence[float | None]) -> Cell:
    return Cell(tuple(value for value in values if value is not None))


def _average(values: Mapping[Heading, float | None], parts: Sequence[tuple[Heading, Column]]) -> float | None:
    """One seed's mean over the columns that take part, None unless every one of them is there."""
    taking = [values[heading] for heading, column in parts if heading.kind == "task" and column.average]
    present = [value for value in taking if value is not None]
    return statistics.fmean(present) if present and len(present) == len(taking) else None


def _reference(row: Row, task: str | None, references: Sequence[Published]) -> Cell:
    if row.published is None or task is None:
        return Cell()
    wanted = row.published
    found = lookup(references, source=wanted.source, method=wanted.method, task=task, encoder=wanted.encoder)
    return Cell(printed=found.value, printed_std=found.std)
