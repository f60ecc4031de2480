"""`augbench submit pack`: what is handed in says the same in less space, and passes the check."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from board_records import GOLD, change, run_record, score_record, write_run
from hypothesis import given
from hypothesis import strategies as st
from page_records import add_analysis, coverage_result, plane_result
from typer.testing import CliRunner

from harness.cli import build
from harness.errors import UsageError
from harness.index import refresh
from harness.records.schema import Listing, ScoreRecord, pack
from harness.records.store import Store
from harness.statistics import correlation
from harness.submission import check
from harness.submission.packing import ROUNDING, halved, pack_results, without_places

TASKS = ("STS12", "STS-B", "STS-B:dev")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    for seed in (0, 1):
        place = write_run(folder, run_record("SimCSE", seed), TASKS)
    for name in ("embedder", "checkpoint"):
        (place / name).mkdir()
        (place / name / "model.safetensors").write_bytes(b"x" * 1000)
    (folder / ".locks").mkdir()
    write_run(folder, run_record("SDA", 0, suite="other"), TASKS)
    return folder


def test_the_packed_folder_is_fit_and_holds_the_same_scores(source: Path, tmp_path: Path) -> None:
    add_analysis(source, "sda-table2", "coverage", coverage_result())
    done = CliRunner().invoke(build(), ["submit", "pack", str(source), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "3 runs with 9 scores" in done.output
    assert "1 analyses" in done.output
    assert [finding.text for finding in check(tmp_path / "out")] == []
    assert not [
        path for path in (tmp_path / "out").rglob("*") if path.suffix == ".safetensors" or path.name == ".locks"
    ]
    columns = ["train_id", "task", "split", "value", "eval_id", "older", "system"]
    before, after = (refresh([folder]).scores[columns] for folder in (source, tmp_path / "out"))
    assert before.to_dict("records") == after.to_dict("records")


def test_half_precision_gives_the_printed_score_again(source: Path, tmp_path: Path) -> None:
    done = pack_results(source, tmp_path / "out")
    assert done.halved > 0
    for run in Store(tmp_path / "out").iter_runs():
        for score in run.scores():
            assert score.gold is not None
            found = correlation(score.gold, score.predictions)
            assert found is not None
            assert score.value is not None
            assert abs(found - score.value) <= ROUNDING
    size = sum(path.stat().st_size for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert size == done.size


def test_a_shared_run_stands_in_the_rows_of_the_chosen_suites_only(source: Path, tmp_path: Path) -> None:
    store = Store(source)
    (shared,) = [run for run in store.iter_runs() if run.record.spec.suite == "other"]
    here = [Listing(suite=name, scale="small", row="SDA") for name in ("mine", "third")]
    store.write_run(shared.record.model_copy(update={"also": tuple(here)}))
    assert pack_results(source, tmp_path / "out", suites=["third", "mine"]).runs == 1
    (run,) = Store(tmp_path / "out").iter_runs()
    assert [at.suite for at in run.record.listings] == ["mine", "third"]
    assert run.train_id == shared.train_id


def test_bare_suites_keep_their_scores_and_nothing_to_compute_them_from(source: Path, tmp_path: Path) -> None:
    full, lean = pack_results(source, tmp_path / "full"), pack_results(source, tmp_path / "out", bare=["other"])
    assert (full.runs, full.scores) == (lean.runs, lean.scores)
    for run in Store(tmp_path / "out").iter_runs():
        for score in run.scores():
            assert score.value is not None
            assert bool(len(score.predictions)) is (run.record.spec.suite != "other")
    assert not [finding for finding in check(tmp_path / "out") if finding.problem]


def test_digits_that_no_score_shows_go_and_whole_numbers_keep_theirs() -> None:
    rng = np.random.default_rng(0)
    gold = rng.random(2000).astype(np.float32)
    run = run_record()

    def packed(predictions: np.ndarray) -> np.ndarray:
        scores = [{"metric": "spearman", "aggregation": "all", "value": correlation(gold, predictions), "items": 2000}]
        full = {"packed_predictions": pack(predictions, "<f4"), "packed_gold": pack(gold, "<f4"), "scores": scores}
        return halved(score_record(run, "STS12", **full)).predictions

    close = (gold + 0.2 * rng.normal(size=2000)).astype(np.float32)
    found = packed(close)
    assert 0 < np.abs(found - close).max() < 0.01
    assert len(np.unique(found)) < len(np.unique(close.astype(np.float16)))
    for most in (150, 2000, 5000):  # half precision holds whole numbers up to 2048
        classes = rng.integers(0, most, 2000).astype(np.float32)
        np.testing.assert_array_equal(packed(classes), classes)


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 0.999), st.integers(2, 200))
def test_no_score_comes_out_differently(seed: int, low: float, items: int) -> None:
    """Predictions that crowd near 1, as an untrained encoder's do, keep their precision where half of it is too little."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 6, items).astype(np.float32)
    predictions = (low + (1 - low) * rng.random(items)).astype(np.float32)
    stated = correlation(gold, predictions)
    base = score_record(run_record(), "STS12")
    record = base.model_copy(
        update={
            "scores": (base.scores[0].model_copy(update={"value": stated, "items": items}),),
            "packed_predictions": pack(predictions, "<f4"),
            "packed_gold": pack(gold, "<f4"),
        }
    )
    found = correlation(gold, halved(ScoreRecord.model_validate(record.model_dump())).predictions)
    assert found == stated if stated is None or found is None else abs(found - stated) <= ROUNDING


