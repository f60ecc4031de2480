"""Which method is best in this language for this task, and is the difference real?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from harness.index import Tests
from leaderboard import board_links, data, empty, exports, standings, state, style
from leaderboard.columns import Column, columns_of, task_order
from leaderboard.grid import FACTS, grid_of, styled
from leaderboard.table import Line, measured_lines, published_lines

if TYPE_CHECKING:
    import pandas as pd

#: the filters: column of the index -> label and key in the URL
FILTERS = {
    "language": ("Language", "language"),
    "encoder": ("Encoder", "encoder"),
    "corpus": ("Corpus", "corpus"),
    "suite": ("Suite", "suite"),
    "scale": ("Scale", "scale"),
    "measure": ("Protocol", "protocol"),
    "method": ("Method family", "method"),
}
#: columns beside the scores: name in the URL -> title
COLUMNS = {fact.split()[0].lower(): fact for fact in FACTS}
#: those that are shown unless a reader picks others
SHOWN = ("seeds", "rank", "seconds", "memory", "remarks")
#: settings on one page
PER_PAGE = 3
#: published rows that are shown first: the paper's own tables, English and Chinese
PAPER = ("SDA T4", "SDA T7")


def render() -> None:
    """Show the board."""
    style.title(
        "Board",
        "Methods by tasks, × 100: mean ± standard deviation over seeds. ● best, ○ not told apart from the best.",
    )
    index = data.index()
    if index.runs.empty:
        empty.show(index)
        return
    every_run, every_score = data.compact()
    scores, runs = _filtered(every_score, every_run)
    with st.sidebar:
        offered = sorted(data.choices(scores, "task"), key=task_order)
        tasks = state.many("Tasks", offered, "task", placeholder="all tests")
        by = state.one("Rank by", ["average", *offered], "by")
        facts = [COLUMNS[name] for name in state.many("Columns", COLUMNS, "column", default=SHOWN, placeholder="none")]
        measured = state.flag("Measured rows", "measured", default=True)
        printed = state.flag("Published rows", "published", help="Numbers that papers report; measured by others.")
        sources = _sources() if printed else None
    settings = _settings(runs)
    if settings.empty:
        st.info("No run fits these filters. Take one away, or look for what is there on the Run page.")
    grids = []
    shown = _page(settings)
    for setting in shown:
        grid = _section(
            runs[runs["setting"] == setting],
            scores[scores["setting"] == setting],
            tasks,
            facts,
            by or "average",
            measured=measured,
            sources=sources,
        )
        grids += [grid] if grid else []
    if grids:
        _downloads(grids)
    empty.broken(index)
    if measured:
        state.write()
        _compute(scores, shown, tasks)


def _filtered(scores: pd.DataFrame, runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows that the filters leave: of current systems, each once unless a suite is asked for."""
    with st.sidebar:
        wanted = {}
        for column, (label, key) in FILTERS.items():
            offered = data.choices(scores if column == "measure" else runs, column)
            wanted[column] = state.many(label, offered, key) if len(offered) > 1 else []
        older = state.flag("Older code", "older", help="Rows that were run again later, by other code or settings.")
        real = runs["plumbing"].isna()
        plumbing = state.flag(
            "Plumbing runs",
            "plumbing",
            default=not bool(real.any()),
            help="Runs on sample data or stand-in encoders: they show that everything works and are no results.",
        )
    for_runs = {column: values for column, values in wanted.items() if column != "measure"}
    runs, scores = data.chosen(runs, for_runs), data.chosen(scores, wanted)
    frames = []
    for frame in (scores, runs):
        keep = frame["plumbing"].isna() | plumbing
        if not older:
            keep &= ~frame["older"]
        if not wanted["suite"]:
            keep &= frame["listing"] == 0
        frames.append(frame[keep])
    # a method without an encoder stands beside those with one, never alone in their setting
    framed = set(frames[1].loc[frames[1]["encoder_sha"].notna(), "setting"])
    if framed:
        frames = [frame[frame["setting"].isin(framed)] for frame in frames]
    hidden = int((~runs["plumbing"].isna()).sum()) if not plumbing else 0
    if hidden:
        st.caption(
            f"{hidden} plumbing runs (sample data or stand-in encoders) are not shown; there is a switch for them."
        )
    return frames[0], frames[1]


def _sources() -> list[str]:
    rows, problem = data.references()
    if problem:
        st.warning(style.plain(problem))
    names = sorted({row.source for row in rows})
    return state.many("Published tables", names, "source", default=PAPER)


def _settings(runs: pd.DataFrame) -> pd.DataFrame:
    """One row per setting, in the order they are shown: by language and encoder, the one with more runs first."""
    first = runs.sort_values("encoder_sha", na_position="last").drop_duplicates("setting").set_index("setting")
    counts = runs.groupby("setting")["train_id"].nunique().rename("count")
    return first.join(counts).sort_values(["language", "count"], ascending=[True, False], kind="stable")


