"""Predictions come from records of the same method, encoder and machine; where there is none, nothing is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runner_fakes import FakeBench, FakeEmbedder, Trainer, spec

from harness import stages
from harness.records.store import Store
from harness.runs import cells
from harness.runs.cost import predict, read_sentences, sentences_per_second
from harness.runs.runner import prepare, run_plan

CONFIG = {"batch_size": 1, "eval_every": 1, "epochs": 1}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    trainer = Trainer()
    real = cells._train

    def train(cell: Any, *args: Any, **more: Any) -> Any:
        trainer.row = cell.spec.row
        return real(cell, *args, **more)

    monkeypatch.setattr(cells, "_train", train)
    monkeypatch.setattr(stages, "execute", trainer)
    monkeypatch.setattr("harness.encoder.TextEmbedder", FakeEmbedder)
    monkeypatch.setattr("harness.provenance.hardware", lambda: {"cpu": "fake", "cores": 2, "gpu": None})
    return Store(tmp_path / "results")


def done(store: Store, config: dict[str, Any], seconds: dict[str, float], *, looks: int = 3, **more: Any) -> None:
    """A finished run of two sentences whose clock showed `seconds`."""
    bench = FakeBench()
    summary = run_plan(prepare([spec(config=config, **more)], bench, store), bench, store, keep="all")
    run = store.get(summary.cells[0].train_id)
    assert run is not None
    notes = {**run.record.notes, "training_rows": 2, "selection": {"looks": looks}}
    peak = {"host": seconds["total"]}
    store.write_run(run.record.model_copy(update={"seconds": seconds, "notes": notes, "peak_memory_mib": peak}))


def predicted(store: Store, *specs: Any) -> Any:
    return predict(prepare(specs, FakeBench(), store), FakeBench(), store)


def test_nothing_is_predicted_from_nothing(store: Store) -> None:
    (one,), total = predicted(store, spec(config=CONFIG))
    assert (one.train, one.score, one.seconds, one.rate) == (None, None, None, None)
    assert one.basis == "no earlier run of untrained with this encoder on this machine"
    assert (total.seconds, total.unknown, total.unscored) == (0.0, 1, 0)


def test_a_longer_run_costs_in_proportion_and_looks_are_counted_apart(store: Store) -> None:
    # 2 sentences in 10 s, of which 6 s were 3 looks at the dev split; scoring took 5 s
    done(store, {**CONFIG, "seed": 9}, {"train": 4.0, "dev": 5.0, "monitor": 1.0, "total": 10.0, "score": 5.0})
    (one,), total = predicted(store, spec(config={**CONFIG, "epochs": 3, "seed": 9}))
    # 6 sentences: 3 × 4 s, and 7 looks of 2 s
    assert one.train == pytest.approx(12 + 14)
    assert one.score == 5.0
    assert one.rate == pytest.approx(2 / 4)
    assert one.memory_mib == {"host": 10.0}
    assert one.basis == "1 earlier run of 2 sentences"
    assert total.seconds == pytest.approx(31)


def test_the_nearest_settings_count_and_of_these_the_median(store: Store) -> None:
    done(store, {**CONFIG, "a": 1, "b": 1}, {"total": 10.0, "score": 1.0}, seed=1)
    done(store, {**CONFIG, "a": 1, "b": 1}, {"total": 20.0, "score": 2.0}, seed=2)
    done(store, {**CONFIG, "a": 1, "b": 1}, {"total": 60.0, "score": 9.0}, seed=3)
    done(store, {**CONFIG, "a": 2, "b": 2}, {"total": 500.0, "score": 2.0}, seed=4)
    (one,), _ = predicted(store, spec(config={**CONFIG, "a": 1, "b": 1}, seed=7))
    assert (one.train, one.score) == (20.0, 2.0)
    assert one.memory_mib == {"host": 60.0}
    assert one.basis.startswith("3 earlier runs")


def test_other_machines_encoders_and_tasks_do_not_count(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    done(store, CONFIG, {"total": 10.0, "score": 1.0})
    (one,), total = predicted(store, spec(config=CONFIG, seed=1, tasks=("A", "B")))
    assert (one.train, one.score, one.seconds) == (10.0, None, None)
    assert "scoring these tasks is not known" in one.basis
    assert (total.seconds, total.unknown, total.unscored) == (10.0, 0, 1)
    monkeypatch.setattr("harness.provenance.hardware", lambda: {"cpu": "other", "cores": 2, "gpu": None})
    (one,), _ = predicted(store, spec(config=CONFIG, seed=1))
    assert one.train is None


def test_what_is_done_costs_nothing_and_a_run_in_two_rows_counts_once(store: Store) -> None:
    done(store, CONFIG, {"total": 10.0, "score": 1.0})
    again, new, same = spec(config=CONFIG), spec(config=CONFIG, seed=1), spec(config=CONFIG, seed=1)
    found, total = predicted(store, again, new, same)
    assert [one.seconds for one in found] == [0.0, 11.0, 11.0]
    assert found[0].basis == "done"
    assert total.seconds == 11.0


def test_sentences_read() -> None:
    assert read_sentences({}, 100) == 100
    assert read_sentences({"epochs": 2, "batch_size": 10}, 100) == 200
    assert read_sentences({"epochs": 2, "batch_size": 10, "max_steps": 3}, 100) == 30


def test_a_run_that_was_not_trained_has_no_rate(store: Store) -> None:
    done(store, CONFIG, {"total": 10.0})
    (run,) = store.iter_runs()
    assert sentences_per_second(run.record) is None
