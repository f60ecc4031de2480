"""`augbench run` and `augbench report` of suites that train nothing."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli import main

Result = tuple[int, str, str]
SUITE = """[suite]
name = "mine"
kind = "coverage"
title = "Mine"
default_scale = "smoke"
[scales.smoke]
corpus = "sample"
lines = 40
[[rows]]
label = "Punctuation"
operator = "punct"
[[rows]]
label = "Swap"
operator = "swap@50"
"""


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Result]:
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(SUITE)

    def run(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["augbench", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err  # type: ignore[return-value]

    return run


def test_from_a_suite_file_to_its_tables_and_back(cli: Callable[..., Result], tmp_path: Path) -> None:
    status, out, err = cli("run", "mine.toml", "--dry-run")
    assert status == 0, err
    assert "punct" in out
    assert "to do" in err
    assert not (tmp_path / "results").exists()

    status, out, err = cli("run", "mine.toml", "--seeds", "0-1", "--json", "-")
    assert status == 0, err
    found = json.loads(out)
    assert (found["suite"], found["kind"]) == ("mine", "coverage")
    first = found["tables"][0]
    assert [row["row"] for row in first["rows"]] == ["Punctuation", "Swap"]
    assert first["rows"][0]["seeds"] == [0, 1]
    assert first["rows"][0]["cells"][0]["mean"] > 0
    assert all(row["plumbing"] for row in first["rows"])

    status, shown, err = cli("run", "mine.toml", "--seeds", "0-1", "--json", "out.json")
    assert status == 0
    assert "done before" in err
    assert "Punctuation" in shown
    assert json.loads((tmp_path / "out.json").read_text()) == found
    assert len(list((tmp_path / "results" / "analyses").iterdir())) == 1

    status, again, _ = cli("report", "mine.toml", "--format", "json")
    assert (status, json.loads(again)) == (0, found["tables"])
    assert "| Punctuation" in cli("report", "mine.toml", "--format", "md")[1]
    assert "Punctuation" in cli("report", "mine.toml")[1]


def test_the_plan_as_json(cli: Callable[..., Result]) -> None:
    status, out, _ = cli("run", "sda-jaccard", "--scale", "smoke", "--dry-run", "--json", "-")
    plan = json.loads(out)
    assert status == 0
    assert plan["done"] is False
    assert plan["plan"][0]["Sets"] == "SampleSTS:dev SampleSTS"


def test_overlap_of_the_samples_needs_no_data_folder(cli: Callable[..., Result]) -> None:
    status, out, err = cli("run", "sda-jaccard", "--scale", "smoke", "--json", "-")
    assert status == 0, err
    words = json.loads(out)["tables"][0]["rows"][0]
    assert 0 < words["cells"][0]["mean"] < 100


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "mine.toml", "--encoder", "x", "--keep", "all"], "mine trains nothing and has no use for --encoder, --keep"),
        (["run", "mine.toml", "--set", "batch_size=3"], "no use for --set; it takes --language, --corpus"),
        (["run", "sda-jaccard", "--corpus", "x", "--seeds", "0"], "no use for --corpus, --seeds"),
        (["run", "mine.toml", "--seeds", "4-0"], "runs backwards"),
        (["run", "mine.toml", "--scale", "paper"], "no scale 'paper'"),
        (["run", "mine.toml", "--language", "englsh"], "Did you mean 'english'"),
        (["run", "mine.toml", "--corpus", "no/such.txt"], "no/such.txt"),
        (["run", "sda-jaccard"], "AUGBENCH_DATA"),
        (["run", "sda-tabel2"], "Did you mean 'sda-table2'"),
        (["report", "mine.toml"], "augbench run mine.toml"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(
    cli: Callable[..., Result], tmp_path: Path, arguments: list[str], words: str
) -> None:
    status, out, err = cli(*arguments)
    assert status in (1, 2)
    assert words in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]  # nothing was begun


def test_records_of_other_code_are_not_shown_unasked(cli: Callable[..., Result], tmp_path: Path) -> None:
    assert cli("run", "mine.toml")[0] == 0
    (record,) = (tmp_path / "results" / "analyses").iterdir()
    stored = json.loads(record.read_text())
    stored["identity"]["code"]["pack"] = "0" * 64
    record.write_text(json.dumps(stored))
    status, _, err = cli("report", "mine.toml")
    assert status == 2
    assert "--older" in err
    status, out, _ = cli("report", "mine.toml", "--older", "--format", "md")
    assert status == 0
    assert "older code or settings" in out


def test_suites_are_listed_with_their_kind(cli: Callable[..., Result]) -> None:
    rows = {row["name"]: row["kind"] for row in json.loads(cli("ls", "suites", "--json")[1])}
    assert (rows["sda-table2"], rows["sda-jaccard"], rows["sda-table8"]) == ("coverage", "overlap", "training")


# -- advice -----------------------------------------------------------------------------------------------------------
def test_advice_needs_a_text_and_says_so_in_one_sentence(cli: Callable[..., Result], tmp_path: Path) -> None:
    code, _, err = cli("run", "which-augmentation")
    assert code == 2
    assert "--corpus FILE" in err
    few = tmp_path / "few.txt"
    few.write_text("one line of a file\n" * 300, encoding="utf-8")
    code, _, err = cli("run", "which-augmentation", "--corpus", str(few))
    assert code == 1
    assert "few.txt has 1 different lines" in err
    assert "Traceback" not in err


def test_labelled_pairs_are_for_advice_alone(cli: Callable[..., Result]) -> None:
    for suite in ("quickstart", "sda-table2"):
        code, _, err = cli("run", suite, "--labelled", "x.tsv")
        assert code == 2
        assert "--labelled" in err
