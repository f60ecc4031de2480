"""Where do results lie, and how are they written so that nothing is ever half there?

    <results>/<train_id>/run.json                       the record (schema: `harness.records.schema`)
                         curves.parquet                 step, name, value
                         scores/<task>[.<split>]@<protocol>.json
                         embedder/                      the weights, if they were kept
                         checkpoint/                    while the run is not finished
    <results>/.locks/                                   one lock per run; needed only while something runs

Every file appears complete or not at all. A results folder is data: reading it runs no code, a damaged record is
reported and passed over, and merging two folders is copying files.
"""

from __future__ import annotations

import errno
import io
import json
import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from harness.errors import AugBenchError, UsageError
from harness.records.files import remove, saving, write_atomic
from harness.records.schema import RunRecord, ScoreRecord, strict

log = logging.getLogger(__name__)
Record = TypeVar("Record", bound=BaseModel)

DEFAULT_FOLDER = Path("results")
_RUN = "run.json"


class Busy(AugBenchError):
    """Another process is working on this run."""


@dataclass(frozen=True)
class Broken:
    """A file that should be a record but cannot be read, and why."""

    path: Path
    reason: str


@dataclass(frozen=True)
class Run:
    """One run of a results folder: its record, and its scores and curves when asked for."""

    folder: Path
    record: RunRecord

    @property
    def train_id(self) -> str:
        """The name of the run."""
        return self.record.train_id

    @property
    def embedder_folder(self) -> Path | None:
        """Where the kept weights lie, None if they were not kept."""
        folder = self.folder / "embedder"
        return folder if folder.is_dir() else None

    def scores(self, on_broken: Callable[[Broken], None] | None = None) -> list[ScoreRecord]:
        """Return the scores of this run's present weights, by task; damaged files are reported and left out.

        Scores of other weights (an earlier training of the same run that came out differently) do not count.
        """
        found = [record for _, record in self.score_files(on_broken)]
        return sorted(found, key=lambda s: (s.language, s.task, s.split, s.protocol))

    def score_files(self, on_broken: Callable[[Broken], None] | None = None) -> list[tuple[Path, ScoreRecord]]:
        """Return what `scores` returns, each with the file it stands in, by file name."""
        current = self.record.embedder.sha if self.record.embedder else None
        found = []
        for path in sorted((self.folder / "scores").glob("*.json")):
            record = _read(path, ScoreRecord, on_broken or _warn)
            if record is not None and record.train_id == self.train_id and record.embedder_sha == current:
                found.append((path, record))
        return found

    def score(self, task_id: str, protocol: str | None = None) -> ScoreRecord | None:
        """Return the scores of one task (`NAME` or `NAME:split`), None if there are none."""
        for record in self.scores():
            if record.task_id == task_id and protocol in (None, record.protocol):
                return record
        return None

    def curves(self) -> list[dict[str, Any]]:
        """Return the training curves as rows of step, name, value; empty if there are none."""
        path = self.folder / "curves.parquet"
        if not path.is_file():
            return []
        import pyarrow.parquet

        try:
            rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
        except (OSError, ValueError) as error:
            _warn(Broken(path, str(error)))
            return []
        return rows


