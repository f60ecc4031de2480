"""The verdict: agrees with the statistics it is made of, and says in words what the numbers say."""

from __future__ import annotations

import numpy as np
import pytest

from harness.advice.verdict import judge, recommendation
from harness.statistics import hierarchical_difference, holm

WHAT = {"plain": "Plain", "untrained": "Base", "what": "on held-out lines"}


def systems(seed: int = 0, items: int = 300, **means: float) -> tuple[dict[str, np.ndarray], dict[str, list[int]]]:
    rng = np.random.default_rng(seed)
    shared = rng.uniform(0, 0.5, size=items)
    values = {name: np.clip(shared + mean + rng.normal(0, 0.05, size=(3, items)), 0, 1) for name, mean in means.items()}
    return values, {name: [0, 1, 2] for name in values}


def test_p_values_are_holms_of_the_paired_differences_to_the_best() -> None:
    values, seeds = systems(A=0.2, B=0.19, C=0.1)
    verdict = judge(values, seeds)
    assert [s.label for s in verdict.standings] == ["A", "B", "C"]
    gaps = [hierarchical_difference(np.zeros(300), values["A"], values[name], metric="mean") for name in "BC"]
    expected = holm([gap.p for gap in gaps])
    for standing, gap, p in zip(verdict.standings[1:], gaps, expected, strict=True):
        assert standing.behind == pytest.approx(gap.value)
        assert standing.p == pytest.approx(p)
    assert verdict.find("A").behind is None
    assert verdict.find("nobody") is None
    assert (verdict.seeds, verdict.items) == (3, 300)
    assert 0 < verdict.resolvable < 5


def test_words_for_a_clear_winner() -> None:
    verdict = judge(*systems(PI=0.3, Plain=0.2, Base=0.1))
    words = recommendation(verdict, **WHAT)
    assert words[0].startswith("Recommendation: PI is better than every other row on held-out lines (")
    assert words[1].startswith("Worse than PI: Plain (−")
    assert "Base (−" in words[1]
    assert "p < 0.001" in words[1]
    assert "Holm" in words[1]
    assert not any("reason" in sentence for sentence in words)


def test_words_for_a_tie_and_for_plain_among_the_best() -> None:
    verdict = judge(*systems(PI=0.3, Plain=0.3, MV=0.3, DN=0.1))
    words = recommendation(verdict, **WHAT)
    assert " or " in words[0]
    assert "cannot be told apart" in words[0]
    assert words[1].startswith("Worse than ")
    assert "DN (−" in words[1]
    assert words[1].count("(") == 1
    assert any("Plain is among the best" in sentence for sentence in words)
    assert words[-1].startswith("Differences below about")


def test_words_where_nothing_can_be_told() -> None:
    verdict = judge(*systems(items=30, A=0.3, B=0.3, Base=0.3))
    words = recommendation(verdict, **WHAT)
    assert words[0].startswith("Recommendation: none. No two rows can be told apart")
    assert "did not help" in words[1]
    one = judge({"A": np.full((1, 5), 0.5), "B": np.linspace(0, 1, 5)[None]}, {"A": [0], "B": [0]})
    assert recommendation(one, **WHAT)[-1].startswith("One seed")


def test_labelled_pairs_are_judged_by_rank_correlation() -> None:
    rng = np.random.default_rng(1)
    gold = rng.normal(size=200)
    values = {name: gold + rng.normal(0, noise, size=(2, 200)) for name, noise in (("good", 0.3), ("bad", 3.0))}
    verdict = judge(values, {"good": [0, 1], "bad": [0, 1]}, gold=gold, measure="spearman")
    assert [s.label for s in verdict.standings] == ["good", "bad"]
    assert not verdict.standings[1].tied
    constant = judge(
        {"flat": np.ones((1, 200)), "good": values["good"]},
        {"flat": [0], "good": [0, 1]},
        gold=gold,
        measure="spearman",
    )
    assert constant.undefined == ("flat",)
    assert recommendation(
        judge({"flat": np.ones((1, 9))}, {"flat": [0]}, gold=gold[:9], measure="spearman"), **WHAT
    ) == ["No recommendation: no row has a score on held-out lines."]
