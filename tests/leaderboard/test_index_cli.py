"""`augbench index` and what `augbench leaderboard` starts."""

from __future__ import annotations

from pathlib import Path

import pytest
from board_records import write_board
from typer.testing import CliRunner

from harness.board_server import command
from harness.cli import build
from harness.errors import UsageError
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
    assert Path(arguments[3]).name == "app.py"


def test_a_missing_folder_is_said_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        CliRunner().invoke(build(), ["leaderboard", "--results", str(tmp_path / "no")], catch_exceptions=False)
