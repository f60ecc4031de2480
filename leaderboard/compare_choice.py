"""Which two methods, or single runs, does a reader compare?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from leaderboard import compare_data, data, parts, state
from leaderboard.compare_data import Method

if TYPE_CHECKING:
    import pandas as pd

_METHODS, _RUNS = "methods", "runs"
_MOST_CHOICES = 2000


def choose(done: pd.DataFrame) -> tuple[Method, Method] | None:
    """The two to compare, from the filters; None if there is nothing to choose."""
    what = state.segment("Compare", {_METHODS: "methods", _RUNS: "single runs"}, "what")
    settings = parts.setting_names(done)
    left, middle, right = st.columns([1, 1, 1])
    given = {key: state.given(key) for key in ("a", "b")}
    with left:
        setting = state.one(
            "Trained with",
            settings,
            "setting",
            default=_setting_of(done, given["a"], what),
            help="Language, encoder, corpus and scale: only what shares them can be compared.",
        )
    if setting is None:
        return None
    here = done[done["setting"] == setting]
    if not state.flag("show rows that were run again later", "older"):
        here = data.current(here)
    options = _systems(here) if what == _METHODS else _single(here)
    if len(options) < 2:
        st.info("There is only one method with these settings; run another row of the suite, or choose other settings.")
        return None
    if len(options) > _MOST_CHOICES:
        st.caption(f"The first {_MOST_CHOICES:,} of {len(options):,} are offered.")
        options = dict(list(options.items())[:_MOST_CHOICES])
    names = list(options)
    with middle:
        a = state.one("A", options, "a", default=_default(here, names))
    with right:
        others = {name: title for name, title in options.items() if name != a}
        b = state.one("B", others, "b", default=_beside(here, list(others), a))
    if a is None or b is None:
        return None
    found = _method(here, a, what, options[a]), _method(here, b, what, options[b])
    if found[0] is None or found[1] is None:
        st.warning(
            "A record that the index knows can no longer be read; reload the results.", icon=":material/warning:"
        )
        return None
    return found[0], found[1]


def _setting_of(done: pd.DataFrame, name: str | None, what: str) -> str | None:
    """The setting of the method or run in the URL."""
    column = "system" if what == _METHODS else "train_id"
    found = done.loc[done[column] == name, "setting"]
    return None if found.empty else str(found.iloc[0])


def _default(here: pd.DataFrame, names: list[str]) -> str | None:
    """A: the plain contrastive row where there is one, as every augmentation is compared with it; the one with most seeds, in
    the suite with most rows.
    """
    plain = here[here["method"] == "simcse"]
    sizes = here.groupby("suite")["system"].transform("nunique")
    plain = plain.assign(_seeds=_seeds(here), _size=sizes)
    plain = plain.sort_values(["_seeds", "_size"], ascending=False, kind="stable")
    for column in ("system", "train_id"):
        for name in plain[column]:
            if name in names:
                return str(name)
    return None


def _beside(here: pd.DataFrame, names: list[str], a: str | None) -> str | None:
    """B: a row of A's suite, which was scored on the same tasks; one with most seeds."""
    here = here.assign(_seeds=_seeds(here)).sort_values("_seeds", ascending=False, kind="stable")
    for column in ("system", "train_id"):
        suites = here.loc[here[column] == a, "suite"]
        near = here.loc[here["suite"].isin(suites) & (here[column] != a), column]
        if found := [str(name) for name in near.unique() if name in names]:
            return found[0]
    return None


def _seeds(here: pd.DataFrame) -> pd.Series[int]:
    """How many seeds the method of each line has."""
    return here.groupby("system")["seed"].transform("nunique")


def _systems(here: pd.DataFrame) -> dict[str, str]:
    grouped = here.groupby("system").agg(row=("row", "first"), suite=("suite", "first"), seeds=("seed", "nunique"))
    grouped = grouped.sort_values(["row", "suite"], kind="stable")
    several = grouped["suite"].nunique() > 1
    out = {}
    for name, one in grouped.iterrows():
        seeds = f"{one['seeds']} seed{'s' if one['seeds'] != 1 else ''}"
        parts = [str(one["row"])[:80], *([str(one["suite"])[:40]] if several else []), seeds]
        out[str(name)] = " · ".join(parts)
    return out


def _single(here: pd.DataFrame) -> dict[str, str]:
    ordered = here.drop_duplicates("train_id").sort_values(["row", "seed", "train_id"], kind="stable")
    return {
        str(one.train_id): f"{str(one.row)[:80]} · seed {one.seed} · {str(one.train_id)[:8]}"
        for one in ordered.itertuples(index=False)
    }


def _method(here: pd.DataFrame, name: str, what: str, title: str) -> Method | None:
    column = "system" if what == _METHODS else "train_id"
    ids = list(dict.fromkeys(here.loc[here[column] == name, "train_id"]))
    found = [run for train_id in ids if (run := data.run(train_id)) is not None]
    return compare_data.of_runs(found, key=name, label=title.split(" · ")[0]) if found else None
