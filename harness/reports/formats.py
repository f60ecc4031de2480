"""How is a table written down: for a terminal, a README, a spreadsheet, a paper, another program?"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.errors import UsageError
from harness.protocols.registry import suggest
from harness.reports.table import Cell, Heading, Line, Table

if TYPE_CHECKING:
    from rich.console import RenderableType

FORMATS = ("md", "csv", "latex", "json")
_PLUS_MINUS = "±"
# what spreadsheets take for the beginning of a formula, also behind blanks
_ACTIVE = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def render(tables: Sequence[Table], form: str) -> str:
    """Return tables as `md`, `csv`, `latex` or `json` text. Raises UsageError on another format."""
    writers = {"md": _markdown, "csv": _csv, "latex": _latex, "json": _json}
    if form not in writers:
        raise UsageError(f"unknown format {form!r}. {suggest(form, FORMATS)}")
    return writers[form](tables)


def facts_line(table: Table) -> str:
    """Return what the table was measured with, in one line."""
    return " · ".join(f"{key} {value}" for key, value in table.facts.items())


def _markdown(tables: Sequence[Table]) -> str:
    out: list[str] = []
    for table in tables:
        out += [f"### {escape_markdown(table.title)}", "", escape_markdown(facts_line(table)), ""]
        heads = ["Row", *(h.title for h in table.headings), *_seeds_title(table)]
        out.append("| " + " | ".join(map(escape_markdown, heads)) + " |")
        out.append("| --- |" + " ---: |" * (len(heads) - 1))
        for line in table.lines:
            cells = [escape_markdown(line.label) + _marks(line), *(c.text() for c in line.cells), *_seeds(table, line)]
            out.append("| " + " | ".join(cells) + " |")
        out.append("")
        out += [f"[{number}] {escape_markdown(text)}  " for number, text in enumerate(table.footnotes, start=1)]
        out += [f"{escape_markdown(text)}  " for text in table.remarks]
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def escape_markdown(text: str) -> str:
    """Return `text` on one line such that Markdown shows it as it is."""
    for character in "\\|<>*_`[]":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())


def _seeds_title(table: Table) -> list[str]:
    """The title of the last column, none where nothing was drawn (overlap of sentences)."""
    return ["Seeds"] if any(line.seeds for line in table.lines) else []


def _seeds(table: Table, line: Line) -> list[str]:
    return [str(len(line.seeds) or "") for _ in _seeds_title(table)]


def _marks(line: Line) -> str:
    return "".join(f" [{number}]" for number in line.remarks)


def _csv(tables: Sequence[Table]) -> str:
    """One line per row and column: what a spreadsheet pivots and nothing has to be parsed again for."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    keys = list(dict.fromkeys(key for table in tables for key in table.facts))
    writer.writerow(
        [
            "suite",
            *keys,
            "row",
            "column",
            "kind",
            "task",
            "protocol",
            "mean",
            "std",
            "n",
            "seeds",
            "plumbing",
            "remarks",
        ]
    )
    for table in tables:
        for line in table.lines:
            remarks = "; ".join(table.footnotes[number - 1] for number in line.remarks)
            for heading, cell in zip(table.headings, line.cells, strict=True):
                row: list[Any] = [table.suite, *(table.facts.get(key, "") for key in keys), line.label]
                row += [heading.title, heading.kind, heading.task or "", heading.protocol or ""]
                row += ["" if cell.mean is None else cell.mean, "" if cell.std is None else cell.std, len(cell.values)]
                row += [" ".join(map(str, line.seeds)), "yes" if line.plumbing else "no", remarks]
                writer.writerow([harmless(value) if isinstance(value, str) else value for value in row])
    return out.getvalue()


def harmless(text: str) -> str:
    """Return `text` such that a spreadsheet shows it and does not compute it (an apostrophe goes in front)."""
    return f"'{text}" if text.lstrip(" ").startswith(_ACTIVE) or text.startswith(_ACTIVE) else text


def _latex(tables: Sequence[Table]) -> str:
    out: list[str] = []
    for table in tables:
        heads = [*(h.title for h in table.headings), *_seeds_title(table)]
        out += [
            f"% {_one_line(table.title)}: {_one_line(facts_line(table))}",
            "\\begin{tabular}{l" + "r" * len(heads) + "}",
        ]
        out += ["\\hline", " & ".join(["", *map(escape_latex, heads)]) + " \\\\", "\\hline"]
        for line in table.lines:
            marks = ",".join(map(str, line.remarks))
            label = escape_latex(line.label) + (f"\\textsuperscript{{{marks}}}" if marks else "")
            cells = [c.text().replace(_PLUS_MINUS, "$\\pm$") for c in line.cells]
            out.append(" & ".join([label, *cells, *_seeds(table, line)]) + " \\\\")
        out += ["\\hline", "\\end{tabular}"]
        out += [
            f"\\\\ \\textsuperscript{{{n}}} {escape_latex(text)}" for n, text in enumerate(table.footnotes, start=1)
        ]
        out += [f"\\\\ {escape_latex(text)}" for text in table.remarks]
        out.append("")
    return "\n".join(out)


_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_"},
}


def escape_latex(text: str) -> str:
    """Return `text` on one line such that LaTeX shows it as it is (± as a symbol of mathematics)."""
    return "".join(_TEX.get(character, character) for character in _one_line(text)).replace(_PLUS_MINUS, r"$\pm$")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _json(tables: Sequence[Table]) -> str:
    return json.dumps([as_json(table) for table in tables], ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_json(table: Table) -> dict[str, Any]:
    """Return a table as JSON values; numbers are not rounded, missing ones are null."""
    return {
        "suite": table.suite,
        "title": table.title,
        "facts": dict(table.facts),
        "rows": [_json_line(table, line) for line in table.lines],
        "remarks": list(table.remarks),
    }


def _json_line(table: Table, line: Line) -> dict[str, Any]:
    return {
        "row": line.label,
        "anchor": line.anchor,
        "extra": line.extra,
        "plumbing": line.plumbing,
        "seeds": list(line.seeds),
        "runs": list(line.runs),
        "remarks": [table.footnotes[number - 1] for number in line.remarks],
        "cells": [_json_cell(heading, cell) for heading, cell in zip(table.headings, line.cells, strict=True)],
    }


def _json_cell(heading: Heading, cell: Cell) -> dict[str, Any]:
    return {
        "column": heading.title,
        "kind": heading.kind,
        "task": heading.task,
        "protocol": heading.protocol,
        "mean": cell.mean,
        "std": cell.std,
        "values": list(cell.values),
    }


def rich_table(table: Table) -> RenderableType:
    """Return a table for a terminal: plumbing rows dim, anchors apart from the rest, in parts where it is narrow."""
    from rich.console import Group
    from rich.text import Text

    from harness.reports.fitted import FittedTable

    out = FittedTable(title=table.title, caption=facts_line(table))
    out.add_column("Row")
    for heading in table.headings:
        out.add_column(heading.title, style="cyan" if heading.kind == "published" else None)
    for title in _seeds_title(table):
        out.add_column(title)
    previous: Line | None = None
    for line in table.lines:
        if previous is not None and (previous.anchor, previous.extra) != (line.anchor, line.extra):
            out.add_section()
        previous = line
        cells = [*(cell.text() for cell in line.cells), *_seeds(table, line)]
        out.add_row(line.label + _marks(line), *cells, style="dim" if line.plumbing else None)
    notes = [Text(f"[{number}] {text}") for number, text in enumerate(table.footnotes, start=1)]
    return Group(out, *notes, *(Text(text) for text in table.remarks))
