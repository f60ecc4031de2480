from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.statistics import (
    difference_estimate,
    draw_scores,
    fixed_draws,
    hierarchical_difference,
    hierarchical_score,
    resolvable,
    score_estimate,
)


def method(rng: np.random.Generator, items: np.ndarray, seeds: int, *, seed_sd: float, own_sd: float) -> np.ndarray:
    """Item scores of one method, (seeds, items): the items' difficulty, a stroke of luck per seed, errors of its own."""
    return 0.5 + items + seed_sd * rng.normal(size=(seeds, 1)) + own_sd * rng.normal(size=(seeds, len(items)))


def covered(seeds: int, *, seed_sd: float, own_sd: float = 0.1, item_sd: float = 0.3, repetitions: int = 300) -> float:
    rng = np.random.default_rng(5)
    hits = 0
    for number in range(repetitions):
        items = item_sd * rng.normal(size=150)
        scores = method(rng, items, seeds, seed_sd=seed_sd, own_sd=own_sd)
        found = hierarchical_score(np.zeros(150), scores, metric="mean", resamples=150, seed=number)
        hits += found.low <= 50 <= found.high
    return hits / repetitions


@pytest.mark.parametrize(
    ("seeds", "seed_sd"),
    [(1, 0.0), (5, 0.0), (5, 0.02), (5, 0.1), (10, 0.05)],
    ids=["items alone", "no seed effect", "both", "seeds rule", "ten seeds"],
)
def test_the_interval_covers_the_score_in_95_of_100_cases(seeds, seed_sd):
    # three standard errors of 300 repetitions are 3.8 points
    assert 0.91 <= covered(seeds, seed_sd=seed_sd) <= 0.99


def test_percentiles_of_few_resampled_seeds_would_not():
    rng, hits = np.random.default_rng(5), 0
    for number in range(200):
        scores = method(rng, 0.1 * rng.normal(size=100), 3, seed_sd=0.1, own_sd=0.05)
        draws = draw_scores(np.zeros(100), scores, metric="mean", resamples=200, seed=number)
        chosen = rng.integers(3, size=(200, 3))
        low, high = np.quantile(np.take_along_axis(draws.resampled, chosen, axis=1).mean(axis=1), [0.025, 0.975])
        hits += low <= 50 <= high
    assert hits / 200 < 0.85


@pytest.mark.parametrize("paired", [True, False])
def test_the_interval_of_a_difference_covers_it(paired):
    rng, hits, wrong = np.random.default_rng(7), 0, 0
    for number in range(300):
        items, luck = 0.3 * rng.normal(size=120), 0.05 * rng.normal(size=(5, 1))
        a, b = (method(rng, items, 5, seed_sd=0.03, own_sd=0.1) for _ in range(2))
        if paired:  # the same seeds make the same luck
            a, b = a + luck, b + luck
        found = (
            hierarchical_difference(
                np.zeros(120),
                a,
                b + 0.02,
                metric="mean",
                resamples=120,
                seed=number,
                seeds_b=range(5 - 5 * paired, 10 - 5 * paired),
            )
            if not paired
            else hierarchical_difference(np.zeros(120), a, b + 0.02, metric="mean", resamples=120, seed=number)
        )
        assert found.paired is paired
        hits += found.low <= 2 <= found.high
        wrong += (found.p <= 0.05) != found.separable
    assert 0.91 <= hits / 300 <= 0.99
    assert wrong == 0  # p and interval are one test


def test_a_correlations_interval_covers_it_too():
    rng, hits = np.random.default_rng(3), 0
    for number in range(200):
        gold = rng.normal(size=200)
        quality = 1 + 0.1 * rng.normal(size=(5, 1))
        predictions = gold + quality * (0.8 * rng.normal(size=200) + 0.6 * rng.normal(size=(5, 200)))
        found = hierarchical_score(gold, predictions, metric="pearson", resamples=150, seed=number)
        hits += found.low <= 70.7 <= found.high
    assert 0.9 <= hits / 200 <= 0.99