def _page(settings: pd.DataFrame) -> list[str]:
    """The settings of the page that is looked at."""
    names = list(settings.index)
    if len(names) <= PER_PAGE:
        return names
    starts = [str(number + 1) for number in range((len(names) - 1) // PER_PAGE + 1)]
    page = state.one(f"Page ({len(names)} settings, {PER_PAGE} on each)", starts, "page") or starts[0]
    return names[(int(page) - 1) * PER_PAGE :][:PER_PAGE]


def _section(
    runs: pd.DataFrame,
    scores: pd.DataFrame,
    tasks: list[str],
    facts: list[str],
    by: str,
    *,
    measured: bool,
    sources: list[str] | None,
) -> exports.Grid | None:
    """Show the table of one setting; return what was shown."""
    heading = _heading(runs)
    st.subheader(style.plain(heading), anchor=False)
    setting = str(runs["setting"].iloc[0])
    columns = columns_of(scores, tasks)
    if not columns:
        st.caption("No scores yet: " + style.plain(_states(runs)))
        columns = []
    order = _order(columns, by)
    looked_up = {number: standings.known(scores, column) for number, column in enumerate(columns)} if measured else {}
    tests = {number: found for number, found in looked_up.items() if found is not None}
    lines: list[Line] = measured_lines(runs, scores, columns, tests, order=order) if measured else []
    if sources is not None:
        lines += published_lines(data.references()[0], columns, sources=sources, order=order)
    if not lines:
        st.caption("Nothing to show: switch measured or published rows on.")
        return None
    grid = grid_of(lines, columns, facts, heading=heading)
    frame, config = styled(grid, lines, columns)
    picked = st.dataframe(
        frame,
        column_config=config,
        hide_index=True,
        key=f"table-{setting}",
        on_select="rerun",
        selection_mode="multi-row",
        height="content" if len(lines) <= 40 else 900,
        placeholder="",
        alt=f"Scores: {heading}",
    )
    st.caption(_legend(runs, columns, order, tests))
    board_links.show([lines[row] for row in picked.selection.rows if row < len(lines)], lines, runs, setting)
    return grid


def _order(columns: list[Column], by: str) -> int:
    """The number of the column that a table is ranked by: the task asked for, else the average, else the first."""
    averages = [number for number, column in enumerate(columns) if column.average]
    asked = [number for number, column in enumerate(columns) if not column.average and column.parts[0][0] == by]
    return next(iter([*asked, *averages]), 0)


def _heading(runs: pd.DataFrame) -> str:
    first = runs.sort_values("encoder_sha", na_position="last").iloc[0]
    encoder = first["encoder"].rsplit("/", 1)[-1]
    sha = f" ({first['encoder_sha'][:8]})" if isinstance(first["encoder_sha"], str) else ""
    return (
        f"{first['language']} · {encoder}{sha} · {first['corpus']}, {first['sentences']:,} sentences · {first['scale']}"
    )


def _states(runs: pd.DataFrame) -> str:
    counts = runs.drop_duplicates("train_id")["status"].value_counts()
    return ", ".join(f"{number} {status}" for status, number in counts.items())


def _legend(runs: pd.DataFrame, columns: list[Column], order: int, tests: dict[int, Tests]) -> str:
    parts = []
    if columns and len(tests) > 0:
        parts.append(f"Sorted by {style.plain(columns[order].title)}; rank with its 95 % interval there")
        reasons = {found.reason for found in tests.values() if found.reason}
        parts += [style.plain(reason) for reason in sorted(reasons)]
    protocols = sorted({measure for column in columns for _, measure in column.parts})
    if protocols:
        parts.append(f"Protocol {style.plain(', '.join(protocols))}")
    cores = runs["core"].dropna().nunique()
    if cores > 1:
        parts.append(f"Rows were measured by {cores} versions of the code (column Code)")
    return ". ".join(parts)


def _downloads(grids: list[exports.Grid]) -> None:
    with st.container(horizontal=True):
        for label, name, mime, text in (
            ("CSV", "augbench.csv", "text/csv", exports.as_csv(grids)),
            ("Markdown", "augbench.md", "text/markdown", exports.as_markdown(grids)),
            ("LaTeX", "augbench.tex", "text/x-tex", exports.as_latex(grids)),
        ):
            st.download_button(label, text, file_name=name, mime=mime, on_click="ignore", key=f"download-{label}")


def _compute(scores: pd.DataFrame, shown: list[str], tasks: list[str]) -> None:
    """Compute the tests that the tables above lack, then show them: the tables are there to read in the meantime."""
    waiting = st.empty()
    found = False
    for setting in shown:
        part = scores[scores["setting"] == setting]
        for column in columns_of(part, tasks):
            if standings.known(part, column) is None:
                with waiting, st.spinner(f"Testing which differences are real: {style.plain(column.title)} …"):
                    standings.compute(part, column)
                found = True
    if found:
        st.rerun()
