from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.statistics import draw_scores, fixed_draws, kendall_tau_b, order_agreement, seed_draws

SCORES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=15)


@given(SCORES)
def test_tau_is_scipys(pairs):
    ours, published = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    found, expected = float(kendall_tau_b(ours, published)), stats.kendalltau(ours, published).statistic
    if math.isnan(expected):
        assert math.isnan(found)
    else:
        assert found == pytest.approx(expected)
        assert float(kendall_tau_b(-ours, 2 * published + 1)) == pytest.approx(-expected)
    assert kendall_tau_b(np.stack([ours, -ours]), published).shape == (2,)


def systems(gaps: list[float], seeds: int, *, noise: float = 0.02) -> list:
    rng = np.random.default_rng(1)
    items = 0.3 * rng.normal(size=200)
    rows = [0.5 + g + items + noise * rng.normal(size=(seeds, 1)) + 0.1 * rng.normal(size=(seeds, 200)) for g in gaps]
    draws = draw_scores(np.zeros(200), np.concatenate(rows), metric="mean", resamples=400)
    return [draws.of(range(seeds * i, seeds * (i + 1))) for i in range(len(gaps))]


def test_a_clear_order_is_found_and_its_reverse():
    published = [1.0, 2.0, 3.0, 4.0]
    found = order_agreement(systems([0, 0.2, 0.4, 0.6], 5), published)
    assert (found.tau, found.low, found.high, found.over) == (1, 1, 1, "seeds and items")
    assert order_agreement(systems([0.6, 0.4, 0.2, 0], 5), published).tau == -1


def test_methods_that_are_alike_have_a_wide_interval():
    found = order_agreement(systems([0, 0, 0, 0], 5), [1.0, 2.0, 3.0, 4.0])
    assert found.low < 0 < found.high
    assert found == order_agreement(systems([0, 0, 0, 0], 5), [1.0, 2.0, 3.0, 4.0])


def test_over_what_was_resampled():
    published = [1.0, 2.0]
    assert order_agreement(systems([0, 0.1], 1), published).over == "items"
    seeds = order_agreement([fixed_draws([1.0, 2.0, 5.0]), fixed_draws([2.0, 3.0, 3.5])], published)
    assert seeds.over == "seeds"
    assert seeds.low == -1
    assert seeds.high == 1
    nothing = order_agreement([fixed_draws([1.0]), fixed_draws([2.0])], published)
    assert (nothing.tau, nothing.low, nothing.over) == (1, None, "nothing")
    assert order_agreement([fixed_draws([1.0]), fixed_draws([2.0])], [3.0, 3.0]).tau is None


def test_resampled_seeds_have_the_variance_of_a_mean_of_seeds():
    scores = np.array([70.0, 71.0, 73.0, 70.5, 72.0])
    draws = seed_draws([fixed_draws(scores, resamples=20_000)])
    assert draws.var() == pytest.approx(scores.var(ddof=1) / 5, rel=0.05)


def test_methods_with_the_same_seeds_share_their_resamples():
    scores = [70.0, 71.0, 73.0]
    parts = [fixed_draws(scores), fixed_draws([s + 1 for s in scores[::-1]]), fixed_draws(scores)]
    draws = seed_draws(parts, seeds=[[0, 1, 2], [2, 1, 0], [5, 6, 7]])
    assert draws[:, 1] - draws[:, 0] == pytest.approx(np.ones(len(draws)))
    assert np.ptp(draws[:, 2] - draws[:, 0]) > 1


def test_bad_arguments():
    with pytest.raises(ValueError, match="two methods"):
        order_agreement([fixed_draws([1.0])], [1.0])
    with pytest.raises(ValueError, match="defined"):
        order_agreement([fixed_draws([math.nan]), fixed_draws([1.0])], [1.0, 2.0])
