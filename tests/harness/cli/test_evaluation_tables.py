"""What `augbench evaluate` puts side by side."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from rich.console import Console

from harness.cli.evaluation_tables import tables
from harness.evaluation.evaluator import evaluate
from harness.protocols import EncoderTask, Protocol, Score, TaskResult


class Toy(EncoderTask):
    """Scores what it is told to."""

    language, split, main, data_sha = "en", "test", ("accuracy", "all"), "d"

    def __init__(self, name: str, protocol: str, value: float) -> None:
        self.name, self.protocol, self.value = name, Protocol(protocol, 1, text="original"), value

    def inspect(self, embedder: Any) -> TaskResult:
        return TaskResult((Score("accuracy", "all", self.value, 10),), np.zeros(10))


def test_what_was_measured_differently_shares_no_table_and_no_average() -> None:
    toys = [Toy("A", "transfer", 80.0), Toy("B", "clustering", 20.0), Toy("C", "transfer", 90.0)]
    found = tables(evaluate(lambda texts: np.ones((len(texts), 2)), toys), title="e")
    shown = []
    for table in found:
        console = Console(file=io.StringIO(), width=100)
        console.print(table)
        shown.append(console.file.getvalue())  # type: ignore[attr-defined]
    transfer, clustering = shown
    assert "average of 2" in transfer
    assert "85.00" in transfer
    assert "20.00" in clustering
    assert "average" not in clustering
