"""What is done with a cell: trained, scored again, skipped, failed, killed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from runner_fakes import FakeBench, Trainer, run, spec

from harness.errors import Skipped, TrainingError, UsageError
from harness.records.files import StoreError
from harness.records.store import Store
from harness.runs.runner import prepare


def test_runs_score_and_are_not_done_twice(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    specs = [spec("x", 0), spec("x", 1), spec("y")]
    summary = run(specs, bench, store)
    assert summary.ok
    assert summary.count("finished") == 3
    again = run(specs, bench, store)
    assert [d.status for d in again.done] == ["done"] * 3
    assert len(trainer.calls) == 3
    record = store.get(summary.cells[1].train_id)
    assert record is not None
    assert {s.task_id: s.value for s in record.scores()} == {"A": 51.0, "Dev:dev": 51.0}
    assert record.score("A").gold.tolist() == [0.0, 2.5, 5.0]  # type: ignore[union-attr]
    assert record.score("A").predictions.tolist() == np.float32([0.1, 0.2, 0.3]).tolist()  # type: ignore[union-attr]
    assert not (record.folder / "checkpoint").exists()
    assert record.curves()[0]["value"] == 0.5
    assert record.record.seconds["score"] > 0  # what a dry run predicts from
    assert record.record.energy == {}  # nobody measured it


def test_a_run_trained_again_still_stands_where_it_stood(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    first = run([spec("x")], bench, store, keep="none")
    other = spec("x", tasks=("A", "B")).model_copy(update={"suite": "other"})
    assert run([other], bench, store, keep="none").cells[0].train_id == first.cells[0].train_id
    found = store.get(first.cells[0].train_id)
    assert found is not None
    assert len(trainer.calls) == 2
    assert sorted(at.suite for at in found.record.listings) == sorted(["other", spec("x").suite])


def test_a_run_trained_again_keeps_what_other_suites_could_not_score(
    bench: FakeBench, store: Store, trainer: Trainer
) -> None:
    name = run([spec("x", tasks=("A", "Broken"))], bench, store, keep="none").cells[0].train_id
    shutil.rmtree(store.folder(name) / "embedder")  # kept, as a task failed
    run([spec("x", tasks=("A", "B"))], bench, store, keep="none")
    found = store.get(name)
    assert found is not None
    assert len(trainer.calls) == 2
    assert set(found.record.problems) == {"Broken"}


def test_what_a_suite_says_by_itself_is_no_override(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    asked = spec("x").model_copy(update={"overrides": {"x": 1}})
    first = run([asked], bench, store)
    found = store.get(first.cells[0].train_id)
    assert found is not None
    assert found.record.spec.overrides == {"x": 1}
    again = run([spec("x")], bench, store)
    assert [done.status for done in again.done] == ["done"]
    found = store.get(first.cells[0].train_id)
    assert found is not None
    assert found.record.spec.overrides == {}


def test_a_failed_run_is_a_record_and_the_plan_goes_on(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    trainer.values["bad"] = TrainingError("the loss is NaN")
    summary = run([spec("bad"), spec("x")], bench, store)
    assert not summary.ok
    assert [d.status for d in summary.done] == ["failed", "finished"]
    record = store.get(summary.cells[0].train_id).record  # type: ignore[union-attr]
    assert record.status == "failed"
    assert record.reason == "the loss is NaN"
    assert "TrainingError" in (record.traceback or "")
    trainer.values["bad"] = 40.0
    assert run([spec("bad"), spec("x")], bench, store).ok
    assert trainer.calls == [("bad", 0), ("x", 0), ("bad", 0)]


@pytest.mark.parametrize("row", ["skipping", "asks"])
def test_a_skip_is_a_record_and_no_failure(bench: FakeBench, store: Store, trainer: Trainer, row: str) -> None:
    trainer.values["asks"] = Skipped("no licence")
    summary = run([spec(row)], bench, store)
    assert summary.ok
    assert summary.done[0].status == "skipped"
    record = store.get(summary.cells[0].train_id).record  # type: ignore[union-attr]
    assert (record.status, record.traceback) == ("skipped", None)
    assert record.reason


class Killed(BaseException):
    """What a kill looks like from inside: nothing after it runs."""


@pytest.mark.parametrize("survivors", [0, 1, 2])
def test_killed_between_score_files_nothing_is_trained_twice(
    bench: FakeBench, store: Store, trainer: Trainer, monkeypatch: pytest.MonkeyPatch, survivors: int
) -> None:
    real, written = Store.write_score, []

    def write(self: Store, record: Any) -> Path:
        if len(written) == survivors:
            raise Killed
        written.append(record.task)
        return real(self, record)

    specs = [spec("x", tasks=("A", "B", "C"))]
    with monkeypatch.context() as patch:
        patch.setattr(Store, "write_score", write)
        with pytest.raises(Killed):
            run(specs, bench, store, keep="none")
    summary = run(specs, bench, store, keep="none")
    assert [d.status for d in summary.done] == ["scored"]
    assert len(trainer.calls) == 1
    found = store.get(summary.cells[0].train_id)
    assert found is not None
    assert {s.task for s in found.scores()} == {"A", "B", "C"}
    assert found.embedder_folder is None  # --keep none holds now that all is scored


def test_interrupted_training_keeps_its_checkpoint(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    trainer.values["x"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        run([spec("w"), spec("x"), spec("y")], bench, store)
    plan = prepare([spec("w"), spec("x"), spec("y")], bench, store)
    assert [p.todo.step for p in plan] == ["nothing", "train", "train"]
    assert (store.folder(plan[1].cell.train_id) / "checkpoint" / "state").exists()
    trainer.values["x"] = 1.0
    assert run([spec("w"), spec("x"), spec("y")], bench, store).ok
    assert [row for row, _ in trainer.calls] == ["w", "x", "x", "y"]


def test_a_damaged_record_is_run_again(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    summary = run([spec("x"), spec("y")], bench, store)
    (store.folder(summary.cells[0].train_id) / "run.json").write_text('{"schema_version": 1, "train')
    assert [p.todo.step for p in prepare([spec("x"), spec("y")], bench, store)] == ["train", "nothing"]
    assert run([spec("x"), spec("y")], bench, store).ok
    assert len(trainer.calls) == 3


def test_a_failing_second_training_leaves_the_first_results(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    first = run([spec("x")], bench, store, keep="none")
    trainer.values["x"] = TrainingError("out of luck")
    summary = run([spec("x", tasks=("A", "B"))], bench, store)
    assert not summary.ok
    found = store.get(first.cells[0].train_id)
    assert found is not None
    assert found.record.status == "ok"
    assert found.score("A") is not None
    assert found.record.problems["B"].reason == "out of luck"


def test_one_run_in_two_suites_is_trained_once_and_listed_in_both(
    bench: FakeBench, store: Store, trainer: Trainer
) -> None:
    run([spec("x")], bench, store)
    summary = run([spec("x", suite="other", scale="small")], bench, store)
    assert [d.status for d in summary.done] == ["done"]
    record = store.get(summary.cells[0].train_id).record  # type: ignore[union-attr]
    assert [(at.suite, at.scale) for at in record.listings] == [("fake", "smoke"), ("other", "small")]


def test_nothing_is_computed_for_a_folder_that_cannot_be_written(
    bench: FakeBench, trainer: Trainer, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store(tmp_path / "file" / "results")
    with pytest.raises(StoreError, match="--results"):
        run([spec("x")], bench, store)
    assert trainer.calls == []


def test_a_full_disk_stops_the_plan(
    bench: FakeBench, store: Store, trainer: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.replace

    def full(self: Path, target: Any) -> Path:
        if Path(target).name == "run.json":
            raise OSError(28, os.strerror(28))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StoreError, match="full"):
        run([spec("x"), spec("y")], bench, store)
    assert trainer.calls == [("x", 0)]
    assert list(store.iter_runs()) == []


def test_equal_rows_are_one_run(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    class Same(FakeBench):
        def cell(self, spec: Any) -> Any:
            cell = super().cell(spec.model_copy(update={"row": "x"}))
            return type(cell)(spec, cell.train_id, cell.identity)

    summary = run([spec("x", config={}), spec("twin", config={})], Same(), store)
    assert len(trainer.calls) == 1
    assert len(summary.done) == 2
    record = next(store.iter_runs()).record
    assert [at.row for at in record.listings] == ["x", "twin"]


@pytest.mark.parametrize("bad", [{"keep": "some"}, {"jobs": 0}])
def test_bad_options(bench: FakeBench, store: Store, trainer: Trainer, bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        run([spec("x")], bench, store, **bad)
