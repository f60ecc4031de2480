"""Kept weights: scored again, missed, damaged, replaced by others."""

from __future__ import annotations

import json

import pytest
from runner_fakes import FakeBench, Trainer, run, spec

from harness.records.store import Store
from harness.runs.runner import best_run


def test_a_new_task_is_scored_with_the_kept_weights(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    run([spec("x")], bench, store, keep="all")
    summary = run([spec("x", tasks=("A", "Dev:dev", "B"))], bench, store)
    assert [d.status for d in summary.done] == ["scored"]
    assert len(trainer.calls) == 1


def test_without_weights_the_same_run_is_trained_again_and_says_so(
    bench: FakeBench, store: Store, trainer: Trainer
) -> None:
    first = run([spec("x")], bench, store, keep="none")
    folder = store.folder(first.cells[0].train_id)
    assert not (folder / "embedder").exists()
    summary = run([spec("x", tasks=("A", "Dev:dev", "B"))], bench, store, keep="none")
    assert "trained again" in summary.done[0].notes[0]
    assert summary.cells[0].train_id == first.cells[0].train_id
    assert len(trainer.calls) == 2


@pytest.mark.parametrize("changed", [True, False])
def test_scores_of_other_weights_are_named_when_they_stop_counting(
    bench: FakeBench, store: Store, trainer: Trainer, changed: bool
) -> None:
    name = run([spec("x", suite="first", tasks=("A", "B"))], bench, store, keep="none").cells[0].train_id
    trainer.values["x"] = 60.0 if changed else 50.0
    summary = run([spec("x", suite="second", tasks=("B", "C"))], bench, store)
    said = [note for note in summary.done[0].notes if "no longer count" in note]
    assert said == (
        [
            "trained again it has other weights (another machine or other libraries); its earlier scores no longer count: A. "
            "Score them by running again: first"
        ]
        if changed
        else []
    )
    assert {score.task for score in store.get(name).scores()} == ({"B", "C"} if changed else {"A", "B", "C"})  # type: ignore[union-attr]


def test_damaged_weights_are_noticed(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    first = run([spec("x")], bench, store, keep="all")
    kept = store.folder(first.cells[0].train_id) / "embedder" / "augbench.json"
    kept.write_text(json.dumps({"value": 1.0}))
    summary = run([spec("x", tasks=("A", "B"))], bench, store)
    assert "not those of the record" in summary.done[0].notes[0]
    assert len(trainer.calls) == 2


def test_keep_best_keeps_the_best_seed_when_the_row_is_done(bench: FakeBench, store: Store, trainer: Trainer) -> None:
    specs = [spec("x", seed) for seed in (3, 7, 5)]
    summary = run(specs, bench, store, keep="best")
    kept = [store.get(c.train_id).embedder_folder is not None for c in summary.cells]  # type: ignore[union-attr]
    assert kept == [False, True, False]
    runs = [store.get(c.train_id) for c in summary.cells]
    assert best_run([r for r in runs if r]).record.spec.seed == 7  # type: ignore[union-attr]


def test_weights_kept_on_purpose_are_not_pruned_by_a_later_call(
    bench: FakeBench, store: Store, trainer: Trainer
) -> None:
    specs = [spec("x", 0), spec("x", 1)]
    summary = run(specs, bench, store, keep="all")
    run(specs, bench, store, keep="best")
    assert all(store.get(c.train_id).embedder_folder for c in summary.cells)  # type: ignore[union-attr]
