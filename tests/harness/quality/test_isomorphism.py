"""Spectral isomorphism: against eigenvalues of the Gram matrix, and what rotations, scales and rank do to it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.quality.isomorphism import (
    ZERO,
    condition_harmonic_mean,
    condition_number,
    singular_value_gap,
    spectrum,
)


def values(matrix):
    """Singular values by another road: roots of the Gram matrix's eigenvalues."""
    return sorted((math.sqrt(max(0.0, v)) for v in np.linalg.eigvalsh(matrix.T @ matrix)), reverse=True)


@given(st.integers(0, 10_000))
def test_both_measures_are_their_formulas(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(12, 4)), rng.normal(size=(12, 4)) * rng.uniform(0.5, 3, size=4)
    sa, sb = values(a), values(b)
    gap = sum((math.log(x) - math.log(y)) ** 2 for x, y in zip(sa, sb, strict=True))
    assert singular_value_gap(a, b) == pytest.approx(gap, rel=1e-6)

    def kappa(s, effective):
        shares = [x / sum(s) for x in s]
        rank = math.floor(math.exp(-sum(p * math.log(p) for p in shares))) if effective else len(s)
        return s[0] / s[rank - 1]

    for effective in (False, True):
        one, other = kappa(sa, effective), kappa(sb, effective)
        wanted = 2 / (1 / one + 1 / other)
        assert condition_harmonic_mean(a, b, effective=effective) == pytest.approx(wanted, rel=1e-6)


def test_rotations_change_nothing_and_a_scale_adds_its_logarithm():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(20, 5))
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    assert singular_value_gap(a, a @ turn) == pytest.approx(0, abs=1e-12)
    assert singular_value_gap(a, 3 * a) == pytest.approx(5 * math.log(3) ** 2)
    assert condition_harmonic_mean(a, 3 * a @ turn) == pytest.approx(condition_number(spectrum(a)))


def test_effective_rank_of_simple_spectra():
    assert condition_number(np.ones(7), effective=True) == 1
    assert condition_number(np.array([5.0, ZERO, ZERO]), effective=True) == 1
    assert condition_number(np.array([5.0, ZERO, ZERO])) == 5 / ZERO
    # entropy of (1/2, 1/4, 1/4) is 1.5 bits: rank 2
    assert condition_number(np.array([2.0, 1.0, 1.0]), effective=True) == 2


def test_a_lost_direction_counts_as_almost_nothing():
    a = np.eye(3)
    flat = np.diag([1.0, 1.0, 0.0])
    assert spectrum(flat).tolist() == [1, 1, ZERO]
    assert singular_value_gap(a, flat) == pytest.approx(math.log(ZERO) ** 2)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [(np.ones(3), "expected a matrix"), (np.ones((0, 3)), "expected a matrix"), ([[1.0, math.nan]], "NaN or infinity")],
)
def test_what_is_no_matrix_is_refused(vectors, message):
    with pytest.raises(ValueError, match=message):
        spectrum(vectors)


def test_two_spectra_of_different_length_are_refused():
    with pytest.raises(ValueError, match="2 and 3 singular values"):
        singular_value_gap(np.eye(2), np.eye(3))
