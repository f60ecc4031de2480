from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.records.export import export_run
from harness.records.files import StoreError, stop_if_full, write_atomic
from harness.records.schema import EmbedderInfo, RunRecord, ScoreRecord, ScoreValue, pack
from harness.records.store import Broken, Busy, Store, score_name


def record(train_id: str = "a" * 16, *, sha: str = "e1", status: Any = "ok", **more: Any) -> RunRecord:
    spec = {
        "suite": "s",
        "scale": "smoke",
        "row": "Row",
        "method": "m",
        "config": {},
        "language": "english",
        "corpus": {"name": "c", "sha": "x", "rows": 1},
        "encoder": {"name": "enc", "sha": None},
        "seed": 0,
    }
    return RunRecord(
        train_id=train_id,
        identity={},
        spec=spec,  # type: ignore[arg-type]
        status=status,
        embedder=EmbedderInfo(sha=sha),
        started="t",
        finished="t",
        **more,
    )


def score(train_id: str = "a" * 16, task: str = "STS-B", split: str = "dev", *, sha: str = "e1") -> ScoreRecord:
    return ScoreRecord(
        train_id=train_id,
        eval_id="1" * 16,
        task=task,
        split=split,
        language="en",
        protocol="sts-original@1",
        protocol_fingerprint={},
        data_sha="d",
        embedder_sha=sha,
        main=("spearman", "all"),
        scores=(ScoreValue(metric="spearman", aggregation="all", value=76.5, items=2),),
        finished="t",
        packed_predictions=pack([0.25, 0.5], "<f2"),
        packed_gold=pack([1.0, 5.0], "<f4"),
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


def test_what_is_written_comes_back(store: Store) -> None:
    curves = [{"step": 1, "name": "loss", "value": 0.5}, {"step": 2, "name": "loss", "value": None}]
    store.write_run(record(), curves=curves)
    path = store.write_score(score())
    assert path.name == "STS-B.dev@sts-original-1.json"
    (run,) = store.iter_runs()
    assert run.record == record()
    assert run.curves() == curves
    (found,) = run.scores()
    assert found.task_id == "STS-B:dev"
    assert found.value == 76.5
    assert found.find("pearson", "all") is None
    np.testing.assert_array_equal(found.predictions, np.float32([0.25, 0.5]))
    np.testing.assert_array_equal(found.gold, np.float32([1, 5]))
    assert run.score("STS-B") is None


def test_an_empty_or_missing_folder_has_no_runs(store: Store) -> None:
    assert list(store.iter_runs()) == []
    assert store.get("a" * 16) is None
    assert not store.path.exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "EOF"),
        (b'{"schema_version": 1, "train', "EOF"),
        (b"\xff\xfe", "utf-8|expected value|unicode"),
        (b"[]", "object"),
        (b'{"schema_version": 99}', "schema 99"),
        (b'{"schema_version": 1}', "train_id"),
    ],
)
def test_a_broken_record_is_reported_and_not_fatal(store: Store, content: bytes, reason: str) -> None:

    store.write_run(record())
    bad = store.folder("b" * 16) / "run.json"
    bad.parent.mkdir()
    bad.write_bytes(content)
    broken: list[Broken] = []
    assert [run.train_id for run in store.iter_runs(broken.append)] == ["a" * 16]
    assert [b.path for b in broken] == [bad]
    assert re.search(reason, broken[0].reason, re.IGNORECASE)


def test_a_broken_score_is_left_out(store: Store) -> None:
    run = store.write_run(record())
    store.write_score(score())
    (run.folder / "scores" / "STS12@x.json").write_text("{}")
    broken: list[Broken] = []
    assert [s.task for s in run.scores(broken.append)] == ["STS-B"]
    assert len(broken) == 1


def test_scores_of_other_weights_or_runs_do_not_count(store: Store) -> None:
    run = store.write_run(record(sha="new"))
    store.write_score(score(sha="old"))
    (run.folder / "scores" / "copied.json").write_text(score("b" * 16, sha="new").model_dump_json())
    assert run.scores() == []


def test_find_by_prefix(store: Store) -> None:
    for name in ("ab" * 8, "ac" * 8, "bb" * 8):
        store.write_run(record(name))
    assert store.find("b").train_id == "bb" * 8
    assert store.find("ab" * 8).train_id == "ab" * 8
    with pytest.raises(UsageError, match=r"several runs(.|\n)*abab(.|\n)*acac") as caught:
        store.find("a")
    assert "bbbb" not in str(caught.value)
    with pytest.raises(UsageError, match=r"no run(.|\n)*bbbb"):
        store.find("f")
    with pytest.raises(UsageError, match="--results"):
        Store(store.path / "none").find("a")


