"""Which items of a set a corpus holds, against a slow and plain count; and the keys they are compared by."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from data_fakes import write
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.data.contamination import contaminated_items, find_contamination, folder_items, task_items
from harness.data.folder import DataFolder
from harness.data.grams import Table, grams
from harness.data.leakage import find_overlap
from harness.errors import DataError

LONG = "the quick brown fox jumps over the lazy dog while seven small cats watch"
HAN = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往"


def slow(items, corpus, words, characters):
    """The definition, one item and one line at a time; Han is the only script without blanks in these tests."""

    def split(text):
        return re.findall(r"[一-鿿]|[^\W_一-鿿]+", text.casefold())

    def runs(text):
        found = split(text)
        han = sum(bool(re.match("[一-鿿]", word)) for word in found)
        length = characters if 2 * han > len(found) else words
        return {(length, *found[i : i + length]) for i in range(len(found) - length + 1)}

    lines = {"".join(split(line)) for line in corpus} - {""}
    passages = set().union(*map(runs, corpus)) if corpus else set()
    exact = [any("".join(split(text)) in lines for text in item) for item in items]
    shared = [any(runs(text) & passages for text in item) for item in items]
    return exact, shared


TEXT = st.lists(st.sampled_from(["a", "B", "c", "甲", "乙", "丙", "9", "_", " ", ",", "ß"]), max_size=14).map(" ".join)


@settings(max_examples=60)
@given(items=st.lists(st.lists(TEXT, min_size=1, max_size=2), max_size=6), corpus=st.lists(TEXT, max_size=6))
def test_it_is_what_a_plain_count_says(items, corpus):
    found = find_contamination({"none": [], "x": items}, iter(corpus), words=2, characters=3)
    exact, shared = slow(items, corpus, 2, 3)
    assert found["x"].exact.tolist() == exact
    assert found["x"].shared.tolist() == shared
    assert len(found["none"]) == 0
    assert contaminated_items(items, corpus, words=2, characters=3).tolist() == [
        a or b for a, b in zip(exact, shared, strict=True)
    ]


@pytest.mark.parametrize(("count", "expected"), [(7, False), (8, True)])
def test_eight_words_are_a_passage(count, expected):
    line = "Before: " + " ".join(LONG.upper().split()[1 : 1 + count]) + "; and after."
    assert contaminated_items([(LONG, "other")], [line]).tolist() == [expected]


@pytest.mark.parametrize(("count", "expected"), [(12, False), (13, True)])
def test_thirteen_characters_are_a_passage(count, expected):
    assert contaminated_items([(HAN, "其他")], [f"前面，{HAN[2 : 2 + count]}。后面"]).tolist() == [expected]


def test_short_texts_can_be_left_out():
    items = [("Yes, it is.",), ("A heron paints my bicycle.",)]
    corpus = ["yes it is", "A HERON PAINTS MY BICYCLE"]
    assert contaminated_items(items, corpus).tolist() == [True, True]
    assert contaminated_items(items, corpus, shortest=13).tolist() == [False, True]


def test_what_has_no_letters_is_no_evidence():
    assert contaminated_items([("...",), ("?!",)], ["---", ""]).tolist() == [False, False]


def test_the_items_of_a_task():
    pairs = SimpleNamespace(pairs=[("a", "b"), ("c", "d")], sentences=lambda: ["a", "c", "b", "d"])
    assert task_items(pairs) == [("a", "b"), ("c", "d")]
    assert task_items(SimpleNamespace(sentences=lambda: ["a", "b"])) == [("a",), ("b",)]
    assert task_items(SimpleNamespace(item_texts=lambda: [("x", "y", "z")], pairs=[("a", "b")])) == [("x", "y", "z")]
    assert task_items(["a", ("b", "c")]) == [("a",), ("b", "c")]
    assert contaminated_items(pairs, ["D"]).tolist() == [False, True]


def test_a_corpus_is_read_once_whatever_its_length(monkeypatch):
    monkeypatch.setattr("harness.data.grams._BATCH", 2)
    seen = []
    corpus = (f"line number {n}" for n in range(5))
    found = find_contamination({"x": [(f"Line number {n}!",) for n in (4, 7, 0)]}, corpus, step=seen.append)
    assert found["x"].exact.tolist() == [True, False, True]
    assert seen == [2, 4, 5]


def test_batches_make_no_difference_to_what_is_left_out(tmp_path, monkeypatch):
    write(tmp_path, "sts/en/X/test.tsv", "1\tA heron paints my bicycle.\tThe dog sleeps in the sun.\n")
    write(tmp_path, "other/en/Y/test.tsv", "1\tA heron paints my bicycle!\n")
    lines = [f"A heron paints {n} bicycles." for n in range(4)] + [
        "a heron paints my bicycle",
        "the dog: sleeps in the sun",
    ]
    whole = find_overlap(lines, DataFolder(tmp_path), "en")
    monkeypatch.setattr("harness.data.grams._BATCH", 1)
    parts = find_overlap(lines, DataFolder(tmp_path), "en")
    assert whole[0].tolist() == parts[0].tolist() == [True] * 4 + [False] * 2
    assert whole[1] == parts[1]
    assert [s.equal for s in whole[1]] == [2, 1]


def test_the_items_of_a_folder(tmp_path):
    write(tmp_path, "sts/en/X/test.tsv", "1\tOne.\tTwo.\r\n2\tThree.\tFour.\n")
    write(tmp_path, "sts/en-senteval/X/test.tsv", "1\tone .\ttwo .\n")
    write(tmp_path, "sts/en-senteval/Only/test.tsv", "1\tfive\tsix\n")
    write(tmp_path, "transfer/en/Y/train.tsv", "0\tSeven\u2028eight")
    write(tmp_path, "sts/de/X/test.tsv", "1\teins\tzwei\n")
    assert folder_items(DataFolder(tmp_path), "en") == {
        "sts/en/X/test.tsv": [["One.", "Two."], ["Three.", "Four."]],
        "sts/en-senteval/Only/test.tsv": [["five", "six"]],
        "transfer/en/Y/train.tsv": [["Seven\u2028eight"]],
    }
    with pytest.raises(DataError, match="no sv test sets"):
        folder_items(DataFolder(tmp_path), "sv")


@settings(max_examples=40)
@given(texts=st.lists(st.text(max_size=12), max_size=8))
def test_keys_of_texts(texts):
    found = grams(texts, words=2, characters=2)
    assert found.owners.tolist() == sorted(found.owners.tolist())
    assert len(found.keys) == len(found.letters) == len(texts)
    assert len(found.runs) == len(found.owners)
    both = grams(texts + texts, words=2, characters=2)
    assert np.array_equal(both.runs[: len(found.runs)], found.runs)
    assert np.array_equal(both.runs[len(found.runs) :], found.runs)


@settings(max_examples=40)
@given(known=st.lists(st.integers(0, 9)), asked=st.lists(st.integers(0, 9)))
def test_a_table_finds_what_it_holds(known, asked):
    table = Table(np.array(known, dtype=np.uint64))
    place = table.find(np.array(asked, dtype=np.uint64))
    assert [p >= 0 for p in place.tolist()] == [value in known for value in asked]
    assert all(table.keys[p] == value for p, value in zip(place.tolist(), asked, strict=True) if p >= 0)
