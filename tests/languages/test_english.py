"""The English pack: any text survives the parse, and the samples are what their README says."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import DataError
from languages.english import load

PACK = load()


@settings(deadline=None)
@given(st.lists(st.text(max_size=200), max_size=5))
def test_documents_have_exactly_the_given_texts(texts):
    assert [doc.text for doc in PACK.parse(texts)] == texts


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\t ",
        "word " * 4_000,
        "(" * 15_000,
        "x" * 20_000,
        "a b " + "'s" * 3_000 + " and " + "-" * 1_500 + "\n end",
        "文" * 12_000,
        "naïve cafe\u0301 \u2028 \U0001f600\u200d\U0001f525 \x00",
    ],
    ids=lambda text: repr(text[:8]),
)
def test_empty_and_very_long_texts(text):
    (doc,) = PACK.parse([text])
    assert doc.text == text


def test_a_text_beyond_the_limit_of_spacy():
    text = "a " * 600_000
    (doc,) = PACK.parse([text])
    assert len(doc) == 600_000
    assert doc.text == text


def test_long_runs_are_cut_and_nothing_else_is_touched():
    (doc,) = PACK.parse(["I can't see " + "x" * 1_001 + ", no."])
    tokens = [t.text for t in doc]
    assert tokens[:4] == ["I", "ca", "n't", "see"]
    assert [len(t) for t in tokens if t.startswith("x")] == [200] * 5 + [1]
    (doc,) = PACK.parse(["I can't see " + "x" * 999 + "."])
    assert [len(t.text) for t in doc][4:] == [999, 1]


def test_half_a_surrogate_pair_is_refused_in_words():
    with pytest.raises(DataError, match="surrogate"):
        list(PACK.parse(["fine", "bad \ud800"]))


def test_words_are_lower_case_tokens_with_a_letter_or_digit():
    assert PACK.words("I don't pay $3.50, e.g. (ever)!") == ["i", "do", "n't", "pay", "3.50", "e.g.", "ever"]


@settings(deadline=None)
@given(st.text(max_size=80))
def test_words_are_those_of_the_parse(text):
    (doc,) = PACK.parse([text])
    assert PACK.words(text) == [t.text.lower() for t in doc if any(c.isalnum() for c in t.text)]


def test_the_parser_is_named_with_its_version():
    import spacy

    found = PACK.fingerprint()
    assert re.fullmatch("[0-9a-f]{64}", found.pop("weights"))
    assert found == {"pack": "english", "parser": "en_augbench 1.0.0", "spacy": spacy.__version__}


def test_pack_settings():
    assert (PACK.name, PACK.code, PACK.default_encoder, tuple(PACK.default_tasks)) == (
        "english",
        "en",
        "mini",
        ("SampleSTS",),
    )
    assert "samples/" in PACK.licences


# -- samples ----------------------------------------------------------------------------------------------------------
def sentences():
    return (PACK.samples / "corpus/en/sample.txt").read_bytes().decode().split("\n")[:-1]


def pairs(split):
    lines = (PACK.samples / f"sts/en/SampleSTS/{split}.tsv").read_bytes().decode().split("\n")
    assert lines.pop() == ""
    return [line.split("\t") for line in lines]


def test_sample_sentences_are_clean_and_distinct():
    rows = sentences()
    assert len(rows) == 2_050
    assert len({row.lower() for row in rows}) == len(rows)
    assert all(row == row.strip() and row and "\t" not in row and "  " not in row for row in rows)


def test_sample_sentences_have_no_template():
    # three opening words shared by many sentences would be a template
    starts = Counter(" ".join(row.lower().split()[:3]) for row in sentences())
    assert max(starts.values()) <= 10


@pytest.mark.parametrize(("split", "rows"), [("dev", 180), ("test", 357)])
def test_sample_pairs_are_well_formed_and_cover_the_scale(split, rows):
    table = pairs(split)
    assert len(table) == rows
    assert all(len(row) == 3 and row[1] and row[2] for row in table)
    assert all(re.fullmatch(r"[0-5]\.\d{3}", row[0]) and float(row[0]) <= 5 for row in table)
    # the mean of three ratings in steps of a half is a multiple of a sixth
    assert all(abs(float(row[0]) * 6 - round(float(row[0]) * 6)) < 0.01 for row in table)
    assert {round(float(row[0])) for row in table} == {0, 1, 2, 3, 4, 5}


def test_no_sample_sentence_is_in_two_files():
    corpus, dev, test = set(sentences()), *({s for row in pairs(p) for s in row[1:]} for p in ("dev", "test"))
    assert not corpus & dev
    assert not corpus & test
    assert not dev & test
