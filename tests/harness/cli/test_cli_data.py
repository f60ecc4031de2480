"""`augbench data`: what it prints, what it ends with, and the next command it names."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli import main

Result = tuple[int, str, str]
ROWS = {
    "sts/en/STS12/MSRpar.tsv": "1\tA heron paints my bicycle.\tOne\n2\tThe dog sleeps in the sun.\tTwo\n",
    "sts/en/STS12/OnWN.tsv": "3\tNothing of the kind.\tThree\n",
    "transfer/en/TREC/train.tsv": "NUM\tHow many herons are there ?\n",
    "transfer/en/TREC/test.tsv": "HUM\tWho paints a bicycle ?\n",
    "clustering/en/Tweet.tsv": "1\theron bicycle\n",
    "sts/zh/BQ/test.tsv": "1\t你好吗\t你好不好\n",
    "sts/de/Own/test.tsv": "1\teins\tzwei\n",
}


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Result]:
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("AUGBENCH_PINS", str(tmp_path / "pins.json"))
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["augbench", "data", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err  # type: ignore[return-value]

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place, text in ROWS.items():
        path = tmp_path / "data" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "data"


def test_ls(cli: Callable[..., Result], folder: Path) -> None:
    status, out, _ = cli("ls", "--data", str(folder), "--json")
    found = {row["set"]: row for row in json.loads(out)}
    assert status == 0
    assert found["sts/en/STS12"]["state"] == "incomplete"
    assert found["transfer/en/TREC"]["state"] == "there"
    assert found["other/en/QQP"]["state"] == "missing"
    assert found["transfer/en/TREC"]["rows"] == 5952
    assert found["transfer/en/TREC"]["files"]["transfer/en/TREC/test.tsv"]["there"] is True
    status, out, _ = cli("ls", "STS12", "--data", str(folder))
    assert (status, "incomplete" in out, "TREC" in out) == (0, True, False)


def test_verify_names_what_differs_and_what_to_type(cli: Callable[..., Result], folder: Path) -> None:
    status, out, err = cli("verify", "--data", str(folder))
    assert status == 1
    assert "1 rows, the original has 500" in out
    assert "sts/en/STS12/MSRvid.tsv" in out
    assert "other/en/QQP" not in out
    assert "not in the catalog (1): sts/de/Own/test.tsv" in err
    assert "augbench data pull --from SOURCE --data" in err
    status, out, _ = cli("verify", "--data", str(folder), "--json")
    states = {row["file"]: row["state"] for row in json.loads(out)["files"]}
    assert (states["sts/en/STS12/MSRpar.tsv"], states["sts/en/STS12/MSRvid.tsv"]) == ("changed", "missing")


def test_verify_of_unverified_files_pins_them(cli: Callable[..., Result], folder: Path, tmp_path: Path) -> None:
    path = folder / "other/en/QQP/dev.tsv"
    path.parent.mkdir(parents=True)
    path.write_text("1\ta\tb\n")
    (path.parent / "train.tsv").write_text("1\ta\tb\n")
    status, out, _ = cli("verify", "QQP", "--data", str(folder))
    assert (status, out.count("pinned")) == (0, 2)
    assert len(json.loads((tmp_path / "pins.json").read_text())) == 2
    path.write_text("0\ta\tb\n")
    status, out, _ = cli("verify", "QQP", "--data", str(folder))
    assert status == 1
    assert "changed" in out


def test_from_one_machine_to_another(cli: Callable[..., Result], folder: Path, tmp_path: Path) -> None:
    status, _, err = cli("bundle", "b.tar.gz", "--data", str(folder))
    assert status == 1
    assert "--as-is" in err
    assert not (tmp_path / "b.tar.gz").exists()
    status, _, err = cli("bundle", "b.tar.gz", "sts/de", "--data", str(folder))
    assert status == 0, err
    assert "augbench data pull --from b.tar.gz" in err
    status, _, err = cli("pull", "--from", "b.tar.gz", "--data", "new")
    assert status == 0, err
    assert (tmp_path / "new/sts/de/Own/test.tsv").read_text() == ROWS["sts/de/Own/test.tsv"]
    status, _, err = cli("pull", "--from", str(folder), "--data", "new", "TREC")
    assert status == 1
    assert "refused" in err
    assert not (tmp_path / "new/transfer/en/TREC/test.tsv").exists()


def test_pull_says_what_a_source_lacks(cli: Callable[..., Result], folder: Path) -> None:
    status, _, err = cli("pull", "--from", str(folder), "--data", "new", "SNLI")
    assert status == 1
    assert "the source does not have other/en/SNLI/train.tsv" in err


def test_import(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "cnsd").mkdir()
    (tmp_path / "cnsd/cnsd-sts-dev.txt").write_text("1||甲||乙||5\n", encoding="utf-8")
    status, _, err = cli("import", "cnsd", "cnsd", "--data", "new")
    assert status == 0, err
    assert "sts/zh/STS-B/dev.tsv: written, 1 rows; differs from the catalog: 1 rows, the original has 1,458" in err
    (tmp_path / "new/sts/zh/STS-B/dev.tsv").write_text("4\t甲\t乙\n", encoding="utf-8")
    assert cli("import", "cnsd", "cnsd", "--data", "new")[0] == 1
    assert cli("import", "cnsd", "cnsd", "--data", "new", "--replace")[0] == 0


def test_overlap(cli: Callable[..., Result], folder: Path, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("a heron paints my bicycle\n\nHeron, bicycle\nwho paints a bicycle\n")
    status, out, err = cli("overlap", "corpus.txt", "--data", str(folder), "--items", "items.json", "--json")
    assert status == 0, err
    rows = {(row["name"], row["split"]): row for row in json.loads(out)["sets"]}
    assert rows.keys() == {
        ("sts/en/STS12", "test"),
        ("transfer/en/TREC", "train"),
        ("transfer/en/TREC", "test"),
        ("clustering/en/Tweet", "all"),
    }
    sts = rows["sts/en/STS12", "test"]
    assert (sts["items"], sts["exact"], sts["shared"], sts["touched"]) == (3, 1, 0, 1)
    assert sts["share"] == pytest.approx(1 / 3)
    assert rows["transfer/en/TREC", "train"]["touched"] == 0
    items = json.loads((tmp_path / "items.json").read_text())
    assert items["sts/en/STS12/MSRpar.tsv"] == {"items": 2, "exact": [0], "shared": []}
    assert "33.33" in cli("overlap", "corpus.txt", "--data", str(folder))[1]
    status, out, _ = cli("overlap", "corpus.txt", "--data", str(folder), "-l", "chinese", "--json")
    assert [row["name"] for row in json.loads(out)["sets"]] == ["sts/zh/BQ"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ls"], "AUGBENCH_DATA"),
        (["ls", "STS99", "--data", "data"], "no set 'STS99'"),
        (["verify", "--data", "none"], "none does not exist"),
        (["pull", "--from", "none"], "--data DIR"),
        (["pull", "--from", "none", "--data", "new"], "none is no folder and no archive"),
        (["pull", "--from", "ftp://x/y", "--data", "new"], "expected http, https, file"),
        (["import", "sentevel", "data", "--data", "new"], "Did you mean 'senteval'"),
        (["import", "cnsd", "none", "--data", "new"], "none does not exist; cnsd expects"),
        (["bundle", "x.zip", "--data", "data"], "x.zip is no name of an archive"),
        (["bundle", "x.tar.gz", "MR", "--data", "data"], "has nothing of that"),
        (["overlap", "none.txt", "--data", "data"], "there is no file none.txt"),
        (["overlap", "data/clustering/en/Tweet.tsv", "--data", "data", "-l", "sv"], "no sv test sets"),
    ],
)
def test_mistakes_are_one_sentence(cli: Callable[..., Result], folder: Path, arguments: list[str], words: str) -> None:
    status, out, err = cli(*arguments)
    assert status in (1, 2)
    assert words in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert out == ""
