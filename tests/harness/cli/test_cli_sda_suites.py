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

SUITES = [
    "sda-table4-bert",
    "sda-table4-roberta",
    "sda-table5",
    "sda-table6",
    "sda-table8",
    "sda-table9",
    "sda-ensemble",
    "sda-figure4",
    "sda-figure5a",
    "sda-figure5b",
    "simcse-baselines",
]


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
    assert {cell["cost_from"] for cell in planned if cell["seconds"] is not None} == set()  # there are no records yet


@pytest.mark.slow
@pytest.mark.usefixtures("pack")
def test_a_sweep_from_the_command_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tiny_encoder: Path) -> None:
    suite = """[suite]
name = "mine"
title = "Mine"
default_scale = "smoke"
select_on = "SampleSTS:dev"
columns = [{ title = "SampleSTS", task = "SampleSTS" }]
config = { batch_size = 16, eval_every = 0 }
[scales.smoke]
data = "sample"
corpus = "sample"
sentences = 60
[[rows]]
label = "SimCSE"
method = "simcse"
"""
    (tmp_path / "mine.toml").write_text(suite)
    out, plan, results = tmp_path / "table.json", tmp_path / "plan.json", tmp_path / "results"
    arguments = ["run", str(tmp_path / "mine.toml"), "--encoder", str(tiny_encoder), "--results", str(results)]
    sweep = ["--grid", "learning_rate=1e-5,1e-3"]
    augbench(monkeypatch, *arguments, *sweep, "--json", str(out))
    found = json.loads(out.read_text())
    (row,) = found["sweep"]["rows"]
    means = [trial["mean"] for trial in row["trials"]]
    assert means[row["chosen"]] == max(means)
    assert found["rows"][0]["cells"][0]["mean"] is not None
    assert len(list(results.glob("*/run.json"))) == 2
    # the same command has nothing left to do, and a longer one costs what the first one did
    augbench(monkeypatch, *arguments, "--grid", "learning_rate=1e-5,1e-3,1e-4", "--dry-run", "--json", str(plan))
    cells = json.loads(plan.read_text())["plan"]
    assert [cell["todo"] for cell in cells] == ["nothing", "nothing", "train"]
    assert cells[2]["train_seconds"] > 0
    assert cells[2]["memory_mib"]["host"] > 0
    assert cells[2]["cost_from"].startswith("2 earlier runs of 60 sentences")


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


def test_what_is_not_trained_is_not_swept(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["augbench", "run", "sda-jaccard", "--grid", "learning_rate=1,2"])
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "--grid" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--space", "learning_rate=1e-5..1e-3:log"], "--space needs --random N"),
        (["--grid", "a=1", "--random", "2"], "two ways to sweep"),
        (["--random", "2"], "nothing to vary"),
    ],
)
def test_options_of_a_sweep_that_contradict_each_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["augbench", "run", "quickstart", *options])
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
