"""Columns, lines, grids and files of a board, without a browser."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from board_records import run_record, score_record, write_board, write_run

from harness.index import places_of, refresh
from harness.published import Published
from harness.records.store import Store
from leaderboard import exports
from leaderboard.columns import columns_of, printed_name, task_order
from leaderboard.exports import Grid
from leaderboard.grid import FACTS, grid_of, styled
from leaderboard.table import Cell, Line, measured_lines, published_lines, shares

PAPER = [
    Published("SDA", "bert", "STS12", "spearman", 70.0, "SDA T4", 0.5),
    Published("SDA", "bert", "STS-B", "spearman", 80.0, "SDA T4"),
    Published("SDA", "bert", "STS-B", "pearson", 99.0, "SDA T4"),
    Published("SimCSE", "bert", "STS-B", "spearman", 81.0, "SimCSE T5"),
]


@pytest.fixture
def english(tmp_path: Path):
    index = refresh([write_board(tmp_path / "r")])
    setting = index.runs.loc[(index.runs["language"] == "english") & (index.runs["row"] == "SimCSE"), "setting"].iloc[0]
    return tuple(frame[frame["setting"] == setting] for frame in (index.runs, index.scores))


def test_tasks_stand_in_the_order_of_papers() -> None:
    tasks = ["SICK-R", "STS-B:dev", "Zebra10", "STS-B", "Zebra9", "STS12", "MR"]
    assert sorted(tasks, key=task_order) == ["STS12", "STS-B", "SICK-R", "MR", "Zebra9", "Zebra10", "STS-B:dev"]


def test_averages_are_of_one_protocol_and_never_of_dev_splits(tmp_path: Path) -> None:
    store, run = Store(tmp_path / "r"), run_record()
    write_run(tmp_path / "r", run, ("STS12", "STS-B", "STS-B:dev"))
    store.write_score(score_record(run, "STS-B", protocol="sts-senteval@1"))
    scores = refresh([tmp_path / "r"]).scores
    assert [column.title for column in columns_of(scores)] == [
        "STS12",
        "STS-B (sts-original@1)",
        "Avg of 2 (sts-original@1)",
        "STS-B (sts-senteval@1)",
    ]
    assert [column.title for column in columns_of(scores, ["STS-B:dev"])] == ["STS-B:dev"]


def test_published_names_follow_the_language() -> None:
    assert printed_name("STS-B:dev", "en") == "STS-B dev"
    assert printed_name("STS-B", "zh") == "CN STS-B test"
    assert printed_name("STS-B", "de") == "DE STS-B"


def test_lines_say_what_was_measured(english) -> None:
    runs, scores = english
    columns = columns_of(scores)
    order = 2
    tests = {number: places_of(scores, column.parts) for number, column in enumerate(columns)}
    lines = measured_lines(runs, scores, columns, {n: t for n, t in tests.items() if t}, order=order)
    assert [line.label for line in lines] == ["SimCSE", "TF-IDF", "SDA"]
    best, anchor, last = lines
    assert best.cells[order].mark == "●"
    assert best.facts["Seeds"] == 2
    assert best.facts["Seconds"] == pytest.approx(10.5)
    assert best.facts["Memory (MiB)"] == 501.0
    assert anchor.cells[0].std is None
    assert best.ranks is not None
    assert best.ranks[0] == 1
    assert last.facts["Remarks"] == "seed 2 failed: ran out of <b>memory</b>"
    assert len(last.runs) == 3
    by_task = measured_lines(runs, scores, columns, {}, order=0)
    assert all(line.ranks is None and not line.cells[0].mark for line in by_task)


def test_missing_is_blank_and_last(english) -> None:
    runs, scores = english
    columns = columns_of(scores)
    partly = scores[~((scores["row"] == "SimCSE") & (scores["task"] == "STS12"))]
    lines = measured_lines(runs, partly, columns, {}, order=2)
    assert lines[-1].label == "SimCSE"
    grid = grid_of(lines, columns, FACTS, heading="x")
    cells = dict(zip(grid.titles, grid.rows[-1], strict=True))
    assert cells["STS12"] == cells["Avg of 2"] == cells["Rank"] == ""
    assert cells["STS-B"] != ""


def test_published_lines_are_of_the_metric_and_the_tables_asked_for(english) -> None:
    _, scores = english
    columns = columns_of(scores)
    lines = published_lines(PAPER, columns, order=1)
    assert [(line.label, line.cells[1].mean) for line in lines] == [("SimCSE · bert", 81.0), ("SDA · bert", 80.0)]
    assert lines[1].cells[0] == Cell(70.0, 0.5)
    assert [line.label for line in published_lines(PAPER, columns, sources=["SDA T4"])] == ["SDA · bert"]
    assert lines[0].ranks is None


def test_a_layer_tells_published_from_measured(english) -> None:
    runs, scores = english
    columns = columns_of(scores)
    measured = measured_lines(runs, scores, columns, {}, order=0)
    assert "Layer" not in grid_of(measured, columns, (), heading="x").titles
    both = grid_of([*measured, *published_lines(PAPER, columns)], columns, (), heading="x")
    assert [row[1] for row in both.rows] == ["measured"] * 3 + ["published"] * 2


def test_shown_numbers_sort_as_numbers_and_show_the_grid(english) -> None:
    runs, scores = english
    columns = columns_of(scores)
    lines = measured_lines(runs, scores, columns, {}, order=0)
    lines.append(Line("measured", "twin", cells={0: Cell(lines[0].cells[0].mean, 9.0, 2)}))
    grid = grid_of(lines, columns, FACTS, heading="x")
    look, _ = styled(grid, lines, columns)
    frame = look.data
    assert frame["STS12"].iloc[0] == pytest.approx(frame["STS12"].iloc[3])
    html = look.to_html()
    for row in grid.rows:
        assert row[grid.titles.index("STS12")] in html
    assert "± 9.00" in html


def test_shading_goes_from_worst_to_best() -> None:
    lines = {at: Line("measured", "x", cells={0: Cell(mean)}) for at, mean in enumerate((50.0, 60.0, 55.0))}
    assert shares(lines, 0) == {0: 0.0, 1: 1.0, 2: 0.5}
    assert shares(lines, 1) == {}


HOSTILE = Grid(
    "a & b",
    ("Row", "STS-B"),
    (("=cmd|'/c calc'!A1", "-1.50"), ("<b>x</b> | $y$ \\input{z}", "60.00 ± 1.00 ●"), ("@SUM(A1)\n", "")),
    frozenset({1}),
)


def test_csv_computes_nothing_and_keeps_numbers() -> None:
    rows = list(csv.reader(io.StringIO(exports.as_csv([HOSTILE]))))
    assert rows[0] == ["Row", "STS-B"]
    assert rows[1] == ["'=cmd|'/c calc'!A1", "-1.50"]
    assert rows[3][0].startswith("'@")


def test_csv_of_several_tables_says_which() -> None:
    other = Grid("second", ("Row", "STS12"), (("x", "1.00"),))
    rows = list(csv.reader(io.StringIO(exports.as_csv([HOSTILE, other]))))
    assert rows[0] == ["Setting", "Row", "STS-B", "STS12"]
    assert rows[-1] == ["second", "x", "", "1.00"]


def test_markdown_and_latex_show_texts_as_they_are() -> None:
    markdown = exports.as_markdown([HOSTILE])
    assert "<b>" not in markdown
    assert r"\<b\>x" in markdown
    assert all(line.count(" | ") == 1 for line in markdown.splitlines() if line.startswith("| ") and "x" in line)
    latex = exports.as_latex([HOSTILE])
    assert r"\input" not in latex
    assert r"\textbackslash{}input" in latex
    assert r"60.00 $\pm$ 1.00 \textbullet{}" in latex
