"""A suite of two rows and what its tables are read with."""

from __future__ import annotations

from typing import Any

from harness.published import Published
from harness.records.store import Run
from harness.reports.table import Cell, Table, build_table
from harness.suite import Suite

SUITE = """[suite]
name = "mine"
title = "Mine | a_table"
default_scale = "small"
average = "Avg"
columns = [
    { title = "A", task = "A", published = "A" },
    { title = "last", note = "selection.last_score" },
    { title = "B", task = "B" },
]
[scales.small]
[[rows]]
label = "=HYPERLINK(1)"
method = "simcse"
published = { source = "P T1", method = "m", encoder = "bert-base-uncased" }
[[rows]]
label = "Other & 10%"
method = "simcse"
set = { temperature = 0.1 }
"""
FIRST, SECOND = "=HYPERLINK(1)", "Other & 10%"
REFERENCES = [Published("m", "bert-base-uncased (inferred)", "A", "spearman", 82.45, "P T1")]
RunOf = Any


def table(suite: Suite, *runs: Run, **more: Any) -> Table:
    rows: dict[str, list[Run]] = {}
    for run in runs:
        rows.setdefault(run.record.spec.row, []).append(run)
    return build_table(suite, "small", rows, references=REFERENCES, **more)


def row(table: Table, label: str = FIRST) -> dict[str, Cell]:
    line = next(line for line in table.lines if line.label == label)
    return {heading.title: cell for heading, cell in zip(table.headings, line.cells, strict=True)}


def remarks(table: Table, label: str = FIRST) -> list[str]:
    line = next(line for line in table.lines if line.label == label)
    return [table.footnotes[number - 1] for number in line.remarks]
