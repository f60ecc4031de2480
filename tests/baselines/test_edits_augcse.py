"""AugCSE's edits without grammar: how much moves, what stays, in which languages."""

from __future__ import annotations

import random
from collections import Counter
from statistics import fmean

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.edits_augcse import MOST, RandomSubstitution, RandomSwap, RandomWord, SentenceReordering, sentence_spans
from harness.protocols.operator import render
from harness.words import word_positions

NLP = spacy.blank("en")
ZH = spacy.blank("zh")
TEXT = "The old baker sold fresh bread to his neighbours near the river in Leeds."
SEEDS = st.integers(0, 2**32)
PARTS = [
    "cat",
    "Dr.",
    "don't",
    ".",
    "!",
    "?",
    "...",
    '"',
    ")",
    "(",
    "。",
    "他去了北京",
    "x-y",
    "The",
    " ",
    "\n",
    "end.",
]
TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PARTS), max_size=25).map(" ".join)
KINDS = st.sampled_from([RandomSwap, RandomSubstitution, RandomWord, SentenceReordering])


def words(doc):
    return [doc[i].text for i in word_positions(doc)]


@settings(deadline=None)
@given(TEXTS, SEEDS, KINDS, st.sampled_from([NLP, ZH]))
def test_any_text_gives_none_or_an_edit_whose_changes_make_its_text(text, seed, kind, language):
    doc = language.tokenizer(text)
    edit = kind().apply(doc, random.Random(seed))
    assert edit == kind().apply(doc, random.Random(seed))
    if edit is not None:
        assert edit.text == render(doc, edit.changes) != text


@given(SEEDS, st.sampled_from([None, "1", "30", "99"]))
def test_swap_keeps_the_words_and_the_capital_in_front(seed, rate):
    doc = NLP(TEXT)
    edit = RandomSwap(rate).apply(doc, random.Random(seed))
    if edit is not None:
        assert Counter(w.lower() for w in words(NLP(edit.text))) == Counter(w.lower() for w in words(doc))
        assert edit.text[0].isupper()
        assert edit.text.endswith(".")
        assert "Leeds" in edit.text


def test_swap_moves_neighbours_and_at_least_one_word():
    doc = NLP("Rain fell.")
    assert RandomSwap("1").apply(doc, random.Random(0)).text == "Fell rain."
    assert RandomSwap().apply(NLP("Rain."), random.Random(0)) is None
    assert RandomSwap().apply(NLP("No no."), random.Random(0)) is None


@pytest.mark.parametrize("percent", [10, 25])
def test_swap_draws_its_share_of_the_words(percent):
    doc = NLP(" ".join(f"w{i}" for i in range(40)))
    moved = []
    for seed in range(400):
        edit = RandomSwap(str(percent)).apply(doc, random.Random(seed))
        moved.append(sum(a != b for a, b in zip(words(doc), words(NLP(edit.text)), strict=True)))
    # each drawn word moves itself and a neighbour; some meet
    assert 1.6 * percent * 40 / 100 < fmean(moved) <= 2 * percent * 40 / 100


def test_no_more_than_thirty_words_are_drawn():
    doc = NLP(" ".join(f"w{i}" for i in range(200)))
    edit = RandomSubstitution("99").apply(doc, random.Random(0))
    assert edit.text.split().count("_") == MOST


@given(SEEDS)
def test_substitution_keeps_the_number_of_words_and_all_others(seed):
    doc = NLP(TEXT)
    edit = RandomSubstitution("60").apply(doc, random.Random(seed))
    new = [token.text for token in NLP(edit.text)]
    assert len(new) == len(doc)
    assert all(b in ("_", a.text) for a, b in zip(doc, new, strict=True))
    assert 8 <= new.count("_") <= 9  # 60 % of 14


def test_random_word_is_one_of_its_members_and_all_of_them():
    doc, operator = NLP(TEXT), RandomWord()
    by_member = [
        {edit.text for seed in range(400) if (edit := member.apply(doc, random.Random(seed)))}
        for member in operator.members
    ]
    made = {edit.text for seed in range(60) if (edit := operator.apply(doc, random.Random(seed)))}
    lengths = {len(words(NLP(text))) for text in made}
    assert len(words(doc)) in lengths  # swapped
    assert min(lengths) < len(words(doc))  # deleted or cropped
    assert all(by_member)
    assert [member.spec for member in operator.members] == ["random-swap@15", "delete@15", "crop@15"]


# -- sentences --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. We left.", {"We left. It rained."}),
        ("Who came? Anna!", {"Anna! Who came?"}),
        ('He said "no." She left.', {'She left. He said "no."'}),
        ("One.  Two.\nThree.", None),
        ("It rained.", {None}),
        ("It rained. we left.", {None}),
        ("Dr. Smith left.", {None}),
        ("It rained. And then", {None}),
        ("Yes. Yes.", {None}),
        ("", {None}),
    ],
)
def test_sentences_of_a_text(text, expected):
    doc = NLP(text)
    made = [SentenceReordering().apply(doc, random.Random(seed)) for seed in range(30)]
    texts = {edit and edit.text for edit in made}
    if expected is None:
        assert texts == {
            "One.  Three.\nTwo.",
            "Two.  One.\nThree.",
            "Two.  Three.\nOne.",
            "Three.  One.\nTwo.",
            "Three.  Two.\nOne.",
        }
    else:
        assert texts == expected


def test_chinese_sentences_need_no_blanks():
    doc = ZH("天下雨了。我们走了！")
    assert SentenceReordering().apply(doc, random.Random(0)).text == "我们走了！天下雨了。"


@given(st.lists(st.sampled_from(["It rained.", "We left!", "Who came?", "No one."]), min_size=2, max_size=6), SEEDS)
def test_no_sentence_is_lost(sentences, seed):
    doc = NLP(" ".join(sentences))
    assert [doc[a:b].text for a, b in sentence_spans(doc)] == sentences
    edit = SentenceReordering().apply(doc, random.Random(seed))
    assert (edit is None) == (len(set(sentences)) == 1)
    if edit is not None:
        again = NLP(edit.text)
        assert Counter(again[a:b].text for a, b in sentence_spans(again)) == Counter(sentences)


@pytest.mark.parametrize("kind", [RandomSwap, RandomSubstitution, RandomWord])
@pytest.mark.parametrize("variant", ["0", "100", "x"])
def test_bad_rates_are_refused(kind, variant):
    with pytest.raises(ValueError, match="is no rate"):
        kind(variant)


def test_reordering_takes_no_variant():
    with pytest.raises(ValueError, match="write sentence-reordering"):
        SentenceReordering("2")


def test_fingerprints_differ_and_meaning_is_declared():
    operators = [RandomSwap(), RandomSwap("20"), RandomSubstitution(), RandomWord(), SentenceReordering()]
    prints = [str(operator.fingerprint()) for operator in operators]
    assert len(set(prints)) == len(prints)
    assert [operator.meaning for operator in operators] == ["near", "near", "changed", "near", "near"]
