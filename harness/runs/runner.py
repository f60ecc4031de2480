"""In which order is a plan worked off, by whom, and what happens when something goes wrong?

Cell by cell: what is done is skipped, a failed cell is a record and the plan goes on, an interrupted one continues from
its checkpoint at the next call. Several calls may work on one results folder: each cell has a lock, and cells that
another process holds come last.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from harness.errors import UsageError
from harness.pool import Crash, run_jobs
from harness.records.files import StoreError, remove
from harness.records.store import Busy, Run, Store
from harness.runs.cells import Done, Keep, OnStep, Todo, assess, crashed, do_cell, list_run
from harness.runs.plan import RunSpec
from harness.runs.scoring import missing_tasks
from harness.runs.workbench import Cell, Workbench

log = logging.getLogger(__name__)

KEEP = ("none", "best", "all")


@dataclass(frozen=True)
class Planned:
    """A cell and what is left to do for it."""

    cell: Cell
    todo: Todo


@dataclass(frozen=True)
class Event:
    """Something to tell the user: cell `index` of `total` was started, finished (`done`), or waits for another process."""

    kind: Literal["start", "finish", "wait"]
    index: int
    total: int
    cell: Cell
    done: Done | None = None


@dataclass(frozen=True)
class Summary:
    """How a plan ended, cell by cell, in the order of the plan."""

    cells: tuple[Cell, ...]
    done: tuple[Done, ...]

    def count(self, status: str) -> int:
        """Return how many cells ended so."""
        return sum(d.status == status for d in self.done)

    @property
    def ok(self) -> bool:
        """Whether no cell failed."""
        return not self.count("failed")


def prepare(specs: Sequence[RunSpec], bench: Workbench, store: Store) -> list[Planned]:
    """Open everything the plan names and say what is left to do, before anything long begins.

    Raises the errors of packs, corpora, encoders and tasks that cannot be opened.
    """
    if not specs:
        raise UsageError("the plan is empty; nothing would be run.")
    cells = [bench.cell(spec) for spec in specs]
    for spec in specs:
        bench.dev(spec)
    return [Planned(cell, assess(store, cell, bench.tasks(cell.spec))) for cell in cells]


def run_plan(
    plan: Sequence[Planned],
    bench: Workbench,
    store: Store,
    *,
    keep: Keep = "best",
    jobs: int = 1,
    on_step: OnStep | None = None,
    on_event: Callable[[Event], None] = lambda event: None,
) -> Summary:
    """Work off a plan and return how each cell ended.

    keep      weights kept in the results: of no run, of each row's best seed (by selection score), or of all
    jobs      processes at a time;  on_step: told how training gets on, where it happens in this process

    Raises StoreError if results cannot be written, and KeyboardInterrupt, after which the same call continues.
    """
    if keep not in KEEP:
        raise UsageError(f"--keep {keep!r}: expected none, best or all.")
    if jobs < 1:
        raise UsageError(f"--jobs {jobs}: expected at least 1.")
    store.check_writable()
    order = {planned.cell.train_id: index for index, planned in reversed(list(enumerate(plan)))}
    ended: dict[str, Done] = {}

    def emit(kind: Literal["start", "finish", "wait"], cell: Cell, done: Done | None = None) -> None:
        if done is not None:
            ended[cell.train_id] = done
        on_event(Event(kind, order[cell.train_id] + 1, len(plan), cell, done))
        if done is not None and keep == "best":
            _keep_best(plan, cell, ended, bench, store)

    unique: dict[str, Cell] = {}
    for planned in plan:  # two rows may be one run
        unique.setdefault(planned.cell.train_id, planned.cell)
    todo = {planned.cell.train_id for planned in plan if planned.todo.step != "nothing"}
    finished = [cell for name, cell in unique.items() if name not in todo]
    busy = _here(finished, bench, store, emit, keep=keep, jobs=1, wait=False, on_step=on_step)
    work = _in_processes if jobs > 1 and len(todo) > 1 else _here
    open_cells = [cell for name, cell in unique.items() if name in todo]
    busy += work(open_cells, bench, store, emit, keep=keep, jobs=jobs, wait=False, on_step=on_step)
    for cell in busy:
        emit("wait", cell)
        work([cell], bench, store, emit, keep=keep, jobs=jobs, wait=True, on_step=on_step)
    for planned in plan:
        _list_again(planned.cell, unique[planned.cell.train_id], store)
    return Summary(tuple(p.cell for p in plan), tuple(ended[p.cell.train_id] for p in plan))


def _here(
    cells: Sequence[Cell],
    bench: Workbench,
    store: Store,
    emit: Callable[..., None],
    *,
    keep: Keep,
    jobs: int,
    wait: bool,
    on_step: OnStep | None,
) -> list[Cell]:
    """Work in this process; returns the cells another process holds."""
    busy = []
    for cell in cells:
        emit("start", cell)
        try:
            emit("finish", cell, do_cell(cell, bench, store, keep=keep, wait=wait, on_step=on_step))
        except Busy:
            busy.append(cell)
    return busy


def _in_processes(
    cells: Sequence[Cell],
    bench: Workbench,
    store: Store,
    emit: Callable[..., None],
    *,
    keep: Keep,
    jobs: int,
    wait: bool,
    on_step: OnStep | None,
) -> list[Cell]:
    busy = []
    worker = partial(_work, store=store, keep=keep, wait=wait)
    answers = run_jobs(cells, worker, jobs=jobs, on_start=partial(emit, "start"))
    try:
        for cell, answer in answers:
            if isinstance(answer, Busy):
                busy.append(cell)
            elif isinstance(answer, StoreError):
                raise answer
            elif isinstance(answer, Done):
                emit("finish", cell, answer)
            else:
                reason = answer.reason if isinstance(answer, Crash) else str(answer)
                emit("finish", cell, crashed(cell, bench, store, reason, keep=keep))
    finally:
        answers.close()
    return busy


def _work(cell: Cell, *, store: Store, keep: Keep, wait: bool) -> Done:
    """What one process does; everything is opened anew from the spec."""
    return do_cell(cell, Workbench(), store, keep=keep, wait=wait)


def _keep_best(plan: Sequence[Planned], cell: Cell, ended: dict[str, Done], bench: Workbench, store: Store) -> None:
    """Delete the weights of a row's other seeds once all of them are done."""
    row = [p.cell for p in plan if p.cell.spec.row == cell.spec.row]
    if any(c.train_id not in ended for c in row):
        return
    runs = [(c, run) for c in row if (run := store.get(c.train_id)) is not None and run.record.status == "ok"]
    best = best_run([run for _, run in runs])
    for other, run in runs:
        # weights from a call that was to keep all, or that still have tasks to score, stay
        stays = run is best or run.record.keep != "best" or missing_tasks(run, bench.tasks(other.spec))
        if stays or run.embedder_folder is None:
            continue
        try:
            with store.lock(run.train_id, wait=False):
                remove(run.folder / "embedder")
        except Busy:
            log.info("%s is in use by another process; its weights stay", run.train_id)


def best_run(runs: Sequence[Run]) -> Run | None:
    """Return the run with the highest selection score (the first seed where they are equal or there is none)."""
    return max(runs, key=lambda run: (selection_score(run) or float("-inf"), -run.record.spec.seed), default=None)


def selection_score(run: Run) -> float | None:
    """Return the score by which a run chose its weights, None if it did not choose."""
    found: Any = run.record.notes.get("selection")
    value = found.get("best_score") if isinstance(found, dict) else None
    return float(value) if isinstance(value, int | float) else None


def _list_again(cell: Cell, worked: Cell, store: Store) -> None:
    """A second row that is the same run was not worked on; its record says that it stands there too."""
    if cell.spec.row != worked.spec.row:
        with store.lock(cell.train_id):
            list_run(store, cell)
