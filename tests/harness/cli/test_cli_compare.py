from __future__ import annotations

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from harness.cli.compare import compare
from harness.errors import UsageError
from harness.records.schema import (
    CorpusInfo,
    EmbedderInfo,
    EncoderInfo,
    RunInfo,
    RunRecord,
    ScoreRecord,
    ScoreValue,
    pack,
)
from harness.records.store import Store
from harness.statistics import spearman

app = typer.Typer()
app.command("compare")(compare)
app.command("other")(lambda: None)
GOLD = np.round(np.random.default_rng(1).uniform(0, 5, 200), 1)
A, B, EMPTY = "a" * 16, "b" * 16, "c" * 16


def write(store: Store, train_id: str, noise: float, *, tasks: tuple[str, ...]) -> None:
    spec = RunInfo(
        suite="own",
        scale="small",
        row=f"noise {noise}",
        method="simcse",
        config={},
        language="english",
        corpus=CorpusInfo(name="c", sha="1", rows=3),
        encoder=EncoderInfo(name="e"),
        seed=0,
    )
    store.write_run(
        RunRecord(
            train_id=train_id,
            identity={},
            spec=spec,
            status="ok" if tasks else "failed",
            embedder=EmbedderInfo(sha=train_id * 4) if tasks else None,
            started="2026-01-01T00:00:00Z",
            finished="2026-01-01T00:01:00Z",
        )
    )
    for number, task in enumerate(tasks):
        predictions = GOLD / 10 + noise * np.random.default_rng(number).normal(size=200)
        value = spearman(GOLD, predictions)
        store.write_score(
            ScoreRecord(
                train_id=train_id,
                eval_id="1" * 16,
                task=task,
                split="test",
                language="en",
                protocol="sts-original@1",
                protocol_fingerprint={},
                data_sha="d",
                embedder_sha=train_id * 4,
                main=("spearman", "all"),
                scores=(ScoreValue(metric="spearman", aggregation="all", value=value, items=200),),
                finished="2026-01-01T00:01:00Z",
                packed_predictions=pack(predictions, "<f2"),
                packed_gold=pack(GOLD, "<f4"),
            )
        )


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("results"))
    write(store, A, 0.4, tasks=("One", "Two"))
    write(store, B, 0.1, tasks=("One",))
    write(store, EMPTY, 0.1, tasks=())
    return store.path


def call(results, *arguments: str):
    return CliRunner().invoke(app, ["compare", *arguments, "--results", str(results), "--resamples", "500"])


def test_difference_and_interval_per_task(results):
    result = call(results, "aa", "bb")
    assert result.exit_code == 0, result.output
    a, b = (Store(results).get(run).score("One").value for run in (A, B))
    (line,) = [line for line in result.stdout.splitlines() if "One" in line]
    for part in (f"{a:.2f}", f"{b:.2f}", f"{b - a:+.2f}", "200", "< 0.004"):
        assert part in line
    assert "only the first run" in result.stdout
    assert "noise 0.4" in result.stdout


def test_the_order_of_the_runs_gives_the_sign(results):
    assert "+" in next(x for x in call(results, "a", "b").stdout.splitlines() if "One" in x)
    assert "+" not in next(x for x in call(results, "b", "a").stdout.splitlines() if "One" in x)


def test_an_accuracy_is_tested_exactly(tmp_path):
    store = Store(tmp_path)
    for train_id, wrong in ((A, 60), (B, 20)):
        write(store, train_id, 0.1, tasks=("One",))
        gold, value = np.zeros(200), 100 * (200 - wrong) / 200
        change = {
            "main": ("accuracy", "all"),
            "scores": (ScoreValue(metric="accuracy", aggregation="all", value=value, items=200),),
            "packed_predictions": pack(np.arange(200) < wrong, "<f2"),
            "packed_gold": pack(gold, "<f4"),
        }
        store.write_score(store.get(train_id).score("One").model_copy(update=change))
    result = call(tmp_path, "a", "b")
    assert result.exit_code == 0, result.output
    (line,) = [line for line in result.stdout.splitlines() if "One" in line]
    assert "1.82e-12" in line  # 40 items for b, none for a: 2 / 2^40, which no bootstrap of 500 could show
    assert "McNemar" in result.stdout


@pytest.mark.parametrize(
    ("runs", "message"), [(("a", "f"), "'f' matches no run"), (("c", "a"), r"has no scores \(status: failed\)")]
)
def test_mistakes(results, runs, message):
    result = call(results, *runs)
    assert isinstance(result.exception, UsageError)
    with pytest.raises(UsageError, match=message):
        raise result.exception