class Store:
    """A results folder. It is created with the first record; reading a folder that does not exist finds no runs."""

    def __init__(self, path: str | os.PathLike[str] = DEFAULT_FOLDER) -> None:
        self.path = Path(path).expanduser()

    def folder(self, train_id: str) -> Path:
        """Return the folder of a run (it need not exist)."""
        return self.path / train_id

    # -- reading ------------------------------------------------------------------------------------------------------
    def iter_runs(self, on_broken: Callable[[Broken], None] | None = None) -> Iterator[Run]:
        """Yield the runs that have a readable record, in order of their ids; others go to `on_broken` (default: a warning)."""
        for path in sorted(self.path.glob(f"*/{_RUN}")):
            record = _read(path, RunRecord, on_broken or _warn)
            if record is not None:
                yield Run(path.parent, record)

    def get(self, train_id: str) -> Run | None:
        """Return the run of exactly this id, None if it has no readable record."""
        path = self.folder(train_id) / _RUN
        record = _read(path, RunRecord, _warn) if path.is_file() else None
        return None if record is None else Run(path.parent, record)

    def find(self, prefix: str) -> Run:
        """Return the one run whose id begins with `prefix`. Raises UsageError, listing candidates, if it is not one."""
        runs = list(self.iter_runs())
        if not runs:
            raise UsageError(f"no runs in {self.path}; give the folder with --results DIR, or run a suite first.")
        matching = [run for run in runs if run.train_id.startswith(prefix)] if prefix else []
        if len(matching) == 1:
            return matching[0]
        listed = "\n".join(f"  {_title(run)}" for run in (matching or runs)[:20])
        problem = "matches several runs" if matching else "matches no run"
        raise UsageError(f"{prefix!r} {problem} in {self.path}; give the beginning of one id:\n{listed}")

    # -- writing ------------------------------------------------------------------------------------------------------
    def write_run(self, record: RunRecord, *, curves: Iterable[Mapping[str, Any]] | None = None) -> Run:
        """Write a run's record and, before it, its curves. Raises StoreError."""
        folder = self.folder(record.train_id)
        if curves is not None:
            write_atomic(folder / "curves.parquet", _parquet(curves))
        write_atomic(folder / _RUN, _dump(record))
        return Run(folder, record)

    def write_score(self, record: ScoreRecord) -> Path:
        """Write the scores of one task. Raises StoreError."""
        path = self.folder(record.train_id) / "scores" / score_name(record.task, record.split, record.protocol)
        write_atomic(path, _dump(record))
        return path

    def save_embedder(self, train_id: str, embedder: Any) -> bool:
        """Save the embedder of a run, complete or not at all; False if it is of a kind that has nothing to save."""
        if not hasattr(embedder, "save"):
            return False
        target = self.folder(train_id) / "embedder"
        with saving(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            remove(*target.parent.glob("embedder.part-*"))  # left by a killed process
            temporary = Path(tempfile.mkdtemp(prefix="embedder.part-", dir=target.parent))
            try:
                _save(embedder, temporary)
                temporary.chmod(0o755)
                remove(target)
                temporary.replace(target)
            finally:
                remove(temporary)
        return True

    @contextmanager
    def lock(self, train_id: str, *, wait: bool = True) -> Iterator[None]:
        """Hold the only right to write a run. Raises Busy if another process has it and `wait` is False."""
        from filelock import FileLock, Timeout

        path = self.path / ".locks" / f"{train_id}.lock"
        with saving(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path)
            try:
                lock.acquire(timeout=-1 if wait else 0)
            except Timeout:
                raise Busy(f"run {train_id} is being worked on by another process.") from None
        try:
            yield
        finally:
            lock.release()

    def check_writable(self) -> None:
        """Raise StoreError if nothing can be written here (asked before the first long computation)."""
        probe = self.path / ".locks" / f".probe-{os.getpid()}"
        write_atomic(probe, b"probe")
        probe.unlink(missing_ok=True)


def read_run(folder: Path, on_broken: Callable[[Broken], None] | None = None) -> Run | None:
    """Return the run of a run folder, None if its record cannot be read (then `on_broken` hears why; default: a warning)."""
    record = _read(folder / _RUN, RunRecord, on_broken or _warn)
    return None if record is None else Run(folder, record)


def read_score(path: Path, on_broken: Callable[[Broken], None] | None = None) -> ScoreRecord | None:
    """Return the record of a score file, None if it cannot be read (then `on_broken` hears why; default: a warning)."""
    return _read(path, ScoreRecord, on_broken or _warn)


def score_name(task: str, split: str, protocol: str) -> str:
    """Return the file name of a score: `STS12@sts-original-1.json`, `STS-B.dev@sts-original-1.json`."""
    stem = task if split == "test" else f"{task}.{split}"
    return f"{quote(stem, safe=' +,')}@{quote(protocol.replace('@', '-'), safe=' +,')}.json"


def _save(embedder: Any, folder: Path) -> None:
    try:
        embedder.save(folder)
    except OSError:
        raise
    except Exception as error:
        # safetensors reports a full disk as an error of its own kind
        if "No space left" in str(error):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        raise


def _dump(record: BaseModel) -> bytes:
    text = json.dumps(strict(record), ensure_ascii=False, indent=1, allow_nan=False)
    return (text + "\n").encode()


def _read(path: Path, kind: type[Record], on_broken: Callable[[Broken], None]) -> Record | None:
    try:
        return kind.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        on_broken(Broken(path, f"{where}: {first['msg']}"))
    except OSError as error:
        on_broken(Broken(path, error.strerror or str(error)))
    return None


def _warn(broken: Broken) -> None:
    log.warning("%s is passed over: %s. Delete it, or run its suite again.", broken.path, broken.reason)


def _title(run: Run) -> str:
    spec = run.record.spec
    return f"{run.train_id}  {spec.suite} · {spec.row} · seed {spec.seed} · {run.record.status}"


def _parquet(curves: Iterable[Mapping[str, Any]]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    rows = list(curves)
    table = pyarrow.table(
        {
            "step": pyarrow.array([int(row["step"]) for row in rows], pyarrow.int64()),
            "name": pyarrow.array([str(row["name"]) for row in rows], pyarrow.string()),
            "value": pyarrow.array(
                [None if row["value"] is None else float(row["value"]) for row in rows], pyarrow.float64()
            ),
        }
    )
    sink = io.BytesIO()
    pyarrow.parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()
