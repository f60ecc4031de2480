"""How do the lines of a table become what a reader sees: texts in order, shading, and columns that sort by number?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from leaderboard import style
from leaderboard.columns import Column
from leaderboard.exports import Grid, safe
from leaderboard.table import PUBLISHED, Line, shares

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

#: columns a reader may pick beside the scores, in their order
FACTS = ("Seeds", "Rank", "Method", "Suite", "Pooler", "Seconds", "Memory (MiB)", "Device", "Code", "Remarks", "Run")
#: facts that stand in front of the scores
_FRONT = ("Seeds", "Rank", "Method", "Suite", "Pooler")
_WHOLE = ("Seeds", "Seconds", "Memory (MiB)")
_NAME, _LAYER, _SOURCE, _REMARKS = "Row", "Layer", "Source", "Remarks"


def grid_of(lines: Sequence[Line], columns: Sequence[Column], facts: Sequence[str], *, heading: str) -> Grid:
    """Return what is shown, as texts. Texts of records are neutralised here, so screen and files say the same.

    A column `Layer` tells measured from published rows where there are both, or only published ones.
    """
    printed = any(line.kind == PUBLISHED for line in lines)
    # remarks are asked for in case there are any
    facts = [fact for fact in facts if fact != _REMARKS or any(_fact(line, fact) for line in lines)]
    front = [fact for fact in _FRONT if fact in facts]
    back = [fact for fact in FACTS if fact in facts and fact not in _FRONT]
    layer = [_LAYER, _SOURCE] if printed else []
    titles = [_NAME, *layer, *front, *_titles(columns), *back]
    scores = range(1 + len(layer) + len(front), 1 + len(layer) + len(front) + len(columns))
    rows = []
    for line in lines:
        cells = [line.cells[number].text() if number in line.cells else "" for number in range(len(columns))]
        marks = [line.kind, _fact(line, _SOURCE)] if printed else []
        texts = [line.label, *marks, *(_fact(line, fact) for fact in front), *cells]
        rows.append(tuple(map(safe, [*texts, *(_fact(line, fact) for fact in back)])))
    numeric = frozenset([*scores, *(at for at, title in enumerate(titles) if title in _WHOLE)])
    return Grid(heading, tuple(titles), tuple(rows), numeric)


def styled(grid: Grid, lines: Sequence[Line], columns: Sequence[Column]) -> tuple[Styler, dict[str, Any]]:
    """Return the table for `st.dataframe`, and its columns' settings.

    Cells hold numbers, so that a click on a title sorts by number, and show the grid's texts. Shading goes from the worst to
    the best measured row of a column; published rows have none, and a text of another colour.
    """
    import pandas as pd

    first = next((at for at in sorted(grid.numeric) if grid.titles[at] not in _WHOLE), 0)
    values: dict[str, list[Any]] = {}
    css: dict[str, list[str]] = {}
    texts: dict[Any, Any] = {}
    quiet = ["" if line.kind != PUBLISHED else style.printed() for line in lines]
    measured = {at: line for at, line in enumerate(lines) if line.kind != PUBLISHED}
    for at, title in enumerate(grid.titles):
        css[title] = list(quiet)
        if title == _NAME:
            css[title] = [style.strong()] * len(lines)
        shown = [row[at] for row in grid.rows]
        if at not in grid.numeric:
            values[title] = [text or None for text in shown]
            continue
        number = at - first
        if title in _WHOLE:
            numbers = [_number(line.facts.get(title)) for line in lines]
        else:
            numbers = [line.cells[number].mean if number in line.cells else None for line in lines]
            for place, share in shares(measured, number).items():
                css[title][place] = style.shade(share)
        values[title], texts[title] = _worded(numbers, shown)
    frame = pd.DataFrame(values)
    look = pd.DataFrame(css, index=frame.index, columns=frame.columns)
    out = frame.style.apply(lambda _: look, axis=None).format(texts, na_rep="")
    return out, _settings(grid, columns, first)


def _worded(numbers: Sequence[float | None], texts: Sequence[str]) -> tuple[list[float | None], Callable[[float], str]]:
    """Numbers to sort by, and what gives the text of each. Equal numbers are moved apart by far less than is printed."""
    words: dict[float, str] = {}
    moved: list[float | None] = []
    for number, text in zip(numbers, texts, strict=True):
        while number is not None and number in words and words[number] != text:
            number = math.nextafter(number, math.inf)
        if number is not None:
            words[number] = text
        moved.append(number)
    return moved, lambda number: words.get(number, "")


def _settings(grid: Grid, columns: Sequence[Column], first: int) -> dict[str, Any]:
    config: dict[str, Any] = {_NAME: st.column_config.TextColumn(pinned=True)}
    for at, title in enumerate(grid.titles):
        if at in grid.numeric and title not in _WHOLE:
            column = columns[at - first]
            config[title] = st.column_config.NumberColumn(
                width=_width([title, *(row[at] for row in grid.rows)]),
                help=style.plain(f"{column.metric} × 100; " + ", ".join(f"{t} {m}" for t, m in column.parts)),
            )
    config["Rank"] = st.column_config.TextColumn(
        width=96, help="Place in the column the table is sorted by (95 % interval)"
    )
    config["Seconds"] = st.column_config.NumberColumn(help="Wall-clock of a run, mean over the seeds")
    config["Memory (MiB)"] = st.column_config.NumberColumn(help="Peak memory, the largest of the runs")
    return {title: setting for title, setting in config.items() if title in grid.titles}


def _width(texts: Sequence[str]) -> int:
    """Pixels that the longest text takes: Streamlit measures the number, not the text that is shown for it."""
    return min(240, 28 + 7 * max(map(len, texts)))


def _titles(columns: Sequence[Column]) -> list[str]:
    """Titles of scores that differ from all others: a stranger's task may be called `Rank`, or as another one."""
    found: list[str] = []
    for column in columns:
        title = safe(column.title)
        number, new = 2, title
        while new in found or new in (_NAME, _LAYER, _SOURCE, *FACTS):
            new, number = f"{title} ({number})", number + 1
        found.append(new)
    return found


def _fact(line: Line, name: str) -> str:
    if name == "Rank":
        return line.rank_text()
    if name == "Run":
        return line.runs[0] if line.runs else ""
    value = line.facts.get(name)
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
    return str(value)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
