"""Where do chosen rows of the board lead: to their runs, and to a comparison?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from leaderboard import pages
from leaderboard.table import Line

if TYPE_CHECKING:
    import pandas as pd

#: rows that are looked at at once
_MOST = 4


def show(chosen: Sequence[Line], lines: Sequence[Line], runs: pd.DataFrame, setting: str) -> None:
    """Show what the chosen rows lead to; nothing if none is chosen.

    lines  all rows of the table, best first;  runs: rows of the index of this setting
    """
    if not chosen:
        return
    with st.container(border=True):
        _comparison(chosen, lines, runs, setting)
        for line in chosen[:_MOST]:
            _runs(line, runs)
        if len(chosen) > _MOST:
            st.caption(f"The first {_MOST} of {len(chosen)} chosen rows.")


def pair(chosen: Sequence[Line], lines: Sequence[Line], done: set[str]) -> tuple[Line, Line] | None:
    """Return the two rows to compare: the first two chosen ones, or the chosen one and the best of the others.

    done  systems that have a finished run: no other row can be compared
    """
    able = [line for line in chosen if line.system in done]
    if len(able) == 1:
        others = (line for line in lines if line.system in done and line.system != able[0].system)
        able += list(others)[:1]
    return (able[0], able[1]) if len(able) > 1 else None


def _comparison(chosen: Sequence[Line], lines: Sequence[Line], runs: pd.DataFrame, setting: str) -> None:
    finished = runs[runs["status"] == "ok"]
    found = pair(chosen, lines, set(finished["system"]))
    if found is None:
        return
    first, second = found
    replaced = set(finished.loc[finished["older"], "system"])
    more: dict[str, Any] = {"older": "true"} if replaced & {first.system, second.system} else {}
    pages.link(
        "compare",
        f"Compare: {_short(first.label)} and {_short(second.label)}",
        icon=":material/compare_arrows:",
        help="Task by task, with intervals. Choose two rows to compare these two.",
        setting=setting,
        a=first.system,
        b=second.system,
        **more,
    )


def _runs(line: Line, runs: pd.DataFrame) -> None:
    st.text(line.label)
    if not line.runs:
        st.text(f"Published: {line.facts.get('Source')}")
        return
    of = runs.drop_duplicates("train_id").set_index("train_id")
    with st.container(horizontal=True):
        for train_id in line.runs:
            row = of.loc[train_id]
            pages.link(
                "run",
                f"seed {row['seed']} · {train_id[:8]} · {row['status']}",
                icon=":material/terminal:",
                run=train_id,
            )


def _short(text: str) -> str:
    """A record's text in a label, which Streamlit reads as Markdown."""
    from leaderboard import style

    return style.plain(text if len(text) <= 60 else text[:59] + "…")
