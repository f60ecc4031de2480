"""Base forms and inflected forms."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import tree

from harness.operators import resolve
from languages.english import load
from languages.english.grammar.inflection import bases, bases_of, forms
from languages.english.grammar.verbs import can_be, lemma


def test_base_forms_and_forms():
    assert bases_of("larger", "ADJ", "JJR") == ["large"]
    assert bases_of("cities", "NOUN", "NNS") == ["city"]
    assert forms("take", "VBD") == ("took",)
    assert forms("augbenchy", "JJR")
    assert forms("augbenchy", "JJR", unknown=False) == ()


@pytest.mark.parametrize(
    ("form", "pos", "tag"), [("s)", "ADJ", "JJR"), ("cbg", "VERB", "VBG"), ("rina", "VERB", "VBD")]
)
def test_non_words_are_forms_of_nothing(form, pos, tag):
    assert "" not in bases(form, pos)
    assert bases_of(form, pos, tag) == []
    assert forms("", tag) == ()


def test_a_verb_that_is_none_keeps_its_form():
    assert lemma("cbg", "VBG") == "cbg"
    assert not can_be("cbg", "VBN")


@given(
    st.text(max_size=5),
    st.sampled_from(["VERB", "NOUN", "ADJ", "ADV"]),
    st.sampled_from(["VBD", "VBG", "NNS", "JJR", "RBS"]),
)
def test_any_string_has_base_forms(form, pos, tag):
    assert all(bases(form, pos))
    bases_of(form, pos, tag)


@pytest.mark.parametrize("name", ["adjective-antonyms", "synonym", "mv", "dn", "negation"])
def test_operators_survive_forms_of_nothing(name):
    (operator,) = resolve((name,), load())
    doc = tree("Rina|VBD|VERB|ROOT|1 s)|JJR|ADJ|acomp|1 cbg|RBR|ADV|advmod|1")
    operator.apply(doc, random.Random(0))
