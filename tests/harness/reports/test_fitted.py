"""A table that does not fit is shown in parts: nothing is cut, whatever the width."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from harness.reports.fitted import FittedTable


def shown(table: FittedTable, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


def scores(columns: int, names: tuple[str, ...] = ("SimCSE", "Ensemble, with negation")) -> FittedTable:
    table = FittedTable(title="Means", caption="scale small")
    table.add_column("Row")
    for n in range(columns):
        table.add_column(f"Task number {n}")
    for m, name in enumerate(names):
        table.add_row(name, *(f"{n}{m}.25 ± 0.{n}{m}" for n in range(columns)))
    return table


def parts(lines: list[str]) -> int:
    return sum(line.startswith("┏") for line in lines)


def test_a_wide_console_gets_one_table_with_headings_in_one_line() -> None:
    lines = shown(scores(5), 150)
    assert parts(lines) == 1
    assert any(all(f"Task number {n}" in line for n in range(5)) for line in lines)


def test_headings_are_broken_before_the_table_is() -> None:
    table = FittedTable()
    table.add_column("Row")
    for _n in range(4):
        table.add_column("Difference to SimCSE")
    table.add_row("SDA", *("+1.25" for _ in range(4)))
    assert parts(shown(table, 120)) == 1
    assert parts(shown(table, 80)) == 1


@given(columns=st.integers(1, 10), width=st.integers(45, 200), wide=st.booleans())
def test_every_cell_is_whole_and_no_line_longer_than_the_console(columns: int, width: int, wide: bool) -> None:
    names = ("基线", "一个很长的行名" * 4) if wide else ("SimCSE", "a row with a name of many words " * 2)
    lines = shown(scores(columns, names), width)
    for m in range(2):
        for n in range(columns):
            assert sum(f"{n}{m}.25 ± 0.{n}{m}" in line for line in lines) == 1
    assert max(map(cell_len, lines)) <= width
    # the names stand in every part
    assert sum(names[0] in line for line in lines) == parts(lines)
    text = "\n".join(lines)
    assert text.count("Means") == 1
    assert text.count("scale small") == 1


def test_a_column_wider_than_the_console_stands_alone() -> None:
    table = FittedTable()
    table.add_column("Row")
    table.add_column("A")
    table.add_column("B")
    table.add_row("one", "x" * 60, "1.25")
    lines = shown(table, 50)
    assert parts(lines) == 2
    assert any("1.25" in line for line in lines)


def test_lines_between_rows_stand_where_they_were_asked_for_in_every_part() -> None:
    table = scores(8)
    table.add_section()
    table.add_row("last", *("1.00" for _ in range(8)))
    lines = shown(table, 60)
    assert sum(line.startswith("├") for line in lines) == parts(lines) > 1


def test_a_table_without_rows_has_its_headings() -> None:
    table = FittedTable()
    table.add_column("Row")
    table.add_column("Score")
    assert any("Row" in line and "Score" in line for line in shown(table, 80))


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="1 cells for 3 columns"):
        scores(2).add_row("short")
