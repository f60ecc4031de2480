"""How is a table that is shown written down: CSV, Markdown, LaTeX, the same cells in the same order?

Texts come from records of strangers: what a spreadsheet would execute is neutralised, and so is what Markdown or LaTeX
would take for markup.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.reports.formats import escape_latex, escape_markdown, harmless

#: a number, or mean, spread and mark as `Cell.text` writes them
_SCORE = re.compile(r"[+-]?[0-9][0-9,]*(\.[0-9]+)?( ± [0-9]+\.[0-9]+)?( [●○])?")
_BREAKS = re.compile("[\0\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


@dataclass(frozen=True)
class Grid:
    """A table as it is shown: a heading, titles, and rows of texts (empty where there is nothing)."""

    heading: str
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()


def as_csv(grids: Sequence[Grid]) -> str:
    """Return tables as CSV; with several, the first column says which setting a row belongs to."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    several = len(grids) > 1
    titles = list(dict.fromkeys(title for grid in grids for title in grid.titles))
    writer.writerow([_cell(title) for title in ([*(["Setting"] if several else []), *titles])])
    for grid in grids:
        for row in grid.rows:
            cells = dict(zip(grid.titles, row, strict=True))
            texts = [cells.get(title, "") for title in titles]
            writer.writerow([_cell(text) for text in ([*([grid.heading] if several else []), *texts])])
    return out.getvalue()


def as_markdown(grids: Sequence[Grid]) -> str:
    """Return tables as Markdown, each under its heading."""
    out = []
    for grid in grids:
        rule = [" ---: " if at in grid.numeric else " --- " for at in range(len(grid.titles))]
        out += [
            f"### {escape_markdown(grid.heading)}",
            "",
            _pipes(grid.titles),
            f"|{'|'.join(rule)}|",
        ]
        out += [_pipes(row) for row in grid.rows]
        out.append("")
    return "\n".join(out)


def as_latex(grids: Sequence[Grid]) -> str:
    """Return tables as LaTeX `tabular`s; the marks of best and tied are `\\textbullet` and `\\textopenbullet`."""
    out = []
    for grid in grids:
        layout = "".join("r" if at in grid.numeric else "l" for at in range(len(grid.titles)))
        out += [f"% {' '.join(grid.heading.split())}", f"\\begin{{tabular}}{{{layout}}}", "\\hline"]
        out += [_ampersands(grid.titles), "\\hline", *map(_ampersands, grid.rows), "\\hline", "\\end{tabular}", ""]
    return "\n".join(out)


def safe(text: str) -> str:
    """Return a cell's text such that a spreadsheet does not compute it; a plain number, or a score as we write it, stays."""
    return text if _SCORE.fullmatch(text) else harmless(text)


def _cell(text: str) -> str:
    """A text on one line: a lone carriage return would begin a row to some readers of CSV."""
    return safe(_BREAKS.sub(" ", text))


def _pipes(cells: Iterable[str]) -> str:
    return "| " + " | ".join(escape_markdown(safe(cell)) for cell in cells) + " |"


def _ampersands(cells: Sequence[str]) -> str:
    return " & ".join(_latex(safe(cell)) for cell in cells) + r" \\"


def _latex(text: str) -> str:
    shown = escape_latex(text).replace("●", r"\textbullet{}").replace("○", r"\textopenbullet{}")
    return shown.replace("–", "--")
