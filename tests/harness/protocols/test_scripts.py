"""Scripts without blanks: which characters, where texts meet, and what edits leave between words."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from baselines.edits import Crop, Delete, RandomPunctuation, Swap
from baselines.repetition import RepeatWords
from harness.protocols import Change, Edit, OperatorTools
from harness.protocols.operator import render
from harness.protocols.scripts import is_unspaced, joined, needs_blank, pieces

VOCAB = spacy.blank("xx").vocab


def chinese(*words, blanks=()):
    """A document without blanks but behind the tokens at `blanks`."""
    return Doc(VOCAB, words=list(words), spaces=[i in blanks for i in range(len(words))])


@pytest.mark.parametrize("character", list("中々〇ーカひㄅกำກ၀មក𠀀"))
def test_letters_of_scripts_without_blanks(character):
    assert is_unspaced(character)
    assert character.isalnum() or character == "ำ"


@pytest.mark.parametrize("character", [*"aé1яع가ह，。！“・ ", "", "中文"])
def test_other_characters(character):
    assert not is_unspaced(character)


def test_a_blank_is_needed_between_words_of_scripts_that_have_them():
    assert needs_blank("New", "York")
    assert needs_blank("a", "1")
    for left, right in (
        ("我", "是"),
        ("用", "iPhone"),
        ("iPhone", "的"),
        ("a ", "b"),
        ("a", ","),
        ("", "b"),
        ("a", ""),
    ):
        assert not needs_blank(left, right)


def test_sentences_are_joined_as_their_script_has_it():
    assert joined(["他来了。", "她走了。"]) == "他来了。她走了。"
    assert joined(["He came.", "She went."]) == "He came. She went."
    assert joined(["他来了。", "OK."]) == "他来了。 OK."
    assert joined([]) == ""


def test_pieces():
    assert pieces("我用iPhone 打2次, don't") == ["我", "用", "iPhone", "打", "2", "次", "don", "t"]


# -- edits ------------------------------------------------------------------------------------------------------------
MIXED = ("我", "用", "iPhone", "和", "iPad", "上网", "。")


def test_a_word_that_kept_two_others_apart_leaves_a_blank():
    assert render(chinese(*MIXED), [Change("delete", 3, 4)]) == "我用iPhone iPad上网。"
    assert render(chinese(*MIXED), [Change("delete", 2, 3)]) == "我用和iPad上网。"
    assert render(chinese(*MIXED), [Change("delete", 1, 2), Change("delete", 3, 4)]) == "我iPhone iPad上网。"
    assert render(chinese("A", "的", "B"), [Change("replace", 1, 2, "x")]) == "A x B"
    # an insertion brings the blanks it wants
    assert render(chinese("我", "A"), [Change("insert", 1, 1, "x")]) == "我xA"


def test_scripts_with_blanks_are_as_they_were():
    doc = Doc(VOCAB, words=["well", "-", "known", "do", "n't", "go"], spaces=[False, False, True, False, True, False])
    assert render(doc, [Change("delete", 1, 2)]) == "wellknown don't go"
    assert render(doc, [Change("delete", 4, 5)]) == "well-known do go"
    assert render(doc, [Change("replace", 3, 4, "n't"), Change("replace", 4, 5, "do")]) == "well-known n'tdo go"


WORDS = st.lists(
    st.sampled_from(["我", "昨天", "不", "北京", "iPhone", "3", "ok", "，", "“", "。"]), min_size=1, max_size=12
)


@given(WORDS, st.integers(0, 5))
def test_edits_of_chinese_put_no_blank_between_chinese_words_and_glue_no_foreign_ones(words, seed):
    doc = chinese(*words)
    for operator in (Crop("40"), Delete("40"), Swap("40"), RepeatWords("word")):
        edit = operator.apply(doc, random.Random(seed))
        if edit is None:
            continue
        assert edit == Edit.of(doc, edit.changes)
        for left, right in pairwise(edit.text.split(" ")):
            assert needs_blank(left, right), edit.text
        # what stood apart stays apart; a text without a Chinese word is of another language
        glued = any(needs_blank(a, b) for a, b in pairwise(words))
        if any(map(is_unspaced, "".join(words))) and not glued:
            foreign = {piece for piece in pieces(edit.text) if not is_unspaced(piece)}
            assert foreign <= {"iPhone", "3", "ok"}, edit.text


def test_repetition_of_words_with_and_without_blanks():
    def repeated(doc, word):
        return next(
            edit.text
            for seed in range(500)
            if (edit := RepeatWords("word").apply(doc, random.Random(seed)))
            and len(edit.changes) == 1
            and edit.changes[0].start == word + 1
        )

    assert repeated(chinese(*MIXED), 0) == "我我用iPhone和iPad上网。"
    assert repeated(chinese(*MIXED), 2) == "我用iPhone iPhone和iPad上网。"
    # a blank somewhere says nothing of Chinese words
    assert repeated(chinese("我", "在", "New", "York", "工作", blanks=(2,)), 0) == "我我在New York工作"
    assert repeated(chinese("我", "在", "New", "York", "工作", blanks=(2,)), 3) == "我在New York York工作"


def test_marks_are_those_of_the_language():
    class Pack:
        marks = "，！"

    doc = chinese("我", "去", "北京")
    operator = RandomPunctuation(None, OperatorTools(pack=Pack()))
    outputs = {operator.apply(doc, random.Random(seed)).text for seed in range(60)}
    assert outputs == {"我，去北京", "我去，北京", "我去北京，", "我！去北京", "我去！北京", "我去北京！"}
    assert operator.fingerprint()["marks"] == "，！"
    assert RandomPunctuation().marks == ".;?:!,"
