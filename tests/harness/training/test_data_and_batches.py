"""Token arrays survive storage; every row is seen once per epoch, at any step, without walking there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import DataError
from harness.training import TokenArray, TrainingData
from harness.training.batches import BatchOrder


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.lists(st.integers(0, 60_000), max_size=9), min_size=1, max_size=12), big=st.booleans())
def test_rows_come_back(rows, big, tmp_path_factory):
    array = TokenArray.of([np.array(r, dtype=np.int32) for r in rows], 100_000 if big else 65_536)
    assert array.ids.dtype == (np.uint32 if big else np.uint16)
    assert [array[i].tolist() for i in range(len(array))] == rows
    folder = tmp_path_factory.mktemp("data")
    present = np.arange(len(rows)) % 2 == 0
    TrainingData({"a": array}, {"a": present}, {"score": np.arange(len(rows)) / 2}).save(folder)
    again = TrainingData.load(folder)
    index = np.arange(len(rows))[::-1]
    got = again.rows(index)
    assert [r.tolist() for r in got.tokens["a"]] == rows[::-1]
    assert got.present["a"].tolist() == present[::-1].tolist()
    assert got.numbers["score"].tolist() == (np.arange(len(rows)) / 2)[::-1].tolist()


def test_stored_arrays_are_memory_mapped(tmp_path):
    TrainingData({"a": TokenArray.of([np.arange(5)], 10)}, {}).save(tmp_path)
    assert type(TrainingData.load(tmp_path).views["a"].ids) is np.memmap


def test_missing_parts_and_unequal_views_are_named(tmp_path):
    with pytest.raises(ValueError, match="same number of rows"):
        TrainingData({"a": TokenArray.of([np.arange(3)], 10), "b": TokenArray.of([], 10)}, {})
    TrainingData({"a": TokenArray.of([np.arange(5)], 10)}, {}).save(tmp_path)
    (tmp_path / "view.a.ids.npy").unlink()
    with pytest.raises(DataError, match="prepare it again"):
        TrainingData.load(tmp_path)


@settings(max_examples=50, deadline=None)
@given(rows=st.integers(2, 60), batch=st.integers(2, 20), epochs=st.integers(1, 3), seed=st.integers(0, 99))
def test_each_epoch_is_a_permutation(rows, batch, epochs, seed):
    order = BatchOrder(rows, batch, epochs, seed)
    for epoch in range(epochs):
        steps = range(epoch * order.per_epoch, (epoch + 1) * order.per_epoch)
        seen = np.concatenate([order[s] for s in steps])
        assert len(set(seen.tolist())) == len(seen)
        assert rows - len(seen) in (0, 1)  # only a last batch of a single row is left out
        assert {order.epoch(s) for s in steps} == {epoch}
    assert order.total == epochs * order.per_epoch
    again = BatchOrder(rows, batch, epochs, seed)
    last = order.total - 1
    assert again[last].tolist() == order[last].tolist()


def test_max_steps_and_too_few_rows():
    assert BatchOrder(100, 10, 3, 0, max_steps=7).total == 7
    with pytest.raises(ValueError, match="1 rows make no batch"):
        BatchOrder(1, 10, 1, 0)
