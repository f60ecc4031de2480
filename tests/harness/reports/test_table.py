from __future__ import annotations

import csv
import io
import json
import statistics
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.provenance import digest
from harness.published import Published
from harness.records.schema import EmbedderInfo, RunRecord, ScoreRecord, ScoreValue
from harness.records.store import Run, Store
from harness.reports import formats
from harness.reports.suite_tables import Today, suite_tables
from harness.reports.table import Cell, Table, build_table
from harness.suite import Suite, parse_suite

SUITE = """[suite]
name = "mine"
title = "Mine | a_table"
default_scale = "small"
average = "Avg"
columns = [
    { title = "A", task = "A", published = "A" },
    { title = "last", note = "selection.last_score" },
    { title = "B", task = "B" },
]
[scales.small]
[[rows]]
label = "=HYPERLINK(1)"
method = "simcse"
published = { source = "P T1", method = "m", encoder = "bert-base-uncased" }
[[rows]]
label = "Other & 10%"
method = "simcse"
set = { temperature = 0.1 }
"""
FIRST, SECOND = "=HYPERLINK(1)", "Other & 10%"
REFERENCES = [Published("m", "bert-base-uncased (inferred)", "A", "spearman", 82.45, "P T1")]
RunOf = Any


@pytest.fixture
def suite() -> Suite:
    return parse_suite(SUITE.encode(), "mine.toml")


@pytest.fixture
def run(tmp_path: Path, suite: Suite) -> RunOf:
    """Return a function that writes a run with its scores."""
    from harness.runs.plan import Options, expand

    configs = {s.row: s.config for s in expand(suite, Options(encoder="e"))}
    store = Store(tmp_path)

    def make(row: str = FIRST, seed: int = 0, scores: dict[str, float | None] | None = None, **more: Any) -> Run:
        train_id = digest([row, seed, more.get("salt")])[:16]
        spec = {
            "suite": "mine",
            "scale": "small",
            "row": row,
            "method": "simcse",
            "config": more.get("config", configs[row]),
            "language": "english",
            "corpus": {"name": "wiki.txt", "sha": more.get("corpus", "c"), "rows": 6400},
            "encoder": {"name": more.get("encoder", "bert-base-uncased"), "sha": "s" * 64},
            "seed": seed,
        }
        record = RunRecord(
            train_id=train_id,
            identity=more.get("identity", {}),
            spec=spec,  # type: ignore[arg-type]
            status=more.get("status", "ok"),
            reason=more.get("reason"),
            plumbing=more.get("plumbing"),
            notes={"selection": {"last_score": more.get("last")}, "views": more.get("views", {})},
            problems=more.get("problems", {}),
            embedder=EmbedderInfo(sha="x"),
            started="t",
            finished=more.get("finished", "t"),
        )
        written = store.write_run(record)
        for task, value in (scores or {}).items():
            name, protocol, text = [*task.split("/"), "", ""][:3]
            store.write_score(
                ScoreRecord(
                    train_id=train_id,
                    eval_id="1",
                    task=name,
                    split="test",
                    language="en",
                    protocol=protocol or "p@1",
                    protocol_fingerprint={"text": text} if text else {},
                    data_sha="d",
                    embedder_sha="x",
                    main=("spearman", "all"),
                    scores=(ScoreValue(metric="spearman", aggregation="all", value=value, items=3),),
                    finished="t",
                )
            )
        return written

    return make


def table(suite: Suite, *runs: Run, **more: Any) -> Table:
    rows: dict[str, list[Run]] = {}
    for run in runs:
        rows.setdefault(run.record.spec.row, []).append(run)
    return build_table(suite, "small", rows, references=REFERENCES, **more)


def row(table: Table, label: str = FIRST) -> dict[str, Cell]:
    line = next(line for line in table.lines if line.label == label)
    return {heading.title: cell for heading, cell in zip(table.headings, line.cells, strict=True)}


def remarks(table: Table, label: str = FIRST) -> list[str]:
    line = next(line for line in table.lines if line.label == label)
    return [table.footnotes[number - 1] for number in line.remarks]


def test_mean_and_sample_deviation_over_seeds(suite: Suite, run: RunOf) -> None:
    values = [76.123, 75.5, 77.25]
    found = row(table(suite, *(run(seed=i, scores={"A": v}, last=v - 1) for i, v in enumerate(values))))
    assert found["A"].mean == pytest.approx(sum(values) / 3)
    assert found["A"].std == pytest.approx(statistics.stdev(values))
    assert found["A"].text() == "76.29 ± 0.89"
    assert found["last"].mean == pytest.approx(sum(values) / 3 - 1)
    assert found["A, published"].text() == "82.45"


