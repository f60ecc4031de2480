from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.statistics import wilson


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_scipys(successes, failures, level):
    trials = successes + failures
    low, high = wilson(successes, trials, level=level)
    if trials == 0:
        assert (low, high) == (0.0, 1.0)
        return
    expected = stats.binomtest(successes, trials).proportion_ci(confidence_level=level, method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0 <= low <= successes / trials <= high <= 1


def test_wilson_solves_the_score_equation():
    # straight from the definition: at the limits the observed share is z standard errors of the limit away
    low, high = wilson(188, 200)
    z = stats.norm.ppf(0.975)
    for limit in (low, high):
        assert abs(188 / 200 - limit) == pytest.approx(z * math.sqrt(limit * (1 - limit) / 200))


@pytest.mark.parametrize(("successes", "trials", "level"), [(-1, 3, 0.95), (4, 3, 0.95), (1, 3, 0), (1, 3, 1)])
def test_wilson_refuses_what_is_no_proportion(successes, trials, level):
    with pytest.raises(ValueError, match="successes"):
        wilson(successes, trials, level=level)
