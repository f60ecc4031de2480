"""What do the tables of all analyses have in common? Counts beside shares, printed numbers, numbered footnotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.analyses.suites import AnalysisSuite, Reference
from harness.published import Published, lookup
from harness.reports.table import Cell


@dataclass(frozen=True)
class Count(Cell):
    """A number of things: `11,914`, and the mean over seeds where they differ."""

    def text(self) -> str:
        """The number without decimals, thousands parted."""
        return "" if self.mean is None else f"{self.mean:,.0f}"


def said(suite: AnalysisSuite, *, compared: bool) -> list[str]:
    """Return what a suite says below its table: where the printed numbers stand, if any are shown, and its note."""
    source = [f"Published: {suite.paper}."] if compared and suite.paper else []
    return [*source, *([suite.note] if suite.note else [])]


def printed(reference: Reference | None, references: Sequence[Published]) -> Cell:
    """Return the cell of a printed number, empty where there is none. Raises UsageError if a named row is not there."""
    if reference is None:
        return Cell()
    if reference.value is not None:
        return Cell(printed=reference.value)
    assert reference.method is not None
    assert reference.task is not None
    found = lookup(
        references,
        source=reference.source,
        method=reference.method,
        task=reference.task,
        encoder=reference.encoder,
    )
    return Cell(printed=found.value)
