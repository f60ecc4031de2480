"""Tasks that cannot be scored, or not here."""

from __future__ import annotations

import pytest
from runner_fakes import PROTOCOL, FakeBench, FakeTask, Trainer, run, spec

from harness.records.store import Store
from harness.runs.runner import prepare
from harness.tasks.absent import AbsentTask


def test_a_task_that_cannot_be_scored_takes_no_other_with_it(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    summary = run([spec("x", tasks=("A", "Broken", "B"))], bench, store)
    assert [d.status for d in summary.done] == ["failed"]
    found = store.get(summary.cells[0].train_id)
    assert found is not None
    assert {s.task_id for s in found.scores()} == {"A", "B"}
    assert "no score today" in found.record.problems["Broken"].reason
    assert run([spec("x", tasks=("A", "B"))], bench, store).ok
    assert len(trainer.calls) == 1


def absent(name: str) -> AbsentTask:
    return AbsentTask(name, "test", PROTOCOL, ("f1", "all"), language="en", reason=f"{name} is not at hand")


def test_what_cannot_be_measured_here_is_noted_once_and_asks_for_no_weights(
    bench: FakeBench, store: Store, trainer: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = spec("x", tasks=("A", "QQP"))
    with monkeypatch.context() as patch:
        patch.setattr(FakeBench, "tasks", lambda self, spec: [FakeTask("A"), absent("QQP")])
        name = run([here], bench, store, keep="none").cells[0].train_id
        found = store.get(name)
        assert found is not None
        assert found.embedder_folder is None
        assert {task: p.status for task, p in found.record.problems.items()} == {"QQP": "skipped"}
        assert prepare([here], bench, store)[0].todo.step == "nothing"
        assert [done.status for done in run([here], bench, store).done] == ["done"]
    assert len(trainer.calls) == 1
    # the data has come
    assert prepare([here], bench, store)[0].todo.step == "train"
    assert run([here], bench, store).ok
    found = store.get(name)
    assert found is not None
    assert found.record.problems == {}
    assert {score.task for score in found.scores()} == {"A", "QQP"}


def test_a_finished_run_learns_what_cannot_be_measured_without_its_weights(
    bench: FakeBench, store: Store, trainer: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = run([spec("x", tasks=("A",))], bench, store, keep="none").cells[0].train_id
    monkeypatch.setattr(FakeBench, "tasks", lambda self, spec: [FakeTask("A"), absent("QQP")])
    assert run([spec("x", tasks=("A", "QQP"))], bench, store).ok
    found = store.get(name)
    assert found is not None
    assert found.record.problems["QQP"].reason == "QQP is not at hand"
    assert len(trainer.calls) == 1
