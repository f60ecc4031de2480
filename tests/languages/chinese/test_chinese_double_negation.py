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
_LEFT_ALONE = {"别碰杯子！", "请坐！"}
_ASKED = ("不能不问：", "不得不问：", "不能不问一句：")
_OWN = {
    "学生必须穿校服。": {"学生不得不穿校服。", "学生不能不穿校服。"},
    "一只小猫": {"不能说这不是一只小猫", "并不是说这不是一只小猫", "并非不是一只小猫"},
    "你有没有时间？": {words + "你有没有时间？" for words in _ASKED},
}
#: what is said of a text that stays whole; each is two negations
_BEFORE = ("不能否认，", "无法否认，", "不能不承认，", "没有人能否认，", "不得不承认，")
_BEHIND = ("，这是无法否认的", "，这一点不能否认", "，这是不能否认的事实")


def made(text: str) -> set[str | None]:
    return outputs_of(ud(text))


def outputs_of(doc: Doc) -> set[str | None]:
    edits = [OPERATOR.apply(doc, python_rng(seed, "dn", doc.text)) for seed in range(25)]
    return {None if edit is None else edit.text for edit in edits}


def denied(text: str) -> set[str]:
    """Every flip of a text behind every denial, and the text as it stands under two negations."""
    body = text.rstrip("。")
    found = {in_script_of(text, words) + text for words in _BEFORE}
    found |= {body + in_script_of(text, words) + "。" for words in _BEHIND}
    for flip in FLIPPED[text]:
        for outer in ("不能说", "并不是说"):
            found.add(in_script_of(text, outer) + flip)
        for behind in ("，这不是事实", "，这不是真的", "，这并非事实"):
            found.add(flip.rstrip("。") + in_script_of(text, behind) + "。")
        for negation in ("没有", "不"):
            word = in_script_of(text, negation)
            if word in flip and word not in text:
                found.add(flip.replace(word, in_script_of(text, "并非" + negation), 1))
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
def test_commands_are_left_alone(text):
    assert made(text) == {None}


def words_only(*words: str) -> Doc:
    """A text without a parse: no predicate can be clear."""
    return Doc(VOCAB, words=list(words), spaces=[False] * len(words))


def test_the_opener_stands_behind_a_conjunction():
    outputs = outputs_of(words_only("但是", "，", "他", "走", "了", "。"))
    assert outputs & {"但是，不能否认的是，他走了。", "但是，无法否认的是，他走了。"}
    assert not any(str(output).startswith(("不", "无", "没")) for output in outputs)


def test_no_opener_stands_in_front_of_a_step_of_a_story():
    outputs = outputs_of(words_only("于是", "他", "走", "了", "。"))
    assert outputs == {"于是他走了" + words + "。" for words in _BEHIND}


def test_nothing_stands_behind_a_quotation_that_does_not_end():
    outputs = outputs_of(words_only("他", "说", "：", "“", "我", "走", "了", "。"))
    assert outputs == {words + "他说：“我走了。" for words in _BEFORE}


def test_a_question_inside_a_story_is_refused():
    assert OPERATOR.changes(words_only("谁", "？", "他", "说", "。"), python_rng(0, "dn", "")) == (
        [],
        "question inside",
    )


def test_the_reason_is_named():
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
