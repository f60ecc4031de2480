from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from harness.probes.features import pair_features
from harness.probes.folds import TooFewError, sentence_order, stratified, too_few


def test_folds_are_those_of_scikit_learn_on_the_rows_given():
    labels = np.array([0, 1, 2] * 20 + [0] * 10)
    rows = np.random.default_rng(0).permutation(70)[:60]
    expected = list(StratifiedKFold(4, shuffle=True, random_state=1111).split(rows, labels[rows]))
    found = stratified(labels, 4, seed=1111, rows=rows)
    assert len(found) == 4
    for split, (train, test) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(split.train, rows[train])
        np.testing.assert_array_equal(split.test, rows[test])


@given(st.lists(st.integers(0, 2), min_size=2, max_size=40), st.integers(2, 5))
def test_every_row_is_judged_once_and_every_class_is_in_every_training_part(labels, k):
    labels = np.array(labels)
    if too_few(labels, k):
        with pytest.raises(TooFewError):
            stratified(labels, k, seed=3)
        return
    splits = stratified(labels, k, seed=3)
    assert sorted(np.concatenate([s.test for s in splits])) == list(range(len(labels)))
    for split in splits:
        assert not set(split.train) & set(split.test)
        assert set(labels[split.train]) == set(labels)


def test_what_cannot_be_folded_is_named():
    assert "one class" in (too_few(np.zeros(9), 3) or "")
    assert "no items" in (too_few(np.zeros(0), 3) or "")
    assert "class 1 has 2 items, 3 folds" in (too_few(np.array([0] * 9 + [1] * 2), 3) or "")
    assert too_few(np.array([0, 0, 1, 1]), 2) is None


def test_order_is_by_words_then_class_then_file():
    texts = [("a b",), ("a",), (".",), ("x  y",), ("z",), ("b",)]
    labels = np.array([1, 1, 1, 0, 0, 1])
    # "x  y" has two words
    assert sentence_order(texts, labels).tolist() == [4, 1, 2, 5, 3, 0]
    pairs = [("a b", "c"), ("a", "b c d"), ("a", "b")]
    assert sentence_order(pairs, np.zeros(3)).tolist() == [2, 1, 0]


def test_pair_features_dense_and_sparse():
    rng = np.random.default_rng(1)
    u, v = (rng.normal(size=(5, 3)) * (rng.random((5, 3)) > 0.4) for _ in range(2))
    dense = pair_features(u.astype(np.float32), v.astype(np.float32))
    assert dense.dtype == np.float32
    for i in range(5):
        expected = [abs(a - b) for a, b in zip(u[i], v[i], strict=True)] + [
            a * b for a, b in zip(u[i], v[i], strict=True)
        ]
        np.testing.assert_allclose(dense[i], expected, rtol=1e-6)
    np.testing.assert_allclose(pair_features(sparse.csr_matrix(u), sparse.csr_matrix(v)).toarray(), dense, rtol=1e-6)
    with pytest.raises(ValueError, match="one shape"):
        pair_features(u, v[:4])
