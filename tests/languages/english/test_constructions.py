"""The construction of a sentence, for tables: one name per text, the same in both label schemes."""

from __future__ import annotations

import pytest
from hypothesis import given
from randomdocs import documents
from trees import SCHEMES, sentences, unparsed

from languages.english.constructions import CONSTRUCTIONS, construction

EXAMPLES = {
    "fragment": ["The Battle of Hastings", "A man playing a guitar", "Born in Paris.", "No entry", "What a day!"],
    "fragment with a clause": ["A man who plays a guitar"],
    "question": ["Does he smoke?", "Was she ill?", "What is this?", "Who won?", "Can you swim?", "Isn't it cold?"],
    "imperative": ["Take the bus.", "Don't touch it.", "Be careful.", "Please sit down.", "Let's go.", "DO NOT ENTER."],
    "negated": ["He is not happy.", "He didn't answer.", "Nobody came.", "He has no children.", "There are no dogs.", "I won't go.",
                "He no longer lives there.", "She hardly slept.", "Neither he nor she was happy.", "Not all birds can fly."],
    "modal": ["She can swim.", "He'd win.", "He could have won.", "It may be true.", "There must be a way."],
    "existential": ["There is a church in the village.", "There was a storm."],
    "passive": ["It was built in 1900.", "It has been sold.", "The town is located in the north."],
    "copular": ["He is happy.", "He's happy.", "He was in Paris.", "The man who left is ill."],
    "perfect or progressive": ["He has won the race.", "They are playing chess.", "You have gone."],
    "lexical verb": ["He travelled widely in Europe.", "He has a car.", "He has to go.",
                     "When he arrived, she left.", "He left. She stayed."],
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    for text in EXAMPLES[name]:
        for scheme in SCHEMES:
            assert construction(scheme(text)) == name, (text, scheme.__name__)


def test_every_construction_has_examples():
    assert tuple(EXAMPLES) == CONSTRUCTIONS


def test_every_sentence_has_one():
    assert {construction(scheme(text)) for text in sentences() for scheme in SCHEMES} == set(CONSTRUCTIONS)


def test_unparsed_text_is_a_fragment():
    assert construction(unparsed("He travelled.")) == "fragment"
    assert construction(unparsed("")) == "fragment"


@given(documents())
def test_any_parse_has_one(doc):
    assert construction(doc) in CONSTRUCTIONS
