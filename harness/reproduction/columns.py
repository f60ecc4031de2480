"""Which columns of a suite are reported on, and against which row?"""

from __future__ import annotations

from dataclasses import dataclass

from harness.reports.table import Heading, Table
from harness.suite import Suite

#: the method every other row is compared with
REFERENCE = "simcse"


@dataclass(frozen=True)
class Column:
    """A column: ours is the mean over `parts` (task, protocol); `published` None if no paper has printed it."""

    title: str
    parts: tuple[tuple[str, str], ...]
    published: Heading | None


def columns(suite: Suite, table: Table) -> list[Column]:
    """The columns that have published values beside them, with the tasks they are made of."""
    scale = table.facts.get("scale", suite.default_scale)
    printed = {h.task: h for h in table.headings if h.kind == "published"}
    tasks = [h for h in table.headings if h.kind == "task"]
    found = []
    for column in suite.columns_at(scale):
        if column.task and column.published in printed:
            found += [
                Column(h.title, ((h.task or "", h.protocol or ""),), printed[column.published])
                for h in tasks
                if h.task == column.task
            ]
    average, published = suite.average_at(scale), suite.published_average_at(scale)
    ours_alone = not has_published(suite) and reference_row(suite) is not None
    if average and (published in printed or ours_alone):
        taking = {c.task for c in suite.columns_at(scale) if c.task and c.average}
        parts = tuple((h.task or "", h.protocol or "") for h in tasks if h.task in taking)
        found.append(Column(average, parts, printed.get(published) if published else None))
    elif ours_alone:
        found += [Column(h.title, ((h.task or "", h.protocol or ""),), None) for h in tasks]
    return found


def has_published(suite: Suite) -> bool:
    """Whether a paper has printed values for some row and column of a suite."""
    columns = [column for scale in suite.scales for column in suite.columns_at(scale)]
    titled = suite.published_average is not None or any(column.published for column in columns)
    return titled and any(row.published for row in suite.rows)


def reference_row(suite: Suite) -> str | None:
    """The label of SimCSE's row, an anchor if there are several."""
    rows = sorted((row for row in suite.rows if row.method == REFERENCE), key=lambda row: not row.anchor)
    return rows[0].label if rows else None
