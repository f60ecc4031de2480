from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_pack import toy

from harness.diagnostics.negation_words import NegationWords, negation_words
from harness.errors import DataError
from harness.languages import open_pack

OWN = NegationWords(["not", "-n't", "un-", "never ever"], ["not only"])


def found(words: NegationWords, text: str) -> list[str]:
    return [text[start:end] for start, end in words.spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I do not know", ["not"]),
        ("NOT today, not tomorrow", ["NOT", "not"]),
        ("a knot, a note", []),
        ("not only nice but not bad", ["not"]),
        ("Not  only", []),
        ("don't, don’t", ["n't", "n’t"]),
        ("don'ts", []),
        ("unkind to a nun", ["un"]),
        ("never  ever", ["never  ever"]),
        ("never", []),
        ("is(not)it", ["not"]),
        ("他not懂", ["not"]),  # letters without blanks are no neighbours
        ("", []),
    ],
)
def test_where_entries_are_found(text, expected):
    assert found(OWN, text) == expected
    assert OWN.within(text) == bool(expected)


def test_scripts_without_blanks_have_no_boundaries_and_longer_expressions_go_first():
    words = NegationWords(["不", "没"], ["不仅", "能不能"])
    assert found(words, "他不仅没去，能不能不说") == ["没", "不"]


def test_no_words_find_nothing():
    none = NegationWords([], ["not only"])
    assert not none
    assert none.spans("not only not") == []


@given(st.text(alphabet="not nly'’unver.XNO不", max_size=30))
def test_spans_are_those_of_a_slow_search(text):
    """Entry by entry at every place: the leftmost counts, the longest first."""

    def letter(character: str) -> bool:
        return character.isalnum() and character != "不"

    def at(entry: str, place: int) -> int | None:
        core = entry.strip("-")
        match = re.compile(core.replace(" ", r"\s+").replace("'", "['’]"), re.IGNORECASE).match(text, place)
        if match is None:
            return None
        before, behind = text[place - 1 : place], text[match.end() : match.end() + 1]
        free_left = entry.startswith("-") or not letter(before)
        free_right = entry.endswith("-") or not letter(behind)
        return match.end() if free_left and free_right else None

    entries = [*OWN.words, *OWN.others]
    expected, place = [], 0
    while place < len(text):
        for entry in sorted(entries, key=len, reverse=True):
            end = at(entry, place)
            if end is not None:
                if entry in OWN.words:
                    expected.append((place, end))
                place = end - 1
                break
        place += 1
    assert OWN.spans(text) == expected


def test_packs_list_them_in_their_settings(tmp_path):
    words = negation_words(toy(tmp_path))
    assert words.words == ("not", "-n't", "never")
    assert words.others == ("not only",)


def test_a_pack_may_have_none(tmp_path):
    assert not negation_words(toy(tmp_path, ""))


@pytest.mark.parametrize("wrong", ['negation_words = "not"', "negation_words = [1]", 'not_negation = [" - "]'])
def test_malformed_lists_name_file_and_key(tmp_path, wrong):
    with pytest.raises(DataError, match=r"pack\.toml: (negation_words|not_negation) is no list of words"):
        negation_words(toy(tmp_path, wrong + '\nnot_negation = ["a"]' * wrong.startswith("neg")))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "He doesn't know that nobody came.", ["n't", "nobody"]),
        ("en", "he don 't know", ["'t"]),
        ("en", "It is not only a knot; no doubt.", []),
        ("zh", "他不知道，没有人来。", ["不", "没"]),
        ("zh", "不仅好，而且不贵，能不能买？", ["不"]),
        ("zh", "未来非常好，无论如何。", []),
    ],
)
def test_our_packs(language, text, expected):
    assert found(negation_words(open_pack(language)), text) == expected
