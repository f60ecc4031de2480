"""What does a reader see where there is nothing, or where something is damaged?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from leaderboard import data, style

if TYPE_CHECKING:
    from harness.index import Index

_FIRST = """augbench run quickstart
augbench leaderboard --results results"""


def show(index: Index) -> None:
    """Say that there are no runs, and what to type to get some."""
    absent = data.missing()
    if absent:
        st.warning(style.plain(f"There is no folder {', '.join(map(str, absent))}."))
    looked = ", ".join(index.folders) or "./results (it does not exist)"
    st.info(f"No runs yet. Looked in: {style.plain(looked)}")
    st.markdown("Run a first suite (a few minutes on a laptop, no downloads), then open the board again:")
    st.code(_FIRST, language="bash")
    broken(index)


def broken(index: Index) -> None:
    """List the files that could not be read, with the reason; nothing if there are none."""
    found = index.broken
    if found.empty:
        return
    with st.expander(f"{len(found)} files could not be read", icon=":material/warning:"):
        st.caption("They are left out; everything else is shown. Delete them, or run their suite again.")
        shown = found.rename(columns={"folder": "Folder", "place": "Run", "file": "File", "reason": "Reason"})
        st.dataframe(shown, hide_index=True)
