"""What the loop reads at each step, and the rate it reads it with."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pretraining_fakes import SPECIAL, counting_segments, segments_of, tiny_recipe

from harness.pretraining.loop import Reader, share_of_peak

SIZE = 45
COUNTS = np.full(SIZE, 10)


@pytest.fixture(scope="module")
def segments():
    return counting_segments(60, SIZE)


def reader(segments, **changes):
    return Reader(segments, tiny_recipe(**changes), SPECIAL, COUNTS)


def pieces_of(arrays):
    """The pieces that were read, before masking, of each segment of each row."""
    ids = arrays["ids"].copy()
    for row, where, targets in zip(ids, arrays["where"], arrays["targets"], strict=True):
        row[where[targets >= 0]] = targets[targets >= 0]
    found = []
    for row, segment in zip(ids, arrays["segment"], strict=True):
        for number in range(1, segment.max() + 1):
            found.append(tuple(row[segment == number][1:-1].tolist()))
    return found


def test_a_step_does_not_depend_on_the_steps_before(segments):
    one, other = reader(segments), reader(segments)
    steps = [one.batch(step) for step in range(30)]
    assert steps[-1][1] >= 2  # epochs
    for step in (0, 3, 4, 17, 29):
        arrays, epoch = other.batch(step)
        assert epoch == steps[step][1]
        for name, array in arrays.items():
            assert (array == steps[step][0][name]).all(), (step, name)


def test_an_epoch_reads_each_segment_at_most_once(segments):
    one = reader(segments)
    epochs = {}
    for step in range(30):
        arrays, epoch = one.batch(step)
        assert arrays["ids"].shape == (4, 32)
        epochs.setdefault(epoch, []).extend(pieces_of(arrays))
    known = sorted(tuple(segments.ids[a:b].tolist()) for a, b in zip(segments.starts, segments.ends, strict=True))
    for read in (epochs[0], epochs[1]):
        left = list(known)
        for piece in read:
            left.remove(piece)
        assert len(left) < len(known) / 4  # rows that fill no step wait for the next epoch
    assert epochs[0] != epochs[1]


def test_each_step_is_masked_anew():
    one = reader(segments_of([list(range(5, 33))]))  # one row, the same in each epoch
    steps = [one.batch(step)[0] for step in range(6)]
    assert len({tuple(*pieces_of(arrays)) for arrays in steps}) == 1
    assert len({tuple(arrays["where"][0]) for arrays in steps}) == 6


def test_what_is_hidden_is_as_the_recipe_says(segments):
    arrays = reader(segments, rows=50, masked=0.5, hidden=1.0, swapped=0.0).batch(0)[0]
    assert ((arrays["ids"] == SPECIAL["mask"]).sum(axis=1) == (arrays["targets"] >= 0).sum(axis=1)).all()
    share = (arrays["targets"] >= 0).sum() / (arrays["ids"] >= SPECIAL["mask"]).sum()
    assert share == pytest.approx(0.5, abs=0.02)
    arrays = reader(segments, rows=50, masked=0.5, hidden=0.01, swapped=0.9).batch(0)[0]
    assert (arrays["ids"] == SPECIAL["mask"]).sum() < 0.1 * (arrays["targets"] >= 0).sum()


def test_a_text_of_fewer_rows_than_a_step():
    small = counting_segments(3, SIZE)
    one = reader(small, rows=64)
    arrays, epoch = one.batch(0)
    assert len(arrays["ids"]) <= 3
    assert (epoch, one.batch(5)[1]) == (0, 5)
    assert len(pieces_of(arrays)) == 3


def test_another_seed_reads_otherwise(segments):
    assert pieces_of(reader(segments).batch(0)[0]) != pieces_of(reader(segments, seed=1).batch(0)[0])


def test_the_rate_rises_stays_and_falls():
    recipe = tiny_recipe(warmup=10, decay=0.4)
    assert [share_of_peak(0.0, step, recipe) for step in range(12)] == pytest.approx(
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1, 1]
    )
    assert [share_of_peak(done, 50, recipe) for done in (0.1, 0.5, 0.6)] == pytest.approx([1, 1, 1])
    assert [share_of_peak(done, 50, recipe) for done in (0.7, 0.8, 0.9, 1)] == pytest.approx([0.75, 0.5, 0.25, 0])
    # a budget that is over before the warm-up
    assert share_of_peak(0.9, 0, recipe) == pytest.approx(0.1)


@settings(max_examples=40)
@given(done=st.floats(0, 1.5), step=st.integers(0, 500), warmup=st.integers(1, 300), decay=st.floats(0.01, 1))
def test_the_rate_is_never_negative_nor_above_its_peak(done, step, warmup, decay):
    assert 0 <= share_of_peak(done, step, tiny_recipe(warmup=warmup, decay=decay)) <= 1


def test_rare_pieces_are_guessed_more_often_unless_told_otherwise(segments):
    counts = np.where(np.arange(SIZE) < 25, 1_000_000, 10)
    shares = []
    for rarity in (0.0, 0.5):
        read = Reader(segments, tiny_recipe(rarity=rarity), SPECIAL, counts)
        targets = np.concatenate([read.batch(step)[0]["targets"].ravel() for step in range(20)])
        shares.append((targets >= 25).sum() / (targets >= 0).sum())
    assert shares[1] > 1.3 * shares[0]