def test_the_published_average_stands_beside_ours_with_its_spread(suite: Suite, run: RunOf) -> None:
    text = SUITE.replace('average = "Avg"', 'average = "Mean"\npublished_average = "Avg"')
    wide = parse_suite(text.encode(), "mine.toml")
    printed = [*REFERENCES, Published("m", "bert-base-uncased", "Avg", "spearman", 79.37, "P T1", 0.07)]
    found = build_table(wide, "small", {FIRST: [run(scores={"A": 70.0, "B": 80.0})]}, references=printed)
    assert [heading.title for heading in found.headings][-2:] == ["Mean", "Mean, published"]
    assert row(found)["Mean"].text() == "75.00"
    assert row(found)["Mean, published"].text() == "79.37 ± 0.07"
    assert row(found, SECOND)["Mean, published"].text() == ""
    assert "Mean, published" not in row(table(suite, run(scores={"A": 70.0})))


def test_missing_is_blank_and_never_zero(suite: Suite, run: RunOf) -> None:
    found = table(suite, run(scores={"A": None}))
    assert {title: cell.text() for title, cell in row(found).items()} == {
        "A": "",
        "A, published": "82.45",
        "last": "",
        "B": "",
        "Avg": "",
    }
    assert all(cell.mean is None for cell in row(found, SECOND).values())


def test_averages_are_per_seed_over_unrounded_complete_rows(suite: Suite, run: RunOf) -> None:
    runs = [
        run(seed=0, scores={"A": 70.004, "B": 80.004}, last=1.0),
        run(seed=1, scores={"A": 71.0, "B": 80.0}),
        run(seed=2, scores={"A": 99.0}),  # incomplete: no average
    ]
    found = table(suite, *runs)
    average = row(found)["Avg"]
    assert average.values == pytest.approx((75.004, 75.5))  # notes and published values take no part
    assert row(found)["A"].values == (70.004, 71.0, 99.0)
    assert "B: only seeds 0, 1" in remarks(found)


def test_protocols_never_share_a_column(suite: Suite, run: RunOf) -> None:
    found = table(suite, run(scores={"A": 70.0}), run(SECOND, scores={"A/q@1": 80.0}))
    assert [h.title for h in found.headings if h.task == "A" and h.kind == "task"] == ["A (p@1)", "A (q@1)"]
    assert (row(found)["A (p@1)"].mean, row(found)["A (q@1)"].mean) == (70.0, None)


def test_a_run_that_other_suites_share_shows_the_texts_this_one_asks_for(suite: Suite, run: RunOf) -> None:
    found = table(suite, run(scores={"A/p@1/original": 70.0, "A/q@1/senteval": 80.0}))
    assert [h.title for h in found.headings if h.task == "A" and h.kind == "task"] == ["A"]
    assert row(found)["A"].mean == 70.0
    # what was only measured otherwise is shown all the same; its protocol is in the heading's record
    assert row(table(suite, run(seed=1, scores={"A/q@1/senteval": 80.0})))["A"].mean == 80.0


def test_what_must_not_be_compared_says_so(suite: Suite, run: RunOf) -> None:
    found = table(
        suite,
        run(seed=0, scores={"A": 1.0}, plumbing="a toy", encoder="mini"),
        run(seed=1, status="failed", reason="the loss is NaN"),
        run(seed=2, status="skipped", reason="no licence"),
    )
    assert remarks(found) == [
        "plumbing only, not a result: a toy",
        "stand-in: measured with mini, the published value is for bert-base-uncased",
        "seed 1 failed: the loss is NaN",
        "seed 2 skipped: no licence",
    ]
    assert found.lines[0].plumbing
    assert found.lines[0].seeds == (0,)
    assert row(found)["A"].values == (1.0,)
    assert remarks(table(suite, run(scores={"A": 1.0}))) == []


def test_only_what_the_table_shows_is_missed_in_it(suite: Suite, run: RunOf) -> None:
    problems = {task: {"status": "skipped", "reason": "not at hand"} for task in ("A", "QQP-pairs")}
    found = table(suite, run(encoder="bert-base-uncased", problems=problems))
    assert remarks(found) == ["A: not at hand"]
    two = run(seed=1, encoder="bert-base-uncased", scores={"A": 1.0})
    assert remarks(table(suite, run(encoder="bert-base-uncased", problems=problems), two)) == [
        "A, seed 0: not at hand",
        "A: only seeds 1",
    ]


@pytest.mark.parametrize(("limited", "applied", "said"), [(60, 90, True), (40, 90, False), (60, 0, False)])
def test_edits_of_sentences_that_were_cut_are_remarked_on(
    suite: Suite, run: RunOf, limited: int, applied: int, said: bool
) -> None:
    views = {"anchor": {"at_length_limit": limited}, "positive": {"tried": 100, "applied": applied}}
    found = remarks(table(suite, run(encoder="bert-base-uncased", views=views)))
    assert any("were cut at 32 word pieces" in text for text in found) is said


def test_a_transductive_row_is_marked(run: RunOf) -> None:
    marked = parse_suite(SUITE.replace('label = "Other', 'transductive = true\nlabel = "Other').encode(), "mine.toml")
    found = table(marked, run(encoder="bert-base-uncased"), run(SECOND))
    assert remarks(found) == []
    assert remarks(found, SECOND) == ["transductive: trained on the texts of the tests"]


