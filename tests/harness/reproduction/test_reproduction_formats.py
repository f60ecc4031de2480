"""How reports are written down, and the command that prints them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from reproduction_fakes import NOISE, SUITE, fill, reports
from typer.testing import CliRunner

from harness.cli.report import report
from harness.errors import UsageError
from harness.reproduction.formats import render_reproduction, rich_reproduction
from harness.suite import Suite, parse_suite

pytestmark = pytest.mark.usefixtures("printed")


def test_formats(suite: Suite, tmp_path: Path) -> None:
    found = reports(suite, fill(tmp_path, rows=("None (SimCSE)", "Better")))
    rows = list(csv.DictReader(io.StringIO(render_reproduction(found, "csv"))))
    assert [(r["column"], r["row"]) for r in rows][:4] == [("A", label) for label in NOISE]
    better = found[0].rows[1]
    assert float(rows[1]["smallest"]) == better.smallest  # not rounded
    assert (rows[1]["p_corrected"], rows[1]["inside_noise"]) == (str(better.p), "yes" if better.inside_noise else "no")
    assert (rows[2]["published"], rows[2]["mean"], rows[2]["inside_noise"]) == ("90.0", "", "")

    read = json.loads(render_reproduction(found, "json"), parse_constant=lambda name: pytest.fail(name))
    assert read[0]["rows"][1]["to_reference"]["value"] == better.to_reference.value
    assert read[0]["verdict"]["outcome"] == "none"

    text = render_reproduction(found, "md")
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in table} == {11}
    assert f"{better.over_seeds.mean:.2f} ± {better.over_seeds.std:.2f}" in text
    assert "| Best | 90.00 ± 0.20 |  |  |  |  |  |  |  |  |" in text
    assert "Kendall's τ-b between the paper's order and ours: 1.00" in text
    with pytest.raises(UsageError, match="latex"):
        render_reproduction(found, "latex")


def test_a_terminal_shows_all_of_it(suite: Suite, tmp_path: Path) -> None:
    from rich.console import Console

    (single, _) = reports(suite, fill(tmp_path, seeds=1, plumbing="a [toy]"))
    console = Console(width=180, file=io.StringIO(), force_terminal=False)
    console.print(rich_reproduction(single))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "all rows: plumbing only, not a result: a [toy]" in text
    assert f"{single.rows[1].ours.high:.2f}*" in text  # over items alone
    assert "Otherwise than the paper" not in text
    assert "As the paper: pooler (cls)" in text


def test_a_suite_that_no_paper_printed_is_compared_with_simcse(suite: Suite, tmp_path: Path) -> None:
    store = fill(tmp_path)
    unprinted = parse_suite(
        "".join(line for line in SUITE.splitlines(True) if "published" not in line)
        .replace("columns = [", 'columns = [{ title = "A", task = "A" },')
        .encode(),
        "mine.toml",
    )
    (report,) = reports(unprinted, store)
    assert (report.column, report.published, report.tasks, report.causes) == ("Mean", False, ("A", "B"), ())
    by_label = {row.label: row for row in report.rows}
    printed = {report.column: report for report in reports(suite, store)}["Mean"]
    for row in printed.rows:
        ours = by_label[row.label]
        assert (ours.over_seeds, ours.to_reference, ours.p) == (row.over_seeds, row.to_reference, row.p)
        assert ours.published is ours.difference is ours.inside_noise is None
    text = render_reproduction([report], "md")
    assert text.startswith("### Mine: Mean, compared with SimCSE")
    assert not any(word in text for word in ("Published", "ordering", "In noise"))
    assert "| Best |" in text


def test_without_a_row_of_simcse_there_is_nothing_to_report(tmp_path: Path) -> None:
    unprinted = "".join(line for line in SUITE.splitlines(True) if "published" not in line)
    other = parse_suite(
        unprinted.replace('method = "simcse"', 'method = "untrained"').replace("set = { temperature", "# ").encode(),
        "o.toml",
    )
    assert reports(other, fill(tmp_path)) == []


# -- the command ------------------------------------------------------------------------------------------------------
app = typer.Typer()
app.command("report")(report)
app.command("other")(lambda: None)


@pytest.fixture
def call(tmp_path: Path) -> Any:
    (tmp_path / "mine.toml").write_text(SUITE, encoding="utf-8")
    own = str(tmp_path / "mine.toml")
    results = ["--results", str(tmp_path / "results")]
    return lambda *more, suite=own: CliRunner().invoke(app, ["report", "--reproduction", suite, *results, *more])


def test_the_command_prints_every_format(call: Any, tmp_path: Path) -> None:
    fill(tmp_path / "results", rows=("None (SimCSE)", "Better"), seeds=2)
    shown = call()
    assert shown.exit_code == 0, shown.output
    assert "Mine: A, published and ours" in shown.stdout
    assert "not measured: Best" in " ".join(shown.stdout.split())
    assert len(json.loads(call("--format", "json").stdout)) == 2
    assert call("--format", "csv").stdout.startswith("suite,column,")
    assert call("--format", "md").stdout.startswith("### Mine")


@pytest.mark.parametrize(
    ("arguments", "suite", "message"),
    [
        ((), None, "nothing in .* to report on"),
        ((), "quickstart", "nothing in .* to report on"),
        ((), "sda-table2", "trains nothing"),
        (("--aggregation", "mean"), None, "under one of their own"),
        (("--format", "latex"), None, "cannot be written as 'latex'"),
    ],
)
def test_mistakes(call: Any, arguments: tuple[str, ...], suite: str | None, message: str) -> None:
    result = call(*arguments) if suite is None else call(*arguments, suite=suite)
    assert isinstance(result.exception, UsageError)
    with pytest.raises(UsageError, match=message):
        raise result.exception


def test_without_a_suite_all_that_have_runs_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_text(SUITE, encoding="utf-8")
    names = ["quickstart", "sda-table2", str(tmp_path / "mine.toml"), "sda-table9"]
    monkeypatch.setattr("harness.suite.suite_names", lambda: names)
    fill(tmp_path / "results", rows=("None (SimCSE)", "Better"), seeds=2)
    arguments = ["report", "--reproduction", "--format", "json", "--results"]
    found = json.loads(CliRunner().invoke(app, [*arguments, str(tmp_path / "results")]).stdout)
    assert [one["suite"] for one in found] == ["mine", "mine"]
    result = CliRunner().invoke(app, [*arguments, str(tmp_path / "nowhere")])
    with pytest.raises(UsageError, match="name a suite to learn why"):
        raise result.exception  # type: ignore[misc]
