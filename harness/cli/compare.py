"""`augbench compare`: is one run really better than another?

Per task, with an interval, from stored predictions.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from harness.records.store import Run
    from harness.reports.comparison import TaskComparison
    from harness.statistics import Difference


_LOG_WIDTH = 120  # in a file or a pipe; a terminal has its own


def compare(
    first: Annotated[str, typer.Argument(metavar="RUN", help="Beginning of a run's id.")],
    second: Annotated[str, typer.Argument(metavar="RUN", help="Beginning of the id of the run to compare with it.")],
    results: Annotated[Path, typer.Option("--results", help="Results folder.")] = Path("results"),
    data: Annotated[
        Path | None, typer.Option("--data", help="Data folder; needed only for records without gold scores.")
    ] = None,
    resamples: Annotated[int, typer.Option("--resamples", min=100, help="Bootstrap resamples.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the resampling.")] = 0,
) -> None:
    """Compare two runs task by task: difference (second minus first), 95 % interval and p of a paired bootstrap.

    Where the score is an accuracy, p is McNemar's exact test.

    Example:

      augbench compare 3f2a 91bc --results results
    """
    from rich.console import Console

    from harness.data import open_data
    from harness.errors import UsageError
    from harness.records.store import Store
    from harness.reports.comparison import compare_scores

    store = Store(results)
    a, b = store.find(first), store.find(second)
    scores = [run.scores() for run in (a, b)]
    for run, found in zip((a, b), scores, strict=True):
        if not found:
            raise UsageError(
                f"run {run.train_id} has no scores (status: {run.record.status}); run its suite again, or choose "
                f"another run from `augbench ls runs --results {results}`."
            )
    folder = open_data(data) if data is not None else None
    rows = compare_scores(*scores, data=folder, resamples=resamples, seed=seed)

    console = Console(width=None if sys.stdout.isatty() else _LOG_WIDTH)
    console.print(f"A  {describe(a)}\nB  {describe(b)}", markup=False, highlight=False)
    console.print(table(rows))
    for row in rows:
        if row.reason:
            console.print(f"{row.task} ({row.protocol}): {row.reason}", markup=False, highlight=False)
    if any(row.difference and row.difference.test == "McNemar exact" for row in rows):
        console.print("p of an accuracy is McNemar's exact test; its interval is the bootstrap's.", highlight=False)
    console.print(
        "The interval is over test items, for these two sets of weights. It says nothing about other seeds, and p is "
        "not corrected for the number of tasks.",
        highlight=False,
    )
    if not any(row.difference for row in rows):
        raise UsageError("the two runs have no task in common that could be compared.")


def describe(run: Run) -> str:
    """Return one line that says which run this is."""
    spec = run.record.spec
    return f"{run.train_id}  {spec.suite} · {spec.row} · {spec.language} · seed {spec.seed}"


def table(rows: list[TaskComparison]) -> Table:
    """Return one row per task; a difference whose interval excludes 0 is printed bold."""
    from rich.table import Table
    from rich.text import Text

    out = Table()
    out.add_column("Task", no_wrap=True)
    for header in ("A", "B", "B - A", "95 % interval", "p", "Items"):
        out.add_column(header, justify="right")
    out.add_column("Score")
    out.add_column("Protocol")
    for row in rows:
        found = row.difference
        known = found is not None and found.low is not None and found.high is not None and found.p is not None
        out.add_row(
            Text(row.task),
            _points(row.a),
            _points(row.b),
            f"{row.b - row.a:+.2f}" if row.a is not None and row.b is not None and found else "",
            f"{found.low:+.2f} … {found.high:+.2f}" if known and found else "",
            _p(found) if known and found else "",
            f"{row.items:,}",
            Text(f"{row.metric}/{row.aggregation}"),
            Text(row.protocol),
            style="bold" if found is not None and found.separable else "",
        )
    return out


def _points(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _p(found: Difference) -> str:
    if found.p is None:
        return ""
    # a bootstrap cannot show smaller ones
    smallest = 2 / (1 + found.resamples) if found.test == "paired bootstrap" else 0.0
    return f"< {smallest:.2g}" if found.p <= smallest * 1.001 else f"{found.p:.3g}"
