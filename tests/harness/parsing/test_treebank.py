"""CoNLL-U: what is read is what was written, and what is wrong is named with its line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsing_fakes import sentences

from harness.errors import DataError
from harness.parsing.treebank import read, write


def row(number, word="w", head=0, *, upos="NOUN", xpos="NN", label="root", misc="_"):
    return "\t".join([str(number), word, "_", upos, xpos, "_", str(head), label, "_", misc])


def load(tmp_path, *lines, end="\n"):
    path = tmp_path / "bank.conllu"
    path.write_bytes((end.join(lines) + end).encode())
    return read(path)


@settings(max_examples=50)
@given(st.lists(sentences(), min_size=1, max_size=3))
def test_reading_undoes_writing(tmp_path_factory, bank):
    path = tmp_path_factory.mktemp("bank") / "bank.conllu"
    write(path, bank)
    assert read(path) == bank


@settings(max_examples=50)
@given(sentences())
def test_text_is_the_words_with_their_blanks(sentence):
    text = "".join(w + (" " if s else "") for w, s in zip(sentence.words, sentence.spaces, strict=True))
    assert sentence.text == text.rstrip(" ")


def test_comments_ranges_and_empty_nodes(tmp_path):
    (found,) = load(
        tmp_path,
        "# text = I don't (see).",
        row(1, "I", 4, upos="PRON", label="nsubj"),
        "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_",
        row(2, "do", 4, label="aux"),
        row(3, "n't", 4, label="advmod"),
        "3.1\tgone\t_\t_\t_\t_\t_\t_\t_\t_",
        row(4, "see", 0, upos="VERB", xpos="_", misc="SpaceAfter=No"),
        row(5, ".", 4, label="punct"),
    )
    assert found.words == ("I", "do", "n't", "see", ".")
    assert found.text == "I don't see."
    assert found.heads == (3, 3, 3, -1, 3)
    assert found.upos[3] == "VERB"
    assert found.xpos[3] == ""


def test_a_range_says_whether_a_blank_follows(tmp_path):
    lines = [
        "1-2\tcan't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
        row(1, "ca", 2, label="aux"),
        row(2, "n't"),
        row(3, "!", 2, label="punct"),
    ]
    (found,) = load(tmp_path, *lines)
    assert found.spaces == (False, False, True)
    # other notes beside it
    lines[0] = lines[0].replace("SpaceAfter=No", "Gloss=x|SpaceAfter=No")
    assert load(tmp_path, *lines) == [found]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_blank_lines(tmp_path, end):
    found = load(tmp_path, "", row(1, "a"), "", "", row(1, "b"), end=end)
    assert [s.words for s in found] == [("a",), ("b",)]


def test_line_separators_inside_a_word_do_not_end_the_line(tmp_path):
    (found,) = load(tmp_path, row(1, "a\u2028b"), row(2, "c\x85", 1, label="x"))
    assert found.words == ("a\u2028b", "c\x85")


def test_a_byte_order_mark_is_dropped(tmp_path):
    path = tmp_path / "bank.conllu"
    path.write_bytes(b"\xef\xbb\xbf" + row(1, "a").encode() + b"\n")
    assert read(path)[0].words == ("a",)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([row(1), "2\tw"], r"line 2: 2 columns; CoNLL-U has 10"),
        ([row(1), row(2, "", 1)], r"line 2: column 2 is empty"),
        ([row(1), "", row(2)], r"line 3: id '2'; expected 1"),
        ([row("x")], r"line 1: id 'x'; expected 1"),
        ([row(1), row(2, head="_")], r"line 2: head '_' is not a number"),
        ([row(1), row(2, head="-1")], r"line 2: head '-1' is not a number"),
        ([row(1), row(2, head=3)], r"line 2: head 3 in a sentence of 2 words"),
        ([row(1), row(2)], r"line 2: a second root"),
        ([row(1), row(2, head=3), row(3, head=2)], r"line [23]: the heads form a cycle"),
        ([row(1, head=1)], r"line 1: the heads form a cycle through word 1"),
        (["1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_"], r"line 1: a sentence without words"),
        (["1-3\tab\t_\t_\t_\t_\t_\t_\t_\t_", row(1), row(2, head=1)], r"line 1: the range 1-3 leaves"),
        (["2-1\tab\t_\t_\t_\t_\t_\t_\t_\t_", row(1), row(2, head=1)], r"line 1: the range 2-1 leaves"),
        (["# nothing", ""], r"holds no sentence"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, lines, message):
    with pytest.raises(DataError, match=message):
        load(tmp_path, *lines)


def test_missing_and_undecodable_files(tmp_path):
    with pytest.raises(DataError, match="there is no treebank file"):
        read(tmp_path / "no.conllu")
    with pytest.raises(DataError, match="there is no treebank file"):
        read(tmp_path)
    path = tmp_path / "latin.conllu"
    path.write_bytes(row(1, "é").encode("latin-1"))
    with pytest.raises(DataError, match="is not UTF-8"):
        read(path)
