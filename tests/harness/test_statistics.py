from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.statistics import AGGREGATIONS, METRICS, correlation, paired_bootstrap, pearson, spearman, wilson


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


# -- paired bootstrap ----------------------------------------------------------------------------------------
def systems(n: int, seed: int, noise_a: float = 1.5, noise_b: float = 1.5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = np.round(rng.uniform(0, 5, n), 1)
    return gold, np.round(gold + rng.normal(size=n) * noise_a, 1), np.round(gold + rng.normal(size=n) * noise_b, 1)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_every_resample_is_what_a_plain_loop_gives(metric, aggregation, monkeypatch):
    from harness import statistics

    gold, a, b = systems(23, 1)
    sizes = [23] if aggregation == "all" else [9, 14]
    monkeypatch.setattr(statistics, "_BATCH_NUMBERS", 50)  # several batches
    drawn: list[np.ndarray] = []

    class Recorder:
        def __init__(self, rng):
            self.rng = rng

        def integers(self, n, size):
            drawn.append(self.rng.integers(n, size=size))
            return drawn[-1]

    monkeypatch.setattr(np.random, "default_rng", lambda seed, real=np.random.default_rng: Recorder(real(seed)))
    found = paired_bootstrap(gold, a, b, sizes, metric=metric, aggregation=aggregation, resamples=40, seed=4)

    width = {n: np.concatenate([d for d in drawn if d.shape[1] == n]) for n in sizes}
    starts = dict(zip(sizes, np.cumsum([0, *sizes[:-1]]), strict=True))
    function = {"spearman": stats.spearmanr, "pearson": stats.pearsonr}[metric]
    share = {n: n / 23 if aggregation == "wmean" else 1 / len(sizes) for n in sizes}
    differences = [
        sum(
            100 * share[n] * (function(gold[i], b[i])[0] - function(gold[i], a[i])[0])
            for n in sizes
            for i in [starts[n] + width[n][r]]
        )
        for r in range(40)
    ]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(differences, [0.025, 0.975])), abs=1e-8)
    point = sum(
        100 * share[n] * (function(gold[s], b[s])[0] - function(gold[s], a[s])[0])
        for n in sizes
        for s in [slice(starts[n], starts[n] + n)]
    )
    assert found.value == pytest.approx(point, abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_the_interval_is_scipys(metric):
    gold, a, b = systems(40, 2, noise_b=0.8)
    function = {"spearman": spearman, "pearson": pearson}[metric]

    def statistic(g, x, y):
        return function(g, y) - function(g, x)

    theirs = stats.bootstrap(
        (gold, a, b),
        statistic,
        paired=True,
        vectorized=False,
        n_resamples=1000,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    ours = paired_bootstrap(gold, a, b, metric=metric, resamples=20_000)
    spread = theirs.high - theirs.low
    assert ours.low == pytest.approx(theirs.low, abs=0.08 * spread)
    assert ours.high == pytest.approx(theirs.high, abs=0.08 * spread)


def test_two_systems_of_one_quality_are_rarely_told_apart():
    results = [paired_bootstrap(*systems(120, seed), resamples=400, seed=seed) for seed in range(300)]
    share = np.mean([r.separable for r in results])
    assert 0.02 <= share <= 0.09  # nominal 0.05; ± 3 standard errors and the bootstrap's own small-sample error
    assert 0.4 < np.mean([r.p for r in results]) < 0.6


def test_a_real_difference_is_found_and_has_a_direction():
    gold, a, b = systems(400, 3, noise_a=3.0, noise_b=1.0)
    better = paired_bootstrap(gold, a, b, resamples=1000)
    worse = paired_bootstrap(gold, b, a, resamples=1000)
    assert better.value == pytest.approx(spearman(gold, b) - spearman(gold, a))
    assert better.low > 0
    assert better.p == pytest.approx(2 / 1001)
    assert (worse.value, worse.low, worse.high) == pytest.approx((-better.value, -better.high, -better.low))


@given(seed=st.integers(0, 50), metric=st.sampled_from(METRICS))
def test_interval_and_p_agree(seed, metric):
    found = paired_bootstrap(*systems(30, seed, noise_b=1.0), metric=metric, resamples=200, seed=seed)
    if found.p > 0.08:
        assert not found.separable
    if found.p < 0.03:
        assert found.separable


def test_a_system_does_not_differ_from_itself():
    gold, a, _ = systems(50, 0)
    found = paired_bootstrap(gold, a, a.copy(), resamples=200)
    assert (found.value, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_same_seed_same_answer():
    data = systems(50, 0)
    one, two = (paired_bootstrap(*data, resamples=300, seed=7) for _ in range(2))
    assert one == two
    assert one != paired_bootstrap(*data, resamples=300, seed=8)


def test_undefined_correlations():
    gold, a, _ = systems(20, 0)
    nothing = paired_bootstrap(gold, a, np.ones(20))
    assert (nothing.value, nothing.low, nothing.p) == (None, None, None)
    assert not nothing.separable
    rare = paired_bootstrap(np.array([0, 0, 0, 1.0]), np.arange(4.0), np.array([1, 0, 2, 3.0]), resamples=500)
    assert 0 < rare.undefined < 500  # a resample without the last item has constant gold scores
    assert rare.low is not None


def test_bad_arguments():
    gold, a, b = systems(10, 0)
    with pytest.raises(ValueError, match="one length"):
        paired_bootstrap(gold, a, b[:-1])
    with pytest.raises(ValueError, match="need the sizes"):
        paired_bootstrap(gold, a, b, aggregation="mean")
    with pytest.raises(ValueError, match="11 items in all, expected 10"):
        paired_bootstrap(gold, a, b, [5, 6], aggregation="wmean")
    with pytest.raises(ValueError, match="resamples"):
        paired_bootstrap(gold, a, b, resamples=0)


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
