from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.data import read_scored_pairs
from harness.errors import DataError


def write(folder: Path, content: str | bytes, name: str = "test.tsv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# any text a field may hold: everything but tab and line feed, no carriage return at the end, not blank
FIELD = st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), min_size=1, max_size=30).filter(
    lambda text: text.strip() and not text.endswith("\r")
)
ROW = st.tuples(st.floats(0, 5), FIELD, FIELD)


@given(
    rows=st.lists(ROW, min_size=1, max_size=8),
    end=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
    last=st.booleans(),
)
def test_what_is_written_is_read(tmp_path_factory, rows, end, bom, last):
    lines = end.join(f"{score!r}\t{first}\t{second}" for score, first, second in rows) + end * last
    path = write(tmp_path_factory.mktemp("pairs"), b"\xef\xbb\xbf" * bom + lines.encode())
    read = read_scored_pairs(path)
    assert read.gold.tolist() == [score for score, _, _ in rows]
    assert list(read.pairs) == [(first, second) for _, first, second in rows]
    assert len(read) == len(rows)


def test_only_line_feeds_end_a_line_and_quotes_are_characters(tmp_path):
    odd = 'she said "\u2028no\x85" \x0b\x0c\x1c and \r left'
    read = read_scored_pairs(write(tmp_path, f'1\t{odd}\t"open\n2\tb\tc"\n'))
    assert read.pairs == ((odd, '"open'), ("b", 'c"'))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("1\ta\tb\n2\tc\n", ["line 2", "found 2 columns", "expected 3", "score<TAB>sentence1<TAB>sentence2"]),
        ("1\ta\tb\td\n", ["line 1", "found 4 columns"]),
        ("1\ta\tb\n\n2\tc\td\n", ["line 2", "an empty line"]),
        ("1\ta\tb\nhigh\tc\td\n", ["line 2", "'high'", "expected a number from 0 to 5"]),
        ("score\ta\tb\n1\tc\td\n", ["line 1", "no header"]),
        ("1\ta\tb\n5.1\tc\td\n", ["line 2", "5.1", "out of range", "0 to 5"]),
        ("-0.5\ta\tb\n", ["line 1", "out of range"]),
        ("1e400\ta\tb\n", ["line 1", "out of range"]),
        ("NaN\ta\tb\n", ["line 1", "NaN"]),
        ("-inf\ta\tb\n", ["line 1", "-inf"]),
        ("1_0\ta\tb\n", ["line 1", "'1_0'"]),
        ("１\ta\tb\n", ["line 1", "'１'"]),
        (" 1\ta\tb\n", ["line 1", "' 1'"]),
        ("\ta\tb\n", ["line 1", "''"]),
        ("1\ta\tb\n2\t \td\n", ["line 2", "sentence1 is blank"]),
        ("1\ta\t\n", ["line 1", "sentence2 is blank"]),
        ("", ["is empty", "score<TAB>sentence1"]),
        (b"\xef\xbb\xbf", ["is empty"]),
        (b"1\ta\tb\n2\tcaf\xe9\td\n", ["line 2", "not UTF-8", "0xe9", "iconv"]),
        ("1\ta\tb\n".encode("utf-16"), ["line 1", "not UTF-8"]),
    ],
)
def test_malformed_files_are_refused_with_their_line(tmp_path, content, expected):
    path = write(tmp_path, content)
    with pytest.raises(DataError) as caught:
        read_scored_pairs(path)
    for part in [str(path), *expected]:
        assert part in str(caught.value)


def test_the_range_is_the_callers(tmp_path):
    path = write(tmp_path, "0.5\ta\tb\n")
    assert read_scored_pairs(path).gold.dtype == np.float64
    with pytest.raises(DataError, match="expected 1 to 5"):
        read_scored_pairs(path, low=1)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(DataError, match=r"nothing\.tsv does not exist"):
        read_scored_pairs(tmp_path / "nothing.tsv")
    with pytest.raises(DataError, match="is a folder"):
        read_scored_pairs(tmp_path)


def test_the_hash_is_of_the_content(tmp_path):
    def sha(content: str, name: str) -> str:
        return read_scored_pairs(write(tmp_path, content, name)).sha256()

    same = {sha("1.0\ta\tb\n", "x.tsv"), sha("1.000\ta\tb\r\n", "y.tsv"), sha("\ufeff1\ta\tb", "z.tsv")}
    assert len(same) == 1
    different = {sha(c, "w.tsv") for c in ("1\ta\tc\n", "2\ta\tb\n", "1\ta b\tb\n", "1\tb\ta\n", "1\ta\tb\n1\ta\tb\n")}
    assert len(different | same) == 6
