"""How is a reproduction report written down: for a terminal, a page of documentation, a spreadsheet, another program?"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from harness.errors import UsageError
from harness.protocols.registry import suggest
from harness.reports.formats import escape_markdown, harmless
from harness.reproduction.reports import ReproducedRow, Reproduction

if TYPE_CHECKING:
    from rich.console import RenderableType

FORMATS = ("md", "csv", "json")
_HEADS = ("Row", "Published", "Ours", "95 %", "Seeds", "Ours − publ.", "In noise", "p", "Smallest")


def render_reproduction(reports: Sequence[Reproduction], form: str) -> str:
    """Return reproduction reports as `md`, `csv` or `json` text. Raises UsageError on another format."""
    writers = {"md": _markdown, "csv": _csv, "json": _json}
    if form not in writers:
        raise UsageError(f"a reproduction report cannot be written as {form!r}. {suggest(form, FORMATS)}")
    return writers[form](reports)


def notes(report: Reproduction) -> list[str]:
    """Return what stands below the rows, one sentence or list per line: order, verdict, causes, remarks."""
    found = report.ordering.agreement
    lines: list[str] = []
    if not report.published:
        return [*_remarks(report.rows), *report.remarks, _legend(report)]
    if found is not None and found.tau is not None:
        interval = "no interval" if found.low is None else f"95 % {found.low:.2f} … {found.high:.2f} over {found.over}"
        lines.append(
            f"Kendall's τ-b between the paper's order and ours: {found.tau:.2f} ({interval}; {found.methods} rows)"
        )
    verdict = report.verdict
    outcome = "no verdict" if verdict.outcome == "none" else verdict.outcome
    lines.append(f"The paper's ordering: {outcome} ({'; '.join(verdict.reasons)})")
    for differs, title in (
        (True, "Otherwise than the paper"),
        (None, "Not stated or not known"),
        (False, "As the paper"),
    ):
        named = [
            f"{c.setting} ({c.ours or 'not known'}; the paper: {c.paper or 'not stated'})"
            if differs is not False
            else f"{c.setting} ({c.ours})"
            for c in report.causes
            if c.differs is differs
        ]
        if named:
            lines.append(f"{title}: {', '.join(named)}")
    return [*lines, *_remarks(report.rows), *report.remarks, _legend(report)]


def _remarks(rows: Sequence[ReproducedRow]) -> list[str]:
    """Each remark once, with the rows it is about."""
    about: dict[str, list[str]] = {}
    for row in rows:
        for remark in row.remarks:
            about.setdefault(remark, []).append(row.label)
    return [
        f"{', '.join(labels) if len(labels) < len(rows) else 'all rows'}: {remark}" for remark, labels in about.items()
    ]


def _legend(report: Reproduction) -> str:
    reference = f"the paired difference to SimCSE (row {report.reference!r})" if report.reference else "differences"
    noise = "In noise: whether the published value lies within ours and its own spread. " if report.published else ""
    return (
        f"Ours: mean ± standard deviation over seeds; 95 %: over seeds and test items (* items alone: one run). {noise}"
        f"Last columns: {reference}, its p after Holm's correction over the rows, and the smallest difference this "
        "comparison can show (two-sided 5 %, power 80 %)."
    )


#: columns that stand only beside published values
_BESIDE = {"Published", "Ours − publ.", "In noise"}


def _heads(report: Reproduction) -> list[str]:
    gap = "− SimCSE" if report.reference else "Difference"
    return [head for head in (*_HEADS[:7], gap, *_HEADS[7:]) if report.published or head not in _BESIDE]


def _cells(report: Reproduction, row: ReproducedRow) -> list[str]:
    """A row as people read it; missing is blank."""
    every = (*_HEADS[:7], "", *_HEADS[7:])
    return [cell for head, cell in zip(every, _all_cells(row), strict=True) if report.published or head not in _BESIDE]


def _all_cells(row: ReproducedRow) -> list[str]:
    mean, std, ours, gap = row.over_seeds.mean, row.over_seeds.std, row.ours, row.to_reference
    printed = "" if row.published is None else _spread(row.published, row.published_std)
    # nothing was seen of other seeds
    alone = "*" if ours is not None and ours.items and ours.seeds < 2 else ""
    gap_alone = "*" if gap is not None and gap.items and gap.seeds < 2 and not gap.seed_share else ""
    noise = {None: "", True: "yes", False: "no"}[row.inside_noise]
    return [
        row.label,
        printed,
        "" if mean is None else _spread(mean, std),
        "" if ours is None or ours.low is None else f"{ours.low:.2f} … {ours.high:.2f}{alone}",
        str(len(row.seeds) or ""),
        "" if row.difference is None else f"{row.difference:+.2f}",
        noise,
        "" if gap is None or gap.value is None else _gap(gap.value, gap.low, gap.high) + gap_alone,
        "" if row.p is None else ("< 0.0001" if row.p < 1e-4 else f"{row.p:.2g}"),
        "" if row.smallest is None else f"{row.smallest:.2f}",
    ]


def _spread(value: float, std: float | None) -> str:
    return f"{value:.2f}" if std is None else f"{value:.2f} ± {std:.2f}"


def _gap(value: float, low: float | None, high: float | None) -> str:
    return f"{value:+.2f}" if low is None or high is None else f"{value:+.2f} ({low:+.2f} … {high:+.2f})"


def _title(report: Reproduction) -> str:
    return f"{report.title}: {report.column}, {'published and ours' if report.published else 'compared with SimCSE'}"


def _facts(report: Reproduction) -> str:
    return " · ".join(f"{key} {value}" for key, value in report.facts.items())


def _markdown(reports: Sequence[Reproduction]) -> str:
    out: list[str] = []
    for report in reports:
        heads = _heads(report)
        out += [f"### {escape_markdown(_title(report))}", "", escape_markdown(_facts(report)), ""]
        out.append("| " + " | ".join(map(escape_markdown, heads)) + " |")
        out.append("| --- |" + " ---: |" * (len(heads) - 1))
        out += ["| " + " | ".join(map(escape_markdown, _cells(report, row))) + " |" for row in report.rows]
        out += ["", *(f"- {escape_markdown(note)}" for note in notes(report)), ""]
    return "\n".join(out).rstrip() + "\n"


_COLUMNS = (
    *("suite", "column", "scale", "language", "corpus", "encoder", "row", "published", "published_std", "mean", "std"),
    *("seeds_low", "seeds_high", "low", "high", "seeds", "items", "difference", "inside_noise", "reference"),
    *("to_reference", "to_reference_low", "to_reference_high", "p", "p_corrected", "smallest", "remarks"),
)


def _csv(reports: Sequence[Reproduction]) -> str:
    """One line per row; numbers are not rounded, missing ones blank."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for report in reports:
        facts = [report.facts.get(key, "") for key in _COLUMNS[2:6]]
        for row in report.rows:
            seeds, ours, gap = row.over_seeds, row.ours, row.to_reference
            inside = None if row.inside_noise is None else ("yes" if row.inside_noise else "no")
            line: list[Any] = [report.suite, report.column, *facts, row.label, row.published, row.published_std]
            line += [seeds.mean, seeds.std, seeds.low, seeds.high]
            line += [ours and ours.low, ours and ours.high, " ".join(map(str, row.seeds)), ours and ours.items]
            line += [row.difference, inside, report.reference]
            line += [gap and gap.value, gap and gap.low, gap and gap.high, gap and gap.p, row.p, row.smallest]
            line.append("; ".join(row.remarks))
            writer.writerow(["" if v is None else harmless(v) if isinstance(v, str) else v for v in line])
    return out.getvalue()


def _json(reports: Sequence[Reproduction]) -> str:
    values = [_plain(asdict(report)) for report in reports]
    return json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """JSON values; infinitely many degrees of freedom, which JSON cannot say, become null."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def rich_reproduction(report: Reproduction) -> RenderableType:
    """Return a report for a terminal; differences to SimCSE's row that are significant after correction are bold."""
    from rich.console import Group
    from rich.text import Text

    from harness.reports.fitted import FittedTable

    out = FittedTable(title=_title(report), caption=_facts(report))
    for head in _heads(report):
        out.add_column(head)
    for row in report.rows:
        significant = row.p is not None and row.p <= 0.05
        out.add_row(*_cells(report, row), style="bold" if significant else None)
    return Group(out, *map(Text, notes(report)))
