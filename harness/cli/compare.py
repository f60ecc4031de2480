"""`augbench compare`: is one run really better than another?

Per task, with an interval, from stored predictions.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from harness.records.store import Run
    from harness.reports.comparison import TaskComparison
    from harness.reports.fitted import FittedTable
    from harness.statistics import Difference


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
    from harness.cli.console import results_console
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

    console = results_console()
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


def table(rows: list[TaskComparison]) -> FittedTable:
    """Return one row per task; a difference whose interval excludes 0 is printed bold."""
    from harness.reports.fitted import FittedTable

    out = FittedTable()
    for header in ("Task", "A", "B", "B - A", "95 % interval", "p", "Items", "Score", "Protocol"):
        out.add_column(header, right=header not in ("Score", "Protocol"))
    for row in rows:
        found = row.difference
        known = found is not None and found.low is not None and found.high is not None and found.p is not None
        out.add_row(
            row.task,
            _points(row.a),
            _points(row.b),
            f"{row.b - row.a:+.2f}" if row.a is not None and row.b is not None and found else "",
            f"{found.low:+.2f} … {found.high:+.2f}" if known and found else "",
            _p(found) if known and found else "",
            f"{row.items:,}",
            f"{row.metric}/{row.aggregation}",
            row.protocol,
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
