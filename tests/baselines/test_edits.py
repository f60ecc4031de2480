"""Random edits: what they keep, what they change, and how much of it on average."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from statistics import fmean

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.edits import Crop, Delete, RandomPunctuation, Swap, parse_percent, round_randomly
from harness.protocols.operator import render
from harness.words import word_positions

NLP = spacy.blank("en")
TEXT = 'The old man, who had never seen the sea, said: "I don\'t (really) like it - not at all!"'
RATES = st.sampled_from([None, "1", "10", "12.5", "50", "99"])
SEEDS = st.integers(0, 2**32)
# runs of word-like tokens, so that not every example is a single odd token
PARTS = ["cat", "dog's", "don't", "3.5", "-", "(", '"', ",", "中文", "x-y", "the", " ", "end."]
TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PARTS), max_size=25).map(" ".join)


def kept_tokens(doc, edit):
    gone = {i for c in edit.changes for i in range(c.start, c.end)}
    return [i for i in range(len(doc)) if i not in gone]


def is_subsequence(short, long):
    rest = iter(long)
    return all(item in rest for item in short)


@settings(deadline=None)
@given(TEXTS, RATES, SEEDS, st.sampled_from([Crop, Delete, Swap, RandomPunctuation]))
def test_any_text_gives_none_or_an_edit_whose_changes_make_its_text(text, rate, seed, kind):
    doc = NLP(text)
    operator = kind() if kind is RandomPunctuation else kind(rate)
    edit = operator.apply(doc, random.Random(seed))
    again = operator.apply(doc, random.Random(seed))
    assert edit == again
    if edit is not None:
        assert edit.text != text
        assert render(doc, edit.changes) == edit.text


@settings(deadline=None)
@given(TEXTS, RATES, SEEDS)
def test_a_crop_is_a_piece_of_the_text_with_a_block_of_its_words(text, rate, seed):
    doc = NLP(text)
    edit = Crop(rate).apply(doc, random.Random(seed))
    if edit is None:
        return
    assert edit.text in text
    kept = kept_tokens(doc, edit)
    assert kept == list(range(kept[0], kept[-1] + 1))
    words = word_positions(doc)
    block = [w for w in words if w in kept]
    assert block
    first = words.index(block[0])
    assert block == words[first : first + len(block)]
    # an end that was cut off is cut right at a word
    assert kept[0] == (0 if first == 0 else block[0])
    assert kept[-1] == (len(doc) - 1 if block[-1] == words[-1] else block[-1])


@settings(deadline=None)
@given(TEXTS, RATES, SEEDS)
def test_deletion_leaves_a_subsequence_with_a_word_and_all_punctuation(text, rate, seed):
    doc = NLP(text)
    edit = Delete(rate).apply(doc, random.Random(seed))
    if edit is None:
        return
    assert is_subsequence(edit.text, text)
    words = set(word_positions(doc))
    kept = set(kept_tokens(doc, edit))
    assert kept & words
    assert kept >= set(range(len(doc))) - words


@settings(deadline=None)
@given(TEXTS, RATES, SEEDS)
def test_swap_keeps_the_multiset_and_moves_each_word_at_most_one_place(text, rate, seed):
    doc = NLP(text)
    edit = Swap(rate).apply(doc, random.Random(seed))
    if edit is None:
        return
    new = [token.text for token in doc]
    for change in edit.changes:
        new[change.start] = change.text
    words = word_positions(doc)
    assert Counter(new) == Counter(token.text for token in doc)
    moved = [words.index(change.start) for change in edit.changes]
    assert len(moved) % 2 == 0
    for left, right in zip(moved[::2], moved[1::2], strict=True):
        assert right == left + 1
        assert new[words[left]] == doc[words[right]].text
        assert new[words[right]] == doc[words[left]].text


@settings(deadline=None)
@given(TEXTS, SEEDS)
def test_punctuation_is_only_added_behind_different_words(text, seed):
    doc = NLP(text)
    edit = RandomPunctuation().apply(doc, random.Random(seed))
    words = word_positions(doc)
    if not words:
        assert edit is None
        return
    assert 1 <= len(edit.changes) <= max(1, len(words) // 3)
    places = [change.start - 1 for change in edit.changes]
    assert set(places) <= set(words)
    assert len(set(places)) == len(places)
    assert all(change.kind == "insert" and change.text in ".;?:!," for change in edit.changes)
    assert is_subsequence(text, edit.text)
    assert len(edit.text) == len(text) + len(edit.changes)


def shares(operator, doc, counted, draws=2_000):
    words = len(word_positions(doc))
    rng = random.Random(7)
    return fmean(counted(operator.apply(doc, rng)) / words for _ in range(draws))


@pytest.mark.parametrize("percent", [10, 33.3, 60])
@pytest.mark.parametrize("text", ["one two three four", "a b c d e f g h i j k l m, n o p q!"])
def test_the_average_share_is_the_rate(text, percent):
    doc = NLP(text)
    words = len(word_positions(doc))

    def gone(edit):
        return 0 if edit is None else len(set(word_positions(doc)) - set(kept_tokens(doc, edit)))

    def moved(edit):
        return 0 if edit is None else len(edit.changes)

    # the counts differ by at most one word from draw to draw: 5 standard errors of 2,000 draws are below 0.06 words
    tolerance = 0.06 / words
    assert shares(Crop(f"{percent}"), doc, gone) == pytest.approx(percent / 100, abs=tolerance)
    assert shares(Delete(f"{percent}"), doc, gone) == pytest.approx(percent / 100, abs=tolerance)
    assert shares(Swap(f"{percent}"), doc, moved) == pytest.approx(percent / 100, abs=2 * tolerance)


def test_every_place_is_equally_likely():
    doc = NLP("a b c d e")
    rng = random.Random(3)
    crops, deletions, swaps = Counter(), Counter(), Counter()
    for _ in range(6_000):
        crops[Crop("40").apply(doc, rng).text] += 1
        deletions[Delete("40").apply(doc, rng).text] += 1
        swaps[Swap("80").apply(doc, rng).text] += 1
    assert set(crops) == {"a b c", "b c d", "c d e"}
    assert set(deletions) == {" ".join(kept) for kept in combinations("abcde", 3)}
    # two disjoint pairs of neighbours among five words: three ways
    assert set(swaps) == {"b a d c e", "b a c e d", "a c b e d"}
    for counts in (crops, deletions, swaps):
        expected = 6_000 / len(counts)
        assert all(abs(n - expected) < 5 * expected**0.5 for n in counts.values())


def test_the_last_word_stays():
    for operator in (Crop("99"), Delete("99")):
        for text in ("cat", "cat dog", "the cat!"):
            doc = NLP(text)
            for seed in range(30):
                edit = operator.apply(doc, random.Random(seed))
                assert edit is None or len(word_positions(NLP(edit.text))) == 1


def test_nothing_to_change_is_none():
    for text in ("", "  ", "...", "🙂 !?"):
        for operator in (Crop("99"), Delete("99"), Swap("99"), RandomPunctuation()):
            assert operator.apply(NLP(text), random.Random(0)) is None
    assert Swap("99").apply(NLP("no no"), random.Random(0)) is None


def test_examples():
    doc = NLP(TEXT)
    assert Crop("50").apply(doc, random.Random(2)).text in TEXT
    assert Swap("99").apply(NLP("red, blue"), random.Random(0)).text == "blue, red"
    assert Swap("99").apply(NLP("(red) blue."), random.Random(0)).text == "(blue) red."


def test_plain_names_have_the_rates_of_the_paper():
    assert [kind().fingerprint() for kind in (Crop, Delete, Swap)] == [
        {"operator": name, "percent": 10} for name in ("crop", "delete", "swap")
    ]
    assert Crop("12.5").fingerprint() == {"operator": "crop@12.5", "percent": 12.5}
    assert RandomPunctuation().fingerprint()["marks"] == ".;?:!,"


@pytest.mark.parametrize(
    "variant", ["", "0", "0.5", "99.1", "100", "-5", "ten", "1e1", " 10", "10%", "nan", "१०", "10."]
)
def test_bad_rates_name_the_valid_form(variant):
    with pytest.raises(ValueError, match="write delete@PERCENT with a number from 1 to 99"):
        Delete(variant)
    with pytest.raises(ValueError, match="write punct"):
        RandomPunctuation(variant)


@pytest.mark.parametrize(("variant", "percent"), [("1", 1), ("99", 99), ("07", 7), ("12.5", 12.5), ("98.999", 98.999)])
def test_good_rates(variant, percent):
    assert parse_percent("x", variant) == percent


def test_rounding_is_exact_on_average_and_for_whole_numbers():
    rng = random.Random(1)
    assert {round_randomly(3, rng) for _ in range(200)} == {3}
    draws = [round_randomly(2.3, rng) for _ in range(20_000)]
    assert set(draws) == {2, 3}
    assert fmean(draws) == pytest.approx(2.3, abs=0.02)
