from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics import hierarchical_difference, ranking


def systems(gaps: dict[str, float], *, seeds: int = 4, items: int = 150, number: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(number)
    difficulty = 0.3 * rng.normal(size=items)
    return {
        name: 0.5 + gap + difficulty + 0.01 * rng.normal(size=(seeds, 1)) + 0.1 * rng.normal(size=(seeds, items))
        for name, gap in gaps.items()
    }


def rank(found: dict[str, np.ndarray], **more):
    return ranking(found, np.zeros(next(iter(found.values())).shape[-1]), metric="mean", resamples=150, **more)


def test_clear_places_and_a_tie_for_the_best():
    rows = systems({"last": -0.5, "first": 0.3, "second": 0.0})
    rows["twin"] = rows["first"] + 0.001 * np.random.default_rng(9).normal(size=rows["first"].shape)
    found = rank(rows)
    assert {s.name: (s.rank_low, s.rank_high) for s in found.systems} == {
        "first": (1, 2),
        "twin": (1, 2),
        "second": (3, 3),
        "last": (4, 4),
    }
    assert set(found.tied_with_best) == {"first", "twin"}
    best, *others = found.systems
    assert (best.behind_best, best.p, best.rank) == (None, None, 1)
    for system in others:
        assert system.behind_best.value <= 0
        assert system.behind_best.value == pytest.approx(system.score.value - best.score.value)


def test_the_best_system_is_rarely_left_out_of_its_tie():
    left_out = sum("a" not in rank(systems(dict.fromkeys("abcde", 0.0), number=n)).tied_with_best for n in range(150))
    assert left_out / 150 <= 0.08


def test_rank_intervals_cover_the_true_ranks():
    gaps = {"a": 0.06, "b": 0.04, "c": 0.02, "d": 0.0}
    hits = [
        s.rank_low <= "abcd".index(s.name) + 1 <= s.rank_high
        for n in range(80)
        for s in rank(systems(gaps, number=n)).systems
    ]
    assert np.mean(hits) >= 0.95


@given(st.permutations("abcd"), st.sampled_from(["holm", "bh", "none"]))
def test_the_order_of_the_systems_does_not_matter(order, correction):
    rows = systems({"a": 0.0, "b": 0.02, "c": 0.05, "d": 0.05}, items=40)
    one, two = rank(rows, correction=correction), rank({name: rows[name] for name in order}, correction=correction)
    assert [(s.name, s.rank, s.rank_low, s.rank_high) for s in one.systems] == [
        (s.name, s.rank, s.rank_low, s.rank_high) for s in two.systems
    ]
    for s in one.systems:
        assert s.rank_low <= s.rank <= s.rank_high


def test_tests_are_paired_and_corrected():
    rows = systems({"a": 0.05, "b": 0.0, "c": -0.02})
    found = rank(rows, correction="none")
    for system in found.systems[1:]:
        best = rows[found.systems[0].name]
        alone = hierarchical_difference(np.zeros(150), best, rows[system.name], metric="mean", resamples=2000)
        assert system.behind_best.paired
        assert system.behind_best.se == pytest.approx(alone.se, rel=0.25)
    assert all(h.p >= n.p for h, n in zip(rank(rows).systems[1:], found.systems[1:], strict=True))


def test_systems_without_a_score_one_system_and_none():
    gold = np.arange(10.0)
    found = ranking({"flat": np.ones(10), "good": gold}, gold)
    assert found.undefined == ("flat",)
    assert [(s.name, s.rank_low, s.rank_high, s.tied_with_best) for s in found.systems] == [("good", 1, 1, True)]
    assert ranking({}, gold).systems == ()


def test_seeds_of_different_numbers_are_not_paired():
    rows = systems({"a": 0.05, "b": 0.0})
    found = rank(rows, seeds={"a": [0, 1, 2, 3], "b": [4, 5, 6, 7]})
    assert found.systems[1].behind_best.paired is False


def test_bad_shapes_name_the_system():
    with pytest.raises(ValueError, match="odd"):
        ranking({"good": np.zeros((2, 5)), "odd": np.zeros((2, 4))}, np.zeros(5))
