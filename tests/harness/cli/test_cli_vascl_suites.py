"""The suites of VaSCL plan at smoke scale from the package alone, and say what the paper says."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.languages import open_pack
from harness.protocols import Change, Edit, Operator
from harness.published import lookup, published
from harness.runs.plan import Options, expand
from harness.suite import Suite, load_suite

SUITES = ["vascl-table1", "vascl-table2", "vascl-table3", "vascl-figure2", "vascl-figure3"]
BUDGET = ("batch_size", "epochs", "max_steps", "max_length", "learning_rate", "select")


class Synonym(Operator):
    """Stands for the grammatical rule, so that this needs no parser: a comma behind the first word."""

    name = "synonym"

    def apply(self, doc: Any, rng: Any) -> Edit | None:
        return Edit.of(doc, [Change("insert", 1, 1, ",")]) if len(doc) > 3 else None


@pytest.fixture
def pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(open_pack("english")), "operators", lambda self: {"synonym": Synonym})


def suite_of(name: str) -> Suite:
    suite = load_suite(name)
    assert isinstance(suite, Suite)
    return suite


@pytest.mark.slow
@pytest.mark.usefixtures("pack")
@pytest.mark.parametrize("name", SUITES)
def test_every_row_can_be_planned_without_any_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    plan = tmp_path / "plan.json"
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    arguments = ["run", name, "--scale", "smoke", "--dry-run", "--json", str(plan)]
    monkeypatch.setattr(sys, "argv", ["augbench", *arguments, "--results", str(tmp_path / "results")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    planned = json.loads(plan.read_text())["plan"]
    assert [cell["row"] for cell in planned] == [row.label for row in suite_of(name).rows]
    assert len({cell["run"] for cell in planned}) == len(planned)  # no two rows are the same run


@pytest.mark.parametrize("name", SUITES)
def test_rows_have_one_budget_with_the_packs_encoder(name: str) -> None:
    suite = suite_of(name)
    for scale in ("smoke", "small"):
        specs = [
            s for s in expand(suite, Options(scale=scale, encoder="mini")) if s.method not in ("tfidf", "untrained")
        ]
        assert len({tuple(spec.config[key] for key in BUDGET) for spec in specs}) == 1
    assert suite.scales["small"].seeds == (0, 1, 2, 3, 4)
    assert suite.scales["small"].sentences == load_suite("sda-table4-bert").scales["small"].sentences


def test_what_one_suite_trains_the_others_show() -> None:
    """Apart from the tasks they score, runs of the same row are the same run."""
    found: dict[str, set[str]] = {"SimCSE": set(), "VaSCL": set()}
    for name in SUITES:
        for spec in expand(suite_of(name), Options(scale="small", encoder="mini", seeds=(0,))):
            if spec.row in found:
                left_out = {"suite", "tasks", "published_encoder"}
                found[spec.row].add(spec.model_dump_json(exclude=left_out))
    assert {row: len(specs) for row, specs in found.items()} == {"SimCSE": 1, "VaSCL": 1}


@pytest.mark.parametrize("name", SUITES)
def test_the_paper_scale_is_the_papers(name: str) -> None:
    specs = expand(suite_of(name), Options(scale="paper"))
    assert {spec.encoder for spec in specs} == {"roberta-base"}
    trained = [spec for spec in specs if "batch_size" in spec.config]
    assert {(s.config["batch_size"], s.config["epochs"], s.config["eval_every"]) for s in trained} == {(1024, 5, 500)}
    ours = [spec.config for spec in specs if spec.method == "vascl"]
    assert {(c["learning_rate"], c["head_rate"], c["neighbours"], c["radius"]) for c in ours} == {(5e-6, 100, 16, 15)}


@pytest.mark.parametrize(
    ("name", "column", "wanted"),
    [
        ("vascl-table1", "SICK-R", {"Untrained encoder (avg)": 62.94, "SimCSE": 69.54, "VaSCL": 69.40}),
        ("vascl-table1", "STS-B", {"Untrained encoder (avg)": 58.40, "SimCSE": 80.29, "VaSCL": 80.52}),
        ("vascl-table2", "GoogleNews", {"Untrained encoder (avg)": 58.51, "SimCSE": 65.69, "VaSCL": 67.10}),
        ("vascl-table3", "BANKING77 10-shot", {"Untrained encoder (avg)": 46.55, "SimCSE": 72.19, "VaSCL": 75.25}),
        ("vascl-table1", "Avg", {"Untrained encoder (avg)": 58.12, "SimCSE": 76.34, "VaSCL": 76.96}),
        ("vascl-table2", "Avg", {"Untrained encoder (avg)": 39.38, "SimCSE": 56.44, "VaSCL": 58.31}),
    ],
)
def test_published_values_are_the_papers(name: str, column: str, wanted: dict[str, float]) -> None:
    suite = suite_of(name)
    tasks = {c.title: c.published for c in suite.columns} | {suite.average: suite.published_average}
    task, found = tasks[column], {}
    assert task is not None
    for row in suite.rows:
        if row.published:
            value = lookup(
                published(),
                source=row.published.source,
                method=row.published.method,
                task=task,
                encoder=row.published.encoder,
            ).value
            found[row.label] = value
    assert found == wanted


def test_figure3_crosses_edits_rates_and_methods() -> None:
    rows = [row for row in suite_of("vascl-figure3").rows if "operator" in row.settings]
    found = {(row.settings["operator"], row.method) for row in rows}
    operators = {f"{name}@{rate}" for name in ("delete", "synonym", "mask") for rate in (5, 10, 20)}
    assert found == {(operator, method) for operator in operators for method in ("discrete", "vascl")}
    titles = {"delete": "Word deletion", "synonym": "Synonyms", "mask": "Contextual"}
    for row in rows:
        name, _, rate = row.settings["operator"].partition("@")
        assert row.label == f"{titles[name]} {rate} %, {'VaSCL' if row.method == 'vascl' else 'SimCSE'}"
