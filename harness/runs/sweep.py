"""Which settings are best for each row of a suite, with the same number of trials for every method?

Row by row: every trial is an ordinary run with overrides, with the seeds of the suite, and is scored on the dev split alone.
The trial with the highest mean dev score over the seeds is chosen (the earlier one of equals), and only its runs are scored
on the tasks. Trials stay in the results as records; the weights of those that were not chosen do not. What was tried and
chosen is written to `<results>/sweeps/`.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.errors import UsageError
from harness.provenance import digest
from harness.records.files import remove, write_atomic
from harness.records.schema import strict
from harness.records.store import Store
from harness.reports.suite_tables import plan_table
from harness.reports.table import Table
from harness.runs.cells import Done, Keep, OnStep
from harness.runs.plan import Options, RunSpec, expand, method_class
from harness.runs.runner import Event, Planned, prepare, run_plan
from harness.runs.sweep_space import Sweep
from harness.runs.workbench import Cell, Workbench
from harness.suite import Suite

RULE = "highest mean dev score over the seeds; the earlier one of equals"
_FOLDER = "sweeps"


@dataclass(frozen=True)
class Trial:
    """One setting of one row: its runs, one per seed, and their dev scores (None: failed, or undefined)."""

    settings: Mapping[str, Any]
    runs: tuple[str, ...]
    seeds: tuple[int, ...]
    dev: tuple[float | None, ...]

    @property
    def mean(self) -> float | None:
        """The mean dev score, None unless every seed has one."""
        scores = [score for score in self.dev if score is not None]
        return statistics.fmean(scores) if scores and len(scores) == len(self.dev) else None

    @property
    def std(self) -> float | None:
        """The sample standard deviation over seeds, None with fewer than two."""
        scores = [score for score in self.dev if score is not None]
        return statistics.stdev(scores) if len(scores) > 1 and len(scores) == len(self.dev) else None


@dataclass(frozen=True)
class SweptRow:
    """The trials of a row, and the number of the one that was chosen (None: no trial has all its scores)."""

    label: str
    trials: tuple[Trial, ...]
    chosen: int | None


@dataclass(frozen=True)
class Swept:
    """A finished sweep. `dev`: the task that decided;  done: how every run ended, trials and chosen ones."""

    suite: Suite
    scale: str
    dev: str
    sweep: Sweep
    rows: tuple[SweptRow, ...]
    cells: tuple[Cell, ...]
    done: tuple[Done, ...]

    @property
    def ok(self) -> bool:
        """Whether no run failed and every row has a chosen trial."""
        return all(d.status != "failed" for d in self.done) and all(row.chosen is not None for row in self.rows)

    def as_json(self) -> dict[str, Any]:
        """Everything that was tried, as JSON."""
        rows = [
            {
                "row": row.label,
                "chosen": row.chosen,
                "trials": [
                    {
                        "set": dict(t.settings),
                        "mean": t.mean,
                        "std": t.std,
                        "seeds": list(t.seeds),
                        "dev": list(t.dev),
                        "runs": list(t.runs),
                    }
                    for t in row.trials
                ],
            }
            for row in self.rows
        ]
        found: dict[str, Any] = strict(
            {
                "suite": self.suite.name,
                "scale": self.scale,
                "kind": self.sweep.kind,
                "space": list(self.sweep.space),
                "trials_per_row": len(self.sweep.trials),
                "dev": self.dev,
                "rule": RULE,
                "rows": rows,
            }
        )
        return found

    def table(self, store: Store) -> Table:
        """The suite's table of the chosen runs."""
        table = plan_table(self.suite, self.cells, store)
        facts = {key: value for key, value in table.facts.items() if key != "set"}
        facts["sweep"] = f"{len(self.sweep.trials)} trials per trained row over {', '.join(self.sweep.keys)}"
        remark = f"Settings were chosen on {self.dev}, {RULE}. A dev column therefore shows the best of many looks."
        return replace(table, facts=facts, remarks=(*table.remarks, remark))


def plan_trials(suite: Suite, options: Options, sweep: Sweep) -> dict[str, list[list[RunSpec]]]:
    """Return row label -> trials -> runs, one per seed, scored on the dev task alone. Untrained rows have no trials.

    Raises UsageError if the suite has no dev task at this scale, if a setting is also in `--set`, or if the trained rows
    would not all get the same number of different trials.
    """
    scale = options.scale or suite.default_scale
    both = [key for key in sweep.keys if key in options.overrides]
    if both:
        raise UsageError(f"{both[0]} is swept and set (--set {both[0]}=…); choose one.")
    rows: dict[str, list[list[RunSpec]]] = {}
    for number, settings in enumerate(sweep.trials):
        tried = options.model_copy(update={"overrides": {**options.overrides, **settings}})
        specs = expand(suite, tried)
        dev = suite.select_on_at(scale)
        if dev is None:
            raise UsageError(
                f"suite {suite.name!r} names no dev task at scale {scale!r} (select_on), so nothing can be chosen by it."
            )
        note = {"sweep": {"space": list(sweep.space), "trial": number, "trials": len(sweep.trials), "rule": RULE}}
        by_row: dict[str, list[RunSpec]] = {}
        for spec in specs:
            if method_class(spec.method).trained:
                noted = spec.model_copy(update={"tasks": (dev,), "notes": {**spec.notes, **note}})
                by_row.setdefault(spec.row, []).append(noted)
        for label, runs in by_row.items():
            rows.setdefault(label, []).append(runs)
    _check_budget(rows, sweep)
    return rows


