from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import pdist

from harness.diagnostics import geometry
from harness.diagnostics.geometry import alignment, anisotropy, effective_rank, uniformity, unit_rows

SHAPES = st.tuples(st.integers(2, 12), st.integers(1, 6), st.integers(0, 5))


def units(shape, *, dense=True):
    n, d, seed = shape
    made, there = unit_rows(np.random.default_rng(seed).normal(size=(n, d)))
    assert there.all()
    return made if dense else sparse.csr_matrix(made)


@settings(max_examples=30)
@given(SHAPES, st.booleans(), st.integers(1, 5))
def test_uniformity_is_that_of_the_double_loop(shape, dense, block):
    rows = units(shape)
    terms = [
        math.exp(-2 * sum((float(a) - float(b)) ** 2 for a, b in zip(rows[i], rows[j], strict=True)))
        for i in range(len(rows))
        for j in range(len(rows))
        if i != j
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(geometry, "_BLOCK", block)
        assert uniformity(units(shape, dense=dense)) == pytest.approx(math.log(sum(terms) / len(terms)), abs=1e-9)


def test_uniformity_of_many_rows_is_that_of_all_distances():
    rows = units((2_500, 8, 0))
    assert uniformity(rows) == pytest.approx(math.log(np.exp(-2 * pdist(rows) ** 2).mean()), abs=1e-10)


@settings(max_examples=30)
@given(SHAPES, st.booleans())
def test_anisotropy_is_the_mean_of_all_cosines(shape, dense):
    rows = units(shape)
    cosines = [float(rows[i] @ rows[j]) for i in range(len(rows)) for j in range(len(rows)) if i != j]
    assert anisotropy(units(shape, dense=dense)) == pytest.approx(np.mean(cosines), abs=1e-12)


@settings(max_examples=30)
@given(SHAPES, st.booleans())
def test_effective_rank_is_that_of_the_singular_values_and_within_its_bounds(shape, dense):
    rows = units(shape)
    values = np.linalg.svd(rows, compute_uv=False)
    share = values[values > 1e-7] / values[values > 1e-7].sum()
    found = effective_rank(units(shape, dense=dense))
    assert found == pytest.approx(math.exp(-sum(p * math.log(p) for p in share)), rel=1e-5)
    assert 1 - 1e-9 <= found <= min(rows.shape) + 1e-9


def test_extremes():
    same, axes = np.tile([0.6, 0.8], (5, 1)), np.eye(4)
    assert effective_rank(same) == pytest.approx(1.0)
    assert effective_rank(axes) == pytest.approx(4.0)
    assert uniformity(same) == pytest.approx(0.0)
    assert uniformity(np.array([[1.0, 0.0], [-1.0, 0.0]])) == pytest.approx(-8.0)
    assert anisotropy(same) == pytest.approx(1.0)
    assert anisotropy(axes) == pytest.approx(0.0)


def test_alignment_is_the_mean_squared_distance():
    a, b = units((9, 4, 1)), units((9, 4, 2))
    assert alignment(np.einsum("ij,ij->i", a, b)) == pytest.approx(np.mean(np.linalg.norm(a - b, axis=1) ** 2))


def test_what_is_undefined_is_none(monkeypatch):
    assert alignment(np.array([])) is None
    for rows in (np.zeros((0, 3)), np.eye(3)[:1]):
        assert uniformity(rows) is None
        assert anisotropy(rows) is None
    assert effective_rank(np.zeros((0, 3))) is None
    monkeypatch.setattr(geometry, "LARGEST_SPECTRUM", 2)
    assert effective_rank(np.eye(3)) is None


@pytest.mark.parametrize("kind", [np.array, sparse.csr_matrix])
def test_rows_of_zeros_are_left_out(kind):
    made, there = unit_rows(kind([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0]]))
    assert there.tolist() == [True, False, True]
    made = made.toarray() if sparse.issparse(made) else made
    np.testing.assert_allclose(made, [[0.6, 0.8], [0.0, 1.0]])
