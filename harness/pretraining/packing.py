"""How does running text become rows of equal length? Segments behind each other, each blind to its neighbours.

A segment is what the encoder later sees: `[CLS] … [SEP]`, positions from 0. It holds one line, or as many consecutive lines
of a document as fit. Rows are filled with whole segments, so almost no place is padding.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_POOL = 2_000
_SHORTEST = 3


@dataclass(frozen=True)
class Segments:
    """Segments as places in one long array: segment i is ids[starts[i] : ends[i]], without special tokens."""

    ids: np.ndarray
    word_starts: np.ndarray
    starts: np.ndarray
    ends: np.ndarray

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def pieces(self) -> int:
        """All pieces in segments, special tokens not counted."""
        return int((self.ends - self.starts).sum())


def cut_segments(line_ends: np.ndarray, documents: np.ndarray, longest: int) -> tuple[np.ndarray, np.ndarray]:
    """Join consecutive lines of a document into segments of at most `longest` pieces; longer lines are cut.

    line_ends  int64 (lines,): where each line ends;  documents: int (lines,): the document each line belongs to
    Returns starts and ends, int64 (segments,). Segments of fewer than three pieces are dropped: nothing can be learnt there.
    """
    starts, ends = [], []
    begin = end = 0
    document = -1
    for line_end, line_document in zip(line_ends.tolist(), documents.tolist(), strict=True):
        if line_document != document or line_end - begin > longest:
            starts.append(begin)
            ends.append(end)
            begin, document = end, line_document
        end = line_end
        while end - begin > longest:
            starts.append(begin)
            ends.append(begin + longest)
            begin += longest
    starts.append(begin)
    ends.append(end)
    first, last = np.asarray(starts, dtype=np.int64), np.asarray(ends, dtype=np.int64)
    keep = last - first >= _SHORTEST
    return first[keep], last[keep]


def pack_rows(lengths: np.ndarray, width: int, rng: np.random.Generator) -> list[list[int]]:
    """Distribute segments over rows of `width` places in random order: best fit, longest first, among 2,000 at a time.

    lengths  places each segment takes, special tokens included (≤ width)
    Returns the segments of each row; every segment is in exactly one row.
    """
    rows: list[list[int]] = []
    order = rng.permutation(len(lengths))
    for first in range(0, len(order), _POOL):
        pool = order[first : first + _POOL]
        new: list[list[int]] = []
        free: list[tuple[int, int]] = []  # (places left, row), ascending
        for segment in pool[np.argsort(-lengths[pool], kind="stable")].tolist():
            length = int(lengths[segment])
            found = bisect_left(free, (length, -1))
            left, row = free.pop(found) if found < len(free) else (width, len(new))
            if row == len(new):
                new.append([])
            new[row].append(segment)
            insort(free, (left - length, row))
        rows += new
    return [rows[i] for i in rng.permutation(len(rows))]


@dataclass(frozen=True)
class Rows:
    """Rows ready for masking, each array (rows, width).

    ids: piece ids;  positions: from 0 in every segment;  segment: 0 for padding, else 1, 2 …;  word: number of the word within
    the row, from 0, -1 where nothing may be masked (special tokens, padding)
    """

    ids: np.ndarray
    positions: np.ndarray
    segment: np.ndarray
    word: np.ndarray


def lay_out(segments: Segments, rows: Sequence[Sequence[int]], width: int, *, cls: int, sep: int, pad: int) -> Rows:
    """Write the segments of each row behind each other, framed by [CLS] and [SEP]."""
    shape = (len(rows), width)
    ids, word = np.full(shape, pad, dtype=np.int64), np.full(shape, -1, dtype=np.int64)
    positions, segment = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row, members in enumerate(rows):
        place = words = 0
        for number, member in enumerate(members, start=1):
            piece = slice(segments.starts[member], segments.ends[member])
            length = piece.stop - piece.start + 2
            span = slice(place, place + length)
            ids[row, place], ids[row, place + 1 : place + length - 1], ids[row, place + length - 1] = (
                cls,
                segments.ids[piece],
                sep,
            )
            begins = segments.word_starts[piece].copy()
            begins[0] = True
            word[row, place + 1 : place + length - 1] = words + np.cumsum(begins) - 1
            words += int(begins.sum())
            positions[row, span] = np.arange(length)
            segment[row, span] = number
            place += length
    return Rows(ids, positions, segment, word)
