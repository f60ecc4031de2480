"""The vocabulary: the same as by counting all pairs anew before each merge, in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.pretraining.pieces import SPECIAL, count_words, learn_pieces


def slow_pieces(counts: Counter[str], size: int) -> list[str]:
    """WordPiece as one would write it down: count, take the best pair, write every word anew, repeat."""
    spelt = {word: (word[0], *("##" + c for c in word[1:])) for word in counts}
    symbols: Counter[str] = Counter()
    for word, count in counts.items():
        for symbol in spelt[word]:
            symbols[symbol] += count
    alphabet: list[str] = []
    while len(alphabet) < (size - 5) * 3 // 4 and len(alphabet) < len(symbols):
        if sum(symbols[s] for s in alphabet) >= 0.9998 * symbols.total():
            break
        alphabet.append(min((s for s in symbols if s not in alphabet), key=lambda s: (-symbols[s], s)))
    usable = {
        word: list(spelt[word])
        for word, count in counts.items()
        if count > 1 and 2 <= len(word) <= 40 and set(spelt[word]) <= set(alphabet)
    }
    pieces = [*SPECIAL, *alphabet]
    while len(pieces) < size:
        pairs: Counter[tuple[str, str]] = Counter()
        for word, parts in usable.items():
            for i in range(len(parts) - 1):
                pairs[parts[i], parts[i + 1]] += counts[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        if pairs[best] < 2:
            break
        joined = best[0] + best[1][2:]
        for word, parts in usable.items():
            new: list[str] = []
            i = 0
            while i < len(parts):
                if tuple(parts[i : i + 2]) == best:
                    new.append(joined)
                    i += 2
                else:
                    new.append(parts[i])
                    i += 1
            usable[word] = new
        if joined not in pieces:
            pieces.append(joined)
    return pieces


WORD_COUNTS = st.dictionaries(st.text("abcé", min_size=1, max_size=9), st.integers(1, 30), min_size=1, max_size=12)


@settings(max_examples=80)
@given(counts=WORD_COUNTS, size=st.integers(6, 60))
def test_the_same_as_counting_anew(counts, size):
    assert learn_pieces(Counter(counts), size) == slow_pieces(Counter(counts), size)


def test_two_ways_to_the_same_piece():
    # "ab" + "##c" and "a" + "##bc" both spell "abc", which then joins again with what follows
    counts = Counter({"abcd": 9, "abc": 8, "xbc": 50, "xbcd": 9, "abx": 70, "aab": 3, "aaaaa": 20})
    assert learn_pieces(counts, 100) == slow_pieces(counts, 100)


@settings(max_examples=30)
@given(counts=WORD_COUNTS, size=st.integers(6, 60))
def test_special_pieces_first_and_never_too_many(counts, size):
    pieces = learn_pieces(Counter(counts), size)
    assert tuple(pieces[:5]) == SPECIAL
    assert len(pieces) <= size
    assert len(set(pieces)) == len(pieces)


def test_the_room_is_used_as_long_as_something_occurs_twice():
    counts = Counter({"".join(chr(97 + (i * j + j) % 26) for j in range(6)): 5 for i in range(60)})
    assert len(learn_pieces(counts, 150)) == 150
    assert len(learn_pieces(Counter({"ab": 1, "cd": 1, "xy": 2}), 50)) == 5 + 6 + 1


def test_rare_characters_have_no_piece():
    # "x" covers 99.98 % of the text, no more are needed
    assert learn_pieces(Counter({"x": 9_998, "y": 2}), 50) == [*SPECIAL, "x"]
    assert learn_pieces(Counter({"x": 9_997, "y": 3}), 50) == [*SPECIAL, "x", "y"]


def test_characters_take_three_quarters_of_the_room_at_most():
    counts = Counter({chr(0x4E00 + i): 1_000 - i for i in range(200)}) + Counter({"一": 0, "of": 2_000, "to": 1_900})
    pieces = learn_pieces(counts, 45)
    characters = pieces[5:35]
    assert characters[:4] == ["##f", "o", "##o", "t"]  # by falling frequency; ties to what sorts first
    assert characters[4:] == [chr(0x4E00 + i) for i in range(26)]
    assert pieces[35:] == ["of", "to"]


def test_long_words_teach_nothing():
    pieces = learn_pieces(Counter({"q" * 41: 100, "z" * 40: 100}), 30)
    assert [p for p in pieces[5:] if "q" in p] == ["##q", "q"]
    assert "##zz" in pieces


def test_words_as_bert_splits_them():
    found = count_words(["Café-Café costs 3€.", "我爱cafe"], lowercase=True)
    assert found == {"cafe": 3, "-": 1, "costs": 1, "3€": 1, ".": 1, "我": 1, "爱": 1}
    assert count_words(["Café"], lowercase=False) == {"Café": 1}


SCRIPT = """
import random
from harness.pretraining.pieces import count_words, learn_pieces
rng = random.Random(1)
words = ["".join(rng.choices("abcdef", k=rng.randint(2, 7))) for _ in range(150)]
print(learn_pieces(count_words([" ".join(words)] * 2, lowercase=True), 120))
"""


def test_the_same_in_every_process():
    found = []
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        found.append(done.stdout)
    assert found[0] == found[1]
    assert found[0].count("'") == 2 * 120


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_the_words_is_of_no_account(order):
    words = [("ab", 4), ("ba", 4), ("abab", 4), ("cab", 2)]
    assert learn_pieces(Counter(dict(words[::order])), 30) == slow_pieces(Counter(dict(words)), 30)
