"""Negation on hand-built parses of both label schemes: one flip of polarity in every frame, for every text."""

from __future__ import annotations

import pytest
from chinese_trees import CLEAR, PARSES, VOCAB, clear, documents, ud
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from harness.protocols.operator import render
from harness.seeds import python_rng
from languages.chinese.grammar.script import simplified
from languages.chinese.negation import Negation

OPERATOR = Negation()

#: sentence -> every right output
FLIPPED = {
    "他去过欧洲。": {"他没有去过欧洲。", "他并没有去过欧洲。"},
    "她买了书。": {"她没有买书。", "她并没有买书。"},
    "他是医生。": {"他不是医生。"},
    "屋里有床。": {"屋里没有床。"},
    "她会开车。": {"她不会开车。"},
    "门被风吹开了。": {"门没有被风吹开。", "门并没有被风吹开。"},
    "他把门关上了。": {"他没有把门关上。", "他并没有把门关上。"},
    "我喜欢茶。": {"我不喜欢茶。", "我并不喜欢茶。"},
    "风景很美丽。": {"风景不美丽。"},
    "他没有去过欧洲。": {"他去过欧洲。"},
    "我没收到信。": {"我收到了信。"},
    "屋里没有人。": {"屋里有人。"},
    "我从来没见过海。": {"我曾经见过海。"},
    "别碰杯子！": {"碰杯子！"},
    "他不是医生。": {"他是医生。"},
    "我们无法解决问题。": {"我们能够解决问题。"},
    "我看不见黑板。": {"我看得见黑板。"},
    "你有没有时间？": {"你没有时间吗？"},
    "一只小猫": {"不是一只小猫", "并非一只小猫"},
    "他離開了學校。": {"他沒有離開學校。", "他並沒有離開學校。"},
    "他建造的桥是石桥。": {"他建造的桥不是石桥。"},
    "学校成立于1950年。": {"学校并非成立于1950年。"},
    "因为下雨，比赛取消了。": {"因为下雨，比赛没有取消。", "因为下雨，比赛并没有取消。"},
    "学生必须穿校服。": {"学生不必穿校服。"},
    "请坐！": {"请不要坐！"},
}


def made(doc: Doc, seeds=range(12)) -> set[str | None]:
    edits = [OPERATOR.apply(doc, python_rng(seed, "negation", doc.text)) for seed in seeds]
    return {None if edit is None else edit.text for edit in edits}


def test_every_parse_is_tested():
    assert set(FLIPPED) == set(PARSES)


@pytest.mark.parametrize("text", FLIPPED)
def test_the_polarity_is_flipped_once(text):
    assert made(ud(text)) <= FLIPPED[text]


@pytest.mark.parametrize("text", CLEAR)
def test_labels_of_zh_core_web_give_the_same(text):
    assert made(clear(text)) == made(ud(text))


@pytest.mark.parametrize("text", ["", " ", "。", "！？…", "《》“”", "😀😀"])
def test_texts_without_a_word_are_left_alone(text):
    doc = Doc(VOCAB, words=list(text), spaces=[False] * len(text))
    assert made(doc, [0]) == {None}


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "7",
        "人",
        "nǐ hǎo",
        "iPhone，ok?",
        "他来了.他走了!",
        "😀你好😀",
        "「他」",
        "（他）",
        "人" * 3000,
        "他，" * 2000,
    ],
)
def test_every_other_text_is_changed_parsed_or_not(text):
    doc = Doc(VOCAB, words=list(text), spaces=[False] * len(text))
    (output,) = made(doc, [0])
    assert output is not None
    assert output != text


def words_only(*words: str) -> Doc:
    """A text without a parse: no predicate can be clear."""
    return Doc(VOCAB, words=list(words), spaces=[False] * len(words))


BEHIND = ("，这并非事实", "，这不是事实", "，这不是真的", "，事实并非如此", "，这不符合事实")
FRONT = ("以下说法不是事实：", "以下所说并非事实：", "下面的说法不是真的：", "以下内容不符合事实：")


def test_an_unclear_sentence_is_denied_behind_its_last_word():
    outputs = made(words_only("他", "来", "，", "我", "走", "。"), range(60))
    assert outputs == {f"他来，我走{words}。" for words in BEHIND}


@pytest.mark.parametrize(
    "words",
    [
        ("他", "说", "：", "“", "我", "走", "。"),
        ("他", "来", "。", "我", "走", "。"),
        ("他", "走", "，", "因为", "我", "来", "。"),
        ("他", "笑", "道", "：", "走", "吧", "。"),
    ],
    ids=["open quotation", "two sentences", "a reason behind", "somebody speaks"],
)
def test_what_words_behind_would_miss_is_denied_in_front(words):
    assert made(words_only(*words), range(60)) == {front + "".join(words) for front in FRONT}


def test_a_question_that_cannot_be_flipped_is_not_asked():
    asked = {"我问的不是：", "我不是在问：", "这里问的不是："}
    assert made(words_only("谁", "来", "？"), range(40)) == {words + "谁来？" for words in asked}
    assert made(words_only("怎么", "走"), range(40)) == {"我不想知道怎么走", "我不是在问怎么走", "我问的不是怎么走"}


def latin(text: str) -> list[str]:
    return [c for c in text if c.isascii() and c.isalpha()]


@settings(deadline=None, max_examples=60)
@given(documents(), st.integers(0, 5))
def test_impossible_parses(doc, seed):
    edit = OPERATOR.apply(doc, python_rng(seed, "negation", doc.text))
    if not any(c.isalnum() for c in doc.text):
        assert edit is None
        return
    # V-not-V and deleted words aside, a word always changes
    assert edit is not None
    assert edit.text == render(doc, edit.changes)
    assert latin(edit.text) == latin(doc.text)


@settings(deadline=None, max_examples=60)
@given(documents(), st.integers(0, 3))
def test_what_stands_outside_the_changes_stays(doc, seed):
    edit = OPERATOR.apply(doc, python_rng(seed, "negation", doc.text))
    if edit is None:
        return
    kept = [t.text for t in doc if not any(c.start <= t.i < c.end for c in edit.changes)]
    rest = edit.text
    for word in kept:
        assert word in rest
        rest = rest[rest.index(word) + len(word) :]


def test_the_rule_is_named():
    assert OPERATOR.changes(ud("他是医生。"), python_rng(0, "negation", ""))[1] == "copula"
    assert OPERATOR.changes(ud("门被风吹开了。"), python_rng(0, "negation", ""))[1] == "被"


def test_nothing_traditional_is_written_into_simplified_text():
    for text in FLIPPED:
        for output in made(ud(text)):
            if simplified(text) == text:
                assert simplified(output) == output


def test_unknown_variants_are_refused():
    with pytest.raises(ValueError, match="paper"):
        Negation("loud")


def test_the_fingerprint_knows_the_word_lists():
    assert set(OPERATOR.fingerprint()) == {"operator", "lexicon"}