def test_predictions_that_half_precision_cannot_hold_stay(source: Path) -> None:
    run = run_record()
    crowded = (1.0 - np.arange(80) * 1e-6).astype(np.float32)
    value = correlation(GOLD["STS12"], crowded)
    scores = [{"metric": "spearman", "aggregation": "all", "value": value, "items": 80}]
    record = score_record(run, "STS12", packed_predictions=pack(crowded, "<f4"), scores=scores)
    assert halved(record) == record


def test_a_score_that_nothing_follows_from_keeps_what_it_has() -> None:
    unknown = [{"metric": "ap", "aggregation": "all", "value": 50.0, "items": 80}]
    record = score_record(run_record(), "STS12", main=["ap", "all"], scores=unknown)
    assert halved(record) == record
    classes = score_record(
        run_record(), "STS12", main=["ap", "all"], scores=unknown, packed_predictions=pack(GOLD["STS12"], "<f4")
    )
    assert halved(classes).predictions_dtype == "<f2"


def test_what_is_no_result_stays_at_home(source: Path, tmp_path: Path) -> None:
    write_run(source, run_record("Failed", status="failed", reason="it did", embedder=None))
    write_run(source, run_record("Plumbed", plumbing="sample data"))
    write_run(source, run_record("SimCSE", code="0ther", finished="2026-03-01T00:00:00+00:00"))
    (source / ("0" * 16)).mkdir()
    (source / ("0" * 16) / "run.json").write_text("{")
    add_analysis(source, "augmentation-quality", "quality", plane_result(), plumbing="sample data")
    done = pack_results(source, tmp_path / "out")
    assert dict(done.left_out) == {"damaged": 1, "failed": 1, "plumbing": 2, "run again later": 2}
    assert {run.record.spec.row for run in Store(tmp_path / "out").iter_runs()} == {"SimCSE", "SDA"}


def test_only_the_suites_asked_for(source: Path, tmp_path: Path) -> None:
    assert pack_results(source, tmp_path / "out", suites=["other"]).runs == 1
    with pytest.raises(UsageError, match="nothing to hand in"):
        pack_results(source, tmp_path / "none", suites=["nobody's"])


def test_folders_of_this_machine_are_left_out(source: Path, tmp_path: Path) -> None:
    place = write_run(source, run_record("Placed", encoder={"name": "/home/me/models/bert", "sha": "b" * 64}), TASKS)
    change(place / "run.json", notes={"cache": "read from /home/me/.cache/x.bin", "url": "https://example.org/a/b"})
    pack_results(source, tmp_path / "out")
    record = json.loads((tmp_path / "out" / place.name / "run.json").read_text(encoding="utf-8"))
    assert record["spec"]["encoder"]["name"] == "bert"
    assert record["notes"] == {"cache": "read from x.bin", "url": "https://example.org/a/b"}
    assert check(tmp_path / "out") == []


@pytest.mark.parametrize("text", ["a/b and/or c", "12 / 13 steps", "https://x.org/y/z", "org/model", "no"])
def test_what_is_no_place_stays(text: str) -> None:
    assert without_places({"x": [text]}) == {"x": [text]}


def test_numbers_of_single_lines_are_left_out_of_analyses(source: Path, tmp_path: Path) -> None:
    result = {"operators": [{"operator": "pi", "lines_words": "abc", "consistency": {"value": 1.0}}]}
    add_analysis(source, "augmentation-quality", "quality", result)
    pack_results(source, tmp_path / "out")
    (path,) = (tmp_path / "out" / "analyses").iterdir()
    assert json.loads(path.read_text(encoding="utf-8"))["result"]["operators"][0]["lines_words"] == ""


def test_a_taken_folder_and_a_missing_one_are_refused(source: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "x").write_text("mine")
    with pytest.raises(UsageError, match="not an empty folder"):
        pack_results(source, tmp_path / "taken")
    with pytest.raises(UsageError, match="no results folder"):
        pack_results(tmp_path / "nowhere", tmp_path / "out")


def test_hostile_analyses_are_refused(source: Path) -> None:
    record = add_analysis(source, "sda-table2", "coverage", coverage_result())
    (path,) = (source / "analyses").iterdir()
    assert not [finding for finding in check(source) if finding.problem]
    change(path, suite="../../x", language="<b>", facts={"x": "y" * 20_000})
    said = " ".join(finding.text for finding in check(source))
    assert all(word in said for word in ("a path", "markup", "10,000", "not that of its suite"))
    change(path, analysis_id=record.analysis_id, plumbing="sample", suite=record.suite, language="english", facts={})
    assert any("no result" in finding.text for finding in check(source))
    path.write_text('{"run": NaN}')
    assert any("strict JSON" in finding.text for finding in check(source))
