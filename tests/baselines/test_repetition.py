"""ESimCSE's repetition against a literal, slow version of the released code and the formula of the paper."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.repetition import RepeatWords, repeat, repeat_pieces
from harness.protocols import Operator, TokenOperator
from harness.protocols.operator import render
from harness.provenance import code_digest
from harness.words import word_positions

NLP = spacy.blank("en")
IDS = st.lists(st.integers(5, 99), max_size=60).map(lambda inner: [101, *inner, 102])


def reference_counts(n, formula):
    """All values of m the formula allows, each as likely as the others."""
    rate = int(0.32 * n)
    if formula == "paper":
        return [min(m, n - 2) for m in range(max(2, rate) + 1)]
    limit = min(10, rate)
    return list(range(limit)) if limit else [0]


def undouble(ids, out):
    """The positions of `ids` that `out` holds twice, or fail; repeated neighbours are matched greedily."""
    places, j = [], 0
    for i, piece in enumerate(ids):
        assert out[j] == piece
        j += 1
        surplus = len(out) - j - (len(ids) - i - 1)
        if surplus and j < len(out) and out[j] == piece:
            places.append(i)
            j += 1
    assert j == len(out)
    return places


@settings(deadline=None)
@given(IDS, st.integers(0, 2**32), st.sampled_from(["code", "paper"]))
def test_some_inner_pieces_are_written_twice_and_nothing_else_changes(ids, seed, formula):
    unique = [101, *range(1000, 1000 + len(ids) - 2), 102]
    out = repeat_pieces(unique, random.Random(seed), formula=formula)
    allowed = set(reference_counts(len(unique), formula))
    if out is None:
        assert 0 in allowed
        return
    places = undouble(unique, out)
    assert len(places) in allowed - {0}
    assert 0 not in places
    assert len(unique) - 1 not in places
    # ids that repeat in the text make no difference to where
    assert repeat_pieces(ids, random.Random(seed), formula=formula) == [
        piece for i, piece in enumerate(ids) for _ in range(1 + (i in places))
    ]


@pytest.mark.parametrize("formula", ["code", "paper"])
@pytest.mark.parametrize("n", [2, 3, 4, 7, 12, 32, 60])
def test_the_number_of_repetitions_has_the_distribution_of_the_formula(n, formula):
    ids = [101, *range(1000, 1000 + n - 2), 102]
    rng = random.Random(n)
    seen = Counter()
    for _ in range(3_000):
        out = repeat_pieces(ids, rng, formula=formula)
        seen[0 if out is None else len(out) - n] += 1
    wanted = Counter(reference_counts(n, formula))
    total = sum(wanted.values())
    assert set(seen) == set(wanted)
    for m, weight in wanted.items():
        expected = 3_000 * weight / total
        assert abs(seen[m] - expected) <= 5 * expected**0.5


@pytest.mark.parametrize("ids", [[], [101], [101, 102], [101, 7, 102]])
def test_nothing_between_the_special_tokens(ids):
    for seed in range(20):
        assert repeat_pieces(ids, random.Random(seed)) is None
        if len(ids) < 3:
            assert repeat_pieces(ids, random.Random(seed), formula="paper") is None


def test_places_are_uniform():
    ids = list(range(20))
    rng = random.Random(4)
    counts = Counter()
    for _ in range(6_000):
        out = repeat_pieces(ids, rng)
        counts.update(undouble(ids, out) if out else [])
    assert set(counts) == set(range(1, 19))
    expected = sum(counts.values()) / 18
    assert all(abs(n - expected) < 5 * expected**0.5 for n in counts.values())


def test_the_result_may_exceed_the_length_it_was_cut_to():
    lengths = {len(repeat_pieces(range(32), random.Random(s)) or range(32)) for s in range(200)}
    assert lengths == set(range(32, 42))


# -- words ------------------------------------------------------------------------------------------------------------
def test_word_counts_follow_the_code():
    doc = NLP("a b c d e f g h i j k l m n o p")
    rng = random.Random(0)
    seen = Counter()
    for _ in range(2_000):
        edit = RepeatWords("word").apply(doc, rng)
        seen[0 if edit is None else len(edit.changes)] += 1
    # min(10, 16, max(2, int(0.32 * 16))) = 5 values, 0 to 4
    assert set(seen) == {0, 1, 2, 3, 4}
    assert all(abs(n - 400) < 5 * 20 for n in seen.values())


SOME_WORDS = st.lists(st.sampled_from(["a", "don't", "(b)", "c,", "中文"])).map(" ".join)


@settings(deadline=None)
@given(st.text(max_size=80) | SOME_WORDS, st.integers())
def test_words_are_repeated_behind_themselves_but_never_the_last(text, seed):
    doc = NLP(text)
    edit = RepeatWords("word").apply(doc, random.Random(seed))
    if edit is None:
        return
    words = word_positions(doc)
    assert render(doc, edit.changes) == edit.text
    for change in edit.changes:
        assert change.kind == "insert"
        assert change.start - 1 in words[:-1]
        assert change.text.strip(" ") == doc[change.start - 1].text


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("the cat sat", 1, "the cat cat sat"),
        ("the cat, a dog", 1, "the cat cat, a dog"),
        ('"cat" and dog', 1, '"cat cat" and dog'),
        ("I don't go", 1, "I do don't go"),
        ("Don't go", 0, "Do Don't go"),
        ("red-hot tea", 2, "red-hot hot tea"),
        ("a (cannot go)", 2, "a (cancannot go)"),
    ],
)
def test_copies_are_parted_as_the_text_parts_its_words(text, place, expected, monkeypatch):
    rng = random.Random(0)
    monkeypatch.setattr(rng, "randrange", lambda stop: 1)
    monkeypatch.setattr(rng, "sample", lambda population, k: [place])
    assert RepeatWords("word").apply(NLP(text), rng).text == expected


def test_a_language_without_blanks_gets_none():
    from spacy.tokens import Doc

    doc = Doc(NLP.vocab, words=["我", "爱", "你", "们"], spaces=[False] * 4)
    edits = [RepeatWords("word").apply(doc, random.Random(s)) for s in range(20)]
    assert {e.text for e in edits if e} == {"我我爱你们", "我爱爱你们", "我爱你你们"}


# -- the factory ------------------------------------------------------------------------------------------------------
def test_variants():
    plain, paper, word = repeat(), repeat("paper"), repeat("word")
    assert [op.spec for op in (plain, paper, word)] == ["repeat", "repeat@paper", "repeat@word"]
    assert isinstance(plain, TokenOperator)
    assert isinstance(paper, TokenOperator)
    assert isinstance(word, Operator)
    prints = [str(op.fingerprint()) for op in (plain, paper, word)]
    assert len(set(prints)) == 3
    assert all("0.32" in text for text in prints)
    with pytest.raises(ValueError, match="write repeat, repeat@paper or repeat@word"):
        repeat("10")


def test_the_factory_hands_on_the_formula():
    ids = list(range(7))
    assert {len(repeat("paper").apply_ids(ids, random.Random(s)) or ids) for s in range(100)} == {7, 8, 9}
    assert {len(repeat().apply_ids(ids, random.Random(s)) or ids) for s in range(100)} == {7, 8}


def test_this_files_code_is_part_of_the_identity():
    import baselines.repetition

    assert code_digest(repeat()) == code_digest(baselines.repetition) == code_digest(repeat("word"))
