"""Alignment, uniformity and effective rank against the definitions, and when the alarm rings."""

from __future__ import annotations

import math

import numpy as np
import pytest

from harness.training.monitors import Health, alignment, effective_rank, mean_cosine, uniformity


def unit(rng, n, d):
    x = rng.normal(size=(n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def test_against_the_definitions_pair_by_pair():
    rng = np.random.default_rng(0)
    a, b = unit(rng, 9, 4), unit(rng, 9, 4)
    assert alignment(3 * a, b) == pytest.approx(np.mean([np.sum((x - y) ** 2) for x, y in zip(a, b, strict=True)]))
    pairs = [(i, j) for i in range(9) for j in range(9) if i != j]
    expected = math.log(np.mean([math.exp(-2 * np.sum((a[i] - a[j]) ** 2)) for i, j in pairs]))
    assert uniformity(5 * a) == pytest.approx(expected)
    assert mean_cosine(a) == pytest.approx(np.mean([a[i] @ a[j] for i, j in pairs]))


def test_effective_rank_of_known_spectra():
    assert effective_rank(np.eye(6)) == pytest.approx(6)
    assert effective_rank(np.ones((5, 3))) == pytest.approx(1)
    assert effective_rank(np.repeat(np.eye(2), 4, axis=0)) == pytest.approx(2)


def test_alarm_rings_for_one_direction_and_for_lost_rank_only():
    rng = np.random.default_rng(1)
    healthy = Health.of(unit(rng, 50, 20), unit(rng, 50, 20))
    assert healthy.collapsed(None) is None
    one_way = np.ones((50, 20)) + 0.01 * rng.normal(size=(50, 20))
    assert "mean cosine" in Health.of(one_way, one_way).collapsed(None)
    line = np.outer(rng.normal(size=50), np.ones(20))
    flat = Health.of(line, line)
    assert flat.collapsed(None) is None  # rank alone says nothing without a look before training
    assert "effective rank fell" in flat.collapsed(healthy.as_dict())


def test_label_free_score_prefers_aligned_and_uniform():
    rng = np.random.default_rng(2)
    spread = unit(rng, 40, 10)
    good = Health.of(spread, spread + 0.05 * rng.normal(size=spread.shape))
    misaligned = Health.of(spread, unit(rng, 40, 10))
    narrow = Health.of(spread * 0.1 + 1, spread * 0.1 + 1)
    assert good.label_free > misaligned.label_free
    assert good.label_free > narrow.label_free


def test_zero_vectors_do_not_break_it():
    zeros = np.zeros((4, 3))
    assert Health.of(zeros, zeros).effective_rank == 1.0
