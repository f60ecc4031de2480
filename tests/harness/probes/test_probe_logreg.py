from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression as Peer

from harness.probes import LogisticRegression
from harness.probes.folds import Split, stratified

GRID = np.array([1e-3, 1e-2, 1e-1])


def made(classes: int = 2, n: int = 120, d: int = 12, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Vectors whose directions differ in spread a hundredfold, away from 0, and noisy classes."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) * np.logspace(0, -2, d) + 3.0
    x = x @ np.linalg.qr(rng.normal(size=(d, d)))[0]
    scores = (x - x.mean(0)) @ rng.normal(size=(d, classes)) * 3 + rng.gumbel(size=(n, classes))
    return x.astype(np.float32), scores.argmax(1)


def peer(x: np.ndarray, y: np.ndarray, split: Split, penalty: float) -> np.ndarray:
    """scikit-learn's scores of the test rows of one fold."""
    part = x[split.train].astype(np.float64)
    centre, sigma = part.mean(0), np.sqrt(part.var(0).mean())
    model = Peer(C=1 / (penalty * len(part)), tol=1e-10, max_iter=20_000).fit((part - centre) / sigma, y[split.train])
    expected: np.ndarray = model.decision_function((x[split.test] - centre) / sigma)
    return expected


@pytest.mark.parametrize("folds", [3, 8])  # from five on a guide helps; it must not be seen
@pytest.mark.parametrize("classes", [2, 3])
def test_every_fold_and_penalty_is_scikit_learns(classes, folds):
    x, y = made(classes, n=160)
    splits = stratified(y, folds, seed=1)
    probe = LogisticRegression(x, y)
    probe.tolerance = 1e-13
    fitted = probe.fit(splits, np.tile(GRID, (folds, 1)))
    assert fitted.notes == ()
    assert fitted.correct.shape == (folds, 3)
    for f, split in enumerate(splits):
        for k, penalty in enumerate(GRID):
            expected = peer(x, y, split, penalty)
            found = fitted.decision(f, k, split.test)
            found = found[:, 0] if classes == 2 else found
            np.testing.assert_allclose(found, expected, atol=2e-4)
            predicted = fitted.predict(f, k, split.test)
            np.testing.assert_array_equal(predicted, (expected > 0).astype(int) if classes == 2 else expected.argmax(1))
            assert fitted.correct[f, k] == (predicted == y[split.test]).sum()


def test_the_usual_tolerance_decides_as_a_tight_one_does():
    x, y = made(3, n=200)
    splits = stratified(y, 5, seed=1)
    grid = np.tile(GRID, (5, 1))
    loose, tight = LogisticRegression(x, y), LogisticRegression(x, y)
    tight.tolerance = 1e-13
    a, b = loose.fit(splits, grid), tight.fit(splits, grid)
    for f, split in enumerate(splits):
        for k in range(3):
            found, expected = (fitted.decision(f, k, split.test) for fitted in (a, b))
            np.testing.assert_allclose(found, expected, atol=0.005)


def test_sparse_vectors_give_what_dense_ones_give():
    rng = np.random.default_rng(4)
    x = rng.random((90, 20)) * (rng.random((90, 20)) < 0.2)
    y = (x @ rng.normal(size=20) + rng.normal(size=90) / 5 > 0).astype(int)
    splits = stratified(y, 6, seed=0)
    results = [LogisticRegression(v, y) for v in (x, sparse.csr_matrix(x))]
    for probe in results:
        probe.tolerance = 1e-12
    dense, thin = (probe.fit(splits, np.tile(GRID, (6, 1))) for probe in results)
    np.testing.assert_allclose(dense.decision(2, 1, splits[2].test), thin.decision(2, 1, splits[2].test), atol=1e-4)
    assert thin.notes == ()


def test_columns_without_a_value_cost_nothing_and_count_in_the_mean_variance():
    rng = np.random.default_rng(5)
    few = rng.random((60, 12)) * (rng.random((60, 12)) < 0.4)
    y = (few @ rng.normal(size=12) + rng.normal(size=60) / 5 > 0).astype(int)
    splits = stratified(y, 4, seed=0)
    wide = np.zeros((60, 150))
    wide[:, 5:149:12] = few
    probes = [LogisticRegression(v, y) for v in (wide, sparse.csr_matrix(wide))]
    assert probes[1].design.matrix.shape == (60, 13)
    for probe in probes:
        probe.tolerance = 1e-12
    dense, thin = (probe.fit(splits, np.tile(GRID, (4, 1))) for probe in probes)
    for penalty in range(len(GRID)):
        found, expected = (fitted.decision(1, penalty, splits[1].test) for fitted in (thin, dense))
        np.testing.assert_allclose(found, expected, atol=1e-3)
    np.testing.assert_array_equal(thin.correct, dense.correct)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
def test_neither_the_order_of_rows_nor_a_move_or_a_scale_of_all_vectors_matters(seed, classes):
    x, y = made(classes, n=60, d=5, seed=seed)
    if len(np.unique(y)) < classes:
        return
    rng = np.random.default_rng(seed)
    order = rng.permutation(60)
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    split = Split(np.arange(45), np.arange(45, 60))
    place = np.argsort(order)
    shuffled = Split(np.sort(place[split.train]), place[split.test])
    decisions = []
    for vectors, labels, part in ((x, y, split), ((1e-3 * x @ turn + 7)[order], y[order], shuffled)):
        probe = LogisticRegression(vectors.astype(np.float64), labels)
        probe.tolerance = 1e-12
        decisions.append(probe.fit([part], GRID[None]).decision(0, 1, part.test))
    np.testing.assert_allclose(decisions[0], decisions[1], atol=2e-3)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000))
