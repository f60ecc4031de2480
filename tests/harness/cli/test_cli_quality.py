"""`augbench quality`: from a corpus to a sheet, to labels, to a precision."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from harness.cli.quality import app
from harness.errors import UsageError

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))
import stub_pack

CLI = typer.Typer()
CLI.add_typer(app, name="quality")


def run(*arguments):
    result = CliRunner(env={"COLUMNS": "200"}).invoke(CLI, ["quality", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


@pytest.fixture
def pack(tmp_path, monkeypatch):
    folder = stub_pack.write_pack(tmp_path)
    (folder / "quality").mkdir()
    (folder / "quality/GUIDELINES.md").write_text("Version: 1\n")
    pack = stub_pack.Stub(folder)
    monkeypatch.setattr("harness.languages.open_pack", lambda name: pack)
    return pack


def label(sheet, labels):
    header, *lines = sheet.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t")[:4] for line in lines)
    lines = ["\t".join([*row, label, ""]) for row, label in zip(rows, labels, strict=True)]
    sheet.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")


def test_the_whole_way(pack, tmp_path):
    corpus, sheet = tmp_path / "corpus.txt", tmp_path / "sheet.tsv"
    corpus.write_text("".join(f"Sentence {n} is short.\n" for n in range(40)))
    out, err = run(
        "sample", "-o", "bang,drop", "--operator", "bang@loud", "--corpus", corpus, "--out", sheet, "--rows", 4
    )
    assert out == ""
    assert "bang: 4 outputs from 4 lines" in err
    assert "12 rows to label" in err
    assert str(tmp_path / "sheet.key.json") in err

    label(sheet, ["right"] * 12)
    out, _ = run("score", sheet, "--labelled-by", "nobody in particular")
    assert out.splitlines()[0].split("  ")[0] == "Name"
    *lines, reader = out.splitlines()[1:]
    assert [line.split()[:6] for line in lines] == [
        [name, "4", "100.0", "51.0", "to", "100.0"] for name in ("bang", "drop", "bang@loud")
    ]
    assert {line.split()[-1] for line in lines} == {"[1]"}
    assert reader == "[1] labelled by nobody in particular"
    files = sorted(path.name for path in (pack.folder / "quality").glob("*.jsonl"))
    assert files == ["bang.jsonl", "bang@loud.jsonl", "drop.jsonl"]

    with pytest.raises(UsageError, match="--replace"):
        run("score", sheet, "--labelled-by", "x")
    label(sheet, ["odd", "wrong", *["right"] * 10])
    run("score", sheet, "--labelled-by", "somebody", "--replace")
    out, _ = run("show", "--corpus", corpus, "--json")
    shown = json.loads(out)
    assert sum(row["rows"] * row["precision"] for row in shown) == pytest.approx(10)
    assert sum(row["rows"] * row["odd"] for row in shown) == pytest.approx(1)
    assert sum(row["rows"] * row["wrong"] for row in shown) == pytest.approx(1)
    assert all(row["low"] < row["precision"] <= row["high"] for row in shown)
    assert {row["same"] for row in shown} == {4}
    assert {(row["labelled_by"], row["corpus"], row["guidelines"]) for row in shown} == {("somebody", "corpus.txt", 1)}

    pack.own = {"bang": stub_pack.Bang, "drop": stub_pack.Bang}
    assert "0 of 4" in run("show", "--corpus", corpus)[0]
    assert "0 of 4" not in run("show")[0]


def test_a_pack_without_labels_says_how_to_begin(pack):
    out, err = run("show")
    assert out == ""
    assert "augbench quality sample" in err
    assert json.loads(run("show", "--json")[0]) == []
