from __future__ import annotations

import numpy as np
import pytest

from harness.reproduction.order import Ordering, compare_order, judge
from harness.statistics import OrderAgreement, draw_scores, fixed_draws

PAIR = (("b", "a"),)


def agreement(tau: float, low: float | None, high: float | None) -> OrderAgreement:
    return OrderAgreement(tau, low, high, 4, "seeds and items")


@pytest.mark.parametrize(
    ("found", "contradicted", "outcome"),
    [
        (agreement(0.8, 0.2, 1.0), (), "holds"),
        (agreement(0.8, 0.2, 1.0), PAIR, "holds in part"),
        (agreement(0.3, -0.2, 1.0), PAIR, "does not hold"),
        (agreement(-0.8, -1.0, -0.2), (), "does not hold"),
        (agreement(0.3, -0.2, 1.0), (), "open"),
        (agreement(0.3, None, None), (), "none"),
        (None, (), "none"),
    ],
)
def test_verdicts(found, contradicted, outcome):
    ordering = Ordering(found, PAIR, contradicted, 3)
    assert judge(ordering, ()).outcome == outcome
    assert judge(ordering, ["another encoder"]).outcome == "none"
    assert "another encoder" in judge(ordering, ["another encoder"]).reasons


def rows(gaps: dict[str, float], seeds: int = 5) -> dict:
    rng = np.random.default_rng(0)
    items = 0.3 * rng.normal(size=200)
    scores = [
        0.5 + g + items + 0.01 * rng.normal(size=(seeds, 1)) + 0.1 * rng.normal(size=(seeds, 200))
        for g in gaps.values()
    ]
    draws = draw_scores(np.zeros(200), np.concatenate(scores), metric="mean", resamples=200)
    return {name: draws.of(range(seeds * i, seeds * (i + 1))) for i, name in enumerate(gaps)}


def test_pairs_are_confirmed_contradicted_or_open():
    found = rows({"a": 0.0, "b": 0.2, "c": 0.2, "extra": 0.9})
    seeds = dict.fromkeys(found, range(5))
    ordering = compare_order(found, {"a": 70.0, "b": 69.0, "c": 68.0, "gone": 1.0}, seeds)
    assert ordering.confirmed == ()
    assert set(ordering.contradicted) == {("a", "b"), ("a", "c")}
    assert ordering.undecided == 1
    assert ordering.agreement.methods == 3
    turned = compare_order(found, {"a": 67.0, "b": 69.0, "c": 69.0}, seeds)
    assert set(turned.confirmed) == {("b", "a"), ("c", "a")}
    assert turned.undecided == 0  # a tie in the paper orders nothing


def test_fewer_than_two_rows_have_no_order():
    assert compare_order({"a": fixed_draws([1.0])}, {"a": 2.0}, {"a": [0]}).agreement is None
