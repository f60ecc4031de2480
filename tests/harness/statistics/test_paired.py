from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.statistics import (
    AGGREGATIONS,
    METRICS,
    mcnemar,
    paired_accuracy,
    paired_bootstrap,
    paired_means,
    pearson,
    spearman,
)


def systems(n: int, seed: int, noise_a: float = 1.5, noise_b: float = 1.5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = np.round(rng.uniform(0, 5, n), 1)
    return gold, np.round(gold + rng.normal(size=n) * noise_a, 1), np.round(gold + rng.normal(size=n) * noise_b, 1)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_every_resample_is_what_a_plain_loop_gives(metric, aggregation, monkeypatch):
    from harness.statistics import kernels

    gold, a, b = systems(23, 1)
    sizes = [23] if aggregation == "all" else [9, 14]
    monkeypatch.setattr(kernels, "BATCH_NUMBERS", 50)  # several batches
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


# -- classes -------------------------------------------------------------------------------------------------
def classes(n: int, seed: int, right_a: float = 0.7, right_b: float = 0.7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(3, size=n)
    a, b = (np.where(rng.random(n) < share, gold, (gold + 1) % 3) for share in (right_a, right_b))
    return gold, a, b


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test(only_a, only_b):
    found = mcnemar(only_a, only_b)
    assert found == mcnemar(only_b, only_a)
    if only_a + only_b == 0:
        assert found == 1
    else:
        assert found == pytest.approx(stats.binomtest(only_b, only_a + only_b, 0.5).pvalue, abs=1e-12)


def test_accuracy_of_two_systems():
    gold, a, b = classes(200, 1, right_b=0.85)
    found = paired_accuracy(gold, a, b, resamples=2000)
    only_a, only_b = int(((a == gold) & (b != gold)).sum()), int(((b == gold) & (a != gold)).sum())
    assert found.value == pytest.approx(100 * (only_b - only_a) / 200)
    assert found.p == mcnemar(only_a, only_b)
    assert found.test == "McNemar exact"
    assert found.separable
    theirs = stats.bootstrap(
        ((b == gold) * 100.0 - (a == gold) * 100.0,), np.mean, n_resamples=5000, method="percentile", rng=1
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx(tuple(theirs), abs=0.8)


def test_an_interval_that_the_exact_test_does_not_support_is_not_separable():
    gold = np.zeros(100)
    b = np.zeros(100)
    a = b.copy()
    a[:5] = 1  # five items for b, none for a: the bootstrap never turns the sign, a coin does so once in 16 times
    found = paired_accuracy(gold, a, b)
    assert found.low > 0
    assert found.p == pytest.approx(2 / 32)
    assert not found.separable


def test_two_classifiers_of_one_quality_are_rarely_told_apart():
    found = [paired_accuracy(*classes(150, seed), resamples=300, seed=seed) for seed in range(400)]
    assert np.mean([one.p <= 0.05 for one in found]) <= 0.06  # exact tests keep below their level
    covered = np.mean([one.low <= 0 <= one.high for one in found])
    assert 0.92 <= covered <= 0.98


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30), st.permutations(range(30)))
def test_means_of_items_do_not_depend_on_their_order(pairs, order):
    a, b = (np.array(side) / 5 for side in zip(*pairs, strict=True))
    shuffled = [i for i in order if i < len(a)]
    one, two = (paired_means(x, y, resamples=50) for x, y in ((a, b), (a[shuffled], b[shuffled])))
    assert (one.low, one.high, one.p) == (two.low, two.high, two.p)
    assert one.value == pytest.approx(100 * (b.mean() - a.mean()))


def test_means_are_scipys_bootstrap():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 6, 80) / 5, rng.integers(0, 6, 80) / 5
    found = paired_means(a, b, resamples=20_000)
    theirs = stats.bootstrap((100 * (b - a),), np.mean, n_resamples=20_000, method="percentile", rng=1)
    assert (found.low, found.high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.6)


def test_mcnemar_needs_counts():
    with pytest.raises(ValueError, match="counts"):
        mcnemar(-1, 2)
