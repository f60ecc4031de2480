"""The parser that ships with the English pack: small, licensed, and right about plain sentences."""

from __future__ import annotations

import json

import pytest

from languages.english import load

PACK = load()
FOLDER = PACK.folder / "parser"


def parsed(text):
    (doc,) = PACK.parse([text])
    return doc


def test_it_is_small_and_has_forgotten_what_it_read():
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) < 9_000_000
    strings = json.loads((FOLDER / "vocab" / "strings.json").read_text(encoding="utf-8"))
    assert {"nsubj:pass", "VBZ"} <= set(strings)
    # words of the training texts would be licensed text, and megabytes
    assert len(strings) < 2_500


def test_licence_and_origin_are_written_down():
    meta = json.loads((FOLDER / "meta.json").read_text(encoding="utf-8"))
    assert meta["license"] == "CC BY-SA 4.0"
    assert meta["performance"]["dev"]["uas"] >= 86
    assert any("UD_English-EWT" in source["name"] for source in meta["sources"])
    text = (FOLDER / "PROVENANCE.md").read_text(encoding="utf-8")
    assert "augbench train-parser english" in text
    assert "CC BY-SA 4.0" in PACK.licences["parser/"]


@pytest.mark.parametrize(
    ("text", "heads", "labels"),
    [
        ("A woman is peeling an orange.", [1, 3, 3, 3, 5, 3, 3], "det nsubj aux ROOT det obj punct"),
        ("The bridge was built by monks.", [1, 3, 3, 3, 5, 3, 3], "det nsubj:pass aux:pass ROOT case obl:agent punct"),
        ("Open the window!", [0, 2, 0, 0], "ROOT det obj punct"),
        (
            "the old man does n't like green tea .",
            [2, 2, 5, 5, 5, 5, 7, 5, 5],
            "det amod nsubj aux advmod ROOT amod obj punct",
        ),
    ],
)
def test_plain_sentences(text, heads, labels):
    doc = parsed(text)
    assert [token.head.i for token in doc] == heads
    assert [token.dep_ for token in doc] == labels.split()


@pytest.mark.parametrize(
    "text",
    [
        "A man is playing a guitar",
        "Two dogs in the snow",
        "Heavy rain floods village market",
        "dr. brown met mr. green at noon .",
    ],
)
def test_captions_and_headlines_are_one_sentence(text):
    assert len(list(parsed(text).sents)) == 1


def test_two_sentences_are_two():
    assert [s.text for s in parsed("The cat sleeps. Its owner reads a book.").sents] == [
        "The cat sleeps.",
        "Its owner reads a book.",
    ]


def test_tags_of_both_kinds():
    doc = parsed("She quickly bought three red apples.")
    assert [t.tag_ for t in doc] == ["PRP", "RB", "VBD", "CD", "JJ", "NNS", "."]
    assert [t.pos_ for t in doc] == ["PRON", "ADV", "VERB", "NUM", "ADJ", "NOUN", "PUNCT"]


def test_parses_do_not_depend_on_the_batch():
    texts = ["The cat sleeps.", "Who wrote the letter that we found?", "No.", "", "Trains to the city leave early."]
    alone = [parsed(text).to_json() for text in texts]
    assert [doc.to_json() for doc in PACK.parse(texts)] == alone
    assert [doc.to_json() for doc in PACK.parse(texts[::-1] * 3)][::-1][: len(texts)] == alone


def test_tokens_need_no_weights(tmp_path, monkeypatch):
    fresh = load()
    monkeypatch.setattr(fresh, "folder", tmp_path)
    texts = ["It's fine, isn't it?", "e.g. $3.50\n"]
    expected = [[t.text for t in doc] for doc in PACK.parse(texts)]
    assert [[t.text for t in doc] for doc in fresh.tokenise_all(texts)] == expected
    assert fresh.words("Don't!") == ["do", "n't"]


def test_a_text_too_long_for_a_tree_is_one_sentence_without(caplog):
    (long, short) = PACK.parse(["so " * 6_000, "It rains."])
    assert len(list(long.sents)) == 1
    assert not long.has_annotation("DEP")
    assert short.has_annotation("DEP")
    assert "6,000 tokens is not parsed" in caplog.text
