"""Negation on hand-built parses of both label schemes: one flip of polarity, in every frame."""

from __future__ import annotations

import pytest
from flips import AFFIRMED, DENIED, INSIDE
from hypothesis import given
from hypothesis import strategies as st
from outcomes import behind, consistent, expand, made
from randomdocs import documents
from trees import SCHEMES, sentences, tree, ud, unparsed

from harness.seeds import python_rng
from languages.english.grammar.sentences import main_clause
from languages.english.grammar.verbs import lexicon
from languages.english.negation import Negation
from languages.english.polarity.negators import negator_of

OPERATOR = Negation()

_TRUE = "It {is not|isn't} {true|the case|the fact} that"
#: sentences of a build that is only denied from outside
FROM_OUTSIDE = {
    "In the garden stands a tree.": (
        f"{_TRUE} in the garden stands a tree.",
        "It is false that in the garden stands a tree.",
    ),
    "He is not only tall.": (
        f"{_TRUE} he is not only tall.",
        "It is false that he is not only tall.",
        "He is only tall.",
    ),
    "Everyone laughed.": (f"{_TRUE} everyone laughed.", "It is false that everyone laughed."),
    "It was hot, but he ran.": (
        f"{_TRUE} it was hot, but he ran.",
        "It is false that it was hot, but he ran.",
        "It {wasn't|was not} hot, but he ran.",
    ),
    "He is tired and wants rest.": (
        f"{_TRUE} he is tired and wants rest.",
        "It is false that he is tired and wants rest.",
    ),
    # a correction, a quantity, verbs joined by more than `and`: inside, the negation would reach too far or not far enough
    "He was not born in London but in Leeds.": (
        f"{_TRUE} he was not born in London but in Leeds.",
        "It is false that he was not born in London but in Leeds.",
    ),
    "He had no choice but to resign.": (
        f"{_TRUE} he had no choice but to resign.",
        "It is false that he had no choice but to resign.",
    ),
    "Few people know it.": (f"{_TRUE} few people know it.", "It is false that few people know it."),
    "He wrote, directed and produced the film.": (
        f"{_TRUE} he wrote, directed and produced the film.",
        "It is false that he wrote, directed and produced the film.",
        "He {didn't|did not} write, direct or produce the film.",
    ),
    "I would rather stay.": (
        f"{_TRUE} I would rather stay.",
        "It is false that I would rather stay.",
        "I would rather not stay.",
    ),
    "Not only did he win.": (f"{_TRUE} not only did he win.", "It is false that not only did he win."),
    "He thought it was late and left.": (
        f"{_TRUE} he thought it was late and left.",
        "It is false that he thought it was late and left.",
        "He {didn't|did not} think it was late {and|or} leave.",
        "He {didn't|did not} think it was late and left.",
    ),
    "He travelled and did not write.": (
        f"{_TRUE} he travelled and did not write.",
        "It is false that he travelled and did not write.",
        "He {didn't|did not} travel and did not write.",
    ),
}


TEMPLATES = ("It is not true that", "It is not the case that", "It is false that")


def test_the_templates_are_those_of_the_lexicon():
    assert set(lexicon("templates")["denying"]) == set(TEMPLATES)


def whole(text: str) -> set[str]:
    """Return a statement as a whole behind a template, which is always right, if not always short."""
    statement = text.endswith((".", '"', ")")) and text not in INSIDE and main_clause(ud(text)).mood == "declarative"
    return behind(TEMPLATES, text, text) if statement else set()


@pytest.mark.parametrize("text", [text for text in DENIED if main_clause(ud(text)) is not None])
def test_a_positive_sentence_is_denied_once(text):
    for scheme in SCHEMES:
        assert made(OPERATOR, scheme(text)) <= expand(DENIED[text]) | whole(text), scheme.__name__


@pytest.mark.parametrize("text", [text for text in DENIED if main_clause(ud(text)) is None])
def test_a_text_without_a_clause_is_denied(text):
    for scheme in SCHEMES:
        assert made(OPERATOR, scheme(text)) <= expand(DENIED[text]), scheme.__name__


@pytest.mark.parametrize("text", AFFIRMED)
def test_a_negative_sentence_loses_its_negation(text):
    for scheme in SCHEMES:
        assert made(OPERATOR, scheme(text)) <= expand(AFFIRMED[text]), scheme.__name__


@pytest.mark.parametrize("text", FROM_OUTSIDE)
def test_other_builds_go_behind_a_template(text):
    for scheme in SCHEMES:
        assert made(OPERATOR, scheme(text)) <= expand(*FROM_OUTSIDE[text]), scheme.__name__


def test_both_ways_of_writing_not_occur():
    assert made(OPERATOR, ud("She lives in Paris.")) == {"She doesn't live in Paris.", "She does not live in Paris."}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("He is not happy.", "not"),
        ("He didn't answer.", "not"),
        ("Do not open it.", "not"),
        ("He never smokes.", "never"),
        ("He no longer lives there.", "no_longer"),
        ("She hardly slept.", "quasi"),
        ("He speaks neither French nor German.", "neither"),
        ("Neither answer is correct.", "determiner"),
        ("He has no children.", "determiner"),
        ("Nobody came.", "pronoun"),
        ("No one called.", "pronoun"),
        ("He went nowhere.", "pronoun"),
        ("Not all birds can fly.", "quantifier"),
    ],
)
def test_the_word_that_denies(text, kind):
    for scheme in SCHEMES:
        found = negator_of(main_clause(scheme(text)))
        assert getattr(found, "kind", None) == kind, scheme.__name__


