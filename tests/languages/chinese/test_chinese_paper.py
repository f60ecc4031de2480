"""The released Chinese rules on hand-built parses, faults included."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_docs import bare, documents, latin, tree

from harness.protocols.operator import render
from harness.seeds import python_rng
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.paper import PaperDoubleNegation, PaperModalVerbs, PaperNegation, PaperPunctuation

PI, MV, DN, NEGATION = PaperPunctuation(), PaperModalVerbs(), PaperDoubleNegation(), PaperNegation()
EVERY = (PI, MV, DN, NEGATION)
WORDS = lexicon("paper")
GO = "他|PRON|nsubj|2 去|VERB|ROOT|2 北京|PROPN|obj|2 。|PUNCT|punct|2"
HIT = "他|PRON|nsubj:pass|3 被|AUX|aux:pass|3 打|VERB|ROOT|3 了|AUX|aux|3"
POOR = "他|PRON|nsubj|4 没有|ADV|advmod|3 钱|NOUN|obj|4 买|VERB|ROOT|4"
NOUN = "她|PRON|nsubj|3 是|AUX|cop|3 医生|NOUN|ROOT|3"


def made(operator, source, seeds=range(200)):
    doc = tree(source)
    edits = [operator.apply(doc, python_rng(seed)) for seed in seeds]
    return {None if edit is None else edit.text for edit in edits}


def test_marks_around_or_behind_the_direct_children_and_half_of_the_tries_fail():
    assert made(PI, GO) == {"'他'去北京。", "他，去北京。", None}


def test_the_comma_of_a_clause_stands_in_front_of_its_first_child():
    source = "他|PRON|nsubj|2 说|VERB|ROOT|2 书|NOUN|nsubj|5 很|ADV|advmod|5 好|ADJ|ccomp|2"
    assert made(PI, source) == {"'他'说书很好", "他，说书很好", "他说，书很好"}


def test_the_tail_is_reached_by_a_single_token_only():
    found = made(PI, "好|ADJ|ROOT|1")
    assert found == {"'好'", *(f"好{mark}" for mark in WORDS["tail"])}


def test_a_phrase_goes_in_front_of_the_verb_even_behind_the_passive():
    openers = {f"{opener}他去北京。" for opener in WORDS["modal_openers"]}
    assert made(MV, GO) == {f"他{phrase}去北京。" for phrase in WORDS["modal_phrases"]} | openers
    assert "他被必须打了" in made(MV, HIT)


def test_an_intensifier_goes_in_front_of_the_first_adjective():
    found = made(MV, "天|NOUN|nsubj|3 很|ADV|advmod|3 蓝|ADJ|ROOT|3")
    assert {f"天很{word}蓝" for word in WORDS["intensifiers"]} <= found
    assert not any("很必须" in text for text in found)


def test_one_change_takes_a_template_and_four_of_them_deny_nothing():
    assert made(DN, GO) == {f"{template}他不去北京。" for template in WORDS["templates"]}
    assert "令人惊讶的是，他不去北京。" in made(DN, GO)


def test_a_negation_that_is_taken_out_is_put_back():
    # 不 goes and comes back in front of the verb: nothing is left of it
    source = "他|VERB|nsubj|3 不|VERB|advmod|3 去|VERB|ROOT|3"
    assert made(DN, source) == {None}


def test_parts_of_speech_are_misaligned_behind_a_deletion():
    # 买 is taken for 钱, a noun, so it is not negated and the one deletion takes a template
    assert made(DN, POOR) == {f"{template}他钱买" for template in WORDS["templates"]}


def test_the_first_hit_is_negated():
    assert made(NEGATION, GO) == {"他不去北京。"}
    assert made(NEGATION, POOR) == {"他钱买"}
    assert made(NEGATION, NOUN) == {f"{template}她是医生" for template in WORDS["templates"]}


def test_no_english_word_is_written_behind_the_passive():
    assert made(NEGATION, HIT) == {None}


def test_traditional_text_is_refused_where_the_words_are_simplified():
    source = "這|DET|det|2 橋|NOUN|nsubj|3 倒|VERB|ROOT|3 了|AUX|aux|3"
    assert made(DN, source) == made(NEGATION, source) == {None}
    assert "這橋必須倒了" in made(MV, source)


@given(documents(), st.integers(0, 99))
def test_any_parse_is_changed_or_refused_and_no_letter_comes_in(doc, seed):
    for operator in EVERY:
        edit = operator.apply(doc, python_rng(seed))
        assert edit == operator.apply(doc, python_rng(seed))
        if edit is not None:
            assert render(doc, edit.changes) == edit.text != doc.text
            assert latin(edit.text) == latin(doc.text)


@pytest.mark.parametrize("text", ["", "...", " ", "😀"])
def test_texts_without_words_are_left_alone(text):
    assert [operator.apply(bare(text), python_rng(0)) for operator in EVERY] == [None] * 4


def test_the_names_and_variants():
    assert [operator.spec for operator in EVERY] == ["pi@paper", "mv@paper", "dn@paper", "negation@paper"]
    for operator in EVERY:
        with pytest.raises(ValueError, match=operator.spec):
            type(operator)("loud")