def test_an_unknown_published_value_is_an_error(suite: Suite, run: RunOf) -> None:
    with pytest.raises(UsageError, match="P T1"):
        build_table(suite, "small", {}, references=[])


# -- formats ----------------------------------------------------------------------------------------------------------
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


# -- tables from a folder ---------------------------------------------------------------------------------------------
@pytest.fixture
def code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.reports.suite_tables.current_code", lambda *_: {"core": "new"})
    monkeypatch.setattr("harness.reports.table.published", lambda: REFERENCES)


@pytest.mark.usefixtures("code")
def test_older_code_is_named_and_not_shown(suite: Suite, run: RunOf, tmp_path: Path) -> None:
    old = run(seed=0, scores={"A": 1.0}, identity={"core": "old"})
    run(seed=0, scores={"A": 2.0}, identity={"core": "new"}, salt=1)
    other = run(SECOND, scores={"A": 5.0}, identity={"core": "old"})
    (found,), broken = suite_tables(suite, Store(tmp_path))
    assert broken == []
    assert row(found)["A"].values == (2.0,)
    assert row(found, SECOND)["A"].values == ()
    assert old.train_id in found.remarks[-1]
    assert other.train_id in found.remarks[-1]
    (shown,), _ = suite_tables(suite, Store(tmp_path), older=True)
    assert row(shown)["A"].values == (2.0,)
    assert row(shown, SECOND)["A"].values == (5.0,)
    assert remarks(shown, SECOND)[0].startswith("older code or settings")


@pytest.mark.usefixtures("code")
def test_other_settings_are_not_the_same_row(suite: Suite, run: RunOf, tmp_path: Path) -> None:
    now = {"core": "new"}
    good = run(scores={"A": 1.0}, identity=now).record
    listing = good.listings[0]
    assert Today(suite).is_current(listing, good)
    config = {**good.spec.config, "temperature": 0.9}
    assert not Today(suite).is_current(listing, run(seed=3, config=config, identity=now).record)
    assert not Today(suite).is_current(listing.model_copy(update={"row": "gone"}), good)


@pytest.mark.usefixtures("code")
def test_different_corpora_and_encoders_are_different_tables(suite: Suite, run: RunOf, tmp_path: Path) -> None:
    now = {"core": "new"}
    run(scores={"A": 1.0}, identity=now)
    run(seed=1, scores={"A": 2.0}, identity=now, corpus="other")
    (tmp_path / ("f" * 16)).mkdir()
    (tmp_path / ("f" * 16) / "run.json").write_text("{")
    tables, broken = suite_tables(suite, Store(tmp_path))
    assert sorted(row(t)["A"].values for t in tables) == [(1.0,), (2.0,)]
    assert len(broken) == 1


@pytest.mark.usefixtures("code")
def test_a_renamed_encoder_folder_stays_in_its_table(suite: Suite, run: RunOf, tmp_path: Path) -> None:
    now = {"core": "new"}
    run(scores={"A": 1.0}, identity=now, encoder="model")
    run(seed=1, scores={"A": 3.0}, identity=now, encoder="minilm/model")
    (found,), _ = suite_tables(suite, Store(tmp_path))
    assert sorted(row(found)["A"].values) == [1.0, 3.0]


@pytest.mark.usefixtures("code")
def test_a_finished_run_counts_before_a_failed_one(suite: Suite, run: RunOf, tmp_path: Path) -> None:
    now = {"core": "new"}
    run(scores={"A": 1.0}, identity=now, finished="1")
    run(status="failed", reason="x", identity=now, finished="2", salt=1)
    (found,), _ = suite_tables(suite, Store(tmp_path))
    assert row(found)["A"].values == (1.0,)
    assert remarks(found) == []


def test_another_aggregation_needs_predictions_only_and_drops_published_values(
    suite: Suite, run: RunOf, tmp_path: Path
) -> None:
    import numpy as np
    from scipy.stats import spearmanr

    from harness.records.schema import pack

    rng = np.random.default_rng(0)
    gold, predictions = rng.normal(size=30).astype("f4"), rng.normal(size=30).astype("f4")
    first = run(scores={"A": 1.0, "B": 2.0})
    (score, other) = first.scores()
    Store(tmp_path).write_score(
        score.model_copy(
            update={
                "groups": {"x": 10, "y": 20},
                "packed_predictions": pack(predictions, "<f4"),
                "packed_gold": pack(gold, "<f4"),
                "predictions_dtype": "<f4",
            }
        )
    )
    parts = [100 * spearmanr(gold[s], predictions[s]).statistic for s in (slice(10), slice(10, 30))]
    for aggregation, value in {"mean": sum(parts) / 2, "wmean": (parts[0] + 2 * parts[1]) / 3}.items():
        found = table(suite, first, aggregation=aggregation)
        assert row(found)["A"].mean == pytest.approx(value)
        assert row(found)["B"].mean == other.value  # no subsets: one value under all
        assert "A, published" not in row(found)
        assert any(aggregation in remark for remark in found.remarks)
    assert row(table(suite, first, aggregation="all"))["A"].mean == 1.0  # as it was stored
