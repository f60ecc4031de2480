"""`augbench check`: how each check ended, and the exit status."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from harness.cli.check import app
from harness.errors import Skipped, UsageError

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))
import stub_pack

CLI = typer.Typer()
CLI.add_typer(app, name="check")


def run(*arguments):
    result = CliRunner().invoke(CLI, ["check", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = stub_pack.write_pack(tmp_path)
    monkeypatch.setattr("harness.languages.open_pack", lambda name: stub_pack.Stub(folder))
    monkeypatch.setattr("harness.conformance.subject._RANDOM", 10)
    return folder


def test_a_good_pack_ends_with_0(folder):
    status, out = run("language", "st")
    assert status == 0, out
    lines = out.splitlines()
    assert "ok    pack.toml is complete" in lines
    assert "ok    bang@loud: changes only punctuation" in lines
    assert any(line.startswith("skip  another process gives the same outputs: ") for line in lines)
    assert lines[-1] == "stub: all checks passed"


def test_every_failure_is_named_and_ends_with_1(folder):
    (folder / "lexicon.toml").write_text("")
    (folder / "examples/drop.jsonl").unlink()
    status, out = run("language", "st")
    assert status == 1
    assert "FAIL  every shipped artefact has a licence: lexicon.toml is shipped" in out
    assert "[licences] in pack.toml" in out  # brackets are not taken for markup
    assert "FAIL  drop: examples hold for ten seeds: there is no example of drop" in out
    assert "ok    bang: examples hold for ten seeds" in out
    assert out.splitlines()[-1] == "stub: 2 checks failed"


def test_a_check_that_breaks_has_failed(folder, monkeypatch):
    def check():
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("harness.conformance.language.check_language_pack", lambda pack: [("sums", check)])
    status, out = run("language", "st")
    assert (status, out) == (1, "FAIL  sums: ZeroDivisionError: oops\nstub: 1 checks failed\n")


def test_an_unknown_pack_is_a_usage_error():
    with pytest.raises(UsageError, match="Did you mean 'english'"):
        run("language", "englsh")


def test_methods_are_checked_too(monkeypatch):
    def skip():
        raise Skipped("no GPU here")

    seen = {}

    def battery(method, **given):
        seen.update(given, method=method)
        return [("fits", lambda: None), ("GPU", skip)]

    monkeypatch.setattr("harness.conformance.method.check_method", battery)
    status, out = run("method", "discrete", "--set", "operator=crop@10")
    assert (status, out) == (0, "ok    fits\nskip  GPU: no GPU here\ndiscrete: all checks passed\n")
    assert seen["method"].name == "discrete"
    assert seen["settings"] == {"operator": "crop@10"}
