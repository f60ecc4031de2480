"""`augbench submit check`: good records pass, hostile ones are told what is wrong with them, and nothing of them runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from board_records import change, run_record, score_record, write_run
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from harness.cli import build
from harness.errors import UsageError
from harness.records.schema import ScoreRecord, pack
from harness.records.store import Store
from harness.submission import check
from harness.submission.reading import MOST_DEPTH, Refused, read_json

SCORE = "scores/STS-B@sts-original-1.json"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write_run(tmp_path / "results", run_record())


def problems(path: Path) -> list[str]:
    return [finding.text for finding in check(path) if finding.problem]


def test_what_we_write_ourselves_is_fit(place: Path) -> None:
    assert check(place.parent) == []
    assert check(place) == []
    assert check(place / "run.json") == []
    assert check(place / SCORE) == []


def test_weights_are_named_and_not_looked_at(place: Path) -> None:
    (place / "embedder").mkdir()
    (place / "embedder" / "model.safetensors").write_bytes(b"x")
    (finding,) = check(place.parent)
    assert not finding.problem


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"status": "fine"}, "status"),
        ({"train_id": "../../../etc"}, "train_id"),
        ({"train_id": "f" * 16}, "changed after the run"),
        ({"seconds": {"total": -1.0}}, "seconds.total"),
        ({"seconds": {"total": "10"}}, "seconds.total"),
        ({"peak_memory_mib": {"host": 1e300}}, "peak_memory_mib.host"),
        ({"started": "yesterday"}, "expected times"),
        ({"started": "2027-01-01T00:00:00+00:00"}, "before it was started"),
        ({"embedder": None}, "no embedder"),
        ({"plumbing": "stand-in encoder"}, "no result"),
        ({"run_me": "import os"}, "unknown field"),
        ({"notes": {"x": "y" * 20_000}}, "at most 10,000"),
        ({"notes": {"x": "\x1b[31mred"}}, "control characters"),
        ({"notes": {"k" * 300: 1}}, "field name"),
        ({"notes": {"x": 10**30}}, "out of all bounds"),
        ({"schema_version": 99}, "schema 99"),
        ({"spec": []}, "spec"),
    ],
)
def test_a_changed_run_is_refused(place: Path, fields: dict[str, Any], said: str) -> None:
    change(place / "run.json", **fields)
    assert any(said in text for text in problems(place)), problems(place)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("<script>alert(1)</script>", "markup"),
        ("<img src=x onerror=alert(1)>", "markup"),
        ("../../escape", "path"),
        ("/etc/passwd", "path"),
        ("..\\windows", "path"),
        ('=HYPERLINK("http://x")', "spreadsheet"),
        ("@SUM(A1)", "spreadsheet"),
        ("+1+1", "spreadsheet"),
        ("", "1 to 200"),
        ("n" * 201, "1 to 200"),
        ("right\u202eleft", "control characters"),
    ],
)
def test_a_hostile_name_is_refused(tmp_path: Path, row: str, said: str) -> None:
    path = write_run(tmp_path / "results", run_record("SimCSE"))
    record = json.loads((path / "run.json").read_text())
    record["spec"]["row"] = row
    (path / "run.json").write_text(json.dumps(record))
    assert any(said in text for text in problems(path)), problems(path)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"task": "../STS-B"}, "path"),
        ({"task": "<b>STS</b>"}, "markup"),
        ({"data_sha": "0" * 64}, "eval_id"),
        ({"embedder_sha": "0" * 64}, "other weights"),
        ({"train_id": "0" * 16}, "another"),
        ({"main": ["pearson", "all"]}, "not among its scores"),
        ({"groups": {"a": 1}}, "groups have 1 items"),
        ({"packed_predictions": "AAAA"}, "damaged"),
        ({"packed_predictions": "<script>"}, "damaged"),
        ({"packed_predictions": 5}, "packed_predictions"),
        ({"packed_predictions": pack([0.5] * 7, "<f4")}, "7 predictions for 80"),
        ({"packed_predictions": pack([float("nan")] * 80, "<f4")}, "not a finite number"),
        ({"packed_predictions": pack([0.5] * 80, "<f4")}, "its predictions give undefined"),
        (
            {"scores": [{"metric": "spearman", "aggregation": "all", "value": 101.0, "items": 80}]},
            "expected -100 to 100",
        ),
        (
            {"scores": [{"metric": "spearman", "aggregation": "all", "value": 99.9, "items": 80}]},
            "its predictions give",
        ),
        ({"scores": [{"metric": "spearman", "aggregation": "all", "value": None, "items": 80}]}, "stated as undefined"),
        ({"scores": []}, "not among its scores"),
    ],
)
def test_a_changed_score_is_refused(place: Path, fields: dict[str, Any], said: str) -> None:
    change(place / SCORE, **fields)
    assert any(said in text for text in problems(place)), problems(place)


def test_a_few_items_more_do_not_get_through(place: Path) -> None:
    """The stated score is that of other predictions: half a point is enough to be seen."""
    record = ScoreRecord.model_validate_json((place / SCORE).read_bytes())
    value = record.value
    assert value is not None
    for gap, refused in ((0.5, True), (0.001, False)):
        change(place / SCORE, scores=[{"metric": "spearman", "aggregation": "all", "value": value + gap, "items": 80}])
        assert bool(problems(place)) == refused


def test_accuracy_is_counted_again(place: Path) -> None:
    run = run_record()
    gold = [0.0, 1.0] * 40
    said = {"metric": "accuracy", "aggregation": "all", "value": 75.0, "items": 80}
    right = pack([*gold[:60], *[1.0 - one for one in gold[60:]]], "<f4")
    fields = {
        "main": ("accuracy", "all"),
        "scores": (said,),
        "packed_gold": pack(gold, "<f4"),
        "packed_predictions": right,
    }
    Store(place.parent).write_score(score_record(run, "STS-B", **fields))
    assert problems(place) == []
    change(place / SCORE, scores=[said | {"value": 80.0}])
    assert any("stated as 80.0000, its predictions give 75.0000" in text for text in problems(place))


def accuracy(place: Path, value: float, *, items: int = 80, **more: Any) -> list[str]:
    """Write a score of 60 right of 80 predicted classes, stated as `value` of `items`, and say what is wrong with it."""
    gold = [0.0, 1.0] * 40
    fields = {
        "main": ("accuracy", "all"),
        "scores": ({"metric": "accuracy", "aggregation": "all", "value": value, "items": items},),
        "packed_gold": pack(gold, "<f4"),
        "packed_predictions": pack([*gold[:60], *[1.0 - one for one in gold[60:]]], "<f4"),
    }
    Store(place.parent).write_score(score_record(run_record(), "STS-B", **fields, **more))
    return problems(place)


def test_the_mean_of_random_states_is_counted_again(place: Path) -> None:
    """Predictions are those of the first state: clustering."""
    states = {"accuracy_state_0": 75.0, "accuracy_state_1": 65.0, "accuracy_std": 7.07}
    assert accuracy(place, 70.0, facts=states) == []
    assert any("its random states give 70.0000" in text for text in accuracy(place, 75.0, facts=states))
    moved = {**states, "accuracy_state_0": 85.0, "accuracy_state_1": 55.0}
    assert any("85.0000, its predictions give 75.0000" in text for text in accuracy(place, 70.0, facts=moved))


def test_one_group_of_predictions_per_split(place: Path) -> None:
    assert accuracy(place, 75.0, items=40, groups={"split-0": 40, "split-1": 40}) == []
    assert any("stated for 40 items" in text for text in accuracy(place, 75.0, items=40, groups={"a": 30, "b": 50}))


def test_what_cannot_be_computed_again_is_said(place: Path) -> None:
    change(place / SCORE, packed_gold=None)
    (finding,) = check(place)
    assert not finding.problem
    assert "no gold scores" in finding.text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no strict JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "deep"),
        (b'{"a":' * 50 + b"1" + b"}" * 50, "deep"),
        (b'{"schema_version": NaN}', "NaN"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"a": ' + b"9" * 5000 + b"}", "no strict JSON"),
        (b"[1, 2]", "expected a JSON object"),
        (b'"=cmd|calc"', "expected a JSON object"),
        (b'{"unfinished": "', "no strict JSON"),
    ],
)
def test_hostile_bytes_are_refused(place: Path, content: bytes, said: str) -> None:
    (place / "run.json").write_bytes(content)
    assert any(said in text for text in problems(place)), problems(place)


def test_brackets_in_texts_are_no_depth(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"a": "[" * 100 + '\\"{{{{'}))
    assert read_json(tmp_path / "a.json")["a"].startswith("[")


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner, max_size=2), max_leaves=8), st.integers(0, 40))
def test_depth_is_counted_as_the_parser_counts_it(
    tmp_path_factory: pytest.TempPathFactory, value: Any, more: int
) -> None:
    def depth(one: Any) -> int:
        return 1 + max(map(depth, one), default=0) if isinstance(one, list) else 0

    for _ in range(more):
        value = [value]
    path = tmp_path_factory.mktemp("deep") / "a.json"
    path.write_text(json.dumps({"a": value}))
    if 1 + depth(value) > MOST_DEPTH:
        with pytest.raises(Refused, match="deep"):
            read_json(path)
    else:
        assert read_json(path) == {"a": value}


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("bytes") / "a.json"
    path.write_bytes(content)
    assert all(finding.problem for finding in check(path) if "computed" not in finding.text)


def test_a_large_file_is_not_read(place: Path) -> None:
    with (place / "run.json").open("wb") as file:
        file.truncate(2**31)
    assert any("at most" in text for text in problems(place))


def test_links_are_refused_wherever_they_stand(place: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    (place / SCORE).unlink()
    os.symlink(secret, place / SCORE)
    os.symlink(tmp_path, place.parent / ("e" * 16))
    os.symlink(place, tmp_path / "link")
    assert sum("symbolic link" in text for text in problems(place.parent)) == 2
    assert "symbolic link" in problems(tmp_path / "link")[0]


def test_files_that_do_not_belong_there_are_named(place: Path) -> None:
    (place / "setup.py").write_text("raise SystemExit")
    (place / "scores" / "more.pkl").write_bytes(b"cos\nsystem\n")
    (place.parent / "notes.html").write_text("<script>")
    found = check(place.parent)
    assert {finding.path.name for finding in found if finding.problem} == {"setup.py", "more.pkl", "notes.html"}


def test_a_record_in_the_folder_of_another_is_refused(place: Path) -> None:
    place.rename(place.parent / ("0" * 16))
    assert any("folder of another" in text for text in problems(place.parent))


def test_a_score_under_another_name_is_refused(place: Path) -> None:
    (place / SCORE).rename(place / "scores" / "STS12.other@sts-original-1.json")
    assert any("its name is not that" in text for text in problems(place))


def test_curves_must_be_curves(place: Path) -> None:
    Store(place.parent).write_run(run_record(), curves=[{"step": 1, "name": "loss", "value": 0.5}])
    assert problems(place) == []
    (place / "curves.parquet").write_bytes(b"not parquet")
    assert any("no Parquet file" in text for text in problems(place))


def test_the_command_reports_per_file_and_fails(place: Path) -> None:
    good = CliRunner().invoke(build(), ["submit", "check", str(place.parent)])
    assert good.exit_code == 0
    assert "fit to be handed in" in good.stdout
    change(place / "run.json", notes={"x": "\x1b]0;owned\x07"})
    bad = CliRunner().invoke(build(), ["submit", "check", str(place.parent), str(place / SCORE)])
    assert bad.exit_code == 1
    assert "run.json: notes.x: control characters" in bad.stdout
    assert "\x1b" not in bad.stdout
    assert "fit to be handed in" in bad.stdout


def test_nothing_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file or folder"):
        check(tmp_path / "nothing")
