"""`augbench run SUITE --grid …` and `--random N --space …`: try, choose on dev, show what was tried and the table of the chosen."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from harness.cli.progress import Reporter
    from harness.records.store import Store
    from harness.runs.plan import Options
    from harness.runs.sweep import Swept
    from harness.runs.sweep_space import Sweep
    from harness.runs.workbench import Workbench
    from harness.suite import Suite


def chosen_sweep(grids: Sequence[str], random: int | None, spaces: Sequence[str]) -> Sweep | None:
    """Return what the options ask for, None if they ask for no sweep. Raises UsageError if they contradict each other."""
    from harness.errors import UsageError
    from harness.runs.sweep_space import draws, grid

    if grids and (random is not None or spaces):
        raise UsageError("--grid and --random are two ways to sweep; choose one.")
    if spaces and random is None:
        raise UsageError("--space needs --random N, the number of draws; all combinations are --grid KEY=V1,V2.")
    if random is not None:
        return draws(random, spaces)
    return grid(grids) if grids else None


def run_the_sweep(
    suite: Suite,
    options: Options,
    sweep: Sweep,
    bench: Workbench,
    store: Store,
    reporter: Reporter,
    *,
    json_out: str | None,
    dry_run: Callable[[Any], None] | None,
    **how: Any,
) -> None:
    """Work off a sweep and print it; with `dry_run`, hand it the plan of all trials instead."""
    from harness.cli.run import write_out
    from harness.reports.formats import as_json, rich_table
    from harness.runs.runner import prepare
    from harness.runs.sweep import plan_trials, run_sweep

    if dry_run is not None:
        trials = plan_trials(suite, options, sweep)
        plan = prepare([spec for row in trials.values() for runs in row for spec in runs], bench, store)
        reporter.plan(plan, bench, store)
        dry_run(plan)
        return
    with reporter:
        swept = run_sweep(
            suite,
            options,
            sweep,
            bench,
            store,
            on_step=reporter.on_step,
            on_event=reporter.on_event,
            on_row=lambda row, trials, seeds: reporter.say(f"{row}: {trials} trials, {seeds} seeds each"),
            **how,
        )
    table = swept.table(store) if swept.cells else None
    if json_out is not None:
        content = {"sweep": swept.as_json(), **(as_json(table) if table else {})}
        write_out(json_out, json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    if json_out != "-":
        reporter.out.print(trials_table(swept))
        if table is not None:
            reporter.out.print(rich_table(table))
    if not swept.ok:
        reporter.say(
            "some runs failed and are recorded with their reasons; the same command tries them again.", "bold red"
        )
        raise typer.Exit(1)


def trials_table(swept: Swept) -> Any:
    """Return every trial of every row, the chosen one marked."""
    from harness.reports.fitted import FittedTable

    table = FittedTable(title=f"Trials, by {swept.dev}")
    for title in ("Row", *swept.sweep.keys, swept.dev, "Seeds", ""):
        table.add_column(title, right=title not in ("Row", ""))
    for row in swept.rows:
        for number, trial in enumerate(row.trials):
            score = "" if trial.mean is None else f"{trial.mean:.2f}"
            score += "" if trial.std is None else f" ± {trial.std:.2f}"
            values = [str(trial.settings[key]) for key in swept.sweep.keys]
            mark = "chosen" if number == row.chosen else ""
            label = row.label if number == 0 else ""
            table.add_row(label, *values, score, str(len(trial.seeds)), mark)
        table.add_section()
    return table
