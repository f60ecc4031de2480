from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.statistics import correlation, pearson, spearman


def slow_ranks(values: list[float]) -> list[float]:
    """Average ranks by counting, straight from the definition."""
    return [sum(v < x for v in values) + (sum(v == x for v in values) + 1) / 2 for x in values]


def slow_pearson(x: list[float], y: list[float]) -> float:
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    top = math.fsum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return top / math.sqrt(math.fsum((a - mx) ** 2 for a in x)) / math.sqrt(math.fsum((b - my) ** 2 for b in y))


# few different values, so that ties are common
PAIRS = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 25)), min_size=2, max_size=40)


@given(PAIRS)
def test_spearman_with_ties(pairs):
    x, y = [a / 3 for a, _ in pairs], [b / 5 for _, b in pairs]
    found = spearman(np.array(x), np.array(y))
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(100 * slow_pearson(slow_ranks(x), slow_ranks(y)), abs=1e-9)
        assert found == pytest.approx(100 * stats.spearmanr(x, y)[0], abs=1e-9)


@given(PAIRS, st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
def test_pearson_is_free_of_scale_and_shift(pairs, scale, shift):
    x, y = np.array([float(a) for a, _ in pairs]), np.array([float(b) for _, b in pairs])
    found = pearson(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert found is None
    else:
        assert found == pytest.approx(100 * slow_pearson(x.tolist(), y.tolist()), abs=1e-9)
        assert pearson(scale * x, y) == pytest.approx(found, abs=1e-6)
        assert pearson(x, y + shift) == pytest.approx(found, abs=1e-6)


def test_constant_is_undefined_even_where_its_variance_is_not_quite_zero():
    constant = np.full(7, 0.1)
    assert constant.var() > 0
    assert pearson(constant, np.arange(7.0)) is None
    assert spearman(np.arange(7.0), constant) is None


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="one length"):
        pearson(np.zeros(3), np.zeros(4))
    for groups in (None, [2, 2], [5, 0]):
        with pytest.raises(ValueError, match="subsets"):
            correlation(np.arange(5.0), np.arange(5.0), aggregation="mean", groups=groups)