def _check_budget(rows: Mapping[str, list[list[RunSpec]]], sweep: Sweep) -> None:
    for label, trials in rows.items():
        different = len({digest(runs[0].config) for runs in trials})
        if different < len(sweep.trials):
            method = trials[0][0].method
            lacking = [key for key in sweep.keys if key not in trials[0][0].config]
            why = f"{method!r} has no setting {lacking[0]!r}" if lacking else "some trials are the same to it"
            raise UsageError(
                f"row {label!r} would get {different} of {len(sweep.trials)} trials, because {why}; every method gets the same "
                "budget. Sweep settings that all trained rows have, or copy the suite file and leave this row out."
            )


def run_sweep(
    suite: Suite,
    options: Options,
    sweep: Sweep,
    bench: Workbench,
    store: Store,
    *,
    keep: Keep = "best",
    jobs: int = 1,
    on_step: OnStep | None = None,
    on_event: Callable[[Event], None] = lambda event: None,
    on_row: Callable[[str, int, int], None] = lambda label, trials, seeds: None,
) -> Swept:
    """Try, choose and score, row by row; what is done is not done again.

    on_row  told of each row: its label, how many trials, how many seeds each

    Raises UsageError as `plan_trials` does, before anything is run.
    """
    trials = plan_trials(suite, options, sweep)
    scale = options.scale or suite.default_scale
    dev = suite.select_on_at(scale)
    assert dev is not None
    rows: list[SweptRow] = []
    cells: list[Cell] = []
    done: list[Done] = []

    def work(specs: Sequence[RunSpec], keeping: Keep) -> list[Planned]:
        plan = prepare(specs, bench, store)
        done.extend(run_plan(plan, bench, store, keep=keeping, jobs=jobs, on_step=on_step, on_event=on_event).done)
        return plan

    for row in suite.rows:
        settings: Mapping[str, Any] = {}
        if row.label in trials:
            tried = trials[row.label]
            on_row(row.label, len(tried), len(tried[0]))
            plan = work([spec for runs in tried for spec in runs], "all")
            swept = _choose(row.label, sweep, tried, [planned.cell for planned in plan], dev, store)
            rows.append(swept)
            _tidy(swept, store, keep)
            if swept.chosen is None:
                continue
            settings = sweep.trials[swept.chosen]
        chosen = options.model_copy(update={"overrides": {**options.overrides, **settings}})
        specs = [spec for spec in expand(suite, chosen) if spec.row == row.label]
        cells += [planned.cell for planned in work(specs, keep)]
    found = Swept(suite, scale, dev, sweep, tuple(rows), tuple(cells), tuple(done))
    name = f"{suite.name}-{digest([trial.runs for row in rows for trial in row.trials])[:12]}.json"
    text = json.dumps(found.as_json(), ensure_ascii=False, indent=1, allow_nan=False)
    write_atomic(store.path / _FOLDER / name, (text + "\n").encode())
    return found


def _choose(
    label: str, sweep: Sweep, tried: Sequence[Sequence[RunSpec]], cells: Sequence[Cell], dev: str, store: Store
) -> SweptRow:
    trials, start = [], 0
    for settings, specs in zip(sweep.trials, tried, strict=True):
        ids = tuple(cell.train_id for cell in cells[start : start + len(specs)])
        start += len(specs)
        trials.append(Trial(dict(settings), ids, tuple(s.seed for s in specs), tuple(_dev(i, dev, store) for i in ids)))
    means = [(trial.mean, -number) for number, trial in enumerate(trials) if trial.mean is not None]
    return SweptRow(label, tuple(trials), -max(means)[1] if means else None)


def _dev(train_id: str, dev: str, store: Store) -> float | None:
    run = store.get(train_id)
    if run is None or run.record.status != "ok":
        return None
    score = run.score(dev)
    return None if score is None else score.value


def _tidy(row: SweptRow, store: Store, keep: Keep) -> None:
    """Weights were needed until the choice; now they are kept as the user wants. Runs of other calls stay as they are."""
    if keep == "all":
        return
    for number, trial in enumerate(row.trials):
        for train_id in trial.runs:
            with store.lock(train_id):
                run = store.get(train_id)
                if run is None or run.record.status != "ok" or "sweep" not in run.record.notes:
                    continue
                if number != row.chosen and run.embedder_folder is not None:
                    remove(run.folder / "embedder")
                if run.record.keep != keep:
                    store.write_run(run.record.model_copy(update={"keep": keep}))
