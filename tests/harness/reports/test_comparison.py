from __future__ import annotations

import numpy as np
import pytest

from harness.data import DataFolder, ScoredPairs
from harness.records.schema import ScoreRecord, ScoreValue, pack
from harness.reports.comparison import compare_scores
from harness.statistics import correlation, paired_accuracy, paired_bootstrap, paired_means
from harness.tasks import resolve_tasks
from harness.tasks.sts import STSTask


def sts(name="Own", n=60, split="test"):
    rng = np.random.default_rng(1)
    pairs = tuple((f"{name} {i} a", f"{name} {i} b") for i in range(n))
    return STSTask(name, {split: ScoredPairs(np.round(rng.uniform(0, 5, n), 1), pairs)}, language="en", split=split)


def record(task, *, noise: float, seed: int = 0, with_gold: bool = True, **changes) -> ScoreRecord:
    rng = np.random.default_rng(seed)
    predictions = (task.gold / 10 + noise * rng.normal(size=len(task.gold))).astype(np.float32)
    value = correlation(task.gold, predictions)
    fields = {
        "train_id": "0" * 16,
        "eval_id": "1" * 16,
        "task": task.name,
        "split": task.split,
        "language": task.language,
        "protocol": task.protocol.id,
        "protocol_fingerprint": task.protocol.fingerprint(),
        "data_sha": task.data_sha,
        "embedder_sha": "2" * 64,
        "main": task.main,
        "scores": (ScoreValue(metric="spearman", aggregation="all", value=value, items=len(predictions)),),
        "groups": task.groups,
        "finished": "2026-01-01T00:00:00Z",
        "packed_predictions": pack(predictions, "<f2"),
        "packed_gold": pack(task.gold, "<f4") if with_gold else None,
    }
    return ScoreRecord(**{**fields, **changes})


def test_the_difference_is_the_paired_bootstrap_of_the_stored_predictions():
    a, b = record(sts(), noise=0.4), record(sts(), noise=0.1, seed=1)
    (row,) = compare_scores([a], [b], resamples=500, seed=3)
    assert row.difference == paired_bootstrap(a.gold, a.predictions, b.predictions, resamples=500, seed=3)
    assert (row.a, row.b) == (a.value, b.value)
    assert (row.task, row.items, row.metric, row.aggregation) == ("Own", 60, "spearman", "all")
    assert row.reason is None
    assert row.difference.value == pytest.approx(row.b - row.a, abs=0.2)  # predictions are kept in half precision


def test_tasks_of_one_run_only_and_other_protocols_are_listed_and_not_compared():
    a = [record(sts(), noise=0.4), record(sts("X"), noise=0.4)]
    b = [record(sts(), noise=0.4), record(sts("X"), noise=0.4, protocol="sts-senteval@1"), record(sts("Y"), noise=0.3)]
    rows = compare_scores(a, b, resamples=100)
    assert [(r.task, r.difference is not None) for r in rows] == [
        ("Own", True),
        ("X", False),
        ("X", False),
        ("Y", False),
    ]
    assert [r.reason and "only the" in r.reason for r in rows] == [None, True, True, True]
    assert (rows[1].b, rows[3].a) == (None, None)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"data_sha": "other"}, "different data"),
        ({"scores": (ScoreValue(metric="spearman", aggregation="all", value=None, items=60),)}, "undefined"),
        ({"packed_predictions": pack(np.zeros(59, dtype=np.float32), "<f2")}, "do not fit"),
    ],
)
def test_what_cannot_be_compared_says_why(changes, reason):
    (row,) = compare_scores([record(sts(), noise=0.4)], [record(sts(), noise=0.4, **changes)], resamples=100)
    assert row.difference is None
    assert reason in row.reason


def classified(seed: int, *, right: float = 0.7, **changes) -> ScoreRecord:
    rng = np.random.default_rng(seed)
    gold = np.arange(80) % 4
    predictions = np.where(rng.random(80) < right, gold, (gold + 1) % 4)
    value = 100.0 * float((predictions == gold).mean())
    fields = {
        "main": ("accuracy", "all"),
        "scores": (ScoreValue(metric="accuracy", aggregation="all", value=value, items=80),),
        "groups": {"test": 80},
        "packed_predictions": pack(predictions, "<f4"),
        "predictions_dtype": "<f4",
        "packed_gold": pack(gold, "<f4"),
    }
    return record(sts(), noise=0.1, **{**fields, **changes})


def test_accuracies_are_compared_by_mcnemars_test():
    a, b = classified(0), classified(1, right=0.9)
    (row,) = compare_scores([a], [b], resamples=500)
    assert row.difference == paired_accuracy(a.gold, a.predictions, b.predictions, resamples=500)
    assert row.difference.test == "McNemar exact"
    assert row.difference.value == pytest.approx(row.b - row.a)


def test_test_items_that_a_task_repeats_are_items_once():
    groups = {"split 1": 20, "split 2": 20, "split 3": 20, "split 4": 20}
    a, b = classified(0, groups=groups), classified(1, right=0.9, groups=groups)
    (row,) = compare_scores([a], [b], resamples=500)
    right_a, right_b = ((r.predictions == r.gold).reshape(4, 20).mean(axis=0) for r in (a, b))
    assert row.difference == paired_means(right_a, right_b, resamples=500)
    assert row.difference.test == "paired bootstrap"
    assert row.difference.value == pytest.approx(row.b - row.a)


def test_an_accuracy_of_something_else_than_the_predictions_is_not_tested():
    score = ScoreValue(metric="accuracy", aggregation="all", value=12.0, items=80)
    (row,) = compare_scores([classified(0, scores=(score,))], [classified(1)], resamples=100)
    assert row.difference is None
    assert "not that of the stored predictions" in row.reason


def test_other_metrics_have_no_paired_test():
    score = ScoreValue(metric="nmi", aggregation="all", value=81.0, items=60)
    a, b = (record(sts(), noise=0.4, main=("nmi", "all"), scores=(score,)) for _ in range(2))
    (row,) = compare_scores([a], [b])
    assert row.difference is None
    assert "no paired test for nmi/all" in row.reason


def test_gold_from_the_data_folder(tmp_path):
    path = tmp_path / "sts/en/Own/test.tsv"
    path.parent.mkdir(parents=True)
    task = sts()
    lines = [f"{g}\t{a}\t{b}\n" for g, (a, b) in zip(task.gold, task.pairs, strict=True)]
    path.write_text("".join(lines), encoding="utf-8")
    data = DataFolder(tmp_path)
    (read,) = resolve_tasks(["Own"], data=data, language="en")
    assert read.data_sha == task.data_sha
    a, b = (record(task, noise=n, with_gold=False) for n in (0.4, 0.1))
    (without,) = compare_scores([a], [b], resamples=100)
    assert "--data DIR" in without.reason
    (with_data,) = compare_scores([a], [b], data=data, resamples=100)
    assert with_data.difference is not None
    path.write_text("".join(lines[:-1]), encoding="utf-8")
    (other,) = compare_scores([a], [b], data=data, resamples=100)
    assert "other data" in other.reason
