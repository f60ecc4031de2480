"""From lines to segments to rows of equal length: nothing lost, nothing mixed, almost no padding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pretraining_fakes import segments_of

from harness.pretraining.packing import cut_segments, lay_out, pack_rows


def slow_segments(lines, documents, longest):
    """The places of each segment, as lists; `lines` are lists of places."""
    made, segment, document = [], [], None
    for line, of in zip(lines, documents, strict=True):
        if of != document or len(segment) + len(line) > longest:
            made.append(segment)
            segment, document = [], of
        segment = segment + line
        while len(segment) > longest:
            made.append(segment[:longest])
            segment = segment[longest:]
    return [segment for segment in [*made, segment] if len(segment) >= 3]


TEXT = st.lists(st.lists(st.integers(0, 25), min_size=1, max_size=6), min_size=1, max_size=8)


@settings(max_examples=60)
@given(text=TEXT, longest=st.integers(3, 20))
def test_segments(text, longest):
    lengths = [length for document in text for length in document]
    documents = [number for number, document in enumerate(text) for _ in document]
    ends = np.cumsum(lengths, dtype=np.int64)
    starts, stops = cut_segments(ends, np.array(documents), longest)
    assert starts.dtype == stops.dtype == np.int64
    assert (stops - starts <= longest).all()
    assert (stops - starts >= 3).all()
    assert (starts[1:] >= stops[:-1]).all()
    document_of = np.repeat(documents, lengths)
    for a, b in zip(starts, stops, strict=True):
        assert len(set(document_of[a:b])) == 1
    lines = [list(range(end - length, end)) for end, length in zip(ends.tolist(), lengths, strict=True)]
    expected = slow_segments(lines, documents, longest)
    assert [list(range(a, b)) for a, b in zip(starts.tolist(), stops.tolist(), strict=True)] == expected


def test_segments_by_hand():
    ends, documents = np.array([4, 8, 10, 12, 40]), np.array([0, 0, 0, 1, 2])
    starts, stops = cut_segments(ends, documents, 10)
    # three lines fit; the document of two pieces is dropped; a line of 28 is cut
    assert list(zip(starts.tolist(), stops.tolist(), strict=True)) == [(0, 10), (12, 22), (22, 32), (32, 40)]


def test_no_segments():
    starts, stops = cut_segments(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), 10)
    assert len(starts) == len(stops) == 0


@settings(max_examples=50)
@given(lengths=st.lists(st.integers(5, 32), max_size=60), seed=st.integers(0, 9))
def test_each_segment_is_in_one_row_and_no_row_is_overfull(lengths, seed):
    lengths = np.array(lengths, dtype=np.int64)
    rows = pack_rows(lengths, 32, np.random.default_rng(seed))
    assert sorted(member for row in rows for member in row) == list(range(len(lengths)))
    assert all(row and lengths[row].sum() <= 32 for row in rows)
    assert rows == pack_rows(lengths, 32, np.random.default_rng(seed))


@pytest.fixture(scope="module")
def lengths():
    """Lengths as of sentences: 22 pieces on average, few long ones."""
    drawn = np.random.default_rng(0).lognormal(2.9, 0.6, 5_000).astype(np.int64)
    return np.clip(drawn, 3, 126) + 2


def test_rows_are_almost_full(lengths):
    rows = pack_rows(lengths, 128, np.random.default_rng(1))
    assert lengths.sum() / (128 * len(rows)) > 0.985


def test_more_segments_than_are_packed_at_once(lengths):
    rows = pack_rows(lengths, 128, np.random.default_rng(1))
    assert sorted(member for row in rows for member in row) == list(range(len(lengths)))
    assert max(int(lengths[row].sum()) for row in rows) <= 128


def test_each_epoch_has_its_own_order(lengths):
    first, second = (pack_rows(lengths, 128, np.random.default_rng(seed)) for seed in (1, 2))
    assert first != second
    assert {tuple(sorted(row)) for row in first} != {tuple(sorted(row)) for row in second}
    # full rows and leftover ones are mixed
    counts = [len(row) for row in first]
    assert counts != sorted(counts)


ROWS = st.lists(st.lists(st.lists(st.booleans(), min_size=3, max_size=8), max_size=3), min_size=1, max_size=4)


@settings(max_examples=40)
@given(wanted=ROWS)
def test_rows_as_arrays(wanted):
    starts = [begins for row in wanted for begins in row]
    pieces = [[100 * number + place for place in range(len(begins))] for number, begins in enumerate(starts, 1)]
    rows, used = [], 0
    for row in wanted:
        rows.append(list(range(used, used + len(row))))
        used += len(row)
    laid = lay_out(segments_of(pieces, starts), rows, 32, cls=2, sep=3, pad=0)
    for index, row in enumerate(rows):
        ids, positions, segment, word, words = [], [], [], [], 0
        for number, member in enumerate(row, 1):
            begins = [True, *starts[member][1:]]  # a segment may begin inside a word that was cut
            ids += [2, *pieces[member], 3]
            positions += range(len(begins) + 2)
            segment += [number] * (len(begins) + 2)
            word.append(-1)
            for begin in begins:
                words += begin
                word.append(words - 1)
            word.append(-1)
        rest = 32 - len(ids)
        assert laid.ids[index].tolist() == ids + [0] * rest
        assert laid.positions[index].tolist() == positions + [0] * rest
        assert laid.segment[index].tolist() == segment + [0] * rest
        assert laid.word[index].tolist() == word + [-1] * rest


def test_the_segments_are_left_as_they_were():
    segments = segments_of([[7, 8, 9]], [[False, True, False]])
    lay_out(segments, [[0]], 8, cls=2, sep=3, pad=0)
    assert segments.word_starts.tolist() == [False, True, False]
    assert (len(segments), segments.pieces) == (1, 3)
