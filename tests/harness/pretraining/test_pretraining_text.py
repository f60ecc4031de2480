"""Reading plain text: what a line is, where documents end, and what is refused."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import DataError
from harness.pretraining.text import read_text


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def grouped(text):
    """The lines of each document, in order."""
    found = {}
    for line, document in zip(text.lines, text.documents.tolist(), strict=True):
        found.setdefault(document, []).append(line)
    return list(found.values())


def test_blank_lines_end_documents(tmp_path):
    text = read_text([write(tmp_path / "a.txt", "one\ntwo\n\nthree\n \t\n\n\nfour\nfive\n\n")])
    assert grouped(text) == [["one", "two"], ["three"], ["four", "five"]]
    assert text.documents.dtype == np.int64
    assert (np.diff(text.documents) >= 0).all()


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_without_a_blank_line_each_line_is_a_document(tmp_path, end):
    text = read_text([write(tmp_path / "a.txt", "one\ntwo\nthree" + end)])
    assert grouped(text) == [["one"], ["two"], ["three"]]


def test_a_document_ends_with_its_file(tmp_path):
    files = [write(tmp_path / "a.txt", "one\n\ntwo\nthree"), write(tmp_path / "b.txt", "four\nfive\n\nsix\n")]
    assert grouped(read_text(files)) == [["one"], ["two", "three"], ["four", "five"], ["six"]]
    loose = write(tmp_path / "c.txt", "x\ny")
    assert grouped(read_text([loose, files[0]])) == [["x"], ["y"], ["one"], ["two", "three"]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    wanted=st.lists(st.lists(st.sampled_from(["a", "b c", "déjà vu", "我爱你"]), min_size=1, max_size=4), min_size=2)
)
def test_documents_come_back(tmp_path, wanted):
    content = "\n\n".join("\n".join(document) for document in wanted)
    assert grouped(read_text([write(tmp_path / "a.txt", content)])) == wanted


def test_a_line_ends_at_a_line_feed_and_nowhere_else(tmp_path):
    text = read_text([write(tmp_path / "a.txt", "\ufeffone\u2028two\x0bthree \x85 four\r\nfive\tsix  seven\x0c\r\n")])
    assert text.lines == ["one two three four", "five six seven"]


def test_files_are_told_by_name_and_content(tmp_path):
    content = "\ufeffone\r\n\r\ntwo\n".encode()
    (tmp_path / "deep").mkdir()
    text = read_text([write(tmp_path / "deep" / "a.txt", content), write(tmp_path / "b.txt", "three")])
    first, second = text.files
    assert (first.name, first.lines, first.bytes) == ("a.txt", 2, len(content))
    assert first.sha256 == hashlib.sha256(content).hexdigest()
    assert (second.name, second.lines, second.bytes) == ("b.txt", 1, 5)


def test_keep(tmp_path):
    text = read_text([write(tmp_path / "a.txt", "one\ntwo\n\nthree\nfour\n")])
    kept = text.keep(np.array([False, True, False, True]))
    assert grouped(kept) == [["two"], ["four"]]
    assert kept.files == text.files


@pytest.mark.parametrize("content", ["", "\n \n\t\r\n", "\ufeff", "\ufeff\n"])
def test_a_file_without_text(tmp_path, content):
    with pytest.raises(DataError, match=r"a\.txt holds no text"):
        read_text([write(tmp_path / "b.txt", "good"), write(tmp_path / "a.txt", content)])


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"good\nbad \xff\ngood", 2),
        (b"\xe9t\xe9", 1),
        (b"a\n\n\nb\xc3", 4),
        (b"\xef\xbb\xbfa\n\xff", 2),
        ("gut\nschlecht\n".encode("utf-16-le") + b"\xff", 3),
    ],
)
def test_the_line_that_is_not_utf8(tmp_path, content, line):
    with pytest.raises(DataError, match=rf"a\.txt is not UTF-8 \(line {line}\)"):
        read_text([write(tmp_path / "a.txt", content)])


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(DataError, match=r"there is no file .*none\.txt; give plain text with --text FILE"):
        read_text([tmp_path / "none.txt"])
    with pytest.raises(DataError, match=r"cannot read .*: Is a directory"):
        read_text([tmp_path])
    with pytest.raises(DataError, match=r"cannot read .*: Not a directory"):
        read_text([write(tmp_path / "a.txt", "x") / "b.txt"])
