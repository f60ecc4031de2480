"""How is lexical overlap shown? The ways to count beside the printed numbers, then set by set and split by split."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.analyses.overlap import WHOLE, OverlapResult, RowOverlap
from harness.analyses.records import AnalysisRecord
from harness.analyses.suites import OverlapColumn, OverlapSuite, Reference
from harness.analyses.tables import Count, printed, said
from harness.published import Published, published
from harness.reports.footnotes import Footnotes
from harness.reports.table import Cell, Heading, Line, Table

_OVERLAP = "overlap"
_COUNT = "count"
_SPLITS = ("train", "dev", "test", WHOLE)
_ABOUT = (
    "Jaccard × 100 of the two sentences' sets of words, |A ∩ B| / |A ∪ B|, averaged over the pairs of a set; sets are test "
    "splits (STS12–16: all subsets together) unless a split is named."
)


@dataclass(frozen=True)
class _Shown:
    suite: OverlapSuite
    record: AnalysisRecord
    result: OverlapResult

    @property
    def averaged(self) -> list[OverlapColumn]:
        """The columns of the average."""
        return [column for column in self.suite.columns_at(self.record.scale) if column.average]

    @property
    def average(self) -> str:
        """The title of the average, empty where there is none."""
        return self.suite.average if self.averaged else ""


@dataclass(frozen=True)
class _Compared:
    """A measured column, with a printed number beside it where there is one."""

    title: str
    values: tuple[float | None, ...]
    printed: Cell | None = None


def overlap_tables(
    suite: OverlapSuite,
    record: AnalysisRecord,
    *,
    remarks: Sequence[str] = (),
    references: Sequence[Published] | None = None,
) -> list[Table]:
    """Return the two tables of a record: the ways to count and what they are compared with, and every set and split.

    remarks     said below the first table, behind its own
    references  published numbers (default: all that are installed)
    """
    shown = _Shown(suite, record, OverlapResult.model_validate(record.result))
    compared = _compared(shown, published() if references is None else references)
    ways = _headline(shown, compared)
    notes = (_ABOUT, *ways.remarks, *said(suite, compared=any(c.printed for c in compared)), *remarks)
    return [replace(ways, remarks=notes), _sets(shown)]


def _compared(shown: _Shown, references: Sequence[Published]) -> list[_Compared]:
    """The columns with printed numbers; where there are none (a paper does not know our samples), every column."""
    rows = shown.result.rows
    found: list[_Compared] = []
    rest: list[_Compared] = []
    wanted: list[tuple[str, Reference | None, tuple[float | None, ...]]] = [
        (column.title, column.published, tuple(row.value(column.task) for row in rows))
        for column in shown.suite.columns_at(shown.record.scale)
    ]
    if shown.average:
        means = tuple(_average(shown, row) for row in rows)
        wanted.append((shown.average, shown.suite.published_average, means))
    for title, reference, values in wanted:
        if reference is None or shown.record.plumbing:
            rest.append(_Compared(title, values))
        else:
            found.append(_Compared(title, values, printed(reference, references)))
    return found or rest


def _headline(shown: _Shown, compared: Sequence[_Compared]) -> Table:
    rows = shown.result.rows
    headings: list[Heading] = []
    for column in compared:
        headings.append(Heading(column.title, _OVERLAP))
        if column.printed:
            headings.append(Heading(f"{column.title}, published", "published"))
    against = [column for column in compared if column.printed]
    distances = [_distance(against, number) for number in range(len(rows))]
    if against:
        headings.append(Heading("Mean distance", "distance"))
    notes, lines = Footnotes(), []
    for number, row in enumerate(rows):
        cells: list[Cell] = []
        for column in compared:
            cells += [_cell(column.values[number]), *([column.printed] if column.printed else [])]
        lines.append(_line(row, [*cells, *([_cell(distances[number])] if against else [])], shown, notes))
    known = [(distance, row) for distance, row in zip(distances, rows, strict=True) if distance is not None]
    remarks = []
    if known:
        distance, row = min(known, key=lambda pair: pair[0])
        remarks.append(f"Closest to the published numbers: {row.label!r}, {distance:.2f} points away on average.")
    return _table(shown, shown.suite.title, headings, lines, notes, remarks)


def _sets(shown: _Shown) -> Table:
    """Every set and split as a row, every way to count as a column."""
    rows, record = shown.result.rows, shown.record
    headings = [Heading("Pairs", _COUNT), *(Heading(row.label, _OVERLAP) for row in rows)]
    sizes = {one.task: one.pairs + one.undefined for row in rows for one in row.sets}

    def line(label: str, task: str, *, split: bool = False) -> Line:
        cells = [_cell(row.value(task)) for row in rows]
        size = Count((float(sizes[task]),)) if task in sizes else Count()
        return _plain(label, [size, *cells], record, extra=split)

    lines = [line(column.title, column.task) for column in shown.suite.columns_at(record.scale)]
    if shown.average:
        means = [_cell(_average(shown, row)) for row in rows]
        lines.append(_plain(shown.average, [Count(), *means], record, anchor=True))
    for name in shown.suite.splits_at(record.scale):
        for split in _SPLITS:
            lines.append(line(f"{name} {split}", name if split == "test" else f"{name}:{split}", split=True))
    remarks = [f"{shown.average} is the mean of {', '.join(c.title for c in shown.averaged)}."] if shown.average else []
    notes = Footnotes()
    if record.plumbing:
        mark = notes.number(f"plumbing only, not a result: {record.plumbing}")
        lines = [replace(one, remarks=(mark,)) for one in lines]
    return _table(shown, f"{shown.suite.title}, set by set", headings, lines, notes, remarks)


def _plain(
    label: str, cells: Sequence[Cell], record: AnalysisRecord, *, anchor: bool = False, extra: bool = False
) -> Line:
    plumbing = record.plumbing is not None
    return Line(label, tuple(cells), (), (record.analysis_id,), anchor=anchor, extra=extra, plumbing=plumbing)


def _average(shown: _Shown, row: RowOverlap) -> float | None:
    """The mean over the average columns, None unless every one of them is there."""
    values = [row.value(column.task) for column in shown.averaged]
    present = [value for value in values if value is not None]
    return statistics.fmean(present) if present and len(present) == len(values) else None


def _distance(compared: Sequence[_Compared], number: int) -> float | None:
    """The mean absolute distance of a row from the printed numbers, None unless all of it was measured."""
    gaps = []
    for column in compared:
        value, wanted = column.values[number], column.printed.mean if column.printed else None
        if value is None or wanted is None:
            return None
        gaps.append(abs(value - wanted))
    return statistics.fmean(gaps) if gaps else None


def _cell(value: float | None) -> Cell:
    return Cell() if value is None else Cell((value,))


def _line(row: RowOverlap, cells: Sequence[Cell], shown: _Shown, notes: Footnotes) -> Line:
    """A line with its footnotes: how a sentence becomes a set, and what a reader must know beside."""
    texts = [f"tokeniser: {row.tokeniser}"]
    undefined = sum(found.undefined for found in row.sets if found.split != WHOLE)
    if undefined:
        texts.append(f"{undefined:,} pairs in which neither sentence has a word are left out")
    if row.skipped:
        texts.append(f"skipped: {row.skipped}")
    elif shown.record.plumbing:
        texts.append(f"plumbing only, not a result: {shown.record.plumbing}")
    marks = tuple(sorted(notes.number(text) for text in texts))
    plumbing = shown.record.plumbing is not None
    return Line(row.label, tuple(cells), (), (shown.record.analysis_id,), marks, plumbing=plumbing)


def _table(
    shown: _Shown,
    title: str,
    headings: Sequence[Heading],
    lines: Sequence[Line],
    notes: Footnotes,
    remarks: Sequence[str],
) -> Table:
    record = shown.record
    return Table(
        shown.suite.name, title, record.facts, tuple(headings), tuple(lines), tuple(notes.texts), tuple(remarks)
    )