# -- writing ----------------------------------------------------------------------------------------------------------
def fail_with(number: int) -> Any:
    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "full.*--keep none"),
        (errno.EDQUOT, "full"),
        (errno.EROFS, "--results DIR"),
        (errno.EACCES, "--results DIR"),
        (errno.EIO, "check the disk"),
    ],
)
def test_system_errors_are_one_sentence_with_the_next_step(
    store: Store, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    store.write_run(record())
    monkeypatch.setattr(Path, "replace", fail_with(number))
    with pytest.raises(StoreError, match=words):
        store.write_run(record(status="failed", reason="x"))
    monkeypatch.undo()
    assert [run.record.status for run in store.iter_runs()] == ["ok"]  # the old record is whole
    assert [p.name for p in store.folder("a" * 16).iterdir()] == ["run.json"]  # and nothing lies about


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    for doing in (Store(tmp_path / "results").check_writable, lambda: Store(tmp_path / "results").write_run(record())):
        with pytest.raises(StoreError, match=r"is a file|--results"):
            doing()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    folder.chmod(0o555)
    with pytest.raises(StoreError, match="--results DIR"):
        Store(folder).check_writable()


def test_killed_while_writing_the_old_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    write_atomic(path, b"old")

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"


def test_lock(store: Store) -> None:
    with store.lock("a" * 16), pytest.raises(Busy, match="another process"), store.lock("a" * 16, wait=False):
        pass
    with store.lock("a" * 16, wait=False), store.lock("b" * 16, wait=False):
        pass


class Savable:
    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def save(self, folder: Path) -> None:
        (folder / "model.safetensors").write_text("weights")
        if self.error:
            raise self.error


def test_an_embedder_is_saved_whole_or_not_at_all(store: Store) -> None:
    run = store.write_run(record())
    assert not store.save_embedder(run.train_id, object())
    assert run.embedder_folder is None
    with pytest.raises(ValueError, match="odd"):
        store.save_embedder(run.train_id, Savable(ValueError("odd")))
    with pytest.raises(StoreError, match="full"):
        store.save_embedder(run.train_id, Savable(RuntimeError("I/O error: No space left on device (os error 28)")))
    assert sorted(p.name for p in run.folder.iterdir()) == ["run.json"]
    assert store.save_embedder(run.train_id, Savable())
    assert store.save_embedder(run.train_id, Savable())  # again, over the old one
    assert [p.name for p in (run.embedder_folder or Path()).iterdir()] == ["model.safetensors"]
    assert (run.embedder_folder or Path()).stat().st_mode & 0o777 == 0o755


@given(st.text(min_size=1, max_size=20), st.sampled_from(["test", "dev"]), st.text(min_size=1, max_size=10))
def test_score_names_are_plain_file_names(task: str, split: str, protocol: str) -> None:
    name = score_name(task, split, protocol)
    assert name == os.path.basename(name)
    assert name.isascii()
    assert name.endswith(".json")
    assert name.count("@") == 1
    assert not name.startswith(".") or task.startswith(".")


# -- export -----------------------------------------------------------------------------------------------------------
def test_export_copies_the_kept_weights(store: Store, tmp_path: Path) -> None:
    run = store.write_run(record())
    store.save_embedder(run.train_id, Savable())
    where = export_run(run, tmp_path / "new" / "home")
    assert [p.name for p in where.iterdir()] == ["model.safetensors"]
    with pytest.raises(UsageError, match="not an empty folder"):
        export_run(run, where)
    (tmp_path / "empty").mkdir()
    assert export_run(run, tmp_path / "empty").is_dir()
    assert run.embedder_folder is not None  # copied, not moved


def test_export_explains_what_is_missing(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--keep all"):
        export_run(store.write_run(record()), tmp_path / "x")
    failed = store.write_run(record("b" * 16, status="failed", reason="the loss is NaN"))
    with pytest.raises(UsageError, match="the loss is NaN"):
        export_run(failed, tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_full_disk_is_recognised_whichever_library_reports_it(tmp_path):
    reported = RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)")
    with pytest.raises(StoreError, match=r"full.*--keep none"):
        stop_if_full(reported, tmp_path)
    stop_if_full(RuntimeError("something else"), tmp_path)
