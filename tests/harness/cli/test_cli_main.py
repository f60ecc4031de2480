from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import harness.cli
from harness.cli import doctor, main
from harness.errors import AugBenchError, DataError
from harness.protocols.registry import UnknownName
from harness.records.store import Store

Result = tuple[int, str, str]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run the command line in this process; returns status, stdout, stderr."""
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["augbench", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err  # type: ignore[return-value]

    return run


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nsys.argv = ['augbench', '--help']\nfrom harness.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "heavy = {'torch', 'transformers', 'spacy', 'pandas', 'pyarrow', 'scipy', 'sklearn'} & sys.modules.keys()\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for verb in ("run", "ls", "report", "export", "doctor", "augment", "evaluate", "compare", "check"):
        assert f" {verb} " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "quikstart"], "Did you mean 'quickstart'"),
        (["run", "quickstart", "--seeds", "4-0"], "runs backwards"),
        (["run", "quickstart", "--set", "learning_rte=1"], "Did you mean 'learning_rate'"),
        (["run", "quickstart", "--scale", "paper"], "no scale 'paper'"),
        (["run", "quickstart", "--language", "englsh"], "Did you mean 'english'"),
        (["run", "quickstart", "--precision", "fp8"], "precision"),
        (["run", "quickstart", "--corpus", "no/such.txt"], "no/such.txt"),
        (["run", "sda-table8", "--data", "no/such/folder"], "no/such/folder"),
        (["run", "nowhere.toml"], "cannot be read"),
        (["report", "sda-tabel8"], "Did you mean 'sda-table8'"),
        (["report", "--format", "csv"], "needs a suite"),
        (["report", "quickstart", "--results", "none"], "augbench run quickstart"),
        (["export", "abc", "x", "--results", "none"], "no runs in none"),
    ],
)
def test_mistakes_are_one_sentence(
    cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    status, out, err = cli(*arguments)
    assert status in (1, 2)
    assert words in err
    assert err.startswith("error: ")
    assert "Traceback" not in err
    assert out == ""
    assert list(tmp_path.iterdir()) == []  # nothing was begun


def test_wrong_options_are_usage_errors(cli: Callable[..., Result]) -> None:
    assert cli("run", "quickstart", "--kep", "all")[0] == 2
    assert cli("run", "quickstart", "--keep", "some")[0] == 2
    assert cli("frobnicate")[0] == 2


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (DataError("[bold]file[/bold] is [red"), 1, "error: [bold]file[/bold] is [red\n"),
        (UnknownName("unknown task 'x'"), 2, "error: unknown task 'x'\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_how_errors_end(
    cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, words: str
) -> None:
    def fail() -> Any:
        raise error

    monkeypatch.setattr("harness.suite.suite_names", fail)
    assert cli("ls", "suites") == (status, "", words)


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Any:
        raise DataError("x")

    monkeypatch.setenv(harness.cli.DEBUG, "1")
    monkeypatch.setattr("harness.suite.suite_names", fail)
    monkeypatch.setattr(sys, "argv", ["augbench", "ls", "suites"])
    with pytest.raises(AugBenchError):
        main()


def test_version(cli: Callable[..., Result]) -> None:
    status, out, _ = cli("--version")
    assert status == 0
    assert out.startswith("augbench ")


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("languages", "english"),
        ("methods", "simcse"),
        ("operators", "crop"),
        ("tasks", "SampleSTS"),
        ("suites", "sda-table8"),
    ],
)
def test_ls(cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, what: str, name: str) -> None:
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    status, out, _ = cli("ls", what, "--json")
    assert status == 0
    assert name in [row["name"] for row in json.loads(out)]
    assert name in cli("ls", what)[1]


def test_ls_runs_names_damaged_records(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "run.json").write_text("{")
    status, out, err = cli("ls", "runs", "--results", str(tmp_path), "--json")
    assert (status, json.loads(out)) == (0, [])
    assert "x/run.json is passed over" in err.replace("\n", "")


# -- doctor -----------------------------------------------------------------------------------------------------------
def test_doctor_is_content_here(cli: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    status, out, _ = cli("doctor", "--results", str(tmp_path))
    assert status == 0, out
    assert "fail" not in out.split()
    assert "AUGBENCH_DATA" in out


def test_doctor_ends_with_1_if_something_fails(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, out, _ = cli("doctor", "--results", str(tmp_path / "file" / "results"), "--data", str(tmp_path / "none"))
    assert status == 1
    states = {line.split()[1]: line.split()[0] for line in out.splitlines() if len(line.split()) > 1}
    assert states["results"] == "fail"
    assert states["data"] == "fail"
    assert states["torch"] == "ok"


def test_a_check_that_breaks_is_a_failed_check(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail() -> Any:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(doctor, "_torch", fail)
    checks = {check.name: check for check in doctor.examine(None, tmp_path)}
    assert checks["fail"].found == "ZeroDivisionError: oops"
    assert checks["Python"].state == "ok"


# -- the whole way ----------------------------------------------------------------------------------------------------
SUITE = """[suite]
name = "mini"
title = "Mini"
default_scale = "smoke"
select_on = "SampleSTS:dev"
columns = [{ title = "dev", task = "SampleSTS:dev" }, { title = "last", note = "selection.last_score" }]
[scales.smoke]
data = "sample"
corpus = "sample"
sentences = 200
config = { eval_every = 2, batch_size = 16, max_steps = 4 }
[[rows]]
label = "TF-IDF"
method = "tfidf"
[[rows]]
label = "Crop"
method = "discrete"
set = { operator = "crop@10" }
"""


@pytest.mark.slow
def test_from_a_suite_file_to_a_table_and_an_encoder(cli: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "mini.toml").write_text(SUITE)
    results, suite = str(tmp_path / "results"), str(tmp_path / "mini.toml")
    status, out, err = cli("run", suite, "--results", results, "--dry-run")
    assert status == 0, err
    assert [line.split()[-2:] for line in out.splitlines() if "train [" in line] == [["train", "[1]"], ["train", "[2]"]]
    assert out.count("train: not run yet") == 2
    assert not Path(results).exists()

    status, out, err = cli("run", suite, "--results", results, "--json", "-", "--device", "cpu")
    assert status == 0, err
    found = json.loads(out)
    assert [row["row"] for row in found["rows"]] == ["TF-IDF", "Crop"]
    assert all(row["cells"][0]["mean"] is not None and row["plumbing"] for row in found["rows"])
    assert found["rows"][1]["cells"][1]["mean"] is not None
    assert "2 finished" in err

    status, again, err = cli("run", suite, "--results", results, "--json", "-", "--device", "cpu")
    assert (status, json.loads(again)) == (0, found)
    assert "2 done before" in err

    assert cli("report", suite, "--results", results, "--format", "md")[1].count("| Crop [") == 1
    train_id = found["rows"][1]["runs"][0]
    run = Store(results).find(train_id)
    assert run.record.notes["selection"]["rule"] == "dev"
    assert len(run.curves()) > 0
    status, out, err = cli("export", train_id[:8], str(tmp_path / "mine"), "--results", results)
    assert status == 0, err
    assert (tmp_path / "mine" / "model.safetensors").is_file()
    assert "Plumbing only" in out
