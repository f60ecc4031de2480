"""Which run folders of a results folder changed since the index was made, and what do they say now?

A run folder is read again if its `run.json` or the folder of its scores changed (time or size): every file of ours replaces
an old one, so that changes the folder's time too. A folder that was edited by hand in place needs `fresh=True`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.cache import cache_dir, content_key
from harness.errors import DataError, UsageError
from harness.index.rows import RUN_COLUMNS, broken_row, run_row, score_row
from harness.index.tables import Index, read_index, table, write_index
from harness.records.store import Broken, Run, read_run

_RUN = "run.json"
#: called with the number of run folders read so far, and of all that must be read
Progress = Callable[[int, int], None]


def open_index(
    folders: Sequence[str | os.PathLike[str]], *, fresh: bool = False, progress: Progress | None = None
) -> Index:
    """Return the index of results folders, reading only what changed since the last time.

    It is kept in the cache folder. A cache that cannot be written costs time, not results. Raises UsageError if a folder
    is not there.
    """
    paths = _resolved(folders)
    kept = cache_dir() / "index" / f"{content_key([str(path) for path in paths])}.parquet"
    before = None
    if not fresh and kept.is_file():
        try:
            before = read_index(kept)
        except DataError:
            before = None
    index = refresh(paths, before, progress=progress)
    if index is not before:
        try:
            write_index(index, kept)
        except DataError as error:
            _log().warning("the index is not kept: %s", error)
    return index


def refresh(
    folders: Sequence[str | os.PathLike[str]], before: Index | None = None, *, progress: Progress | None = None
) -> Index:
    """Return the index of results folders as they are now; `before` itself if nothing changed."""
    paths = _resolved(folders)
    old = _by_place(before) if before is not None else {}
    found: dict[tuple[str, str], str] = {}
    for folder in paths:
        found.update(((str(folder), place), signature) for place, signature in _places(folder))
    stale = [key for key, signature in found.items() if key not in old or old[key]["signature"] != signature]
    names = tuple(map(str, paths))
    if before is not None and not stale and before.folders == names and len(old) == len(found):
        return before
    fresh: dict[str, list[Mapping[str, Any]]] = {"run": [], "score": [], "broken": []}
    for number, (folder_name, place) in enumerate(stale, start=1):
        for kind, rows in read_folder(Path(folder_name), place, found[folder_name, place]).items():
            fresh[kind] += rows
        if progress is not None:
            progress(number, len(stale))
    made = table(fresh)
    if before is None:
        return Index(names, made)
    return Index(names, _merged(before, set(found) - set(stale), made))


def read_folder(folder: Path, place: str, signature: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of one run folder by kind. A run whose record is damaged has a row of status `broken`."""
    broken: list[Broken] = []
    run = read_run(folder / place, broken.append)
    rows: dict[str, list[dict[str, Any]]] = {"run": [], "score": [], "broken": []}
    at = {"folder": str(folder), "place": place}
    if run is None:
        reason = broken[0].reason if broken else "its record cannot be read"
        rows["run"].append(
            dict.fromkeys(RUN_COLUMNS) | at | {"signature": signature, "status": "broken", "reason": reason}
        )
    else:
        rows["run"].append(run_row(run.record, signature=signature, **at))
        rows["score"] += _scores(run, broken, at)
    rows["broken"] += [broken_row(one, **at) for one in broken]
    return rows


def _scores(run: Run, broken: list[Broken], at: Mapping[str, str]) -> list[dict[str, Any]]:
    return [score_row(score, file=path.name, **at) for path, score in run.score_files(broken.append)]


def _resolved(folders: Iterable[str | os.PathLike[str]]) -> list[Path]:
    paths = [Path(folder).expanduser().resolve() for folder in folders]
    for path in paths:
        if not path.is_dir():
            raise UsageError(
                f"the results folder {path} does not exist. Give one with --results DIR, or run a suite first."
            )
    return list(dict.fromkeys(paths))


def _places(folder: Path) -> Iterable[tuple[str, str]]:
    """The run folders of a results folder, with what tells that they changed. Links are not followed."""
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    for name in names:
        base = f"{folder}/{name}"
        try:
            record = os.lstat(f"{base}/{_RUN}")
        except OSError:
            continue
        try:
            scores = os.lstat(f"{base}/scores").st_mtime_ns
        except OSError:
            scores = 0
        yield name, f"{record.st_mtime_ns}:{record.st_size}:{scores}"


def _by_place(index: Index) -> dict[tuple[str, str], dict[str, str]]:
    runs = index.rows("run")
    return {
        (folder, place): {"signature": signature}
        for folder, place, signature in zip(runs["folder"], runs["place"], runs["signature"], strict=True)
    }


def _merged(before: Index, kept: set[tuple[str, str]], made: Any) -> Any:
    """The rows of run folders that did not change, and the new ones."""
    import pyarrow as pa

    folders, places = before.table["folder"].to_pylist(), before.table["place"].to_pylist()
    mask = pa.array([key in kept for key in zip(folders, places, strict=True)], pa.bool_())
    return pa.concat_tables([before.table.filter(mask), made])


def _log() -> Any:
    import logging

    return logging.getLogger(__name__)
