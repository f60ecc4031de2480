"""First embeddings: counts against two loops, mutual information against its formula."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from harness.pretraining import cooccurrence
from harness.pretraining.cooccurrence import cooccurrences, embeddings, ppmi

SIZE = 6
SEGMENTS = st.lists(st.lists(st.integers(0, SIZE - 1), min_size=1, max_size=12), min_size=1, max_size=6)


def flat(segments):
    ids = np.array([i for segment in segments for i in segment], dtype=np.uint16)
    ends = np.cumsum([len(segment) for segment in segments])
    return ids, np.r_[0, ends[:-1]]


def slow_counts(segments, window):
    found = np.zeros((SIZE, SIZE))
    for segment in segments:
        for i, a in enumerate(segment):
            for j, b in enumerate(segment):
                if i != j and abs(i - j) <= window:
                    found[a, b] += 1 / abs(i - j)
    return found


@settings(max_examples=40)
@given(segments=SEGMENTS, window=st.integers(1, 7))
def test_counts(segments, window):
    ids, starts = flat(segments)
    found = cooccurrences(ids, starts, SIZE, window=window)
    assert found.shape == (SIZE, SIZE)
    np.testing.assert_allclose(found.toarray(), slow_counts(segments, window), rtol=1e-5)


def test_neighbours_in_another_segment_are_none():
    ids, starts = flat([[0, 1], [2, 3]])
    assert set(zip(*cooccurrences(ids, starts, SIZE).nonzero(), strict=True)) == {(0, 1), (1, 0), (2, 3), (3, 2)}


def test_long_texts_are_counted_in_parts(monkeypatch):
    segments = np.random.default_rng(0).integers(0, SIZE, (9, 11)).tolist()
    ids, starts = flat(segments)
    monkeypatch.setattr(cooccurrence, "_CHUNK", 7)
    np.testing.assert_allclose(cooccurrences(ids, starts, SIZE).toarray(), slow_counts(segments, 5), rtol=1e-5)


@settings(max_examples=40)
@given(segments=SEGMENTS.filter(lambda segments: any(len(segment) > 1 for segment in segments)))
def test_mutual_information(segments):
    counts = slow_counts(segments, 3)
    total, smoothed = counts.sum(), counts.sum(axis=0) ** 0.75
    expected = np.zeros_like(counts)
    for a in range(SIZE):
        for b in range(SIZE):
            if counts[a, b]:
                together, alone = counts[a, b] / total, counts[a].sum() / total
                expected[a, b] = max(0.0, log(together / (alone * smoothed[b] / smoothed.sum())))
    found = ppmi(sparse.csr_matrix(counts.astype(np.float32)))
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-5)
    assert (found.data > 0).all()


@pytest.fixture(scope="module")
def matrix():
    """Pieces 10 to 29 stand among 30 to 49, pieces 50 to 69 among 70 to 89; the first ten and the last never occur."""
    rng = np.random.default_rng(0)
    segments = []
    for number in range(3_000):
        first = 10 + 40 * (number % 2)
        segments.append(np.c_[rng.integers(first, first + 20, 5), rng.integers(first + 20, first + 40, 5)].ravel())
    return ppmi(cooccurrences(*flat(segments), 91))


def test_rows_have_length_1(matrix):
    found = embeddings(matrix, 8, seed=0)
    assert (found.shape, found.dtype) == ((91, 8), np.float32)
    np.testing.assert_allclose(np.linalg.norm(found[10:90], axis=1), 1, atol=1e-5)


def test_rows_without_neighbours_are_zero(matrix):
    found = embeddings(matrix, 8, seed=0)
    assert (found[[*range(10), 90]] == 0).all()


@pytest.mark.parametrize("dimensions", [91, 128])
def test_more_dimensions_than_pieces(matrix, dimensions):
    found = embeddings(matrix, dimensions, seed=0)
    assert found.shape == (91, dimensions)
    np.testing.assert_allclose(np.linalg.norm(found[10:90], axis=1), 1, atol=1e-5)


def test_pieces_with_the_same_neighbours_are_close(matrix):
    found = embeddings(matrix, 4, seed=0)
    assert (found[10:30] @ found[10:30].T).mean() > 0.5
    assert abs((found[10:30] @ found[50:70].T).mean()) < 0.1


def test_the_same_for_the_same_seed(matrix):
    assert (embeddings(matrix, 8, seed=3) == embeddings(matrix, 8, seed=3)).all()
