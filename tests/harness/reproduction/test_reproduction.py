from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from harness.cli.report import report
from harness.errors import UsageError
from harness.published import Published
from harness.records.schema import EmbedderInfo, RunRecord, ScoreRecord, ScoreValue, pack
from harness.records.store import Store
from harness.reproduction.formats import notes, render_reproduction, rich_reproduction
from harness.reproduction.reports import Reproduction, reproduce
from harness.statistics import hierarchical_difference, hierarchical_score, holm, resolvable, spearman
from harness.suite import Suite, parse_suite

SUITE = """[suite]
name = "mine"
title = "Mine"
default_scale = "paper"
average = "Mean"
published_average = "Avg"
columns = [
    { title = "A", task = "A", published = "A" },
    { title = "B", task = "B" },
]
[paper_settings]
sentences = 1000
pooler = "cls"
text = "original"
aggregation = "all"
seeds = 1
[scales.paper]
sentences = 1000
[scales.small]
[[rows]]
label = "None (SimCSE)"
method = "simcse"
published = { source = "P T1", method = "base", encoder = "bert-base-uncased" }
[[rows]]
label = "Better"
method = "simcse"
set = { temperature = 0.1 }
published = { source = "P T1", method = "better", encoder = "bert-base-uncased" }
[[rows]]
label = "Best"
method = "simcse"
set = { temperature = 0.2 }
published = { source = "P T1", method = "best", encoder = "bert-base-uncased" }
[[rows]]
label = "Ours"
method = "simcse"
set = { temperature = 0.3 }
"""
PRINTED = {"base": 60.0, "better": 80.0, "best": 90.0}
REFERENCES = [
    Published(
        method, "bert-base-uncased", task, "spearman", value + (task == "Avg"), "P T1", 0.2 if task == "A" else None
    )
    for method, value in PRINTED.items()
    for task in ("A", "Avg")
]
NOISE = {"None (SimCSE)": 1.2, "Better": 0.8, "Best": 0.4, "Ours": 0.6}
GOLD = {task: np.random.default_rng(n).normal(size=300).astype("f4") for n, task in enumerate("AB")}


@pytest.fixture(autouse=True)
def _code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run is of today's code, and the numbers printed are those above."""
    monkeypatch.setattr("harness.reports.suite_tables.Today.is_current", lambda *_: True)
    monkeypatch.setattr("harness.reports.table.published", lambda: REFERENCES)


@pytest.fixture
def suite() -> Suite:
    return parse_suite(SUITE.encode(), "mine.toml")


def predicted(row: str, seed: int, task: str) -> np.ndarray:
    shared = np.random.default_rng(99).normal(size=300)
    own = np.random.default_rng([seed, len(row)]).normal(size=300)
    return (GOLD[task] + NOISE[row] * (shared + 0.3 * own)).astype("f4")


def write(store: Store, row: str, seed: int, **more: Any) -> None:
    train_id = f"{list(NOISE).index(row)}{seed}".ljust(16, "0")
    spec = {
        "suite": "mine",
        "scale": more.get("scale", "paper"),
        "row": row,
        "method": "simcse",
        "config": {},
        "language": "english",
        "corpus": {"name": "wiki.txt", "sha": "c", "rows": more.get("sentences", 1000)},
        "encoder": {"name": more.get("encoder", "models/bert-base-uncased"), "sha": "s" * 64},
        "seed": seed,
    }
    store.write_run(
        RunRecord(
            train_id=train_id,
            identity={},
            spec=spec,  # type: ignore[arg-type]
            status=more.get("status", "ok"),
            reason=more.get("reason"),
            plumbing=more.get("plumbing"),
            embedder=EmbedderInfo(sha="x", describe={"pooler": more.get("pooler", "cls")}),
            started="t",
            finished="t",
        )
    )
    for task in more.get("tasks", "AB"):
        values = predicted(row, seed, task)
        store.write_score(
            ScoreRecord(
                train_id=train_id,
                eval_id="1",
                task=task,
                split="test",
                language="en",
                protocol="p@1",
                protocol_fingerprint={},
                data_sha="d",
                embedder_sha="x",
                main=("spearman", "all"),
                scores=(
                    ScoreValue(metric="spearman", aggregation="all", value=spearman(GOLD[task], values), items=300),
                ),
                groups={"all": 300},
                finished="t",
                predictions_dtype="<f4",
                packed_predictions=pack(values, "<f4"),
                packed_gold=pack(GOLD[task], "<f4") if more.get("gold", True) else None,
            )
        )


def fill(path: Path, *, seeds: int = 3, rows: tuple[str, ...] = tuple(NOISE), **more: Any) -> Store:
    store = Store(path)
    for row in rows:
        for seed in range(seeds):
            write(store, row, seed, **more)
    return store


def reports(suite: Suite, store: Store) -> list[Reproduction]:
    found, broken = reproduce(suite, store, resamples=300)
    assert broken == []
    return found


