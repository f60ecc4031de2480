"""Records of analyses: written once, found again, told from those of other code, and damage is reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from analysed_pack import Stub, write_corpus

from harness.analyses import run as running
from harness.analyses.job import Request
from harness.analyses.records import iter_records, read_record, record_path
from harness.analyses.run import find_record, open_job, report_tables, run_job
from harness.records.files import StoreError
from harness.records.store import Broken, Store
from harness.suite import parse_suite

SUITE = """[suite]
name = "my suite"
kind = "coverage"
title = "Mine"
default_scale = "small"
[scales.small]
[[rows]]
label = "Shout"
operator = "shout"
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    found = Stub(tmp_path)
    monkeypatch.setattr(running, "open_pack", lambda name: found)
    return found


@pytest.fixture
def suite() -> Any:
    return parse_suite(SUITE.encode(), "mine.toml")


def job(suite: Any, pack: Stub, lines: list[str]) -> Any:
    corpus = write_corpus(pack.folder / "corpus.txt", lines)
    return open_job(suite, Request(language=pack, corpus=corpus, jobs=1))  # type: ignore[arg-type]


def test_a_record_says_what_was_counted_with_what(tmp_path: Path, suite: Any, pack: Stub) -> None:
    opened = job(suite, pack, ["a b", "c."])
    assert find_record(opened, tmp_path / "results") is None
    record = run_job(opened, tmp_path / "results")
    assert record == find_record(opened, tmp_path / "results")
    path = record_path(tmp_path / "results", "my suite", record.analysis_id)
    assert path.is_file()
    assert path.parent == tmp_path / "results" / "analyses"
    stored = json.loads(path.read_text())
    assert stored["pack"] == {"pack": "stub", "version": 1}
    assert stored["identity"]["data"] == {"lines": opened.lines.sha, "seeds": [0]}
    assert stored["code_revision"]
    assert stored["versions"]["python"]
    assert stored["result"]["groups"] == [{"name": "all", "lines": 2, "changed": {"shout": [1]}}]
    # runs and analyses share a folder and do not see each other
    assert list(Store(tmp_path / "results").iter_runs()) == []


def test_a_report_has_every_current_record(tmp_path: Path, suite: Any, pack: Stub) -> None:
    results = tmp_path / "results"
    for lines in (["a b"], ["a b", "c."]):
        run_job(job(suite, pack, lines), results)
    tables, stale, broken = report_tables(suite, results)
    assert [table.lines[0].cells[3].mean for table in tables if len(table.headings) == 4] == [1, 1]
    assert len(tables) == 4  # two records of two tables
    assert (stale, broken) == ([], [])
    other = parse_suite(SUITE.replace("my suite", "other").encode(), "x")
    assert report_tables(other, results) == ([], [], [])  # type: ignore[arg-type]


def test_records_of_other_code_are_named_and_shown_when_asked_for(
    tmp_path: Path, suite: Any, pack: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results"
    record = run_job(job(suite, pack, ["a b"]), results)
    monkeypatch.setattr(Stub, "fingerprint", lambda self: {"pack": "stub", "version": 2})
    tables, stale, _ = report_tables(suite, results)
    assert (tables, [old.analysis_id for old in stale]) == ([], [record.analysis_id])
    tables, _, _ = report_tables(suite, results, older=True)
    assert any("older code or settings" in remark for remark in tables[0].remarks)
    assert find_record(job(suite, pack, ["a b"]), results) is None


def test_a_row_that_was_not_counted_then_is_blank(tmp_path: Path, suite: Any, pack: Stub) -> None:
    run_job(job(suite, pack, ["a b"]), tmp_path / "results")
    wider = parse_suite((SUITE + '[[rows]]\nlabel = "Coin"\noperator = "coin"\n').encode(), "x")
    tables, stale, _ = report_tables(wider, tmp_path / "results", older=True)  # type: ignore[arg-type]
    assert len(stale) == 1
    assert [cell.text() for cell in tables[0].lines[1].cells] == [""] * 4


def test_damaged_records_are_reported_and_made_anew(tmp_path: Path, suite: Any, pack: Stub) -> None:
    results = tmp_path / "results"
    opened = job(suite, pack, ["a b"])
    record = run_job(opened, results)
    path = record_path(results, record.suite, record.analysis_id)
    content = path.read_text()
    broken: list[Broken] = []
    for damaged in ("{", "[]", content.replace('"schema_version": 1', '"schema_version": 9')):
        path.write_text(damaged)
        assert read_record(path, broken.append) is None
    assert len(broken) == 3
    assert "update augbench" in broken[2].reason
    assert find_record(opened, results) is None
    assert list(iter_records(results, "my suite")) == []
    path.write_text(content.replace('"groups"', '"gruops"'))
    tables, _, broken = report_tables(suite, results)
    assert tables == []
    assert "another version" in broken[0].reason


def test_results_that_cannot_be_written(tmp_path: Path, suite: Any, pack: Stub) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="expected folders"):
        run_job(job(suite, pack, ["a b"]), tmp_path / "file")
