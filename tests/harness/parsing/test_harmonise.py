"""How trees of another treebank come to agree with the main one's."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from parsing_fakes import animals, sentences

from harness.parsing.harmonise import harmoniser
from harness.parsing.treebank import Sentence


def sentence(*rows: tuple[str, str, str]) -> Sentence:
    """A flat tree: the first word is the root."""
    n = len(rows)
    return Sentence(
        words=tuple(word for word, _, _ in rows),
        spaces=(True,) * n,
        upos=tuple(upos for _, upos, _ in rows),
        xpos=("",) * n,
        heads=(-1,) + (0,) * (n - 1),
        labels=tuple(label for _, _, label in rows),
    )


GO = ("go", "VERB", "root")
MAIN = [
    *[sentence(GO, ("also", "SCONJ", "mark"), ("the", "DET", "det"), ("home", "NOUN", "obl")) for _ in range(30)],
    *[sentence(GO, ("of", "SCONJ", "mark:rel"), ("home", "NOUN", "obj")) for _ in range(30)],
    *[sentence(GO, ("of", "PART", "case"), ("rarely", "ADV", "advmod")) for _ in range(30)],
]
CONVERT = harmoniser(MAIN)


def converted(word, upos, label):
    found = CONVERT(sentence(GO, (word, upos, label)))
    return found.upos[1], found.labels[1]


def test_what_the_main_treebank_has_stays():
    for one in (*MAIN[:1], *MAIN[30:31], *MAIN[60:61]):
        assert CONVERT(one) == one


def test_a_word_that_is_always_something_else():
    assert converted("also", "ADV", "advmod") == ("SCONJ", "mark")


def test_the_label_decides_the_part_of_speech():
    assert converted("of", "PART", "mark:rel") == ("SCONJ", "mark:rel")
    assert converted("of", "ADP", "case") == ("PART", "case")


def test_a_label_that_a_word_never_has_gives_way_to_the_only_one():
    assert converted("the", "DET", "amod") == ("DET", "det")


def test_a_word_of_several_labels_keeps_a_new_one():
    assert converted("home", "NOUN", "nsubj") == ("NOUN", "nsubj")


def test_unknown_words_keep_all_but_unknown_subtypes():
    assert converted("xyz", "X", "obl") == ("X", "obl")
    assert converted("xyz", "VERB", "compound:dir") == ("VERB", "compound")
    assert converted("xyz", "PART", "mark:rel") == ("PART", "mark:rel")


def test_roots_stay_roots():
    found = CONVERT(sentence(("also", "ADV", "root"), ("go", "VERB", "advcl")))
    assert found.labels[0] == "root"
    assert found.upos[0] == "ADV"


@settings(max_examples=50)
@given(sentences())
def test_words_and_heads_are_never_touched(given_sentence):
    convert = harmoniser([*MAIN, *animals(40)])
    found = convert(given_sentence)
    assert replace(found, upos=given_sentence.upos, labels=given_sentence.labels) == given_sentence
    assert [label == "root" for label in found.labels] == [head < 0 for head in found.heads]
