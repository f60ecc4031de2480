"""The printed rules on hand-built parses: to the letter, faults included."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import consistent, expand, made
from randomdocs import documents
from trees import SCHEMES, tree, ud, unparsed

from harness.seeds import python_rng
from languages.english.double_negation import DoubleNegation
from languages.english.modal import ModalVerbs
from languages.english.negation import Negation
from languages.english.paper import PaperDoubleNegation, PaperModalVerbs, PaperNegation

MV, DN, NEGATION = PaperModalVerbs(), PaperDoubleNegation(), PaperNegation()
TRAVELLED = "He travelled widely in Europe."
_PHRASES = "{must|has to|cannot but|can't help to|has no choice but to}"
_PAST_PHRASES = "{must|have to|cannot but|can't help to|have no choice but to}"


@pytest.mark.parametrize(
    ("operator", "output"),
    [
        (ModalVerbs(), "He must have travelled widely in Europe."),
        (DoubleNegation(), "It is not the fact that he didn't travel widely in Europe."),
        (Negation(), "He didn't travel widely in Europe."),
        (MV, "He must have travelled widely in Europe."),
        (NEGATION, "He didn't travel widely in Europe."),
    ],
    ids=lambda value: getattr(value, "spec", None),
)
def test_table_1_is_reached(operator, output):
    for scheme in SCHEMES:
        assert output in made(operator, scheme(TRAVELLED), range(201)), scheme.__name__


MODAL = {
    TRAVELLED: f"He {_PAST_PHRASES} have travelled widely in Europe.",
    "She lives in Paris.": f"She {_PHRASES} live in Paris.",
    "He is happy.": f"He {_PHRASES} be happy.",
    "It was built in 1900.": f"It {_PHRASES} have been built in 1900.",
    "They were playing chess.": f"They {_PAST_PHRASES} have been playing chess.",
    # faults: the modal behind an adverb, a second modal, one verb of two, `not` left behind `be`, a verb before its subject
    "He often travels.": f"He often {_PHRASES} travel.",
    "He has to go.": f"He {_PHRASES} have to go.",
    "He also travelled and wrote books.": f"He also {_PAST_PHRASES} have travelled and wrote books.",
    "He is not happy.": f"He {_PHRASES} be not happy.",
    "Was she ill?": f"{_PHRASES} have been she ill?",
}
DOUBLE = {
    # one change goes behind the template, and the capital stays
    TRAVELLED: "It is not the fact that He didn't travel widely in Europe.",
    "He is happy.": "It is not the fact that He is not happy.",
    "It was built in 1900.": "It is not the fact that It was not built in 1900.",
    # faults: a negation is taken out and put back; two auxiliaries are both negated; other negative words are not seen
    "He didn't answer.": "He did not answer.",
    "I won't go.": "I wo not go.",
    "It has been sold.": "It has not been not sold.",
    "He has no children.": "He does not have children.",
    "Nobody came.": "It is not the fact that Nobody didn't come.",
}
NEGATED = {
    TRAVELLED: "He didn't travel widely in Europe.",
    "She lives in Paris.": "She does not live in Paris.",
    "They are playing chess.": "They are not playing chess.",
    "She can swim.": "She can not swim.",
    # a negative word before the verb goes
    "No student came.": "No student didn't come.",
    "He no longer lives there.": "He longer lives there.",
    # faults: the auxiliary comes before the negation it carries; no inflection; a noun as ROOT
    "He is not happy.": "He is not not happy.",
    "He does not sell cars.": "He does not not sell cars.",
    "He didn't answer.": "He did not n't answer.",
    "The Battle of Hastings": "The no Battle of Hastings",
    "Take the bus.": "It is not the fact that Take the bus.",
}


@pytest.mark.parametrize("text", MODAL)
def test_modal_verbs(text):
    for scheme in SCHEMES:
        assert made(MV, scheme(text), range(60)) == expand(MODAL[text]), scheme.__name__


@pytest.mark.parametrize("text", ["He has won the race.", "She can swim.", "He does not sell cars.", "Does he smoke?",
                                  "Take the bus.", "The Battle of Hastings"])  # fmt: skip
def test_another_auxiliary_or_no_finite_verb_ends_the_search(text):
    for scheme in SCHEMES:
        assert made(MV, scheme(text)) == {None}


@pytest.mark.parametrize("text", DOUBLE)
def test_double_negation(text):
    for scheme in SCHEMES:
        assert made(DN, scheme(text)) == {DOUBLE[text]}, scheme.__name__


@pytest.mark.parametrize(
    "text", ["Take the bus.", "The Battle of Hastings", "He is not happy.", "He does not sell cars."]
)
def test_no_change_or_one_taken_back_leaves_the_sentence(text):
    for scheme in SCHEMES:
        assert made(DN, scheme(text)) == {None}


def test_more_than_two_negative_words_leave_the_sentence():
    doc = tree(
        "He|PRP|PRON|nsubj|4 did|VBD|AUX|aux|4 not|RB|PART|advmod|4 say|VB|VERB|ROOT|4 no|UH|INTJ|obj|4 and|CC|CCONJ|cc|8 "
        "not|RB|PART|advmod|8 yes|UH|INTJ|conj|5 .|.|PUNCT|punct|4"
    )
    assert made(DN, doc) == {None}


@pytest.mark.parametrize("text", NEGATED)
def test_negation(text):
    for scheme in SCHEMES:
        assert made(NEGATION, scheme(text)) == {NEGATED[text]}, scheme.__name__


@given(documents(), st.integers(0, 99))
def test_any_parse_is_changed_or_refused(doc, seed):
    for operator in (MV, DN, NEGATION):
        edit = operator.apply(doc, python_rng(seed))
        assert edit == operator.apply(doc, python_rng(seed))
        if edit is not None:
            consistent(edit, doc)


def test_only_the_negation_needs_no_verb():
    assert [operator.apply(unparsed("..."), python_rng(0)) for operator in (MV, DN, NEGATION)] == [None] * 3
    assert NEGATION.apply(ud("Born in Paris."), python_rng(0)) is not None


def test_the_names():
    assert [operator.spec for operator in (MV, DN, NEGATION)] == ["mv@paper", "dn@paper", "negation@paper"]