def test_class_numbers_are_names(seed):
    x, y = made(3, n=60, d=5, seed=seed)
    if len(np.unique(y)) < 3:
        return
    renamed = np.array([2, 0, 1])[y]
    split = Split(np.arange(45), np.arange(45, 60))
    found = []
    for labels in (y, renamed):
        probe = LogisticRegression(x, labels)
        probe.tolerance = 1e-12
        found.append(probe.fit([split], GRID[None]).decision(0, 2, split.test))
    np.testing.assert_allclose(found[0], found[1][:, [2, 0, 1]], atol=1e-4)
    x, y = made(2, n=60, d=5, seed=seed)
    one, other = (
        LogisticRegression(x, labels).fit([split], GRID[None]).decision(0, 2, split.test) for labels in (y, 1 - y)
    )
    np.testing.assert_allclose(one, -other, atol=5e-3)


def test_equal_scores_choose_the_strongest_penalty():
    probe = LogisticRegression(*made())
    correct = np.array([[3, 5, 5, 1], [5, 4, 4, 5]])
    assert probe.choose(correct, np.array([6, 6])) == (2, 75.0)


def test_separable_classes_and_a_constant_training_part_have_a_solution():
    x = np.concatenate([np.full((20, 2), -1.0), np.full((20, 2), 1.0)])
    y = np.repeat([0, 1], 20)
    fitted = LogisticRegression(x, y).fit([Split(np.arange(40), np.arange(40))], np.array([[1e-6, 1e-2]]))
    assert fitted.correct.tolist() == [[40, 40]]
    x = np.concatenate([np.ones((10, 2)), np.eye(2)])
    fitted = LogisticRegression(x, np.array([0] * 3 + [1] * 7 + [0, 1])).fit(
        [Split(np.arange(10), np.arange(10, 12))], GRID[None]
    )
    assert np.isfinite(fitted.decision(0, 0, np.arange(12))).all()
    assert fitted.predict(0, 0, np.arange(10)).tolist() == [1] * 10  # nothing but the majority can be known


def test_bad_input_is_refused():
    x, y = made()
    with pytest.raises(ValueError, match="NaN"):
        LogisticRegression(np.where(x > 5, np.nan, x), y)
    with pytest.raises(ValueError, match="labels"):
        LogisticRegression(x, y[:-1])


def test_too_few_iterations_are_told():
    x, y = made()
    probe = LogisticRegression(x, y)
    probe.max_iterations = 1
    assert probe.fit([Split(np.arange(90), np.arange(90, 120))], GRID[None]).notes == (
        "3 of 3 logistic regressions stopped before they converged",
    )
