"""`pi` for Chinese: its places on hand-built trees, and what it never does on anything."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_docs import bare, documents, tree

from harness.protocols.operator import render
from harness.seeds import python_rng
from languages.chinese.marks.final import asking
from languages.chinese.marks.gaps import Gaps
from languages.chinese.punctuation import WEIGHTS, PunctuationInsertion, places

OPERATOR = PunctuationInsertion()


def made(doc):
    return {render(doc, place.changes) for place in places(doc)}


LONG = "学校|NOUN|nmod|3 的|PART|case|1 图书馆|NOUN|nsubj|5 已经|ADV|advmod|5 关门|VERB|ROOT|5 了|AUX|aux|5 。|PUNCT|punct|5"
DATE = "1998年|NOUN|nmod:tmod|3 他|PRON|nsubj|3 搬|VERB|ROOT|3 到|VERB|mark|3 海边|NOUN|obj|3 。|PUNCT|punct|3"
RELATIVE = "1998年|NOUN|nmod:tmod|2 成立|VERB|acl:relcl|4 的|SCONJ|mark:rel|2 公司|NOUN|nsubj|5 倒闭|VERB|ROOT|5 。|PUNCT|punct|5"
PASSIVE = "桥|NOUN|nsubj:pass|4 被|AUX|aux:pass|4 洪水|NOUN|obl|4 冲垮|VERB|ROOT|4 。|PUNCT|punct|4"
JOINED = (
    "他|PRON|nsubj|3 很|ADV|advmod|3 累|ADJ|ROOT|3 但|ADV|advmod|6 没有|ADV|advmod|6 休息|VERB|conj|3 好|ADV|advmod|6 "
    "。|PUNCT|punct|3"
)


@pytest.mark.parametrize(
    ("source", "outputs"),
    [
        (LONG, {"“学校的图书馆”已经关门了。", "学校的图书馆，已经关门了。", "学校的图书馆已经关门了！"}),
        (DATE, {"1998年，他搬到海边。", "1998年“他”搬到海边。", "1998年他搬到海边！"}),
        (RELATIVE, {"1998年成立的公司倒闭！"}),
        (PASSIVE, {"桥被洪水冲垮！"}),
    ],
    ids=["subject", "date", "date in a relative clause", "short subject"],
)
def test_the_places_of_a_sentence(source, outputs):
    assert made(tree(source)) <= outputs
    assert any(output.endswith("！") for output in made(tree(source)))


def test_the_whole_subtree_is_quoted_and_the_date_is_closed_off():
    assert "“学校的图书馆”已经关门了。" in made(tree(LONG))
    assert "1998年，他搬到海边。" in made(tree(DATE))


def test_a_pronoun_is_quoted_only_where_there_is_no_other_place():
    doc = tree(DATE)
    assert {OPERATOR.apply(doc, python_rng(seed)).text for seed in range(60)} == {
        "1998年，他搬到海边。",
        "1998年他搬到海边！",
    }


def test_two_clauses_get_a_comma_between_them():
    assert "他很累，但没有休息好。" not in made(tree(JOINED.replace("没有|ADV", "没|ADV")))
    doc = tree(JOINED.replace("没有|ADV|advmod|6", "想|VERB|aux|6"))
    assert "他很累，但想休息好。" in made(doc)


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("关门", "关门！"),
        ("关门。", "关门！"),
        ("怎么去", "怎么去？"),
        ("好吗", "好吗？"),
        ("好吗？", "好吗？！"),
        ("关门！", None),
        ("关门…", "关门…！"),
        ("怎么去…", "怎么去…？"),
        ("怎么去。", "怎么去？"),
        ("怎么去，", "怎么去？"),
        ("怎么去！", "怎么去？"),
        ("什么都没有！", None),
        ("饿了么。", None),
        ("他说的。“", "他说的！“"),
        ("关门！“", None),
        ("推荐一本书~", "推荐一本书~！"),
        ("...", None),
        ("", None),
        ("hello world", None),
    ],
)
def test_the_end(text, output):
    edit = OPERATOR.apply(bare(text), python_rng(0))
    assert (None if edit is None else edit.text) == output


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("你好吗", True),
        ("如何下载", True),
        ("他来了。", False),
        ("他在看书呢。", False),
        ("他知道怎么去", None),
        ("谁来了。", None),
        ("他说了什么。", False),
        ("你去嗎", True),
        ("如何下载。", True),
        ("为什么，他没有说。", None),
        ("什么也没有。", False),
        ("不知道为什么", False),
        ("密码忘记了怎么办", True),
        ("加好友有问题怎么破解", True),
    ],
)
def test_what_asks(text, asks):
    assert asking(text) is asks


def test_quotation_marks_follow_the_script_and_the_text():
    assert Gaps(bare("這是我們的學校")).opening == "「"
    assert Gaps(bare("这是我们的学校")).opening == "“"
    assert Gaps(bare("他说「好」")).opening == "「"


def test_segments_never_begin_inside_a_pair():
    doc = bare("他说：“好，走吧。”我也去，好")
    assert [doc[s.start : s.end].text for s in Gaps(doc).segments] == ["他说", "“好，走吧。”我也去", "好"]


_ADDED = re.compile("[，“”「」！？]")


def _bare_words(text):
    return re.sub("[，“”「」！？。．；,;：:.、]", "", text)


_DOUBLED = re.compile("([，！？“「])\\1|，[，。、！？；：]|[、；：]，")


@given(documents(), st.integers(0, 5))
def test_only_marks_are_added_and_none_is_doubled(doc, seed):
    edit = OPERATOR.apply(doc, python_rng(seed))
    assert edit == OPERATOR.apply(doc, python_rng(seed))
    if edit is None:
        return
    assert render(doc, edit.changes) == edit.text
    assert _bare_words(edit.text) == _bare_words(doc.text)
    for change in edit.changes:
        if change.kind == "insert":
            assert _ADDED.fullmatch(change.text)
        if change.kind == "insert" and 0 < change.start < len(doc):
            left, right = doc[change.start - 1].text[-1], doc[change.start].text[0]
            assert not (left.isascii() and left.isalnum() and right.isascii() and right.isalnum())
    assert len(_DOUBLED.findall(edit.text)) <= len(_DOUBLED.findall(doc.text))
    inserted = [c for c in edit.changes if c.kind == "insert"]
    if len(inserted) == len(edit.changes):
        # taking the inserted marks out again gives the original
        assert render(doc, []) == doc.text
        assert len(edit.text) == len(doc.text) + sum(len(c.text) for c in inserted)


@given(documents(), st.integers(0, 5))
def test_pairs_stay_whole(doc, seed):
    edit = OPERATOR.apply(doc, python_rng(seed))
    if edit is not None:
        inside = Gaps(doc).inside
        assert not any(inside[c.start] for c in edit.changes if c.kind == "insert" and c.text == "，")


@given(st.text(max_size=80))
def test_any_text_survives_unparsed(text):
    edit = OPERATOR.apply(bare(text), python_rng(0))
    assert edit is None or edit.text != text


def test_a_very_long_line_survives():
    assert OPERATOR.apply(bare("好，" * 5_000), python_rng(0)) is not None
    assert OPERATOR.apply(bare("😀" * 10_000), python_rng(0)) is None


def test_every_rule_has_a_weight_and_variants_are_named():
    assert {place.rule for place in places(tree(LONG))} <= set(WEIGHTS)
    with pytest.raises(ValueError, match="pi@paper"):
        PunctuationInsertion("loud")
