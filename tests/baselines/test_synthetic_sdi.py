"""The classifier's data, its dev score, the importance it gives, and the deciles by it."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.synthetic.deciles import deciles, describe, distinct, jaccard, units, zipf
from baselines.synthetic.importance import (
    calibration_error,
    fitted_temperature,
    human_probability,
    keep_highest,
    log_loss,
)
from baselines.synthetic.pairs import NEIGHBOUR, RANDOM, Pairs
from baselines.synthetic.sdi import SdiDev, sdi_parts
from harness.errors import DataError

PEOPLE = [f"human number {i}" for i in range(60)]
MADE = Pairs.of([(PEOPLE[i % 40], f"machine {i}", 0.9, "pi") for i in range(100)])


def test_classes_are_equal_in_size_and_share_no_first_sentence():
    train, dev = sdi_parts(PEOPLE, MADE, seed=0)
    for part in (train, dev):
        assert part.human.sum() * 2 == len(part) > 0
        assert len(set(part.texts)) == len(part)
        assert all(text.startswith("human") == (human == 1) for text, human in zip(part.texts, part.human, strict=True))
    left = dict(zip(MADE.right, MADE.left, strict=True))
    keys = [{left.get(text, text) for text in part.texts} for part in (train, dev)]
    assert not keys[0] & keys[1]
    again, _ = sdi_parts(PEOPLE, MADE, seed=0)
    assert again.texts == train.texts
    assert sdi_parts(PEOPLE, MADE, seed=1)[0].texts != train.texts


def test_sentences_that_people_wrote_are_no_machines():
    mixed = MADE + Pairs.of(
        [
            (PEOPLE[0], PEOPLE[5], 0.9, "pi"),
            (PEOPLE[1], "next line", 0.5, NEIGHBOUR),
            (PEOPLE[2], "anything", 0.0, RANDOM),
        ]
    )
    for part in sdi_parts(PEOPLE, mixed, seed=0):
        machines = {text for text, human in zip(part.texts, part.human, strict=True) if not human}
        assert not machines & {PEOPLE[5], "next line", "anything"}


@pytest.mark.parametrize(
    ("people", "pairs", "message"),
    [
        (PEOPLE, Pairs.of([(a, b, 0.9, "pi") for a, b in pairwise(PEOPLE)]), r"60 human .* 0 mach"),
        (PEOPLE, Pairs.of([]), "0 machine-made"),
        (PEOPLE[:3], MADE, "has 3 human ones"),
        (PEOPLE, Pairs.of([("x", f"m{i}", 0.9, "pi") for i in range(20)]), "so few first sentences"),
    ],
)
def test_one_class_is_refused_in_a_sentence(people, pairs, message):
    with pytest.raises(DataError, match=message):
        sdi_parts(people, pairs, seed=0)


def slow_probability(logits, temperature):
    out = []
    for machine, human in logits:
        top = max(machine, human) / temperature
        a, b = math.exp(machine / temperature - top), math.exp(human / temperature - top)
        out.append((a / (a + b), b / (a + b)))
    return out


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.floats(0.1, 5))
def test_importance_is_the_softmax(seed, temperature):
    rng = np.random.default_rng(seed)
    logits, human = rng.normal(size=(30, 2)) * 4, rng.integers(0, 2, 30)
    both = slow_probability(logits, temperature)
    wanted = np.array([p for _, p in both])
    np.testing.assert_allclose(human_probability(logits, temperature), wanted, atol=1e-12)
    # not log(1 - p), which loses all digits where p is nearly 1
    slow = -np.mean([math.log(row[h]) for row, h in zip(both, human, strict=True)])
    assert log_loss(logits, human, temperature) == pytest.approx(slow, rel=1e-6)
    certain = np.maximum(wanted, 1 - wanted)
    error = 0.0
    for b in range(10):
        inside = [i for i in range(30) if min(9, int((certain[i] - 0.5) * 20)) == b]
        if inside:
            right = sum((wanted[i] >= 0.5) == bool(human[i]) for i in inside) / len(inside)
            error += abs(right - sum(certain[i] for i in inside) / len(inside)) * len(inside) / 30
    assert calibration_error(logits, human, temperature) == pytest.approx(error, abs=1e-9)


def test_extremes_do_not_overflow_and_bad_temperatures_are_refused():
    assert human_probability(np.array([[0, 1e5], [1e5, 0], [3, 3]])).tolist() == [1.0, 0.0, 0.5]
    with pytest.raises(ValueError, match="above 0"):
        human_probability(np.zeros((1, 2)), 0.0)


def test_the_fitted_temperature_undoes_overconfidence():
    rng = np.random.default_rng(0)
    gap = rng.normal(size=20_000)
    human = (rng.random(20_000) < 1 / (1 + np.exp(-gap))).astype(int)
    logits = np.stack([np.zeros_like(gap), 3 * gap], axis=1)
    assert fitted_temperature(logits, human) == pytest.approx(3, rel=0.1)
    assert calibration_error(logits, human, 3.0) < 0.02 < calibration_error(logits, human, 1.0)


def test_filtering_drops_the_lowest_tenth():
    importance = np.array([0.5, 0.1, 0.9, 0.1, *[0.7] * 16])
    assert sorted(set(range(20)) - set(keep_highest(importance, 0.1).tolist())) == [1, 3]
    assert keep_highest(importance, 0.05).tolist() == [i for i in range(20) if i != 3]
    assert len(keep_highest(importance, 0.0)) == 20


def test_dev_score_is_minus_the_log_loss():
    train, _ = sdi_parts(PEOPLE, MADE, seed=0)
    logits = np.stack([1 - train.human, train.human], axis=1) * 2.0
    result = SdiDev(train).score(logits)
    assert [score.value for score in result.scores] == [pytest.approx(-math.log(1 + math.exp(-2))), 100.0]
    assert SdiDev(train).split == "dev"


def test_surface_numbers_against_counts_by_hand():
    texts = [units("The cat saw the cat ."), units("A cat !")]
    assert texts[0] == ["the", "cat", "saw", "the", "cat", "."]
    assert distinct(texts, 1) == pytest.approx(100 * 6 / 9)  # the cat saw . a !
    assert distinct(texts, 2) == pytest.approx(100 * 6 / 7)
    assert distinct(texts, 9) is None
    assert jaccard(texts[0], texts[1]) == pytest.approx(100 * 1 / 4)
    assert jaccard(units("!"), units("?")) is None
    assert zipf([["a"]]) is None
    assert zipf([["a", "b", "c"]]) == 0
    # frequencies 12, 6, 4, 3 are 12 / rank
    assert zipf([["a"] * 12 + ["b"] * 6 + ["c"] * 4 + ["d"] * 3]) == pytest.approx(1.0)
    alone = describe(["a b c d"])
    assert (alone["bleu"], alone["jaccard"], alone["sentences"]) == (None, None, 1)
    assert describe(["a b c d"], ["a b c d"])["bleu"] == pytest.approx(100)


def test_deciles_are_of_what_was_written():
    pairs = MADE + Pairs.of([("x", "far off", 0.0, RANDOM), ("x", "next door", 0.5, NEIGHBOUR)])
    importance = np.concatenate([np.linspace(0, 1, 100), [9.0, -9.0]])
    found = deciles(pairs, importance, PEOPLE, seed=0)
    assert {name: group["sentences"] for name, group in found.items()} == {"top": 10, "bottom": 10, "human": 10}
    assert found["top"]["importance"] == pytest.approx(np.linspace(0, 1, 100)[-10:].mean(), abs=1e-4)
    assert found["bottom"]["importance"] == pytest.approx(np.linspace(0, 1, 100)[:10].mean(), abs=1e-4)
