"""Our scores beside those of the real SentEval toolkit, and the difference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.evaluation_tables import number

if TYPE_CHECKING:
    from rich.console import Console

    from harness.evaluation.evaluator import Evaluation


def compare_engines(result: Evaluation, embedder: Any, folder: Path, console: Console) -> None:
    """Run the toolkit on the test splits it knows and print both scores of every metric that both have."""
    from harness.evaluation.senteval_engine import TASKS, run
    from harness.reports.fitted import FittedTable

    tests = [task for task in result.tasks if task.split == "test" and task.name in TASKS and task.id in result.results]
    left_out = [task.id for task in result.tasks if task not in tests]
    out = FittedTable(title="Beside the SentEval toolkit")
    for header in ("Task", "Metric", "AugBench", "SentEval", "difference"):
        out.add_column(header, right=header not in ("Task", "Metric"))
    for task, found in zip(tests, run(embedder, [task.name for task in tests], folder=folder), strict=True):
        for (metric, aggregation), theirs in found.values.items():
            ours = result.value(task.id, metric, aggregation)
            difference = "" if ours is None else f"{ours - theirs:+.2f}"
            out.add_row(
                task.id,
                f"{metric} {aggregation}",
                "" if ours is None else number(ours),
                number(theirs),
                difference,
            )
    console.print(out)
    if left_out:
        console.print(f"not in SentEval: {', '.join(left_out)}", markup=False, highlight=False)
