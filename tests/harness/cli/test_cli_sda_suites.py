"""The suites of SDA plan at smoke scale from the package alone, and one small run fills a table."""

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
from harness.suite import load_suite

SUITES = ["sda-table8", "sda-table9", "sda-ensemble", "sda-figure5a", "sda-figure5b"]


class Stub(Operator):
    """Stands for a grammatical rule, so that this needs no parser: a comma behind the first word."""

    name = "stub"

    def apply(self, doc: Any, rng: Any) -> Edit | None:
        return Edit.of(doc, [Change("insert", 1, 1, ",")]) if len(doc) > 3 else None


@pytest.fixture
def pack(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("pi", "mv", "dn", "negation", "synonym")
    stubs = {name: type(name.title(), (Stub,), {"name": name, "__module__": __name__}) for name in names}
    monkeypatch.setattr(type(open_pack("english")), "operators", lambda self: stubs)


def augbench(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["augbench", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code


@pytest.mark.slow
@pytest.mark.usefixtures("pack")
@pytest.mark.parametrize("name", SUITES)
def test_every_row_can_be_planned_without_any_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    plan = tmp_path / "plan.json"
    arguments = ["run", name, "--scale", "smoke", "--seeds", "0", "--dry-run", "--json", str(plan)]
    augbench(monkeypatch, *arguments, "--results", str(tmp_path / "results"))
    planned = json.loads(plan.read_text())["plan"]
    assert [cell["row"] for cell in planned] == [row.label for row in load_suite(name).rows]
    assert len({cell["run"] for cell in planned}) == len(planned)  # no two rows are the same run


@pytest.mark.slow
@pytest.mark.usefixtures("pack")
def test_a_run_shows_how_much_of_the_text_was_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tiny_encoder: Path
) -> None:
    suite = """[suite]
name = "mine"
title = "Mine"
default_scale = "smoke"
select_on = "SampleSTS:dev"
columns = [{ title = "SampleSTS", task = "SampleSTS" }, { title = "Share changed", note = "views.positive.changed" }]
config = { batch_size = 16, eval_every = 0 }
[scales.smoke]
data = "sample"
corpus = "sample"
sentences = 100
[[rows]]
label = "half"
method = "sda"
set = { operator = "ensemble", proportion = 0.5 }
[[rows]]
label = "SimCSE"
method = "simcse"
"""
    (tmp_path / "mine.toml").write_text(suite)
    out = tmp_path / "table.json"
    arguments = ["run", str(tmp_path / "mine.toml"), "--encoder", str(tiny_encoder), "--json", str(out)]
    augbench(monkeypatch, *arguments, "--results", str(tmp_path / "results"))
    half, plain = json.loads(out.read_text())["rows"]
    assert 0.3 < half["cells"][1]["mean"] < 0.7
    assert plain["cells"][1]["mean"] is None
    (record,) = [
        json.loads(path.read_text())
        for path in (tmp_path / "results").glob("*/run.json")
        if json.loads(path.read_text())["spec"]["row"] == "half"
    ]
    views = record["notes"]["views"]
    assert views["positive"]["operator"]["members"] == [{"operator": "pi"}, {"operator": "mv"}, {"operator": "dn"}]
    assert views["negation"]["coverage"] > 0.9
