from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, average_precision_score
from sklearn.metrics import f1_score as sklearn_f1

from harness.tasks.thresholds import above, average_precision, best_threshold, f1_score


@st.composite
def scored(draw):
    n = draw(st.integers(2, 30))
    # few different values, so that there are ties
    values = draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n))
    gold = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(any))
    return (np.array(values) / 7).astype(np.float32), np.array(gold)


def brute_force(similarities, gold, metric):
    different = sorted({float(value) for value in similarities})
    measure = {"accuracy": lambda g, p: (g == p).mean(), "f1": lambda g, p: 2 * (g & p).sum() / (g.sum() + p.sum())}[
        metric
    ]
    found = [(a + b) / 2 for a, b in pairwise(different)]
    reached = [(measure(gold, (similarities.astype(np.float64) > cut).astype(int)), cut) for cut in found]
    return max(reached, default=None)


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
@settings(max_examples=40)
@given(case=scored())
def test_the_threshold_is_the_best_of_all_mid_points(metric, case):
    similarities, gold = case
    found, expected = best_threshold(similarities, gold, metric), brute_force(similarities, gold, metric)
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert found.reached == pytest.approx(expected[0], abs=1e-12)
    predicted = above(similarities, found)
    measure = accuracy_score if metric == "accuracy" else sklearn_f1
    assert measure(gold, predicted) == pytest.approx(found.reached, abs=1e-12)


def test_of_equal_thresholds_the_highest_is_taken():
    found = best_threshold(np.array([0.9, 0.6, 0.3, 0.1]), np.array([1, 0, 1, 0]), "accuracy")
    assert found == (0.75, 0.75)


def test_mid_points_lie_between_neighbours_even_in_float32():
    a = np.float32(0.5)
    b = np.nextafter(a, np.float32(1))
    found = best_threshold(np.array([a, b]), np.array([0, 1]), "f1")
    assert found is not None
    assert float(a) < found.value < float(b)
    assert found.reached == 1.0
    np.testing.assert_array_equal(above(np.array([a, b]), found), [0, 1])


@settings(max_examples=40)
@given(case=scored())
def test_average_precision_is_that_of_scikit_learn(case):
    similarities, gold = case
    assert average_precision(similarities, gold) == pytest.approx(
        average_precision_score(gold, similarities), abs=1e-12
    )


@settings(max_examples=40)
@given(case=scored())
def test_f1_is_that_of_scikit_learn(case):
    similarities, gold = case
    predicted = (similarities > 0).astype(np.int64)
    assert f1_score(predicted, gold) == pytest.approx(sklearn_f1(gold, predicted, zero_division=0))
