"""Double negation on hand-built parses: exactly two changes of polarity, or the sentence is left alone."""

from __future__ import annotations

import pytest
from chinese_trees import PARSES, VOCAB, documents, ud
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from test_chinese_negation import FLIPPED, latin

from harness.protocols.operator import render
from harness.seeds import python_rng
from languages.chinese.double_negation import DoubleNegation
from languages.chinese.grammar.script import in_script_of

OPERATOR = DoubleNegation()
_LEFT_ALONE = {"别碰杯子！", "请坐！", "你有没有时间？"}
_OWN = {
    "学生必须穿校服。": {"学生不得不穿校服。", "学生不能不穿校服。"},
    "一只小猫": {"不能说这不是一只小猫", "并不是说这不是一只小猫"},
}


def made(text: str) -> set[str | None]:
    doc = ud(text)
    edits = [OPERATOR.apply(doc, python_rng(seed, "dn", text)) for seed in range(25)]
    return {None if edit is None else edit.text for edit in edits}


def denied(text: str) -> set[str]:
    """Every flip of a text behind every denial."""
    found = set()
    for flip in FLIPPED[text]:
        body = flip.rstrip("。")
        for outer in ("不能说", "并不是说"):
            word = in_script_of(text, outer)
            found.add(word + flip)
            head, comma, tail = flip.rpartition("，")
            found.add(head + comma + word + tail)
        for behind in ("，这是不可能的", "，这不是事实", "，这不是真的"):
            found.add(body + in_script_of(text, behind) + "。")
        for negation in ("并没有", "没有", "并不", "不"):
            word = in_script_of(text, negation)
            if word in flip and word not in text:
                inner = in_script_of(text, "并非" + negation.removeprefix("并"))
                found.add(flip.replace(word, inner, 1))
                break
    return found


@pytest.mark.parametrize("text", sorted(set(PARSES) - _LEFT_ALONE - set(_OWN)))
def test_the_flip_is_denied(text):
    outputs = made(text)
    assert outputs <= denied(text)
    assert len(outputs) > 1


@pytest.mark.parametrize("text", sorted(_OWN))
def test_forms_of_their_own(text):
    assert made(text) == _OWN[text]


@pytest.mark.parametrize("text", sorted(_LEFT_ALONE))
def test_commands_and_questions_are_left_alone(text):
    assert made(text) == {None}


def test_the_reason_is_named():
    assert OPERATOR.changes(ud("你有没有时间？"), python_rng(0, "dn", "")) == ([], "question")
    assert OPERATOR.changes(ud("别碰杯子！"), python_rng(0, "dn", "")) == ([], "command")
    assert OPERATOR.changes(Doc(VOCAB), python_rng(0, "dn", "")) == ([], "no word")


@settings(deadline=None, max_examples=60)
@given(documents(), st.integers(0, 5))
def test_impossible_parses(doc, seed):
    edit = OPERATOR.apply(doc, python_rng(seed, "dn", doc.text))
    if edit is not None:
        assert edit.text == render(doc, edit.changes)
        assert latin(edit.text) == latin(doc.text)


def test_unknown_variants_are_refused():
    with pytest.raises(ValueError, match="paper"):
        DoubleNegation("loud")
