"""Which places must be guessed, and what the encoder sees there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.pretraining.masking import IGNORED, mask_words
from harness.pretraining.packing import Rows

MASK, SPECIAL, SIZE = 4, 5, 5_000


def rows_of(words, width):
    """One row for each list of word lengths, between [CLS] and [SEP]; an empty list is a row of padding."""
    shape = (len(words), width)
    ids, word = np.zeros(shape, dtype=np.int64), np.full(shape, -1, dtype=np.int64)
    segment = np.zeros(shape, dtype=np.int64)
    rng = np.random.default_rng(0)
    for row, lengths in enumerate(words):
        if lengths:
            count = sum(lengths)
            ids[row, : count + 2] = [2, *rng.integers(SPECIAL, SIZE, count), 3]
            word[row, 1 : count + 1] = np.repeat(np.arange(len(lengths)), lengths)
            segment[row, : count + 2] = 1
    return Rows(ids, np.tile(np.arange(width), (len(words), 1)), segment, word)


def masked(rows, rate, seed=0, size=SIZE, **shares):
    return mask_words(rows, rate, np.random.default_rng(seed), mask=MASK, size=size, special=SPECIAL, **shares)


def chosen_of(found, shape):
    """The chosen places as bool (rows, width), from `where` and `targets`."""
    chosen = np.zeros(shape, dtype=bool)
    for row, (where, targets) in enumerate(zip(found.where, found.targets, strict=True)):
        real = targets != IGNORED
        assert (np.diff(where[real]) > 0).all()
        assert real[: real.sum()].all()  # filled up behind, with 0
        assert (where[~real] == 0).all()
        chosen[row, where[real]] = True
    return chosen


WORDS = st.lists(st.lists(st.integers(1, 8), max_size=7), min_size=1, max_size=6)


@settings(max_examples=50)
@given(words=WORDS, rate=st.floats(0.01, 0.9), seed=st.integers(0, 99))
def test_whole_words_and_nothing_else(words, rate, seed):
    rows = rows_of(words, 60)
    found = masked(rows, rate, seed)
    chosen = chosen_of(found, rows.ids.shape)
    assert not chosen[rows.word < 0].any()
    assert (found.ids[~chosen] == rows.ids[~chosen]).all()
    for row, lengths in enumerate(words):
        for number in range(len(lengths)):
            assert len(set(chosen[row, rows.word[row] == number])) == 1
        assert chosen[row].any() == bool(lengths)
        if chosen[row].sum() > max(lengths, default=0):
            assert chosen[row].sum() <= rate * sum(lengths) + 1
        real = found.targets[row] != IGNORED
        assert (found.targets[row, real] == rows.ids[row, found.where[row, real]]).all()
    drawn = found.ids[chosen]
    assert ((drawn == MASK) | ((drawn >= SPECIAL) & (drawn < SIZE))).all()


def test_the_rows_are_left_as_they_were():
    rows = rows_of([[1] * 20], 32)
    before = rows.ids.copy()
    masked(rows, 0.5)
    assert (rows.ids == before).all()


def test_only_padding():
    found = masked(rows_of([[], []], 16), 0.2)
    assert (found.ids == 0).all()
    assert (found.targets == IGNORED).all()
    assert found.where.shape == found.targets.shape == (2, 1)


@pytest.mark.parametrize("rate", [0.15, 0.2, 0.4])
def test_the_rate_is_exact_on_average(rate):
    rows = rows_of([[1] * 97] * 800, 100)
    counts = (masked(rows, rate).targets != IGNORED).sum(axis=1)
    # 97 x 0.15 = 14.55: some rows have 14, some 15
    assert set(counts) == {int(97 * rate), int(97 * rate) + 1}
    assert counts.mean() == pytest.approx(97 * rate, abs=4 * 0.5 / 800**0.5)


def test_words_of_several_pieces_take_a_little_less():
    lengths = [1, 1, 2, 1, 3, 1, 2] * 9
    rows = rows_of([lengths] * 800, sum(lengths) + 2)
    share = (masked(rows, 0.2).targets != IGNORED).sum() / (800 * sum(lengths))
    assert 0.18 < share <= 0.2


def test_every_word_has_its_turn():
    rows = rows_of([[1, 2, 3, 1, 2, 3]] * 300, 20)
    chosen = chosen_of(masked(rows, 0.5), rows.ids.shape)
    shares = np.array([chosen[:, rows.word[0] == number].mean() for number in range(6)])
    assert (shares > 0.25).all()


def test_what_stands_at_the_chosen_places():
    rows = rows_of([[1] * 98] * 600, 100)
    found = masked(rows, 0.5)
    chosen = chosen_of(found, rows.ids.shape)
    seen, was = found.ids[chosen], rows.ids[chosen]
    spread = 4 * 0.5 / len(seen) ** 0.5
    assert (seen == MASK).mean() == pytest.approx(0.8, abs=spread)
    assert (seen == was).mean() == pytest.approx(0.1, abs=spread)
    other = seen[(seen != MASK) & (seen != was)]
    assert len(other) / len(seen) == pytest.approx(0.1, abs=spread)
    # any piece that is not special, each as often
    assert other.min() >= SPECIAL
    assert other.mean() == pytest.approx((SPECIAL + SIZE) / 2, abs=4 * SIZE / 12**0.5 / len(other) ** 0.5)


@pytest.mark.parametrize(("hidden", "swapped"), [(1.0, 0.0), (0.5, 0.2), (0.2, 0.8)])
def test_other_shares(hidden, swapped):
    rows = rows_of([[1] * 98] * 400, 100)
    found = masked(rows, 0.5, hidden=hidden, swapped=swapped)
    chosen = chosen_of(found, rows.ids.shape)
    seen, was = found.ids[chosen], rows.ids[chosen]
    spread = 4 * 0.5 / len(seen) ** 0.5
    assert (seen == MASK).mean() == pytest.approx(hidden, abs=spread)
    assert (seen == was).mean() == pytest.approx(1 - hidden - swapped, abs=spread)
    assert (found.ids[~chosen] == rows.ids[~chosen]).all()


def test_any_piece_but_a_special_one_may_be_drawn():
    rows = rows_of([[1] * 98] * 20, 100)
    rows.ids[rows.word >= 0] = 1_000
    assert set(masked(rows, 0.9, size=8).ids[rows.word >= 0]) == {1_000, MASK, 5, 6, 7}


def test_the_same_for_the_same_generator():
    rows = rows_of([[1, 2, 3] * 8] * 5, 60)
    first, again, other = masked(rows, 0.3, 1), masked(rows, 0.3, 1), masked(rows, 0.3, 2)
    for name in ("ids", "where", "targets"):
        assert (getattr(first, name) == getattr(again, name)).all()
    assert first.ids.tolist() != other.ids.tolist()


def test_words_of_greater_weight_are_guessed_more_often():
    """One word of four pieces' room is taken per row; its chance goes with the mean weight of its pieces."""
    rows = rows_of([[2, 2, 2, 2]] * 4_000, 12)
    rows = Rows(np.tile(rows.ids[0], (4_000, 1)), rows.positions, rows.segment, rows.word)
    rows.ids[:, 1:9] = [5, 6, 7, 8, 9, 10, 11, 12]
    weights = np.ones(SIZE)
    weights[[5, 6]] = [1, 5]  # mean 3: half of all chances
    chosen = chosen_of(masked(rows, 1e-9, weights=weights), rows.ids.shape)
    share = chosen[:, [1, 3, 5, 7]].mean(axis=0)
    np.testing.assert_allclose(share, [3 / 6, 1 / 6, 1 / 6, 1 / 6], atol=0.03)


def test_equal_weights_are_as_good_as_none():
    rows = rows_of([[1, 2, 3, 1, 2, 4, 1]] * 3_000, 20)
    counted = [
        chosen_of(masked(rows, 0.3, weights=weights), rows.ids.shape).mean(axis=0)
        for weights in (None, np.full(SIZE, 0.2))
    ]
    np.testing.assert_allclose(*counted, atol=0.03)
