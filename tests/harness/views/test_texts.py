"""Compact texts behave as the list they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.views.texts import Texts

VALUES = st.lists(st.none() | st.text(st.characters(exclude_categories=[]), max_size=9), max_size=12)


@given(VALUES, st.data())
def test_texts_are_the_list_they_were_made_of(values, data):
    texts = Texts.of(values)
    assert len(texts) == len(values)
    assert list(texts) == values
    assert texts == values
    assert [texts[i] for i in range(-len(values), len(values))] == values + values
    assert texts[1:-1:2] == values[1:-1:2]
    rows = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=9)) if values else []
    assert texts.take(rows) == [values[row] for row in rows]
    assert texts.take(rows) == Texts.of(values[row] for row in rows)
    assert texts != [*values, None]
    with pytest.raises(IndexError):
        texts[len(values)]


@given(VALUES, st.randoms(), st.integers(1, 5))
def test_gaps_are_filled_in_any_order(values, shuffler, size):
    order = list(range(len(values)))
    shuffler.shuffle(order)
    texts = Texts.gaps(len(values))
    for start in range(0, len(order), size):
        part = order[start : start + size]
        texts.put(np.array(part, int), [values[i] for i in part])
    assert texts == values


@given(VALUES, st.integers(0, 12), st.integers(0, 12))
def test_blocks_are_what_arrow_wants(values, start, stop):
    stop = min(stop, len(values))
    start = min(start, stop)
    data, offsets, there = Texts.of(values).block(start, stop)
    found = [
        data[a:b].decode("utf-8", "surrogatepass") if is_there else None
        for a, b, is_there in zip(offsets[:-1], offsets[1:], there, strict=True)
    ]
    assert found == values[start:stop]


def test_texts_differ_from_what_is_no_sequence_of_texts():
    assert Texts.of(["a"]) != "a"
    assert Texts.of(["a"]) != {"a"}
    assert repr(Texts.of(["a", None])) == "Texts.of(['a', None])"
    with pytest.raises(TypeError):
        hash(Texts.of([]))
