"""Records of a stranger on the board: names that are markup, formulas and paths, numbers that are none, wrong types, damage."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from board_records import change, run_record, score_record, write_run
from hypothesis import given
from hypothesis import strategies as st

from harness.index import refresh
from harness.records.store import Store
from harness.reports.formats import harmless
from leaderboard import exports
from leaderboard.columns import columns_of
from leaderboard.exports import Grid
from leaderboard.grid import FACTS, grid_of, styled
from leaderboard.table import Cell, Line, measured_lines

FORMULAS = ("=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1")
NAMES = (
    *FORMULAS,
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "Rank",
    "Row",
    "Seconds",
    "**b** | $x$",
    "好" * 3000,
)


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[Path, list[Line], Grid]:
    """One run with a score for every name, and what the board makes of it."""
    run = run_record("=HYPERLINK(1)", method="@x", suite="-1+1")
    write_run(tmp_path, run, ())
    for name in NAMES:
        score = score_record(run, "STS12", eval_id="0" * 16, data_sha=name, protocol="=p@1").model_copy(
            update={"task": name}
        )
        (tmp_path / run.train_id / "scores").mkdir(exist_ok=True)
        place = tmp_path / run.train_id / "scores" / f"{NAMES.index(name)}.json"
        place.write_text(score.model_dump_json(), encoding="utf-8")
    index = refresh([tmp_path])
    columns = columns_of(index.scores)
    lines = measured_lines(index.runs, index.scores, columns, {}, order=0)
    return tmp_path, lines, grid_of(lines, columns, FACTS, heading="=1+1")


def test_names_of_tasks_can_neither_hide_columns_nor_become_formulas(hostile: tuple[Path, list[Line], Grid]) -> None:
    folder, lines, grid = hostile
    assert len(set(grid.titles)) == len(grid.titles)
    assert sum(title.startswith(("Rank", "Row", "Seconds")) for title in grid.titles) == 6
    assert not [text for row in (grid.titles, *grid.rows) for text in row if harmless(text) != text]
    columns = columns_of(refresh([folder]).scores)
    look, settings = styled(grid, lines, columns)
    assert list(look.data.columns) == list(grid.titles)
    assert set(settings) <= set(grid.titles)


def test_no_format_holds_a_formula(hostile: tuple[Path, list[Line], Grid]) -> None:
    _, _, grid = hostile
    rows = list(csv.reader(io.StringIO(exports.as_csv([grid, grid]))))
    assert not [cell for row in rows for cell in row if harmless(cell) != cell]
    assert "<script>" not in exports.as_markdown([grid]).replace("\\<", "")
    for text in (exports.as_markdown([grid]), exports.as_latex([grid])):
        cells = [cell.strip() for line in text.splitlines() for cell in line.replace("&", "|").split("|")]
        assert not [cell for cell in cells if cell.startswith(("=", "@"))]


@given(st.lists(st.tuples(st.text(max_size=20), st.sampled_from(["", "-1.50 ± 0.20 ●", "7", "1,234"])), max_size=4))
def test_any_text_comes_out_of_the_csv_as_text(cells: list[tuple[str, str]]) -> None:
    written = list(csv.reader(io.StringIO(exports.as_csv([Grid("h", ("a", "b"), tuple(cells))]), newline="")))[1:]
    assert [row[1] for row in written] == [score for _, score in cells]
    for (text, _), row in zip(cells, written, strict=True):
        assert row[0].removeprefix("'").split() == text.replace("\0", " ").removeprefix("'").split()
        assert harmless(row[0]) == row[0] or exports.safe(row[0]) == row[0]


def test_a_negative_score_stays_a_number() -> None:
    line = Line("measured", "x", cells={0: Cell(-1.5, 0.25, 3, "●")})
    assert exports.safe(line.cells[0].text()) == "-1.50 ± 0.25 ●"
    assert exports.safe("-1+1") == "'-1+1"


@pytest.mark.parametrize(
    "damage",
    [
        {"scores": [{"metric": "spearman", "aggregation": "all", "value": "high", "items": 80}]},
        {"scores": "many"},
        {"main": 7},
        {"train_id": None},
        {"slices": [{"kind": []}]},
    ],
)
def test_a_score_of_wrong_types_is_named_and_the_rest_is_shown(tmp_path: Path, damage: dict[str, object]) -> None:
    place = write_run(tmp_path, run_record())
    change(place / "scores" / "STS-B@sts-original-1.json", **damage)
    index = refresh([tmp_path])
    assert list(index.scores["task"]) == ["STS12"]
    assert list(index.broken["file"]) == ["STS-B@sts-original-1.json"]


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_is_no_score(tmp_path: Path, word: str) -> None:
    place = write_run(tmp_path, run_record())
    path = place / "scores" / "STS-B@sts-original-1.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["scores"][0]["value"] = "WORD"
    path.write_text(json.dumps(record).replace('"WORD"', word), encoding="utf-8")
    index = refresh([tmp_path])
    shown = index.scores.set_index("task")["value"]
    assert "STS-B" not in shown or shown.isna()["STS-B"]
    columns = columns_of(index.scores)
    (line,) = measured_lines(index.runs, index.scores, columns, {}, order=0)
    assert [columns[number].title for number in line.cells] == ["STS12"]


def test_a_place_outside_the_folder_is_never_read(tmp_path: Path) -> None:
    write_run(tmp_path / "results", run_record())
    outside = write_run(tmp_path / "secret", run_record("Secret"))
    (tmp_path / "results" / "linked").symlink_to(outside)
    record = next(Store(tmp_path / "results").iter_runs()).record
    change(tmp_path / "results" / record.train_id / "run.json", train_id="../secret")
    assert "Secret" not in refresh([tmp_path / "results"]).rows("run")["row"].tolist()
