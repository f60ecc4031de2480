"""Reading corpora: line ends, encodings, documents, samples; every problem with file and line."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.corpus import Corpus, read_corpus, read_lines, rows_sha
from harness.errors import DataError, UsageError


@pytest.fixture
def write(tmp_path):
    def write(content, name="c.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@settings(deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\0"))), st.sampled_from(["\n", "\r\n"]))
def test_lines_come_back_whatever_they_hold(lines, end):
    lines = [line.rstrip("\r") for line in lines]
    if lines:
        lines[0] = lines[0].lstrip("\ufeff")
    data = "".join(line + end for line in lines).encode()
    assume(not data.startswith(b"PK\x03\x04"))
    assert list(read_lines(io.BytesIO(data), "x")) == lines


def test_only_line_feeds_end_a_line_and_a_byte_order_mark_is_dropped(write):
    path = write("\ufeffone\u2028still one\r\n\x85 two \x0c \n\r\n  \nthree\u00a0\nfour")
    corpus = read_corpus(path)
    assert corpus.sentences == ["one\u2028still one", "two", "three", "four"]
    assert corpus.name == "c.txt"
    assert corpus.documents is None
    assert len(corpus) == 4


def test_blank_lines_part_documents(write):
    path = write("\n\na\nb\n\n \nc\n\nd\n\n")
    corpus = read_corpus(path, documents=True)
    assert corpus.documents == [["a", "b"], ["c"], ["d"]]
    assert corpus.sentences == ["a", "b", "c", "d"]
    assert corpus.sha != read_corpus(path).sha
    assert corpus.sha != read_corpus(write("a\nb\nc\n\nd\n"), documents=True).sha


def test_the_hash_is_of_the_rows_used_and_not_of_the_file(write):
    one = read_corpus(write("a\nb\n", "one.txt"))
    assert one.sha == read_corpus(write("\r\na \r\n\nb", "two.txt")).sha
    assert one.sha == Corpus("any", ["a", "b"]).sha
    assert one.sha != read_corpus(write("b\na\n")).sha
    assert rows_sha(["ab", "c"]) != rows_sha(["a", "bc"])
    assert rows_sha([]) != rows_sha([""])


def test_a_limit_is_a_seeded_sample_in_the_order_of_the_file(write):
    path = write("".join(f"{i}\n" for i in range(1_000)))
    rows = {(n, seed): read_corpus(path, limit=n, seed=seed).sentences for n in (50, 400) for seed in (0, 1)}
    for (n, _), chosen in rows.items():
        numbers = [int(row) for row in chosen]
        assert len(set(numbers)) == n
        assert numbers == sorted(numbers)
        # spread over the file
        assert max(numbers) > 800
        assert min(numbers) < 200
    assert rows[50, 0] != rows[50, 1]
    assert set(rows[50, 0]) < set(rows[400, 0])
    assert rows[50, 0] == read_corpus(path, limit=50, seed=0).sentences
    assert read_corpus(path, limit=50).sha != read_corpus(path, limit=50, seed=1).sha


def test_a_limit_counts_documents_where_they_are_asked_for(write):
    path = write("".join(f"{i}a\n{i}b\n\n" for i in range(20)))
    corpus = read_corpus(path, limit=3, documents=True)
    assert len(corpus.documents) == 3
    assert all(len(document) == 2 for document in corpus.documents)
    assert len(corpus.sentences) == 6


def test_a_limit_above_the_size_takes_all_and_says_so(write, caplog):
    assert read_corpus(write("a\nb\n"), limit=3).sentences == ["a", "b"]
    assert "(2 sentences) is smaller than the limit of 3" in caplog.text
    caplog.clear()
    assert len(read_corpus(write("a\nb\n"), limit=2)) == 2
    assert not caplog.text
    with pytest.raises(UsageError, match="at least 1"):
        read_corpus(write("a\n"), limit=0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"c\.txt holds no sentence\. Give a UTF-8 text file"),
        (b"\xef\xbb\xbf\n \r\n\t\n", "holds no sentence"),
        (b"fine\nna\xefve\n", r"c\.txt, line 2: byte 3 \(0xef\) is not UTF-8\. Convert the file: iconv"),
        (b"fine\r\n\r\na\0b\n", r"c\.txt, line 3: a NUL byte"),
        ("text".encode("utf-16"), "UTF-16 text; convert it with `iconv"),
        (gzip.compress(b"text", mtime=0), "gzip data; unpack it with `gunzip`"),
    ],
)
def test_what_is_not_utf8_text_is_refused_with_file_line_and_next_step(write, content, message):
    with pytest.raises(DataError, match=message):
        read_corpus(write(content))


def test_missing_files_get_close_names(write, tmp_path):
    write("a", "wiki.txt")
    with pytest.raises(DataError, match=r"there is no file .*wikki\.txt\. Did you mean .*/wiki\.txt\?"):
        read_corpus(tmp_path / "wikki.txt")
    with pytest.raises(DataError, match=r"List what is there: ls "):
        read_corpus(tmp_path / "q")
    with pytest.raises(DataError, match=r"The folder .*nowhere does not exist either"):
        read_corpus(tmp_path / "nowhere" / "q")
    with pytest.raises(DataError, match=r"is a folder; name one text file in it: wiki\.txt"):
        read_corpus(tmp_path)


def test_lines_that_test_sets_hold_are_left_out_before_anything_is_drawn(write):
    path = write("a\ntested\nb\n\ntested\n\nc\n")
    asked = []

    def tested(lines):
        asked.append(list(lines))
        return [line == "tested" for line in lines]

    corpus = read_corpus(path, without=tested)
    assert (corpus.sentences, corpus.removed) == (["a", "b", "c"], 2)
    assert asked == [["a", "tested", "b", "tested", "c"]]
    documents = read_corpus(path, documents=True, without=tested)
    assert (documents.documents, documents.removed) == ([["a", "b"], ["c"]], 2)
    assert read_corpus(path).removed is None
    assert corpus.sha == read_corpus(write("a\nb\nc\n")).sha
    with pytest.raises(DataError, match="nothing but sentences of test sets"):
        read_corpus(path, without=lambda lines: [True] * len(lines))
