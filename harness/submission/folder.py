"""What is in a submitted file or folder, and what is wrong with each part of it?

A folder is a results folder (runs, and records of analyses) or one run of it. Nothing outside it is opened: links are refused,
not followed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.analyses.records import FOLDER as ANALYSES
from harness.analyses.records import AnalysisRecord, record_path
from harness.errors import DataError, UsageError
from harness.records.schema import RunRecord, ScoreRecord
from harness.records.store import score_name
from harness.submission import runs, scores
from harness.submission.archive import is_archive, unpacked
from harness.submission.reading import MOST_BYTES, Finding, Refused, names, parse, read_json, texts

#: files of a submission
MOST_FILES = 100_000
_RUN = "run.json"
_CURVES = {"step": "int64", "name": "string", "value": "double"}
_IGNORED = {".locks", "embedder", "checkpoint"}
_ID = re.compile(r"[0-9a-f]{16}")


def check(path: Path) -> list[Finding]:
    """Return what is to be said about a record, a folder or an archive of records, in the order of the files; none: all is well.

    Raises UsageError if there is nothing at `path`.
    """
    if not os.path.lexists(path):
        raise UsageError(f"there is no file or folder {path}. Give a results folder, a run's folder, or a record.")
    if path.is_symlink():
        return [Finding(path, "it is a symbolic link; give the file or folder itself")]
    if path.is_file() and is_archive(path):
        try:
            return list(_results(unpacked(path)))
        except DataError as error:
            return [Finding(path, str(error))]
    if path.is_file():
        return list(_file(path))
    if (path / _RUN).exists() or (path / "scores").is_dir():
        return list(_run(path))
    return list(_results(path))


def _results(folder: Path) -> Iterator[Finding]:
    number = analyses = 0
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name in _IGNORED:
            continue
        if entry.is_symlink():
            yield Finding(Path(entry.path), "it is a symbolic link; put the folder itself there")
        elif entry.name == ANALYSES and entry.is_dir(follow_symlinks=False):
            for record in sorted(os.scandir(entry.path), key=lambda entry: entry.name):
                analyses += 1
                yield from _analysis(Path(record.path))
        elif entry.is_dir(follow_symlinks=False) and _ID.fullmatch(entry.name):
            number += 1
            if number > MOST_FILES:
                yield Finding(folder, f"more than {MOST_FILES:,} runs")
                return
            yield from _run(Path(entry.path))
        else:
            yield Finding(Path(entry.path), "no part of a results folder: expected folders named by a run's id")
    if not number and not analyses:
        yield Finding(folder, "there are no runs in it: expected folders named by a run's id, with a run.json")


def _analysis(path: Path) -> Iterator[Finding]:
    """A record of an analysis: its form, its texts, its names."""
    try:
        value = read_json(path)
        yield from _said(path, texts(value))
        record: AnalysisRecord = parse(value, AnalysisRecord)
    except Refused as error:
        yield Finding(path, str(error))
        return
    yield from _said(
        path,
        names([("suite", record.suite), ("scale", record.scale), ("language", record.language), ("kind", record.kind)]),
    )
    if path.name != record_path(path.parent, record.suite, record.analysis_id).name:
        yield Finding(path, "its name is not that of its suite and id")
    if record.plumbing:
        yield Finding(path, f"a plumbing analysis is no result: {record.plumbing}")


def _run(folder: Path) -> Iterator[Finding]:
    """One run: its record, its scores, and nothing else."""
    record: RunRecord | None = None
    try:
        value = read_json(folder / _RUN)
        yield from _said(folder / _RUN, texts(value))
        record = parse(value, RunRecord)
        yield from _said(folder / _RUN, runs.problems(record))
        if record.train_id != folder.name:
            yield Finding(folder / _RUN, f"it is the record of run {record.train_id}, in the folder of another")
    except Refused as error:
        yield Finding(folder / _RUN, str(error))
    found = 0
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        path = Path(entry.path)
        if entry.name == _RUN:
            continue
        if entry.is_symlink():
            yield Finding(path, "it is a symbolic link; put the file itself there")
        elif entry.name == "scores" and entry.is_dir(follow_symlinks=False):
            for score in sorted(os.scandir(path), key=lambda entry: entry.name):
                found += 1
                if found > 1000:
                    yield Finding(path, "more than 1,000 files")
                    break
                yield from _score(Path(score.path), record)
        elif entry.name == "curves.parquet":
            yield from _curves(path)
        elif entry.name in _IGNORED:
            yield Finding(
                path, "weights and checkpoints are not part of a submission; they are not looked at", problem=False
            )
        else:
            yield Finding(path, "no part of a run: expected run.json, curves.parquet and scores/")
    if record is not None and record.status == "ok" and not found:
        yield Finding(folder, "the run has no scores", problem=False)


def _file(path: Path) -> Iterator[Finding]:
    """A record alone: what it is, its fields say."""
    try:
        value = read_json(path)
    except Refused as error:
        yield Finding(path, str(error))
        return
    if "spec" in value:
        yield from _said(path, texts(value))
        try:
            yield from _said(path, runs.problems(parse(value, RunRecord)))
        except Refused as error:
            yield Finding(path, str(error))
    else:
        yield from _score(path, None, value)


def _score(path: Path, run: RunRecord | None, value: dict[str, Any] | None = None) -> Iterator[Finding]:
    try:
        value = read_json(path) if value is None else value
        yield from _said(path, texts(value))
        record: ScoreRecord = parse(value, ScoreRecord)
    except Refused as error:
        yield Finding(path, str(error))
        return
    yield from _said(path, scores.problems(record))
    if path.name != score_name(record.task, record.split, record.protocol):
        yield Finding(path, "its name is not that of its task and protocol")
    if run is not None and record.train_id != run.train_id:
        yield Finding(path, f"it is a score of run {record.train_id}, in the folder of another")
    elif run is not None and run.embedder is not None and record.embedder_sha != run.embedder.sha:
        yield Finding(path, "it is a score of other weights than the run's")
    reason = scores.unchecked(record)
    if reason:
        yield Finding(path, reason, problem=False)


def _curves(path: Path) -> Iterator[Finding]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.stat().st_size > MOST_BYTES:
        yield Finding(path, f"it is larger than {MOST_BYTES:,} bytes")
        return
    try:
        schema = pq.read_schema(path)
    except (OSError, ValueError, pa.ArrowException) as error:
        yield Finding(path, f"it is no Parquet file: {error}")
        return
    if {field.name: str(field.type) for field in schema} != _CURVES:
        yield Finding(path, f"expected the columns {', '.join(_CURVES)}, got {', '.join(schema.names)[:200]}")


def _said(path: Path, found: Iterator[str]) -> Iterator[Finding]:
    for text in found:
        yield Finding(path, text)
