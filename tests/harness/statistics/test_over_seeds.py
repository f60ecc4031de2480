from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.statistics import over_seeds, smallest_difference
from harness.statistics.seeds import t_p, t_quantile

VALUES = st.lists(st.floats(-100, 100), min_size=2, max_size=12)


@given(VALUES)
def test_the_interval_is_scipys(values):
    found = over_seeds(values)
    assert (found.mean, found.seeds) == (pytest.approx(np.mean(values), abs=1e-9), len(values))
    assert found.std == pytest.approx(np.std(values, ddof=1), abs=1e-9)
    se = stats.sem(values)
    if se > 1e-9:
        expected = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=se)
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-7)


def test_one_seed_says_nothing_about_others():
    assert over_seeds([71.5]) == over_seeds((71.5,))
    assert (over_seeds([71.5]).mean, over_seeds([71.5]).std, over_seeds([71.5]).low) == (71.5, None, None)
    assert over_seeds([]).mean is None


@pytest.mark.parametrize("df", [1, 4, 30.5, math.inf])
def test_students_t(df):
    expected = stats.norm if math.isinf(df) else stats.t(df)
    assert t_quantile(0.975, df) == pytest.approx(expected.ppf(0.975))
    assert t_p(2.1, df) == t_p(-2.1, df) == pytest.approx(2 * expected.sf(2.1))


def test_the_interval_covers_the_mean_in_95_of_100_cases():
    rng = np.random.default_rng(0)
    hits = [over_seeds(rng.normal(3, 2, 5).tolist()) for _ in range(1000)]
    assert 0.93 <= np.mean([one.low <= 3 <= one.high for one in hits]) <= 0.97


# -- the smallest difference ------------------------------------------------------------------------------------
def test_with_many_degrees_of_freedom_it_is_2_80_standard_errors():
    assert smallest_difference(1.0) == pytest.approx(1.959964 + 0.841621, abs=1e-5)
    assert smallest_difference(0.5, 4) == pytest.approx(0.5 * (stats.t.ppf(0.975, 4) + stats.t.ppf(0.8, 4)))


@pytest.mark.parametrize("df", [4, 9, 30])
def test_a_difference_of_that_size_is_found_in_80_of_100_cases(df):
    delta = smallest_difference(1.0, df)
    critical = stats.t.ppf(0.975, df)
    power = stats.nct.sf(critical, df, delta) + stats.nct.cdf(-critical, df, delta)
    assert 0.78 <= power <= 0.84


@pytest.mark.parametrize("bad", [{"se": -1.0}, {"se": 1.0, "df": 0}, {"se": 1.0, "power": 1.0}])
def test_bad_arguments(bad):
    with pytest.raises(ValueError, match="expected se"):
        smallest_difference(**bad)
