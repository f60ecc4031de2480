"""Which lines are taken out because a test set holds them, and how they are counted."""

from __future__ import annotations

import pytest

from harness.data.folder import DataFolder
from harness.data.leakage import find_overlap, sets_digest
from harness.errors import DataError

LONG = "the quick brown fox jumps over the lazy dog while seven small cats watch from the wall"
HAN = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳"


@pytest.fixture
def data(tmp_path):
    """A data folder, and a function that writes a test set into it."""

    def add(folder, *rows, file="test.tsv"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / file).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        return DataFolder(tmp_path)

    return add


def stays(lines, data, language="en"):
    return find_overlap(lines, data, language)[0].tolist()


def test_equal_lines_go_whatever_their_case_and_punctuation(data):
    found = data("sts/en/X", "1.0\tA heron paints my bicycle.\tThe dog — it sleeps!")
    lines = [
        "a heron, paints MY bicycle",
        "A heron paints my bicycle and sings.",
        "The dog: it sleeps",
        "The dog is asleep, it seems.",
    ]
    assert stays(lines, found) == [False, True, False, True]


def test_the_first_column_is_no_text(data):
    found = data("transfer/en/X", "a long label that is not text\tA sentence of this very set.")
    assert stays(["a long label that is not text", "a sentence of this very set"], found) == [True, False]


@pytest.mark.parametrize(("text", "stay"), [("abcd efgh ijkl", True), ("abcd efgh ijklm", False)])
def test_texts_of_fewer_than_13_letters_are_no_evidence(data, text, stay):
    assert stays([text], data("sts/en/X", f"1\t{text}\t")) == [stay]


@pytest.mark.parametrize(("shared", "stay"), [(12, True), (13, False)])
def test_a_shared_run_of_13_words(data, shared, stay):
    found = data("sts/en/X", f"1\t{LONG}\tother")
    run = " ".join(LONG.upper().split()[2 : 2 + shared])
    assert stays([f"Before it: {run}, and something else behind."], found) == [stay]


@pytest.mark.parametrize(("shared", "stay"), [(13, True), (25, True), (26, False)])
def test_a_shared_run_of_26_chinese_characters(data, shared, stay):
    found = data("sts/zh/X", f"1\t{HAN}\t其他")
    assert stays([f"前面的话，{HAN[3 : 3 + shared]}。后面的话"], found, "zh") == [stay]


def test_counts_of_each_set(data):
    data(
        "sts/en/A", f"1\t{LONG}\tA heron paints my bicycle.", "1\tA heron paints my bicycle.\tA dog sleeps in the sun."
    )
    data("sts/en/A", "1\tA bird sings in the tree.\tx", file="dev.tsv")
    found = data("clustering/en/deep/B", f"3\t{LONG} every day", "2\tA heron paints my bicycle")
    lines = [
        "A heron paints my bicycle",  # equal in both sets
        LONG,  # equal in A, a run in B
        f"Look: {LONG}",  # a run in both
        "A bird sings in the tree",  # from the other file of A
        "Nothing of the kind is here.",
    ]
    stay, sets = find_overlap(lines, found, "en")
    assert stay.tolist() == [False, False, False, False, True]
    assert [(s.name, s.texts, s.equal, s.runs) for s in sets] == [
        ("sts/en/A", 5, 3, 1),
        ("clustering/en/deep/B", 2, 1, 2),
    ]


def test_every_part_and_the_senteval_variant_count(data):
    for part in ("sts", "transfer", "clustering", "intent", "other"):
        data(f"{part}/en/X", f"0\tonly the part {part} has this")
    found = data("sts/en-senteval/X", "0\tonly the lower-cased variant has this")
    stay, sets = find_overlap(["Only the lower-cased variant has this!", "Only the part other has this"], found, "en")
    assert stay.tolist() == [False, False]
    assert sorted(s.name for s in sets) == sorted(
        [*(f"{p}/en/X" for p in ("sts", "transfer", "clustering", "intent", "other")), "sts/en-senteval/X"]
    )


def test_only_the_language_asked_for(data):
    data("sts/de/X", "1\tEin Reiher malt mein Fahrrad.\tx")
    found = data("sts/en/X", "1\tA heron paints my bicycle.\tx")
    assert stays(["Ein Reiher malt mein Fahrrad.", "A heron paints my bicycle."], found) == [True, False]
    assert stays(["Ein Reiher malt mein Fahrrad.", "A heron paints my bicycle."], found, "de") == [False, True]


def test_a_set_with_files_beside_and_below(data):
    data("other/en/A", "1\tonly the first file has this", file="a.tsv")
    data("other/en/A/deep", "1\tonly the file below has this")
    found = data("other/en/A", "1\tonly the last file has this", file="z.tsv")
    stay, sets = find_overlap(
        [f"Only the {x} has this." for x in ("first file", "file below", "last file")], found, "en"
    )
    assert stay.tolist() == [False, False, False]
    assert [(s.name, s.texts, s.equal) for s in sets] == [("other/en/A", 2, 2), ("other/en/A/deep", 1, 1)]


def test_the_digest_stands_for_the_texts_of_a_language(data):
    first = sets_digest(data("sts/en/X", "1\tA heron paints my bicycle.\tx"), "en")
    assert sets_digest(data("sts/de/X", "1\tEin Reiher malt mein Fahrrad.\tx"), "en") == first
    assert sets_digest(data("sts/en/X", "1\tA heron paints my bicycle.\ty"), "en") != first
    assert sets_digest(data("sts/en/X", "1\tA heron paints my bicycle.\tx"), "en") == first
    assert sets_digest(data("intent/en/X", "1\tRing my purple bell at noon."), "en") != first


def test_without_sets_nothing_would_be_checked(data, tmp_path):
    found = data("sts/en/X", "1\tA heron paints my bicycle.\tx")
    (tmp_path / "sts" / "sv" / "empty").mkdir(parents=True)
    with pytest.raises(DataError, match=r"has no sv test sets to compare with; .*--no-overlap-check"):
        find_overlap(["x"], found, "sv")
