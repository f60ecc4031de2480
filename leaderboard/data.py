"""Which results are shown, and how does a page get at them?

The folders come from the environment (set by `augbench leaderboard`), else ./results. They are only read. The index of all
of them is opened once per process and shared by all pages and readers; `reload` opens it again.

    index()             the Index: `.runs`, `.scores`, `.broken` (see harness.index) - shared, never change them
    current(frame)      without systems that were run again later
    choices, chosen     what a filter offers, and the rows it leaves
    run(train_id)       the record of one run, its scores and curves: Run page, Compare page
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from harness.board_server import ENVIRONMENT
from harness.data.folder import ENVIRONMENT as DATA
from harness.errors import AugBenchError
from harness.index import Index, open_index
from harness.published import Published, published
from harness.records.schema import ScoreRecord
from harness.records.store import DEFAULT_FOLDER, Run, read_run
from harness.submission.archive import unpacked

if TYPE_CHECKING:
    import pandas as pd

#: the records that are shipped with the repository; they are unpacked into the cache
SHIPPED = Path(__file__).resolve().parent / "records.tar.xz"


def folders() -> tuple[Path, ...]:
    """Return the results folders that are shown: those asked for, else ./results, else the shipped records; none if absent."""
    asked = tuple(Path(name).expanduser() for name in os.environ.get(ENVIRONMENT, "").split(os.pathsep) if name)
    if asked:
        return tuple(path for path in asked if path.is_dir())
    if DEFAULT_FOLDER.is_dir():
        return (DEFAULT_FOLDER,)
    return (unpacked(SHIPPED),) if SHIPPED.is_file() else ()


def missing() -> tuple[Path, ...]:
    """Return the folders that were asked for and are not there."""
    asked = (Path(name).expanduser() for name in os.environ.get(ENVIRONMENT, "").split(os.pathsep) if name)
    return tuple(path for path in asked if not path.is_dir())


def knows_texts() -> bool:
    """Return whether a data folder was named, from which sentences can be read."""
    return bool(os.environ.get(DATA))


def command(*options: str) -> str:
    """Return the command that opens these results again, with further options."""
    asked = os.environ.get(ENVIRONMENT)
    shown = [word for path in folders() for word in ("--results", str(path))] if asked else []
    return shlex.join(["augbench", "leaderboard", *shown, *options])


def index() -> Index:
    """Return the index of the shown folders."""
    return _opened(tuple(str(path.resolve()) for path in folders()))


def reload() -> None:
    """Forget what was read: the next page reads what changed."""
    st.cache_resource.clear()


# cache_resource: cache_data would copy every frame at every run of a page
@st.cache_resource(show_spinner="Reading results …", max_entries=8)
def _opened(names: tuple[str, ...]) -> Index:
    return open_index(names)


def compact() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return runs and scores (as in the index) with repeated texts stored once, so that filters take milliseconds."""
    return _compact(index().stamp)


@st.cache_resource(show_spinner=False, max_entries=2)
def _compact(stamp: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    found = index()
    runs = found.runs.drop(columns=["signature", "also", "config", "frame", "code", "revision", "corpus_sha"])
    scores = found.scores[[*_SCORED]]
    return _categories(runs), _categories(scores)


#: columns of the scores that a board needs
_SCORED = (
    *("setting", "system", "listing", "older", "language", "encoder", "corpus", "suite", "scale", "method", "plumbing"),
    *("folder", "place", "file", "train_id", "seed", "task", "task_language", "measure", "metric", "value", "eval_id"),
)


def _categories(frame: pd.DataFrame) -> pd.DataFrame:
    texts = [name for name, dtype in frame.dtypes.items() if str(dtype) in ("str", "object", "string")]
    return frame.astype(dict.fromkeys(texts, "category"))


@st.cache_resource(show_spinner=False)
def references() -> tuple[tuple[Published, ...], str | None]:
    """Return the published numbers of all collections, and why there are none if they cannot be read."""
    try:
        return tuple(published()), None
    except AugBenchError as error:
        return (), str(error)


def run(train_id: str) -> Run | None:
    """Return the run of an id (or of the beginning of one, if it is the only one), None if it is not among the shown."""
    found = index().rows("run")
    matching = found[found["train_id"].fillna("").str.startswith(train_id)] if train_id else found[:0]
    if matching["train_id"].nunique() != 1:
        return None
    runs = index().runs
    kept = runs[runs["train_id"] == matching["train_id"].iloc[0]]
    if kept.empty:
        return None
    return read_run(Path(kept["folder"].iloc[0]) / kept["place"].iloc[0])


def score_records(train_id: str) -> list[ScoreRecord]:
    """Return the score records of a run, with predictions and gold scores; empty if it has none."""
    return _records(train_id, _stamp(train_id))


@st.cache_resource(show_spinner=False, max_entries=64)
def _records(train_id: str, stamp: str) -> list[ScoreRecord]:
    found = run(train_id)
    return [] if found is None else found.scores()


def _stamp(train_id: str) -> str:
    runs = index().runs
    return "|".join(runs.loc[runs["train_id"] == train_id, "signature"].drop_duplicates())


def current(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of systems that no later run has replaced."""
    return frame[~frame["older"]]


def choices(frame: pd.DataFrame, column: str) -> list[str]:
    """Return the values a filter over a column offers, sorted."""
    return sorted(map(str, frame[column].dropna().unique()))


def chosen(frame: pd.DataFrame, wanted: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return the rows whose columns have one of the wanted values; a column with nothing wanted is not looked at."""
    import numpy as np

    keep = np.ones(len(frame), dtype=bool)
    for column, values in wanted.items():
        if values:
            keep &= frame[column].isin(list(values)).to_numpy()
    return frame[keep]
