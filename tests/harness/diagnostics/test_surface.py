"""Edit distances and BLEU, against slow implementations that follow the definitions letter by letter."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.diagnostics.surface import corpus_bleu, edit_distance, relative_distance, self_bleu, surface_units

words = st.lists(st.sampled_from("abcd"), max_size=12)


def slow_distance(a, b):
    table = [[max(i, j) if not i or not j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            replaced = table[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            table[i][j] = min(replaced, table[i - 1][j] + 1, table[i][j - 1] + 1)
    return table[-1][-1]


def slow_bleu(hypotheses, references):
    """Papineni et al. (2002), without smoothing, n-gram by n-gram."""
    logs = []
    for n in range(1, 5):
        match = total = 0
        for text, against in zip(hypotheses, references, strict=True):
            mine = [tuple(text[i : i + n]) for i in range(len(text) - n + 1)]
            theirs = [[tuple(r[i : i + n]) for i in range(len(r) - n + 1)] for r in against]
            for gram, count in Counter(mine).items():
                match += min(count, max(other.count(gram) for other in theirs))
            total += len(mine)
        if not total:
            continue
        if not match:
            return 0.0
        logs.append(math.log(match / total))
    if not logs:
        return None
    c = sum(map(len, hypotheses))
    r = sum(
        sorted(map(len, against), key=lambda n: (abs(n - len(text)), n))[0]
        for text, against in zip(hypotheses, references, strict=True)
    )
    penalty = 1.0 if c > r else math.exp(1 - r / c)
    return 100 * penalty * math.exp(sum(logs) / len(logs))


@given(words, words)
def test_edit_distance_is_levenshteins(a, b):
    assert edit_distance(a, b) == slow_distance(a, b) == edit_distance(b, a)
    longest = max(len(a), len(b))
    assert relative_distance(a, b) == (slow_distance(a, b) / longest if longest else 0)


def test_edit_distance_of_texts_longer_than_a_machine_word():
    a = "the quick brown fox jumps over the lazy dog " * 5
    b = a.replace("lazy", "very lazy").replace("quick", "quack")
    assert edit_distance(a, b) == slow_distance(a, b) == 30


@given(st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), max_size=5))
def test_corpus_bleu_is_papinenis(rows):
    hypotheses, references = [text for text, _ in rows], [against for _, against in rows]
    found, expected = corpus_bleu(hypotheses, references), slow_bleu(hypotheses, references)
    assert found == (None if expected is None else pytest.approx(expected))


def test_bleu_by_hand():
    # Papineni et al., example 2: "the the …" is clipped at 2 of 7; no bigram matches
    assert corpus_bleu([["the"] * 7], [[["the", "cat", "is", "on", "the", "mat"]]]) == 0
    assert corpus_bleu([["the"]], [[["the"]]]) == pytest.approx(100)
    # unigrams 4/4, bigrams 3/3, trigrams 2/2, 4-grams 1/1; one word too short
    assert corpus_bleu([list("abcd")], [[list("abcde")]]) == pytest.approx(100 * math.exp(1 - 5 / 4))
    # of two equally near lengths the shorter counts: no penalty
    assert corpus_bleu([list("abcd")], [[list("abc"), list("abcde")]]) == pytest.approx(100)
    assert corpus_bleu([], []) is None
    assert corpus_bleu([[]], [[["a"]]]) is None
    with pytest.raises(ValueError, match="one or more references"):
        corpus_bleu([["a"]], [[]])
    with pytest.raises(ValueError, match="references for each of 1"):
        corpus_bleu([["a"]], [])


def test_self_bleu_is_the_mean_over_views():
    same = [list("abcde"), list("fghij")]
    assert self_bleu([same, same]) == pytest.approx(100)
    assert self_bleu([same]) is None
    assert self_bleu([[], []]) is None
    other = [list("abxde"), list("fghij")]
    each = [slow_bleu(a, [[r] for r in b]) for a, b in ((same, other), (other, same))]
    assert self_bleu([same, other]) == pytest.approx(sum(each) / 2)
    assert self_bleu([[list("ab")], [list("xy")]]) == 0


def test_units_are_words_ideographs_and_marks():
    assert surface_units("Don't stop, it’s 12!") == ["Don", "'", "t", "stop", ",", "it", "’", "s", "12", "!"]
    assert surface_units("我在2024年用iPhone。") == ["我", "在", "2024", "年", "用", "iPhone", "。"]
    assert surface_units(" \t") == []
    assert surface_units("a_b") == ["a", "_", "b"]
