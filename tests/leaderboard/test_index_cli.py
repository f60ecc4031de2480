"""`augbench index` and what `augbench leaderboard` starts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from board_records import write_board
from typer.testing import CliRunner

from harness.board_server import ENVIRONMENT, command
from harness.cli import build
from harness.errors import AugBenchError, UsageError
from harness.index import read_index


def test_index_counts_lists_damage_and_writes_one_file(tmp_path: Path) -> None:
    folder = write_board(tmp_path / "r")
    out = tmp_path / "board.parquet"
    done = CliRunner().invoke(build(), ["index", "--results", str(folder), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "8 runs, 12 scores, 1 damaged files" in done.stdout
    assert "0123456789abcdef: run.json" in done.stdout
    assert len(read_index(out).rows("run")) == 8


def test_the_server_listens_at_home_and_reports_nothing_to_anybody() -> None:
    arguments = command(host="127.0.0.1", port=8600)
    assert {"--server.address=127.0.0.1", "--server.port=8600", "--browser.gatherUsageStats=false"} <= set(arguments)
    assert Path(arguments[4]).name == "app.py"
    assert arguments[1:3] == ["-m", "leaderboard"]


def test_a_missing_folder_is_said_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        CliRunner().invoke(build(), ["leaderboard", "--results", str(tmp_path / "no")], catch_exceptions=False)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """The environment that the server would be started in."""
    found: list[dict[str, str]] = []
    monkeypatch.setattr("os.execve", lambda _program, _arguments, environment: found.append(environment))
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    return found


def test_several_folders_and_the_data_reach_the_server(tmp_path: Path, started: list[dict[str, str]]) -> None:
    for name in ("mine", "theirs", "data/sts/en"):
        (tmp_path / name).mkdir(parents=True)
    words = ["leaderboard", "--results", str(tmp_path / "mine"), "--results", str(tmp_path / "theirs")]
    done = CliRunner().invoke(build(), [*words, "--data", str(tmp_path / "data")])
    assert done.exit_code == 0, done.output
    (environment,) = started
    assert environment[ENVIRONMENT] == os.pathsep.join(str(tmp_path / name) for name in ("mine", "theirs"))
    assert environment["AUGBENCH_DATA"] == str(tmp_path / "data")


def test_without_data_none_is_named(tmp_path: Path, started: list[dict[str, str]]) -> None:
    CliRunner().invoke(build(), ["leaderboard", "--results", str(tmp_path)])
    assert "AUGBENCH_DATA" not in started[0]


def test_a_data_folder_that_is_not_there_is_said_before_anything_starts(
    tmp_path: Path, started: list[dict[str, str]]
) -> None:
    with pytest.raises(AugBenchError, match="nowhere"):
        CliRunner().invoke(build(), ["leaderboard", "--data", str(tmp_path / "nowhere")], catch_exceptions=False)
    assert not started
