"""`augbench augment`: formats, streams, and what is refused."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

from harness.augmentation import augment as augment_texts
from harness.cli.augment import augment
from harness.errors import DataError, UsageError

APP = typer.Typer()
APP.command()(augment)
LINES = ["The cat sat on the mat.", "", "tab\there and\u2028there \x85 too", "No dogs, please!"]


def run(*arguments, stdin=b""):
    result = CliRunner().invoke(APP, ["--language", "en", *arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout_bytes.decode()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes("\r\n".join(LINES).encode())
    return path


def test_jsonl_has_a_row_per_line_blank_ones_included(file):
    out = run("--operators", "crop@50,punct", "--seed", "3", str(file))
    assert out.endswith("\n")
    # nothing in the output ends a line early, even for readers that split at every Unicode line end
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows == augment_texts(LINES, "crop@50,punct", language="en", seed=3)


def test_standard_input_and_a_file_give_the_same(file):
    assert run("--operators", "swap", "-", stdin=file.read_bytes()) == run("--operators", "swap", str(file))


def test_tsv_cells_hold_no_tabs_or_line_ends(file):
    lines = run("--operators", "punct,delete@50", "--format", "tsv", str(file)).splitlines()
    assert lines[0] == "text\tpunct\tdelete@50"
    assert len(lines) == 1 + len(LINES)
    rows = [line.split("\t") for line in lines[1:]]
    assert all(len(row) == 3 for row in rows)
    assert rows[1] == ["", "", ""]
    assert rows[2][0] == "tab here and there   too"


def test_parquet_goes_to_a_file(file, tmp_path):
    out = tmp_path / "views.parquet"
    assert run("--operators", "crop@50,punct", "--format", "parquet", "--out", str(out), str(file)) == ""
    rows = pq.read_table(out).to_pylist()
    expected = augment_texts(LINES, "crop@50,punct", language="en")
    assert [{**row, "edits": json.loads(row["edits"])} for row in rows] == [
        {"text": row["text"], **row["views"], "edits": row["edits"]} for row in expected
    ]


@pytest.mark.parametrize("form", ["jsonl", "tsv"])
def test_a_file_gets_what_stdout_would(file, tmp_path, form):
    arguments = ("--operators", "punct", "--format", form, str(file))
    assert run(*arguments, "--out", str(tmp_path / "o")) == ""
    assert (tmp_path / "o").read_bytes().decode() == run(*arguments)


def test_many_lines_stream_in_chunks():
    lines = [f"line number {i} of many" for i in range(600)]
    out = run("--operators", "delete@30", "-", stdin="\n".join(lines).encode())
    assert [json.loads(line) for line in out.splitlines()] == augment_texts(lines, "delete@30", language="en")


def test_an_empty_input_gives_no_rows():
    assert run("--operators", "crop", "-") == ""
    assert run("--operators", "crop", "--format", "tsv", "-") == "text\tcrop\n"


def test_parquet_without_a_file_is_refused(file):
    with pytest.raises(UsageError, match=r"add --out FILE\.parquet"):
        run("--operators", "crop", "--format", "parquet", str(file))


def test_the_input_is_never_overwritten(file):
    before = file.read_bytes()
    with pytest.raises(UsageError, match="is the input file"):
        run("--operators", "crop", "--out", str(file), str(file))
    assert file.read_bytes() == before


def test_a_missing_input_leaves_no_output(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        run("--operators", "crop", "--out", str(tmp_path / "o"), str(tmp_path / "missing.txt"))
    assert not (tmp_path / "o").exists()


def test_a_bad_line_leaves_no_half_output_file(tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"fine line\n" * 300 + b"na\xefve\n")
    with pytest.raises(DataError, match=r"bad\.txt, line 301: byte 3 \(0xef\) is not UTF-8"):
        run("--operators", "crop", "--out", str(tmp_path / "o"), str(bad))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.txt"]


def test_a_bad_line_on_standard_input_is_named():
    with pytest.raises(DataError, match="standard input, line 1"):
        run("--operators", "crop", "-", stdin=b"\xff\n")


def test_a_reader_that_has_seen_enough_is_no_error_and_output_is_utf8_in_any_locale():
    code = "import typer; from harness.cli.augment import augment; typer.run(augment)"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "--language", "en", "--operators", "punct", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    # one chunk, so that rows come before the input ends
    process.stdin.write("A naïve 中文 reader.\n".encode() * 256)
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["text"] == "A naïve 中文 reader."
    process.stdout.close()
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(b"And again and again and again.\n" * 1_000)
        process.stdin.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0
