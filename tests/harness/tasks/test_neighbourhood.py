from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from harness.data import DataFolder
from harness.data.labelled import Labelled
from harness.protocols import TaskOptions
from harness.tasks import neighbourhood
from harness.tasks.neighbourhood import NEIGHBOURS, NeighbourhoodTask, family, purity


def by_hand(v: np.ndarray, gold: np.ndarray, k: int) -> list[float]:
    out = []
    for i in range(len(v)):
        similarity = {
            j: float(v[i] @ v[j]) / float(np.linalg.norm(v[i]) * np.linalg.norm(v[j])) for j in range(len(v)) if j != i
        }
        nearest = sorted(similarity, key=lambda j: -similarity[j])[:k]
        out.append(sum(gold[j] == gold[i] for j in nearest) / k)
    return out


def task(items: int) -> NeighbourhoodTask:
    labels = tuple(str(i % 3) for i in range(items))
    return NeighbourhoodTask("Own", Labelled(labels, tuple((f"{i}",) for i in range(items))), language="en")


@settings(max_examples=30)
@given(n=st.integers(3, 40), d=st.integers(2, 6), block=st.integers(1, 400), seed=st.integers(0, 500))
def test_purity_is_that_of_a_slow_loop_whatever_the_block(n, d, block, seed):
    rng = np.random.default_rng(seed)
    v, gold = rng.normal(size=(n, d)).astype(np.float32), rng.integers(0, 3, n)
    wanted = sorted({1, 2, n - 1})
    before = neighbourhood._BLOCK_NUMBERS
    neighbourhood._BLOCK_NUMBERS = block
    try:
        dense, zeros = purity(v, gold, wanted)
        csr, _ = purity(sparse.csr_matrix(v), gold, wanted)
    finally:
        neighbourhood._BLOCK_NUMBERS = before
    assert zeros == 0
    for k in wanted:
        np.testing.assert_allclose(dense[k], by_hand(v.astype(np.float64), gold, k))
        np.testing.assert_allclose(csr[k], dense[k])


def test_scores_of_a_task():
    own = task(90)
    rng = np.random.default_rng(0)
    v = (np.eye(3)[own.gold] + 0.6 * rng.normal(size=(90, 3))).astype(np.float32)
    result = own.score(v)
    assert [s.metric for s in result.scores] == [f"purity@{k}" for k in NEIGHBOURS]
    for s, k in zip(result.scores, NEIGHBOURS, strict=True):
        assert s.value == pytest.approx(100 * np.mean(by_hand(v.astype(np.float64), own.gold, k)), abs=1e-6)
    np.testing.assert_allclose(result.predictions, by_hand(v.astype(np.float64), own.gold, 16), atol=1e-6)
    assert result.facts["chance"] == pytest.approx(100 * 29 / 89)
    assert own.main in {(s.metric, s.aggregation) for s in result.scores}


def test_separate_classes_are_pure_at_any_length_of_the_vectors():
    own = task(90)
    v = np.eye(3, dtype=np.float32)[own.gold] * np.linspace(0.1, 9, 90, dtype=np.float32)[:, None]
    assert {s.value for s in own.score(v).scores if s.metric != "purity@32" and s.metric != "purity@64"} == {100.0}


def test_too_many_neighbours_are_undefined_and_not_zero():
    own = task(9)
    result = own.score(np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32))
    assert [s.value is None for s in result.scores] == [k >= 9 for k in NEIGHBOURS]
    assert "undefined from K = 9 on" in result.notes[0]


def test_zero_vectors_are_mentioned():
    own = task(30)
    v = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    v[[3, 4]] = 0
    result = own.score(v)
    assert "2 of 30 vectors are zero" in result.notes[-1]
    assert np.isfinite(result.predictions).all()


@pytest.mark.parametrize("value", [2.0, np.nan])
def test_constant_and_nan_vectors_are_undefined(value):
    result = task(30).score(np.full((30, 2), value, dtype=np.float32))
    assert [s.value for s in result.scores] == [None] * len(NEIGHBOURS)


def test_tasks_of_a_folder(tmp_path):
    place = tmp_path / "clustering" / "en"
    place.mkdir(parents=True)
    (place / "Tweet.tsv").write_text("1\ta\n2\tb\n1\tc\n", encoding="utf-8")
    found = family(DataFolder(tmp_path), "en", TaskOptions())
    tweet = found.tasks["Tweet-neighbours"]["test"]()
    assert (tweet.id, tweet.protocol.id) == ("Tweet-neighbours", "neighbourhood-purity@1")
    assert "clustering/en/AgNews.tsv" in found.tasks["AgNews-neighbours"]["test"]().unavailable
    assert len(found.default) == 6
