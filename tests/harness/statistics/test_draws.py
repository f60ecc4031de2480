from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import f1_score

from harness.statistics import (
    AGGREGATIONS,
    MEASURES,
    METRICS,
    average_draws,
    correlation,
    draw_scores,
    fixed_draws,
    kernels,
)
from harness.statistics.kernels import kernel


def slow(gold: np.ndarray, predictions: np.ndarray, measure: str) -> float:
    if measure == "spearman":
        return 100 * stats.spearmanr(gold, predictions)[0]
    if measure == "pearson":
        return 100 * stats.pearsonr(gold, predictions)[0]
    if measure == "f1":
        return 100 * f1_score(gold == 1, predictions == 1, zero_division=np.nan)
    return 100 * float(np.mean(predictions == gold if measure == "accuracy" else predictions))


@pytest.mark.parametrize("measure", MEASURES)
@given(seed=st.integers(0, 1000))
def test_a_kernel_gives_what_repeating_the_items_gives(measure, seed):
    rng = np.random.default_rng(seed)
    gold = rng.integers(3, size=25).astype(float)
    predictions = np.stack([rng.integers(3, size=25), rng.normal(size=25).round(1)])
    drawn = rng.integers(25, size=(4, 25))
    counts = np.stack([np.bincount(row, minlength=25) for row in drawn], axis=1).astype(float)
    with np.errstate(invalid="ignore"):
        found = kernel(gold, predictions, measure)(counts)
    for system in range(2):
        for row in range(4):
            expected = slow(gold[drawn[row]], predictions[system][drawn[row]], measure)
            assert found[system, row] == pytest.approx(expected, abs=1e-8, nan_ok=True)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_the_observed_score_is_the_tasks(metric, aggregation):
    rng = np.random.default_rng(0)
    gold, predictions = rng.integers(6, size=30).astype(float), rng.normal(size=(3, 30))
    found = draw_scores(gold, predictions, metric=metric, aggregation=aggregation, groups=[12, 18], resamples=5)
    assert found.resampled.shape == (5, 3)
    for run in range(3):
        expected = correlation(gold, predictions[run], metric=metric, aggregation=aggregation, groups=[12, 18])
        assert found.observed[run] == pytest.approx(expected)


def test_batches_draw_the_same_items(monkeypatch):
    rng = np.random.default_rng(0)
    gold, predictions = rng.normal(size=20), rng.normal(size=(2, 20))
    whole = draw_scores(gold, predictions, resamples=30, seed=3)
    monkeypatch.setattr(kernels, "BATCH_NUMBERS", 60)
    assert draw_scores(gold, predictions, resamples=30, seed=3).resampled == pytest.approx(whole.resampled)
    assert not np.allclose(draw_scores(gold, predictions, resamples=30, seed=4).resampled, whole.resampled)


@given(st.permutations(range(15)), st.sampled_from(["spearman", "pearson"]))
def test_runs_may_come_in_any_order_and_on_any_scale(order, metric):
    rng = np.random.default_rng(1)
    gold, predictions = rng.normal(size=12), rng.normal(size=(15, 12))
    one = draw_scores(gold, predictions, metric=metric, resamples=4)
    two = draw_scores(3 * gold + 1, 5 * predictions[order] - 2, metric=metric, resamples=4)
    assert one.of(order).resampled == pytest.approx(two.resampled, abs=1e-8)
    assert one.of(order).observed == pytest.approx(two.observed, abs=1e-8)


def test_constant_predictions_are_undefined():
    gold = np.arange(10.0)
    for metric in METRICS:
        found = draw_scores(gold, np.stack([gold, np.full(10, 0.1)]), metric=metric, resamples=3)
        assert np.isnan(found.observed).tolist() == [False, True]
        assert np.isnan(found.resampled[:, 1]).all()
    nothing = draw_scores(np.zeros(10), np.zeros(10), metric="f1", resamples=3)
    assert np.isnan(nothing.observed).all()


def test_averages_of_tasks_and_runs_without_predictions():
    rng = np.random.default_rng(1)
    tasks = [draw_scores(rng.normal(size=9), rng.normal(size=(2, 9)), resamples=6, seed=[0, i]) for i in range(3)]
    mean = average_draws(tasks)
    assert mean.items == 27
    assert mean.resampled == pytest.approx(sum(task.resampled for task in tasks) / 3)
    fixed = fixed_draws([1.0, 2.0], resamples=6)
    assert fixed.items == 0
    assert (fixed.resampled == [1.0, 2.0]).all()
    with pytest.raises(ValueError, match="one number of runs"):
        average_draws([mean, fixed_draws([1.0], resamples=6)])


@pytest.mark.parametrize(
    ("gold", "predictions", "message"),
    [
        (np.zeros(3), np.zeros((2, 4)), "expected gold"),
        (np.zeros(1), np.zeros((2, 1)), "two items"),
        (np.zeros(3), np.array([[1.0, 2.0, np.nan]]), "NaN"),
    ],
)
def test_bad_arguments(gold, predictions, message):
    with pytest.raises(ValueError, match=message):
        draw_scores(gold, predictions)
