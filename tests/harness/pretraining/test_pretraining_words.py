"""Which pieces form a word: `##` pieces join, Chinese characters join where chance would not bring them together."""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from math import log

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.pretraining.words import JOINED, word_starts

PIECES = ["[PAD]", "[UNK]", "a", "b", "##", "##a", "##bc", "##中", *"我们他爱中国大人"]
HAN = [i for i, piece in enumerate(PIECES) if len(piece) == 1 and piece > "z"]


class Pieces:
    """The two methods of a tokeniser that are asked for."""

    def __len__(self) -> int:
        return len(PIECES)

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [PIECES[i] for i in ids]


def found(lines):
    """Where words start, line by line; a line is a list of pieces or of ids."""
    numbers = [[PIECES.index(p) if isinstance(p, str) else p for p in line] for line in lines]
    ids = np.array([i for line in numbers for i in line], dtype=np.uint16)
    ends = np.cumsum([len(line) for line in numbers], dtype=np.int64)
    starts = word_starts(Pieces(), ids, np.r_[np.int64(0), ends[:-1]])
    return [part.tolist() for part in np.split(starts, ends[:-1])]


def slow(lines):
    """Word by word, as the docstrings say. Lines begin with a piece that is no Chinese character."""
    flat = [i for line in lines for i in line]
    alone, total = Counter(flat), sum(i in HAN for i in flat)
    pairs = Counter((a, b) for a, b in pairwise(flat) if a in HAN and b in HAN)
    bound = {
        pair
        for pair, count in pairs.items()
        if count > 1 and log(count * total / (alone[pair[0]] * alone[pair[1]])) > JOINED
    }
    answer = []
    for line in lines:
        words: list[list[int]] = []
        for i in line:
            inside = PIECES[i].startswith("##") and len(PIECES[i]) > 2 and len(words) > 0 and len(words[-1]) < 8
            together = len(words) > 0 and (words[-1][-1], i) in bound and len(words[-1]) < 4
            if inside or together:
                words[-1].append(i)
            else:
                words.append([i])
        answer.append([place == 0 for word in words for place in range(len(word))])
    return answer


NUMBERS = st.integers(0, len(PIECES) - 1)
RUNS = st.lists(st.sampled_from([[8, 9], [12, 13], [8, 9, 8, 9, 8, 9]]), max_size=6).map(lambda runs: [*chain(*runs)])
LINES = st.lists(
    st.tuples(st.sampled_from([0, 2, 3, 5]), st.lists(NUMBERS, max_size=14), RUNS).map(lambda t: [t[0], *t[1], *t[2]]),
    min_size=1,
    max_size=8,
)


@settings(max_examples=50)
@given(lines=LINES, filler=st.integers(0, 120))
def test_against_a_loop(lines, filler):
    # much other text, so that some pairs are rare by chance
    lines = [*lines, [0, *[14, 0, 15, 0] * filler]]
    assert found(lines) == slow(lines)


def test_continued_pieces_join():
    assert found([["a", "##a", "##bc", "b", "##a"]]) == [[True, False, False, True, False]]


def test_a_bare_mark_is_a_word():
    assert found([["a", "##", "##a"]]) == [[True, True, False]]


def test_no_word_crosses_a_line():
    assert found([["a"], ["##a", "##bc"], [], ["##a"]]) == [[True], [True, False], [], [True]]
    pairs = [["a", "我", "们"]] * 3 + [["a", "他", "b", "大"]] * 30
    assert found([*pairs, ["我"], ["们"]])[-2:] == [[True], [True]]


def test_characters_that_belong_together_are_one_word():
    strong = [["a", "我", "们", "a"]] * 4
    weak = [["a", x, y, "a"] for x in "他爱中国大人" for y in "他爱中国大人"] * 2
    words = found([*strong, *weak])
    assert words[0] == [True, True, False, True]
    assert all(all(line) for line in words[4:])


def test_once_is_chance():
    rest = [["a", "中"]] * 100
    assert all(found([["a", "我", "们"], *rest])[0])
    assert found([["a", "我", "们"], ["a", "我", "们"], *rest])[0] == [True, True, False]


def test_long_runs_are_cut():
    assert [i for i, start in enumerate(found([["a", *["##a"] * 20]])[0]) if start] == [0, 8, 16]
    run = ["a", *"我们他爱我们他爱我们他爱", "b"]
    lines = [run, run, *[["a", "中", "b"]] * 300]
    assert [i for i, start in enumerate(found(lines)[0]) if start] == [0, 1, 5, 9, 13]


def test_no_text():
    assert found([]) == [[]]
    assert found([[], []]) == [[], []]