@pytest.mark.parametrize("text", ["He is not only tall.", "He told her that it rained.", "No, he left."])
def test_no_word_denies(text):
    for scheme in SCHEMES:
        assert negator_of(main_clause(scheme(text))) is None, scheme.__name__


def test_a_negation_in_a_lower_clause_is_another_clauses():
    doc = tree(
        "He|PRP|PRON|nsubj|2 said|VBD|VERB|ROOT|2 she|PRP|PRON|nsubj|6 did|VBD|AUX|aux|6 n't|RB|PART|advmod|6 "
        "come|VB|VERB|ccomp|2 .|.|PUNCT|punct|2"
    )
    assert made(OPERATOR, doc) <= expand("He {didn't|did not} say she didn't come.")


@pytest.mark.parametrize("text", ["", "...", "?!", "👍"])
def test_nothing_to_negate(text):
    assert OPERATOR.apply(unparsed(text), python_rng(0)) is None


def test_unparsed_words_are_still_negated():
    assert made(OPERATOR, unparsed("Some words")) == {"Not some words"}


def test_every_sentence_of_the_treebank_has_its_expectation():
    assert {*DENIED, *AFFIRMED, *FROM_OUTSIDE} | {"What a day!", "Lives in Paris.", "He need not go.",
                                                  "Never before has he lost."} == set(sentences())  # fmt: skip


@pytest.mark.parametrize(
    ("text", "outputs"),
    [
        ("What a day!", ("Not what a day!",)),
        ("Lives in Paris.", ("{Doesn't|Does not} live in Paris.",)),
        (
            "He need not go.",
            ("He needs to go.", "He must go.", f"{_TRUE} he need not go.", "It is false that he need not go."),
        ),
        (
            "Never before has he lost.",
            (f"{_TRUE} never before has he lost.", "It is false that never before has he lost."),
        ),
    ],
)
def test_rare_builds(text, outputs):
    for scheme in SCHEMES:
        assert made(OPERATOR, scheme(text)) <= expand(*outputs), scheme.__name__


@given(documents(), st.integers(0, 99))
def test_any_parse_is_negated(doc, seed):
    edit = OPERATOR.apply(doc, python_rng(seed))
    assert (edit is not None) == any(map(str.isalnum, doc.text))
    if edit is not None:
        consistent(edit, doc)
        assert edit == OPERATOR.apply(doc, python_rng(seed))


def test_paper_is_another_class_and_other_variants_are_refused():
    with pytest.raises(ValueError, match="paper"):
        Negation("50")


MISREAD = {
    # what taggers and parsers get wrong about short sentences -> the right negation all the same
    "A|DT|DET|det|3 cat|NN|NOUN|compound|3 sits|NNS|NOUN|ROOT|3 here|RB|ADV|advmod|3 .|.|PUNCT|punct|3": (
        "A cat {doesn't|does not} sit here."
    ),
    "They|PRP|PRON|nsubj|2 sang|VBP|VERB|ROOT|2 .|.|PUNCT|punct|2": "They {didn't|did not} sing.",
    "They|PRP|PRON|nsubj|2 play|VBP|VERB|ROOT|2 chess|NN|NOUN|obj|2 and|CC|CCONJ|cc|5 read|VBN|VERB|conj|2 books|NNS|NOUN|obj|5 "
    ".|.|PUNCT|punct|2": "They {don't|do not} play chess or read books.",
    "You|PRP|PRON|nsubj|2 need|VBP|VERB|ROOT|2 not|RB|PART|advmod|4 worry|VB|VERB|xcomp|2 .|.|PUNCT|punct|2": "You need to worry.",
    "Do|VB|VERB|ROOT|1 the|DT|DET|det|3 children|NNS|NOUN|obj|1 like|IN|ADP|case|5 it|PRP|PRON|nmod|3 ?|.|PUNCT|punct|1": (
        "Don't the children like it?"
    ),
    "Do|VB|AUX|aux|4 n't|RB|PART|advmod|4 you|PRP|PRON|nsubj|4 know|VB|VERB|ROOT|4 ?|.|PUNCT|punct|4": "Do you know?",
    "Neither|CC|CCONJ|cc:preconj|2 he|PRP|PRON|nsubj|6 nor|CC|CCONJ|cc|6 she|PRP|PRON|nsubj|6 was|VBD|AUX|cop|6 "
    "ill|JJ|ADJ|ROOT|6 .|.|PUNCT|punct|6": "Both he and she were ill.",
    # `no` that denies nothing
    "See|VB|VERB|ROOT|1 page|NN|NOUN|obj|1 no|DT|DET|det|4 93|CD|NUM|nummod|2 .|.|PUNCT|punct|1": "{Don't|Do not} see page no 93.",
    "The|DT|DET|det|4 Midori|NNP|PROPN|compound|4 no|DT|DET|det|4 Madoguchi|NNP|PROPN|nsubj|6 is|VBZ|AUX|cop|6 open|JJ|ADJ|ROOT|6 "
    ".|.|PUNCT|punct|6": "The Midori no Madoguchi {isn't|is not} open.",
}


@pytest.mark.parametrize("parse", MISREAD)
def test_wrong_tags_and_labels_are_survived(parse):
    doc = tree(parse)
    around = behind(TEMPLATES, doc.text, doc.text) if doc.text.startswith(("A cat", "They play")) else set()
    assert made(OPERATOR, doc) <= expand(MISREAD[parse]) | around
