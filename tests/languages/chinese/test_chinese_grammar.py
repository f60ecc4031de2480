"""Pieces, predicates, stretches, aspect and character patches on hand-built parses."""

from __future__ import annotations

import pytest
from chinese_trees import VOCAB, clear, documents, tree, ud
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from harness.protocols.operator import render
from languages.chinese.grammar.aspect import aspect_of
from languages.chinese.grammar.changes import Patch, to_changes
from languages.chinese.grammar.pieces import hidden_tokens, pieces
from languages.chinese.grammar.predicates import main_predicate, predicates
from languages.chinese.grammar.script import in_script_of, is_traditional, simplified
from languages.chinese.grammar.sentences import a_not_a, is_fragment, is_imperative, is_question


def characters(text: str) -> Doc:
    return Doc(VOCAB, words=list(text), spaces=[False] * len(text))


def test_marks_cut_pieces_and_brackets_do_not():
    found = pieces(characters("他来了，她（也许，明天）走。你呢？"))
    assert [piece.text for piece in found] == ["他来了", "她（也许，明天）走", "你呢"]
    assert [piece.sentence for piece in found] == [0, 0, 1]
    assert [piece.ends_sentence for piece in found] == [False, True, True]
    assert "".join(t.text for t in found[1].tokens) == "她走"


def test_a_mark_inside_a_number_cuts_nothing():
    doc = Doc(VOCAB, words=["共", "1", ",", "000", "人"], spaces=[False] * 5)
    assert [piece.text for piece in pieces(doc)] == ["共1,000人"]


def test_a_text_in_quotation_marks_is_read_as_if_there_were_none():
    assert hidden_tokens(characters("“他来了。”")) == set()
    assert hidden_tokens(characters("他说“来”")) == {2, 3, 4}
    assert hidden_tokens(characters("他说“来")) == set()


@pytest.mark.parametrize(
    ("text", "verb", "kind"),
    [
        ("他是医生。", "是", "shi"),
        ("屋里有床。", "有", "possess"),
        ("她会开车。", "开车", "modal"),
        ("门被风吹开了。", "吹开", "bei"),
        ("他把门关上了。", "关上", "ba"),
        ("我喜欢茶。", "喜欢", "verb"),
        ("风景很美丽。", "美丽", "adjective"),
        ("他建造的桥是石桥。", "是", "shi"),
        ("因为下雨，比赛取消了。", "取消", "verb"),
    ],
)
def test_the_predicate_and_its_kind(text, verb, kind):
    found = main_predicate(ud(text))
    assert (found.token.text, found.kind) == (verb, kind)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("她会开车。", "modal"), ("门被风吹开了。", "bei"), ("他把门关上了。", "ba"), ("他是医生。", "shi")],
)
def test_labels_of_zh_core_web_say_the_same(text, kind):
    assert main_predicate(clear(text)).kind == main_predicate(ud(text)).kind == kind


def test_the_subject_is_its_whole_subtree_and_the_stretch_begins_behind_it():
    doc = ud("他建造的桥是石桥。")
    found = main_predicate(doc)
    assert doc[slice(*found.subject)].text == "他建造的桥"
    doc = ud("他把门关上了。")
    found = main_predicate(doc)
    assert (doc[found.opening].text, found.stretch.phrases) == ("把", ((1, 3),))


def test_a_reason_in_front_is_subordinate():
    assert [p.piece.subordinate for p in predicates(ud("因为下雨，比赛取消了。"))] == [True, False]


def test_aspect_marks():
    found = main_predicate(ud("她买了书。"))
    assert aspect_of(found.piece, found.token).mark == "了"
    found = main_predicate(ud("他去过欧洲。"))
    assert aspect_of(found.piece, found.token).mark == "过"
    found = main_predicate(ud("我喜欢茶。"))
    assert aspect_of(found.piece, found.token).mark == ""


def test_kinds_of_sentences():
    assert is_question(ud("你有没有时间？"))
    assert not is_question(ud("我喜欢茶。"))
    assert a_not_a(ud("你有没有时间？"))[2] == "有没有"
    assert is_fragment(ud("一只小猫"))
    assert not is_fragment(ud("我喜欢茶。"))
    doc = ud("别碰杯子！")
    assert is_imperative(doc, main_predicate(doc))
    doc = ud("他去过欧洲。")
    assert not is_imperative(doc, main_predicate(doc))


def test_script():
    assert simplified("他沒來過") == "他没来过"
    assert is_traditional("他離開了學校")
    assert not is_traditional("他离开了学校")
    assert in_script_of("他離開了學校", "没有") == "沒有"
    assert in_script_of("他离开了学校", "没有") == "没有"


@given(st.text(max_size=40))
def test_simplifying_keeps_every_place(text):
    assert len(simplified(text)) == len(text)
    assert simplified(simplified(text)) == simplified(text)


@given(documents(), st.data())
def test_patches_do_to_the_text_what_they_say(doc, data):
    text = doc.text
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=4)))
    patches = [
        Patch(a, b, data.draw(st.sampled_from(["", "不", "口"]))) for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    patches = [p for p in patches if not any(c.isspace() for c in text[max(p.start - 1, 0) : p.end + 1])]
    plain = text
    for patch in reversed(patches):
        plain = plain[: patch.start] + in_script_of(text, patch.text) + plain[patch.end :]
    try:
        changes = to_changes(doc, patches)
    except ValueError:
        return
    # a deleted word may take a blank along
    assert "".join(render(doc, changes).split()) == "".join(plain.split())


@given(documents())
def test_nothing_crashes_on_impossible_parses(doc):
    for found in predicates(doc):
        assert found.piece.start <= found.stretch.start <= found.token.i < found.piece.end
        assert found.stretch.start <= found.stretch.inner <= found.token.i
        if found.subject is not None:
            assert found.piece.start <= found.subject[0] < found.subject[1] <= found.token.i


def test_a_patch_inside_a_token_replaces_it():
    doc = tree("他|PRON|PRP|nsubj|3 也是|AUX|VC|cop|3 医生|NOUN|NN|ROOT|3")
    changes = to_changes(doc, [Patch(2, 2, "不")])
    assert render(doc, changes) == "他也不是医生"
    with pytest.raises(ValueError, match="overlaps"):
        to_changes(doc, [Patch(0, 2, "甲"), Patch(1, 3, "乙")])
