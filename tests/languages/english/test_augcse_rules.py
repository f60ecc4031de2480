"""AugCSE's augmentations beyond their examples: both schemes of labels, broken parses, word lists, number words, declarations."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from randomdocs import documents
from trees import SCHEMES, sentences, unparsed

from harness.errors import Skipped
from harness.operators import resolve
from harness.protocols.operator import render
from harness.provenance import code_digest
from languages.english import load
from languages.english.augcse import numerals
from languages.english.augcse.antonyms import antonyms
from languages.english.augcse.city_names import known_cities
from languages.english.augcse.color import Color
from languages.english.augcse.gender_swap import swaps
from languages.english.augmentation import article
from languages.english.grammar.verbs import lexicon

PACK = load()
RULES = (
    "contraction", "tense", "auxiliary-negation-removal", "discourse-marker", "subject-object-switch", "city-names",
    "adjective-antonyms", "yoda", "color", "summary", "gender-swap", "number-to-words",
)  # fmt: skip
OPERATORS = resolve(RULES, PACK)


def outputs(name, doc):
    """Everything an operator makes of a document under twenty seeds."""
    operator = OPERATORS[RULES.index(name)]
    edits = [operator.apply(doc, random.Random(seed)) for seed in range(20)]
    return {edit and edit.text for edit in edits}


def check(doc, seed):
    for operator in OPERATORS:
        edit = operator.apply(doc, random.Random(seed))
        assert edit == operator.apply(doc, random.Random(seed))
        if edit is not None:
            assert edit.text == render(doc, edit.changes) != doc.text


@settings(deadline=None, max_examples=50)
@given(documents(), st.integers(0, 3))
def test_broken_parses_are_survived(doc, seed):
    check(doc, seed)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_sentence_of_the_treebank_gives_edits(scheme):
    for text in sentences():
        check(scheme(text), 0)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("tense", "He has won the race.", {"He had won the race.", "He will have won the race."}),
        ("tense", "Does he smoke?", {"Did he smoke?", "Will he smoke?"}),
        ("tense", "I won't go.", {"I didn't go.", "I don't go."}),
        ("tense", "They'll wait.", {"They waited.", "They wait."}),
        ("tense", "He used to smoke.", {None}),
        ("tense", "Take the bus.", {None}),
        ("tense", "She can swim.", {"She could swim.", "She will be able to swim."}),
        ("contraction", "He is happy.", {"He's happy."}),
        ("contraction", "He's happy.", {"He is happy."}),
        ("contraction", "He didn't answer.", {"He did not answer."}),
        ("contraction", "They are playing chess.", {"They're playing chess."}),
        ("auxiliary-negation-removal", "He does not sell cars.", {"He does sell cars."}),
        ("auxiliary-negation-removal", "I won't go.", {"I will go."}),
        ("subject-object-switch", "They are playing chess.", {"Chess is playing them."}),
        ("subject-object-switch", "It was built in 1900.", {None}),
        ("yoda", "She lives in Paris.", {"In Paris, she lives."}),
        ("yoda", "They were playing chess.", {"Chess, they were playing."}),
        ("yoda", "Was she ill?", {None}),
        ("summary", "He travelled widely in Europe.", {"He travelled in Europe."}),
        ("summary", "She lives in Paris.", {None}),
        ("adjective-antonyms", "He is happy.", {"He is unhappy."}),
        ("gender-swap", "She lives in Paris.", {"He lives in Paris."}),
        ("number-to-words", "It was built in 1900.", {"It was built in nineteen hundred."}),
    ],
)
def test_labels_of_both_schemes_are_read_alike(scheme, name, text, expected):
    assert outputs(name, scheme(text)) == expected


def test_without_a_parse_rules_of_grammar_refuse():
    doc = unparsed("He does not live in a large house and she is happy.")
    for name in ("tense", "yoda", "summary", "subject-object-switch", "auxiliary-negation-removal"):
        assert outputs(name, doc) == {None}


@pytest.mark.parametrize("name", [*RULES, "hypernym", "hyponym"])
def test_variants_are_refused_with_the_name_to_write(name):
    with pytest.raises(ValueError, match=f"write {name}") as caught:
        PACK.operators()[name]("x", None)
    assert not isinstance(caught.value, Skipped)


def test_each_says_what_becomes_of_the_meaning():
    classes = {operator.name: operator.meaning for operator in OPERATORS}
    assert set(classes.values()) == {"kept", "near", "changed"}
    for kept in ("contraction", "discourse-marker", "yoda", "number-to-words"):
        assert classes[kept] == "kept"
    for changed in ("auxiliary-negation-removal", "subject-object-switch", "adjective-antonyms", "gender-swap"):
        assert classes[changed] == "changed"
    assert all(operator.fingerprint()["meaning"] == classes[operator.name] for operator in OPERATORS)


def test_the_grammar_is_part_of_an_augmentations_identity(monkeypatch):
    from harness import provenance

    before = {operator.name: code_digest(operator) for operator in OPERATORS}
    original = provenance._clean_source
    monkeypatch.setattr(
        provenance,
        "_clean_source",
        lambda part: (
            "changed" if getattr(part, "__name__", "") == "languages.english.grammar.clauses" else original(part)
        ),
    )
    provenance._package_sources.cache_clear()
    try:
        assert all(code_digest(operator) != before[operator.name] for operator in OPERATORS)
    finally:
        monkeypatch.undo()
        provenance._package_sources.cache_clear()
    assert {operator.name: code_digest(operator) for operator in OPERATORS} == before


# -- word lists -------------------------------------------------------------------------------------------------------
def test_antonyms_are_two_sided_or_declared_one_way():
    lists = lexicon("augcse/antonyms")
    known = antonyms()
    for word, others in known.items():
        assert word not in others
        for other in others:
            two_sided = word in known.get(other, ())
            assert two_sided or word in lists["one_way"] or other in lists["never"], (word, other)


def test_no_small_city_is_a_known_one_and_each_country_has_a_choice():
    known = known_cities()
    small = [city for country in lexicon("augcse/cities").values() for city in country["small"]]
    assert len(small) == len(set(small))
    assert not set(small) & set(known)
    assert all(len(choice) >= 4 for choice in known.values())


def test_gender_goes_back_and_forth():
    lists = lexicon("augcse/gender")
    single = {*lists["one_way"], *(one for one, _ in lists["extra"])}
    there = swaps()
    assert {word for word, other in there.items() if there.get(other) != word} <= single | {
        "lord",
        "gentlemen",
        "gentleman",
    }
    assert all(there[one] == other for one, other in lists["pairs"])


def test_there_are_147_colours_and_none_becomes_itself():
    lists = lexicon("augcse/colors")
    assert len(lists["names"]) == len(set(lists["names"])) == 147
    assert {*lists["plain"], *lists["modifiers"]} <= set(lists["names"])
    (doc,) = PACK.parse(["She bought a grey car."])
    made = [Color().apply(doc, random.Random(seed)).text for seed in range(300)]
    assert len(set(made)) > 80
    assert not {"She bought a grey car.", "She bought a gray car."} & set(made)


def test_discourse_markers_stay_in_their_class():
    lists = lexicon("augcse/discourse")
    for place in ("openers", "asides", "adverbs", "prepositions"):
        words = [word for members in lists[place].values() for word in members]
        assert len(words) == len(set(words)), f"{place}: a marker of two classes"
        assert all(len(members) >= 2 for members in lists[place].values())


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("apple", "an"),
        ("house", "a"),
        ("hour", "an"),
        ("university", "a"),
        ("unimportant", "an"),
        ("8", "an"),
        ("18", "an"),
        ("1", "a"),
    ],
)
def test_articles_follow_the_sound(word, expected):
    assert article(word) == expected


# -- numbers ----------------------------------------------------------------------------------------------------------
WORDS = {word: n for n, word in enumerate(numerals._ONES)} | {
    word: 10 * n for n, word in enumerate(numerals._TENS) if word
}


def read(words):
    """The slow way back: what a number in words is worth."""
    total = group = 0
    for word in words.replace("-", " ").split():
        if word == "and":
            continue
        if word == "hundred":
            group *= 100
        elif word in ("thousand", "million", "billion", "trillion"):
            total, group = (
                total + group * {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}[word],
                0,
            )
        else:
            group += WORDS[word]
    return total + group


@given(st.integers(0, 10**15 - 1) | st.integers(0, 2000))
def test_cardinals_can_be_read_back(number):
    assert read(numerals.cardinal(number)) == number


@pytest.mark.parametrize("number", [-1, 10**15])
def test_cardinals_have_an_end(number):
    with pytest.raises(ValueError, match="out of range"):
        numerals.cardinal(number)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, "first"),
        (12, "twelfth"),
        (20, "twentieth"),
        (23, "twenty-third"),
        (101, "one hundred and first"),
        (1000, "one thousandth"),
    ],
)
def test_ordinals(number, expected):
    assert numerals.ordinal(number) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1066, "ten sixty-six"), (1900, "nineteen hundred"), (1905, "nineteen oh five"), (2000, "two thousand"),
     (2004, "two thousand and four"), (2012, "twenty twelve")],
)  # fmt: skip
def test_years(number, expected):
    assert numerals.year(number) == expected


def test_decimals():
    assert numerals.decimal("3.05") == "three point zero five"
