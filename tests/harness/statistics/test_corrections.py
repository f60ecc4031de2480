from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.statistics import benjamini_hochberg, corrected, holm

PS = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@given(PS)
def test_benjamini_hochberg_is_scipys(p):
    assert benjamini_hochberg(p) == pytest.approx(list(stats.false_discovery_control(p)), abs=1e-12)


@given(PS, st.floats(0.001, 0.999))
def test_holm_rejects_what_the_step_down_procedure_rejects(p, alpha):
    rejected = set()
    for step, index in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[index] > alpha / (len(p) - step):
            break
        rejected.add(index)
    # a p on the very threshold may fall to either side by rounding
    close = {i for i, q in enumerate(holm(p)) if abs(q - alpha) < 1e-9}
    assert {i for i, q in enumerate(holm(p)) if q <= alpha} - close == rejected - close


@given(PS)
def test_order_of_sharpness(p):
    for one, by_holm, by_bh in zip(p, holm(p), benjamini_hochberg(p), strict=True):
        assert one - 1e-12 <= by_bh <= by_holm + 1e-12
        assert by_holm <= min(1.0, one * len(p)) + 1e-12


@given(PS, st.sampled_from(["holm", "bh", "none"]), st.randoms())
def test_comparisons_that_were_not_made_do_not_count(p, method, random):
    mixed = [*p, None, None]
    random.shuffle(mixed)
    found = corrected(mixed, method)
    assert [x is None for x in found] == [x is None for x in mixed]
    assert [x for x in found if x is not None] == pytest.approx(corrected([x for x in mixed if x is not None], method))


def test_holm_keeps_the_chance_of_any_false_difference():
    rng = np.random.default_rng(0)
    assert np.mean([min(holm(rng.random(10).tolist())) <= 0.05 for _ in range(2000)]) <= 0.065


def test_bad_arguments():
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.2, 1.2])
    with pytest.raises(ValueError, match="unknown correction"):
        corrected([0.1], "bonferroni")
    assert holm([]) == []
