"""The bridge to MTEB: its file format, its scale, and what is not the same task."""

from __future__ import annotations

import json

import pytest

from harness.errors import DataError
from harness.evaluation.mteb import TASKS, Scored, read_mteb, to_mteb
from harness.published import read_published, write_published


def scored(
    task: str = "STS-B", split: str = "test", language: str = "en", value: float | None = 82.03, **more
) -> Scored:
    values = {("spearman", "all"): value, ("pearson", "all"): 81.0}
    return Scored(task, split, language, "sts-original@1", "ab" * 32, values, **more)


def write(folder, files):
    for name, content in files.items():
        target = folder / "org__model" / "rev" / f"{name}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(content), encoding="utf-8")


def test_a_file_has_what_mteb_asks_for():
    files, left_out = to_mteb([scored(seconds=1.5), scored(split="dev", value=85.0, seconds=0.5)])
    assert left_out == []
    assert set(files) == {"STSBenchmark"}
    content = files["STSBenchmark"]
    assert content["task_name"] == "STSBenchmark"
    assert content["mteb_version"] is None  # MTEB did not run
    assert content["evaluation_time"] == 2.0
    (test,) = content["scores"]["test"]
    # the three keys MTEB's own reader insists on
    assert test["main_score"] == pytest.approx(0.8203)
    assert test["hf_subset"] == "default"
    assert test["languages"] == ["eng-Latn"]
    assert test["cosine_spearman"] == pytest.approx(0.8203)
    assert test["cosine_pearson"] == pytest.approx(0.81)
    assert content["scores"]["validation"][0]["main_score"] == pytest.approx(0.85)


def test_other_items_and_undefined_scores_are_left_out_aloud():
    files, left_out = to_mteb([scored("SICK-R"), scored("CR"), scored(value=None)])
    assert files == {}
    assert [line.split(":")[0] for line in left_out] == ["SICK-R", "CR", "STS-B"]


def test_what_goes_out_comes_back_as_reference_rows(tmp_path):
    given = [scored("STS12", value=72.37), scored("STS-B", split="dev"), scored("STS-B", language="zh", value=55.5)]
    write(tmp_path, to_mteb(given)[0])
    (tmp_path / "org__model" / "rev" / "model_meta.json").write_text('{"name": "org/model"}')
    rows, passed = read_mteb(tmp_path)
    assert passed == []
    assert {row.task: round(row.value, 6) for row in rows} == {
        "STS12": 72.37,
        "STS-B dev": 82.03,
        "CN STS-B test": 55.5,
    }
    assert {row.method for row in rows} == {"org/model"}
    table = tmp_path / "rows.csv"
    table.write_text(write_published(rows), encoding="utf-8")
    assert read_published(table) == rows


def test_files_of_mteb_itself_are_read_and_others_are_named(tmp_path):
    subset = {"main_score": 0.7, "cosine_spearman": 0.71, "hf_subset": "default", "languages": ["eng-Latn"]}
    other = {**subset, "hf_subset": "en-de"}
    write(
        tmp_path,
        {
            "STS12": {"task_name": "STS12", "mteb_version": "2.1.0", "scores": {"test": [other, subset]}},
            "SICK-R": {"task_name": "SICK-R", "mteb_version": "2.1.0", "scores": {"test": [subset]}},
            "broken": {"scores": []},
            "list": [1],
        },
    )
    rows, passed = read_mteb(tmp_path)
    assert [(row.method, row.task, round(row.value, 6), row.source) for row in rows] == [
        ("org__model", "STS12", 71.0, "MTEB 2.1.0")
    ]
    assert len(passed) == 3
    assert any("SICK-R has no counterpart" in line for line in passed)


def test_nothing_there(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        read_mteb(tmp_path / "no")
    with pytest.raises(DataError, match="no JSON file"):
        read_mteb(tmp_path)


def test_every_task_has_one_counterpart():
    assert len(set(TASKS.values())) == len(TASKS)
