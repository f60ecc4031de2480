"""DN on hand-built parses of both label schemes: a right flip behind a template, which makes two changes of polarity."""

from __future__ import annotations

import pytest
from flips import AFFIRMED, DENIED, INSIDE
from hypothesis import given
from hypothesis import strategies as st
from outcomes import behind, consistent, expand, made
from randomdocs import documents
from trees import SCHEMES, sentences, tree, ud, unparsed

from harness.seeds import python_rng
from languages.english.double_negation import DoubleNegation
from languages.english.grammar.verbs import lexicon
from languages.english.polarity.flip import flip_clause

OPERATOR = DoubleNegation()

TEMPLATES = (
    "It is not true that",
    "It is not the case that",
    "It isn't true that",
    "It is not the fact that",
    "It is false that",
)
QUESTIONS = (
    "Does he smoke?", "Was she ill?", "Has he gone?", "Are you ready?", "Is the door open?", "Can you swim?", "What is this?",
    "Where do you live?", "Why did he leave?", "Who won?", "Who called?", "Isn't it cold?", "Don't you like music?",
    "What's your name?", "Aren't I right?",
)  # fmt: skip
COMMANDS = {
    "If you are cold, close the window.": "If you are cold, do not fail to close the window.",
    "Take the bus.": "Do not fail to take the bus.",
    "Please sit down.": "Please do not fail to sit down.",
    "GO HOME.": "DO NOT FAIL TO GO HOME.",
}
#: neither readable nor safe
REFUSED = (
    *QUESTIONS, "Be careful.", "Do sit down.", "Don't.", "Don't touch it.", "Do not open it.", "DO NOT ENTER.", "Never give up.",
    "Let's go.", "Let's not argue.", "No entry", "Nobody", "No.", "What a day!", "Born in Paris.", "Lives in Paris.",
    "Grace left.",  # a lone capital may be a name or not
)  # fmt: skip
#: sentences whose inside cannot be flipped for certain stay whole behind two negations
WHOLE = (
    "Few people know it.", "He had no choice but to resign.", "He was not born in London but in Leeds.", "Everyone laughed.",
    "The plan did not succeed and was abandoned.", "He neither drinks nor smokes.", "He is not only tall.",
    "Not only did he win.", "Never before has he lost.", "In the garden stands a tree.",
)  # fmt: skip
UNDENIABLE = ("It cannot be denied that", "It is not false that", "It is not untrue that", "There is no denying that")
FRAGMENTS = {
    "The Battle of Hastings": "this is not the Battle of Hastings",
    "A man playing a guitar": "this is not a man playing a guitar",
    "A man who plays a guitar": "this is not a man who plays a guitar",
}


#: joined predicates are both denied: not (not a or not b) is a and b
JOINED = {
    "He is tired and wants rest.": "He {isn't|is not} tired or {doesn't|does not} want rest.",
    "They live in Rome and work in Milan.": "They {don't|do not} live in Rome or {don't|do not} work in Milan.",
    "He also travelled and wrote books.": "He also {didn't|did not} travel or {didn't|did not} write books.",
    "He wrote, directed and produced the film.": (
        "He {didn't|did not} write, {didn't|did not} direct or {didn't|did not} produce the film."
    ),
}


def test_the_templates_are_those_of_the_lexicon():
    assert set(lexicon("templates")["negating"]) == set(TEMPLATES)
    assert set(lexicon("templates")["undeniable"]) == set(UNDENIABLE)


@pytest.mark.parametrize(
    "text", [t for t in {**DENIED, **AFFIRMED, **JOINED} if t not in (*REFUSED, *COMMANDS, *FRAGMENTS)]
)
def test_a_flip_behind_a_template_or_two_negations_in_front(text):
    flips = expand({**AFFIRMED, **DENIED, **JOINED}[text], DENIED.get(text, text))
    inside = {output for flipped in flips for output in behind(TEMPLATES, text, flipped)}
    in_front = behind(UNDENIABLE, text, text) if text not in INSIDE else set()
    for scheme in SCHEMES:
        assert made(OPERATOR, scheme(text)) <= inside | in_front, scheme.__name__


def test_every_template_occurs():
    outputs = made(OPERATOR, ud("She lives in Paris."), range(60))
    assert {next(t for t in TEMPLATES if o.startswith(t)) for o in outputs} == set(TEMPLATES)


@pytest.mark.parametrize("text", WHOLE)
def test_two_negations_in_front(text):
    for scheme in SCHEMES:
        assert made(OPERATOR, scheme(text)) == {f"{words} {text[0].lower()}{text[1:]}" for words in UNDENIABLE}, (
            scheme.__name__
        )


@pytest.mark.parametrize("text", COMMANDS)
def test_commands(text):
    for scheme in SCHEMES:
        assert made(OPERATOR, scheme(text)) == {COMMANDS[text]}


@pytest.mark.parametrize("text", FRAGMENTS)
def test_a_noun_phrase_standing_alone_is_predicated(text):
    for scheme in SCHEMES:
        assert made(OPERATOR, scheme(text)) <= {f"{template} {FRAGMENTS[text]}" for template in TEMPLATES}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    for scheme in SCHEMES:
        assert made(OPERATOR, scheme(text)) == {None}, scheme.__name__


def test_the_output_contains_the_flip():
    """Behind the template stands the main clause with its own polarity flipped, word for word."""
    for text in sentences():
        doc = ud(text)
        for seed in range(8):
            clause, flip = flip_clause(doc, python_rng(seed), joined=True)
            edit = OPERATOR.apply(doc, python_rng(seed))
            if edit is None or flip is None or clause.mood == "imperative" or edit.text.startswith(UNDENIABLE):
                continue
            put_in = [c.text for c in flip.changes if c.kind != "delete" and c.start > flip.start + 1]
            assert all(words in edit.text for words in put_in), (text, edit.text)


@given(documents(), st.integers(0, 99))
def test_any_parse_is_changed_soundly_or_refused(doc, seed):
    edit = OPERATOR.apply(doc, python_rng(seed))
    assert edit == OPERATOR.apply(doc, python_rng(seed))
    if edit is None:
        return
    consistent(edit, doc)
    if " fail to " not in edit.text.lower():
        assert any(template.lower() in edit.text.lower() for template in (*TEMPLATES, *UNDENIABLE))


def test_unparsed_text_is_refused():
    assert OPERATOR.apply(unparsed("He travelled widely."), python_rng(0)) is None


def test_unknown_variants_are_refused():
    with pytest.raises(ValueError, match="paper"):
        DoubleNegation("50")


@pytest.mark.parametrize(
    ("first", "inside"),
    [("Simmons", "Simmons"), ("Mathematics", "mathematics"), ("NASA", "NASA"), ("Detectives", "detectives")],
)
def test_only_names_keep_their_capital(first, inside):
    verb = "were|VBD" if first == "Detectives" else "was|VBD"
    doc = tree(f"{first}|NNS|NOUN|nsubj|3 {verb}|AUX|cop|3 there|RB|ADV|ROOT|3 .|.|PUNCT|punct|3")
    assert all(f" that {inside} " in output for output in made(OPERATOR, doc))
