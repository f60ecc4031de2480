"""Which paired tests are known already, and which have yet to be computed?

A table is shown at once with the tests that are known; what is missing is computed below it, kept, and then shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from harness.index import Tests, places_of
from leaderboard.columns import Column

if TYPE_CHECKING:
    import pandas as pd

_MOST = 2000


@st.cache_resource(show_spinner=False)
def _kept() -> dict[tuple[object, ...], Tests]:
    """The tests that were looked up since the results were read, by what they are of."""
    return {}


def known(scores: pd.DataFrame, column: Column) -> Tests | None:
    """Return the tests of a column over the scores of one setting, None if they have yet to be computed."""
    return _look_up(scores, column, compute=False)


def compute(scores: pd.DataFrame, column: Column) -> Tests | None:
    """Return the tests of a column over the scores of one setting; takes seconds if nobody asked for them before."""
    return _look_up(scores, column, compute=True)


def _look_up(scores: pd.DataFrame, column: Column, *, compute: bool) -> Tests | None:
    kept = _kept()
    key = (tuple(sorted(scores["system"].unique())), column.parts)
    if key not in kept:
        found = places_of(scores, column.parts, compute=compute)
        if found is None:
            return None
        if len(kept) >= _MOST:
            kept.clear()
        kept[key] = found
    return kept[key]
