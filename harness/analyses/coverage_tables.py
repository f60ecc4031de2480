"""How is coverage shown? One table of operators beside the printed shares, and one by construction for each group of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.analyses.coverage import CoverageResult
from harness.analyses.records import AnalysisRecord
from harness.analyses.suites import CoverageRow, CoverageSuite
from harness.analyses.tables import Count, printed, said
from harness.published import Published, published
from harness.reports.footnotes import Footnotes
from harness.reports.table import Cell, Heading, Line, Table
from harness.statistics import wilson

_SHARE = "changed_pct"
_INTERVAL = "interval"
_COUNT = "count"


@dataclass(frozen=True)
class _Shown:
    """What every table of a record needs."""

    suite: CoverageSuite
    record: AnalysisRecord
    result: CoverageResult


def coverage_tables(
    suite: CoverageSuite,
    record: AnalysisRecord,
    *,
    remarks: Sequence[str] = (),
    references: Sequence[Published] | None = None,
) -> list[Table]:
    """Return the table of a record's operators and, for each group of rows, a table by construction.

    remarks     said below the first table, behind its own
    references  published numbers (default: all that are installed)

    Raises UsageError if the suite names published values that are not there.
    """
    shown = _Shown(suite, record, CoverageResult.model_validate(record.result))
    first = _operators(shown, published() if references is None else references, remarks)
    return [first, *(_constructions(shown, group, rows) for group, rows in suite.groups.items())]


def _operators(shown: _Shown, references: Sequence[Published], remarks: Sequence[str]) -> Table:
    suite, record, result = shown.suite, shown.record, shown.result
    headings = [
        Heading("Changed %", _SHARE),
        Heading("95 % from", _INTERVAL),
        Heading("95 % to", _INTERVAL),
        Heading("Lines changed", _COUNT),
    ]
    # a paper does not know our samples, and counted in one language
    compared = (
        record.plumbing is None and record.language == suite.language and any(row.published for row in suite.rows)
    )
    if compared:
        headings.append(Heading("Published", "published"))
    notes, lines = Footnotes(), []
    for row in suite.rows:
        counts = result.changed(row.operator)
        cells = [*_shares(counts, result.lines), Count(tuple(map(float, counts)))]
        if compared:
            cells.append(printed(row.published, references))
        lines.append(_line(row.label, cells, shown, _marks(row, shown, notes)))
    return Table(
        suite.name,
        suite.title,
        record.facts,
        tuple(headings),
        tuple(lines),
        tuple(notes.texts),
        (*_about(result), *said(suite, compared=compared), *remarks),
    )


def _constructions(shown: _Shown, group: str, rows: Sequence[CoverageRow]) -> Table:
    result = shown.result
    headings = [Heading("Lines", _COUNT), Heading("Share %", _SHARE)]
    headings += [Heading(row.operator, _SHARE) for row in rows]
    notes = Footnotes()
    marks = [mark for row in rows for mark in _marks(row, shown, notes)]
    lines = []
    for name, size, counts in (
        *((g.name, g.lines, [g.changed.get(row.operator, ()) for row in rows]) for g in result.groups),
        ("every line", result.lines, [result.changed(row.operator) for row in rows]),
    ):
        cells = [Count((float(size),)), Cell((100 * size / result.lines,)), *(_share(found, size) for found in counts)]
        whole = name == "every line"
        lines.append(_line(name, cells, shown, tuple(dict.fromkeys(marks)) if whole else (), anchor=whole))
    title = f"{shown.suite.title}, by construction: {group}"
    remarks = (
        [] if result.named else [f"the pack {shown.record.language!r} names no constructions; all lines are one group"]
    )
    return Table(
        shown.suite.name, title, shown.record.facts, tuple(headings), tuple(lines), tuple(notes.texts), tuple(remarks)
    )


def _about(result: CoverageResult) -> list[str]:
    """How lines were counted, in one remark."""
    text = (
        f"Every line counts, each time it occurs: {result.lines:,} lines, of which {result.blank:,} are blank (never "
        f"changed), {result.wordless:,} more hold no letter or digit, and {result.repeated:,} repeat an earlier line. A line "
        "is changed if the operator's text differs from it. "
        "Intervals are Wilson's for a share of so many lines"
    )
    if len(result.seeds) > 1:
        text += (
            f"; shares are means ± standard deviation over {len(result.seeds)} seeds, the interval is that of the mean"
        )
    return [text + "."]


def _share(counts: Sequence[int], lines: int) -> Cell:
    return Cell(tuple(100 * count / lines for count in counts))


def _shares(counts: Sequence[int], lines: int) -> list[Cell]:
    """The share in percent and the two ends of its interval."""
    if not counts:
        return [Cell(), Cell(), Cell()]
    low, high = wilson(round(sum(counts) / len(counts)), lines)
    return [_share(counts, lines), Cell((100 * low,)), Cell((100 * high,))]


def _marks(row: CoverageRow, shown: _Shown, notes: Footnotes) -> tuple[int, ...]:
    """Footnotes of a row: why it was not counted, or why its numbers are nothing to publish."""
    if row.operator in shown.result.skipped:
        return (notes.number(f"skipped: {shown.result.skipped[row.operator]}"),)
    plumbing = shown.record.plumbing
    return (notes.number(f"plumbing only, not a result: {plumbing}"),) if plumbing else ()


def _line(label: str, cells: Sequence[Cell], shown: _Shown, marks: tuple[int, ...], *, anchor: bool = False) -> Line:
    record = shown.record
    return Line(
        label,
        tuple(cells),
        shown.result.seeds,
        (record.analysis_id,),
        marks,
        anchor=anchor,
        plumbing=record.plumbing is not None,
    )
