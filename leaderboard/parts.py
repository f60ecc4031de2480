"""What do several pages show in the same way? Commands to copy, names of settings, the warning that runs are no results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from leaderboard import state, style

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


def pick(
    label: str,
    options: Mapping[str, str],
    key: str,
    *,
    default: str | None = None,
    optional: bool = False,
    help: str | None = None,
) -> str | None:
    """Return the chosen name of `options` (name -> what a reader sees); None if there is none, or none is chosen.

    The URL holds the name and not what is seen (which widgets bound by `state` would put there), so that links can be made
    by whoever knows the name. A name in the URL that is no option is not looked at.
    """
    names = list(options)
    start = next((name for name in (state.given(key), default) if name in options), None)
    index = names.index(start) if start is not None else (None if optional or not names else 0)
    found = st.selectbox(
        label, names, index=index, key=f"pick-{key}", format_func=lambda name: options.get(name, ""), help=help
    )
    if found is None or found not in options:
        st.query_params.pop(key, None)
        return None
    st.query_params[key] = found
    return str(found)


def numbers(names: Iterable[str], form: str = "%.2f") -> dict[str, Any]:
    """Return the settings of columns that hold numbers, for `table`."""
    return {name: st.column_config.NumberColumn(format=form) for name in names}


def setting_names(runs: pd.DataFrame) -> dict[str, str]:
    """Return the settings of the index's runs (or scores) with a name for each, those with most systems first.

    A setting is what runs share that may be compared: language, scale, encoder, text.
    """
    counts = runs.groupby("setting")["system"].nunique().sort_values(ascending=False, kind="stable")
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