def test_every_row_with_its_noise(suite: Suite, tmp_path: Path) -> None:
    single, average = reports(suite, fill(tmp_path))
    assert (single.column, single.tasks, average.column, average.tasks) == ("A", ("A",), "Mean", ("A", "B"))
    assert [row.label for row in single.rows] == list(NOISE)
    base = np.stack([predicted("None (SimCSE)", seed, "A") for seed in range(3)])
    p = []
    for row in single.rows:
        runs = np.stack([predicted(row.label, seed, "A") for seed in range(3)])
        alone = hierarchical_score(GOLD["A"], runs, resamples=3000)
        assert row.seeds == (0, 1, 2)
        assert row.over_seeds.mean == pytest.approx(np.mean([spearman(GOLD["A"], run) for run in runs]))
        assert row.ours.value == pytest.approx(row.over_seeds.mean)
        assert row.ours.se == pytest.approx(alone.se, rel=0.25)
        if row.label == single.reference:
            assert row.to_reference is None
            continue
        gap = hierarchical_difference(GOLD["A"], base, runs, resamples=3000)
        assert row.to_reference.paired
        assert row.to_reference.value == pytest.approx(gap.value)
        assert row.to_reference.se == pytest.approx(gap.se, rel=0.25)
        assert row.smallest == resolvable(row.to_reference)
        p.append(row.to_reference.p)
    assert [row.p for row in single.rows if row.p is not None] == holm(p)
    assert single.rows[-1].published is None
    assert single.rows[-1].difference is None


def test_an_average_is_of_the_tasks_per_seed(suite: Suite, tmp_path: Path) -> None:
    _, average = reports(suite, fill(tmp_path))
    for row in average.rows[:3]:
        values = [np.mean([spearman(GOLD[t], predicted(row.label, seed, t)) for t in "AB"]) for seed in range(3)]
        assert row.over_seeds.mean == pytest.approx(np.mean(values))
        assert row.ours.items == 600
        assert row.difference == pytest.approx(row.over_seeds.mean - row.published)


def test_inside_the_noise(suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (single, _) = reports(suite, fill(tmp_path))
    best = single.rows[2]
    half = best.ours.high - best.ours.value
    for shift, std, inside in ((0.9 * half, None, True), (1.1 * half, None, False), (1.1 * half, best.ours.se, True)):
        changed = [
            Published(r.method, r.encoder, r.task, r.metric, best.ours.value + shift, r.source, std)
            if r.method == "best"
            else r
            for r in REFERENCES
        ]
        monkeypatch.setattr("harness.reports.table.published", lambda changed=changed: changed)
        assert reports(suite, Store(tmp_path))[0].rows[2].inside_noise is inside


def test_the_papers_order_holds(suite: Suite, tmp_path: Path) -> None:
    single, _ = reports(suite, fill(tmp_path))
    assert single.verdict.outcome == "holds"
    found = single.ordering
    assert (found.agreement.tau, found.agreement.methods, found.agreement.over) == (1, 3, "seeds and items")
    assert set(found.confirmed) == {("Better", "None (SimCSE)"), ("Best", "None (SimCSE)"), ("Best", "Better")}
    assert (found.contradicted, found.undecided) == ((), 0)
    assert {c.setting: c.differs for c in single.causes} == {
        "pooler": False,
        "text variant": False,
        "aggregation": False,
        "seeds": True,
        "corpus size": False,
        "encoder": False,
        "scale": False,
    }


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ({"base": 90, "better": 80, "best": 60}, "does not hold"),
        ({"base": 60, "better": 90, "best": 80}, "holds in part"),
        ({"base": 80, "better": 60, "best": 90}, "holds in part"),
        ({"base": 60, "better": 60, "best": 90}, "holds"),
    ],
)
def test_other_orders(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: dict, outcome: str
) -> None:
    changed = [Published(r.method, r.encoder, r.task, r.metric, values[r.method], r.source) for r in REFERENCES]
    monkeypatch.setattr("harness.reports.table.published", lambda: changed)
    single, _ = reports(suite, fill(tmp_path))
    assert single.verdict.outcome == outcome
    assert any("against the paper" in reason for reason in single.verdict.reasons) is (outcome != "holds")


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"encoder": "mini"}, "encoder: ours mini, the paper's bert-base-uncased"),
        ({"sentences": 900}, "corpus size: ours 900 sentences, the paper's 1,000 sentences"),
        ({"scale": "small"}, "scale: ours small, the paper's paper"),
        ({"seeds": 1}, "one seed"),
        ({"rows": ("None (SimCSE)", "Best")}, "not measured: Better"),
        ({"rows": ("Best",)}, "fewer than two rows"),
        ({"plumbing": "a toy"}, "plumbing"),
    ],
)
def test_no_verdict(suite: Suite, tmp_path: Path, more: dict, reason: str) -> None:
    single, _ = reports(suite, fill(tmp_path, **more))
    assert single.verdict.outcome == "none"
    assert any(reason in text for text in single.verdict.reasons)
    assert "no verdict" in "\n".join(notes(single))


def test_without_gold_scores_the_noise_is_that_of_the_seeds(suite: Suite, tmp_path: Path) -> None:
    single, _ = reports(suite, fill(tmp_path, gold=False))
    assert single.ordering.agreement.over == "seeds"
    for row in single.rows:
        assert row.ours.items == 0
        assert (row.ours.low, row.ours.high) == pytest.approx((row.over_seeds.low, row.over_seeds.high))
    assert any("over the seeds alone" in remark for remark in single.remarks)


def test_missing_is_missing(suite: Suite, tmp_path: Path) -> None:
    store = fill(tmp_path, rows=("None (SimCSE)", "Better"))
    write(store, "Best", 0, tasks="A")
    write(store, "Best", 1, status="failed", reason="no memory")
    single, average = reports(suite, store)
    assert single.rows[2].seeds == (0,)
    best = average.rows[2]
    assert (best.seeds, best.over_seeds.mean, best.ours, best.difference, best.inside_noise, best.p) == (
        (),
        *(None,) * 5,
    )
    assert best.published == 91.0
    assert any("no memory" in remark for remark in best.remarks)
    assert reports(suite, Store(tmp_path / "empty")) == []


# -- formats ----------------------------------------------------------------------------------------------------------
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