def test_where_only_the_seeds_vary_it_is_the_t_interval():
    luck = np.array([[0.41], [0.43], [0.47], [0.44], [0.42]])
    scores = np.repeat(luck, 50, axis=1)
    found = hierarchical_score(np.zeros(50), scores, metric="mean")
    expected = stats.t.interval(0.95, 4, loc=43.4, scale=stats.sem(100 * luck[:, 0]))
    assert (found.low, found.high) == pytest.approx(expected)
    assert (found.df, found.seed_share) == (pytest.approx(4), pytest.approx(1))


def test_where_only_the_items_vary_it_is_the_standard_error_of_their_mean():
    items = np.random.default_rng(0).random(400)
    found = hierarchical_score(np.zeros(400), np.tile(items, (5, 1)), metric="mean", resamples=4000)
    assert found.se == pytest.approx(100 * stats.sem(items), rel=0.05)
    assert (found.df, found.seed_share) == (math.inf, 0)


def test_pairing_over_items_and_seeds_sharpens():
    rng = np.random.default_rng(1)
    gold = rng.normal(size=300)
    luck = rng.normal(size=(5, 1)) * 0.3
    a = gold + (1 + luck) * rng.normal(size=300)
    b = a + 0.05 * rng.normal(size=(5, 300))
    paired = hierarchical_difference(gold, a, b)
    apart = hierarchical_difference(gold, a, b, seeds_b=range(5, 10))
    assert (paired.paired, apart.paired) == (True, False)
    assert paired.value == pytest.approx(apart.value)
    assert paired.se < apart.se / 2
    assert resolvable(paired) == pytest.approx(paired.se * 2.8, rel=0.6)


@given(st.permutations(range(4)))
def test_seeds_are_matched_by_their_numbers(order):
    rng = np.random.default_rng(2)
    gold, a, b = rng.normal(size=30), rng.normal(size=(4, 30)), rng.normal(size=(4, 30))
    one = hierarchical_difference(gold, a, b, resamples=30)
    two = hierarchical_difference(gold, a, b[order], seeds_b=order, resamples=30)
    assert (one.value, one.se, one.p) == pytest.approx((two.value, two.se, two.p))
    turned = hierarchical_difference(gold, b, a, resamples=30)
    assert (turned.value, turned.low) == pytest.approx((-one.value, -one.high))


def test_a_method_does_not_differ_from_itself():
    rng = np.random.default_rng(0)
    gold, a = rng.normal(size=40), rng.normal(size=(3, 40))
    found = hierarchical_difference(gold, a, a.copy())
    assert (found.value, found.low, found.high, found.p) == (0, 0, 0, 1)
    assert resolvable(found) is None


def test_undefined_scores():
    gold = np.arange(20.0)
    found = hierarchical_score(gold, np.stack([gold, np.ones(20)]))
    assert (found.value, found.low, found.p) == (None, None, None)
    assert not found.separable
    rare = hierarchical_score(np.array([0, 0, 0, 1.0]), np.arange(4.0))
    assert rare.undefined > 0
    assert rare.low is not None


def test_without_predictions_only_several_seeds_say_something():
    one = difference_estimate(fixed_draws([70.0]), fixed_draws([71.0]))
    assert (one.value, one.low, one.p, one.se) == (1.0, None, None, None)
    several = score_estimate(fixed_draws([70.0, 71.0, 73.0]))
    expected = stats.t.interval(0.95, 2, loc=np.mean([70, 71, 73]), scale=stats.sem([70, 71, 73]))
    assert (several.low, several.high) == pytest.approx(expected)
    assert several.items == 0


def test_bad_arguments():
    draws = fixed_draws([1.0, 2.0])
    with pytest.raises(ValueError, match="one seed per run"):
        difference_estimate(draws, draws, seeds_a=[1])
    with pytest.raises(ValueError, match="level"):
        score_estimate(draws, level=1)
