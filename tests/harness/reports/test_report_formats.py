"""How tables are written down."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_fakes import FIRST, SECOND, RunOf, table

from harness.errors import UsageError
from harness.reports import formats
from harness.reports.table import Table
from harness.suite import Suite


@pytest.fixture
def filled(suite: Suite, run: RunOf) -> Table:
    runs = [run(seed=s, scores={"A": -3.25 + s, "B": 1 / 3}, plumbing="a_toy & more") for s in (0, 1)]
    return table(suite, *runs, facts={"encoder": "@cmd|x"})


def test_csv_runs_no_formula_and_keeps_numbers(filled: Table) -> None:
    rows = list(csv.DictReader(io.StringIO(formats.render([filled], "csv"))))
    assert {r["row"] for r in rows} == {"'" + FIRST, SECOND}
    assert {r["encoder"] for r in rows} == {"'@cmd|x"}
    first = rows[0]
    assert float(first["mean"]) == -2.75  # a negative number is no formula
    assert float(next(r for r in rows if r["column"] == "B")["mean"]) == 1 / 3  # and is not rounded
    assert (first["n"], first["seeds"], first["plumbing"]) == ("2", "0 1", "yes")


@given(st.text())
def test_no_text_begins_like_a_formula(text: str) -> None:
    safe = formats.harmless(text)
    assert not safe.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert safe in (text, "'" + text)


def test_markdown_cells_stay_cells(filled: Table) -> None:
    lines = formats.render([filled], "md").splitlines()
    body = [line for line in lines if line.startswith("|")]
    assert len(body) == 2 + 2
    assert {line.replace("\\|", "").count("|") for line in body} == {body[0].count("|")}
    assert "### Mine \\| a\\_table" in lines
    assert any("-2.75 ± 0.71" in line and "[1]" in line for line in body)
    assert any(line.startswith("[1] plumbing only") for line in lines)


def test_latex_escapes(filled: Table) -> None:
    text = formats.render([filled], "latex")
    assert r"Other \& 10\%" in text
    assert r"a\_toy \& more" in text
    assert r"$-$" not in text
    assert r"-2.75 $\pm$ 0.71" in text
    assert r"\textsuperscript{1}" in text
    assert "±" not in text


def test_json_is_strict_and_complete(filled: Table) -> None:
    (found,) = json.loads(formats.render([filled], "json"), parse_constant=lambda name: pytest.fail(name))
    first, second = found["rows"]
    assert first["cells"][0] | {"std": None} == {
        "column": "A",
        "kind": "task",
        "task": "A",
        "protocol": "p@1",
        "mean": -2.75,
        "std": None,
        "values": [-3.25, -2.25],
    }
    assert first["remarks"][0].startswith("plumbing only")
    assert second["cells"][0]["mean"] is None
    assert second["seeds"] == []


def test_a_terminal_shows_brackets_as_they_are(filled: Table) -> None:
    from rich.console import Console

    console = Console(width=120, file=io.StringIO(), force_terminal=False)
    console.print(formats.rich_table(filled))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert f"{FIRST} [1]" in text
    assert "[1] plumbing only, not a result: a_toy & more" in text


def test_unknown_formats(filled: Table) -> None:
    with pytest.raises(UsageError, match=r"Did you mean 'md'|Known"):
        formats.render([filled], "mdx")
