"""What do several pages show in the same way? Commands to copy, names of settings, the warning that runs are no results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from leaderboard import style

if TYPE_CHECKING:
    import pandas as pd

_WHOLE = 30


def command(line: str) -> None:
    """Show a command to copy."""
    st.code(line, language="bash", wrap_lines=True)


def table(
    rows: pd.DataFrame | Sequence[Mapping[str, Any]], *, formats: Mapping[str, Any] | None = None, height: int = 0
) -> None:
    """Show a table; missing is blank. Up to 30 rows are shown whole, more in a frame that scrolls (or in `height` pixels)."""
    whole = len(rows) <= _WHOLE and not height
    st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        height="content" if whole else height or 640,
        column_config=dict(formats or {}),
        placeholder="",
    )


def setting_names(runs: pd.DataFrame) -> dict[str, str]:
    """Return the settings of the index's runs (or scores) with a name for each: results before plumbing, most systems first.

    A setting is what runs share that may be compared: language, scale, encoder, text.
    """
    grouped = runs.assign(result=runs["plumbing"].isna() & runs["encoder_sha"].notna()).groupby("setting")
    counts = grouped.agg(result=("result", "any"), systems=("system", "nunique"))
    counts = counts.sort_values(["result", "systems"], ascending=False, kind="stable")
    # a method without an encoder stands in the settings of all encoders: it does not name one
    first = (
        runs.sort_values("encoder_sha", na_position="last", kind="stable")
        .drop_duplicates("setting")
        .set_index("setting")
    )
    names = {}
    for setting in counts.index:
        row = first.loc[setting]
        lines = "" if row["sentences"] != row["sentences"] else f" ({int(row['sentences']):,} lines)"
        parts = (row["language"], row["scale"], row["encoder"], f"{str(row['corpus'])[:60]}{lines}")
        names[str(setting)] = " · ".join(str(part)[:80] for part in parts)
    titles = list(names.values())
    return {key: f"{name} [{key[:6]}]" if titles.count(name) > 1 else name for key, name in names.items()}


def plumbing(reasons: Iterable[str | None]) -> None:
    """Say that some of what is shown is no result, and why; nothing if all of it is."""
    found = list(dict.fromkeys(reason[:200] for reason in reasons if isinstance(reason, str) and reason))
    if found:
        st.caption(
            ":material/warning: Some of these runs are plumbing, not results: " + style.plain("; ".join(found[:3]))
        )
