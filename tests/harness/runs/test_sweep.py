"""A sweep tries every setting, looks at the dev split alone, and scores nothing but what it chose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runner_fakes import FakeBench, FakeEmbedder, Trainer

from harness import stages
from harness.errors import UsageError
from harness.records.store import Store
from harness.runs import cells
from harness.runs.plan import Options
from harness.runs.sweep import plan_trials, run_sweep
from harness.runs.sweep_space import draws, grid
from harness.suite import Suite, parse_suite

SUITE = """[suite]
name = "fake"
title = "Fake"
default_scale = "smoke"
select_on = "Dev:dev"
columns = [{ title = "A", task = "A" }, { title = "Dev", task = "Dev:dev" }]
[scales.smoke]
data = "sample"
corpus = "sample"
seeds = [0, 1]
[[rows]]
label = "untrained"
method = "untrained"
anchor = true
[[rows]]
label = "simcse"
method = "simcse"
[[rows]]
label = "sda"
method = "sda"
set = { operator = "pi" }
"""
OPTIONS = Options(encoder="base")
#: score of a trial by row and rate, before the seed is added
VALUES: dict[tuple[str, float], Any] = {
    ("simcse", 1e-5): 50.0,
    ("simcse", 2e-5): 60.0,
    ("simcse", 3e-5): 60.0,
    ("sda", 1e-5): 70.0,
    ("sda", 2e-5): RuntimeError("broke"),
    ("sda", 3e-5): 40.0,
}


@pytest.fixture
def suite() -> Suite:
    found = parse_suite(SUITE.encode(), "fake.toml")
    assert isinstance(found, Suite)
    return found


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


@pytest.fixture
def trainer(monkeypatch: pytest.MonkeyPatch) -> Trainer:
    trainer = Trainer(**{f"{row} {rate}": value for (row, rate), value in VALUES.items()})
    real = cells._train

    def train(cell: Any, *args: Any, **more: Any) -> Any:
        trainer.row = f"{cell.spec.row} {cell.spec.config.get('learning_rate')}"
        return real(cell, *args, **more)

    monkeypatch.setattr(cells, "_train", train)
    monkeypatch.setattr(stages, "execute", trainer)
    monkeypatch.setattr("harness.encoder.TextEmbedder", FakeEmbedder)
    monkeypatch.setattr("harness.provenance.hardware", lambda: {"cpu": "fake"})
    return trainer


RATES = grid(["learning_rate=1e-5,2e-5,3e-5"])


def test_best_on_dev_is_chosen_and_alone_scored_on_the_tasks(suite: Suite, store: Store, trainer: Trainer) -> None:
    swept = run_sweep(suite, OPTIONS, RATES, FakeBench(), store)
    chosen = {row.label: row.trials[row.chosen or 0] for row in swept.rows}
    # of equals the earlier one; a trial that failed is not chosen
    assert {label: trial.settings["learning_rate"] for label, trial in chosen.items()} == {"simcse": 2e-5, "sda": 1e-5}
    assert chosen["simcse"].mean == 60.5
    assert chosen["simcse"].std == pytest.approx(0.5**0.5)
    for row in swept.rows:
        for number, trial in enumerate(row.trials):
            for train_id in trial.runs:
                run = store.get(train_id)
                assert run is not None  # all trials are kept as records
                assert (run.score("A") is not None) == (number == row.chosen)
                assert run.record.notes.get("sweep", {}).get("trials") == (3 if run.record.status == "ok" else None)
    assert not swept.ok  # one trial failed
    table = swept.table(store)
    assert {line.label: line.cells[0].mean for line in table.lines} == {"untrained": 50.0, "simcse": 60.5, "sda": 70.5}
    assert "set" not in table.facts
    assert table.facts["sweep"] == "3 trials per trained row over learning_rate"


def test_weights_stay_as_asked(suite: Suite, store: Store, trainer: Trainer) -> None:
    swept = run_sweep(suite, OPTIONS, RATES, FakeBench(), store, keep="best")
    kept = {run.train_id for run in store.iter_runs() if run.embedder_folder and run.record.spec.row != "untrained"}
    best = {row.trials[row.chosen or 0].runs[1] for row in swept.rows}  # seed 1 scores higher
    assert kept == best
    none = Store(store.path.parent / "none")
    run_sweep(suite, OPTIONS, RATES, FakeBench(), none, keep="none")
    assert not [run for run in none.iter_runs() if run.embedder_folder]


def test_a_sweep_continues_and_more_draws_train_only_what_is_new(suite: Suite, store: Store) -> None:
    trained: list[str] = []

    class Counting(Trainer):
        def __call__(self, method: Any, **given: Any) -> Any:
            trained.append(self.row)
            return super().__call__(method, **given)

    monkeypatch = pytest.MonkeyPatch()
    trainer = Counting()
    real = cells._train

    def train(cell: Any, *args: Any, **more: Any) -> Any:
        trainer.row = cell.train_id
        return real(cell, *args, **more)

    monkeypatch.setattr(cells, "_train", train)
    monkeypatch.setattr(stages, "execute", trainer)
    monkeypatch.setattr("harness.encoder.TextEmbedder", FakeEmbedder)
    monkeypatch.setattr("harness.provenance.hardware", lambda: {"cpu": "fake"})
    try:
        space = ["learning_rate=1e-5..1e-3:log"]
        first = run_sweep(suite, OPTIONS, draws(2, space), FakeBench(), store)
        assert len(trained) == 1 + 2 * 2 * 2
        again = run_sweep(suite, OPTIONS, draws(2, space), FakeBench(), store)
        assert len(trained) == 1 + 2 * 2 * 2
        assert again.as_json() == first.as_json()
        run_sweep(suite, OPTIONS, draws(3, space), FakeBench(), store)
        assert len(trained) == 1 + 2 * 3 * 2
    finally:
        monkeypatch.undo()
    written = [json.loads(path.read_text()) for path in (store.path / "sweeps").glob("fake-*.json")]
    assert sorted(one["trials_per_row"] for one in written) == [2, 3]
    assert all(one["dev"] == "Dev:dev" and "highest mean dev score" in one["rule"] for one in written)


def test_weights_of_another_call_are_not_touched(suite: Suite, store: Store, trainer: Trainer) -> None:
    from harness.runs.plan import expand
    from harness.runs.runner import prepare, run_plan

    bench = FakeBench()
    specs = [
        s for s in expand(suite, OPTIONS.model_copy(update={"overrides": {"learning_rate": 3e-5}})) if s.row == "sda"
    ]
    mine = run_plan(prepare(specs, bench, store), bench, store, keep="all")
    run_sweep(suite, OPTIONS, RATES, bench, store, keep="none")
    assert all((store.folder(cell.train_id) / "embedder").is_dir() for cell in mine.cells)


def test_every_trained_row_gets_the_same_budget(suite: Suite) -> None:
    with pytest.raises(UsageError, match=r"'simcse' would get 1 of 2 trials, because 'simcse' has no setting 'margin'"):
        plan_trials(suite, OPTIONS, grid(["margin=0.3,0.5"]))
    with pytest.raises(UsageError, match=r"'simcse' would get 2 of 4 trials"):
        plan_trials(suite, OPTIONS, grid(["learning_rate=1e-5,2e-5", "margin=0.3,0.5"]))
    # drawn together, every row has as many different settings
    assert (
        len(plan_trials(suite, OPTIONS, draws(4, ["learning_rate=1e-5..1e-3:log", "margin=0.1..0.9"]))["simcse"]) == 4
    )
    rows = plan_trials(suite, OPTIONS, RATES)
    assert {label: len(trials) for label, trials in rows.items()} == {"simcse": 3, "sda": 3}
    assert {spec.tasks for trials in rows.values() for runs in trials for spec in runs} == {("Dev:dev",)}


def test_a_sweep_needs_a_dev_task_and_free_settings(suite: Suite) -> None:
    without = parse_suite(SUITE.replace('select_on = "Dev:dev"\n', "").encode(), "fake.toml")
    assert isinstance(without, Suite)
    with pytest.raises(UsageError, match="names no dev task"):
        plan_trials(without, OPTIONS, RATES)
    with pytest.raises(UsageError, match="swept and set"):
        plan_trials(suite, OPTIONS.model_copy(update={"overrides": {"learning_rate": 1e-5}}), RATES)
    with pytest.raises(UsageError, match="cannot be overridden"):
        plan_trials(suite, OPTIONS, grid(["operator=pi,mv"]))
    with pytest.raises(UsageError, match="learning_rat"):
        plan_trials(suite, OPTIONS, grid(["learning_rat=1,2"]))
