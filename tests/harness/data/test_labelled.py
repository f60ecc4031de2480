"""Labelled texts: what is read, and what is said about a file that is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.data import DataFolder
from harness.data.labelled import read_labelled
from harness.errors import DataError

_FIELD = st.text(st.characters(blacklist_characters="\t\n\r", blacklist_categories=("Cs",)), min_size=1).filter(
    lambda s: s.strip() != "" and not s.startswith("\ufeff")
)


@given(st.lists(st.tuples(_FIELD, _FIELD, _FIELD), min_size=1, max_size=5))
def test_every_field_comes_back(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("labelled") / "train.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8", newline="")
    read = read_labelled(path, pairs=True)
    assert [(label, *texts) for label, texts in zip(read.labels, read.texts, strict=True)] == rows


def test_line_ends_and_names_do_not_change_the_hash(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"1\tgood\r\n0\tbad\r\n")
    (tmp_path / "b.tsv").write_bytes(b"1\tgood\n0\tbad\n")
    (tmp_path / "c.tsv").write_bytes(b"1\tgood\n1\tbad\n")
    first, second, third = (read_labelled(tmp_path / f"{name}.tsv").sha256() for name in "abc")
    assert first == second != third


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("label\ttext\n", "line 1: the label is 'label', expected one of 0, 1.*header line"),
        ("0\tone\n2\ttwo\n", "line 2: the label is '2', expected one of 0, 1"),
        (" \tone\n", "line 1: the label is blank"),
        ("1\t \n", "line 1: text is blank"),
        ("1\ta\tb\n", "line 1: found 3 columns, expected 2 columns: label<TAB>text"),
        ("", "is empty"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, content, message):
    path = tmp_path / "test.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_labelled(path, classes=("0", "1"))


def test_sets_lie_in_folders_or_are_one_file(tmp_path):
    for name in (
        "transfer/en/TREC/train.tsv",
        "transfer/en/TREC/test.tsv",
        "clustering/en/News.tsv",
        "transfer/en/empty/x.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a\tb\n")
    folder = DataFolder(tmp_path)
    assert {name: list(files) for name, files in folder.sets("transfer", "en").items()} == {"TREC": ["test", "train"]}
    assert folder.sets("clustering", "en") == {"News": {"all": tmp_path / "clustering/en/News.tsv"}}
    assert folder.sets("intent", "en") == {}
