"""What is shown where nobody named a results folder, and are the records that come with AugBench fit to be shown?"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from board_records import write_board

pytest.importorskip("streamlit", reason="the leaderboard needs streamlit: pip install 'augbench[leaderboard]'")

import leaderboard
from harness.board_server import ENVIRONMENT
from harness.submission import check
from harness.submission.archive import unpacked, write_archive
from leaderboard import data

ROOT = Path(leaderboard.__file__).resolve().parents[1]
#: bytes of all records together
MOST = 4_000_000


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, no folder named, and shipped records of our own."""
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path / "cache"))
    write_archive(write_board(tmp_path / "records"), tmp_path / "records.tar.xz")
    monkeypatch.setattr(data, "SHIPPED", tmp_path / "records.tar.xz")
    return tmp_path


def test_the_shipped_records_are_shown_where_there_are_no_others(elsewhere: Path) -> None:
    assert data.folders() == (unpacked(elsewhere / "records.tar.xz"),)
    (elsewhere / "here" / "results").mkdir()
    assert data.folders() == (Path("results"),)


def test_folders_that_are_asked_for_are_the_only_ones(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, f"{elsewhere / 'records'}:{elsewhere / 'here'}:{elsewhere / 'no'}")
    assert data.folders() == (elsewhere / "records", elsewhere / "here")
    assert data.missing() == (elsewhere / "no",)


def test_the_wheel_takes_the_records_along() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert data.SHIPPED.name in declared["tool"]["setuptools"]["package-data"]["leaderboard"]


@pytest.mark.skipif(not data.SHIPPED.is_file(), reason="this tree has no records yet")
def test_the_records_that_come_along_are_fit_and_small() -> None:
    assert data.SHIPPED.stat().st_size <= MOST
    assert not [finding for finding in check(data.SHIPPED) if finding.problem]
