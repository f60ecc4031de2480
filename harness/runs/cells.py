"""How is one cell of a suite done? Train unless it is trained, score what is not scored, record everything.

The order of writing makes every moment a safe one to be killed at: weights, curves, record, then one file per task. What
is found on disk afterwards decides what is left to do; nothing else is remembered.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from harness import provenance
from harness.errors import Skipped
from harness.languages import open_pack
from harness.protocols import Task
from harness.records.files import StoreError, remove, stop_if_full
from harness.records.schema import (
    CorpusInfo,
    EmbedderInfo,
    EncoderInfo,
    Listing,
    RunInfo,
    RunRecord,
    TaskProblem,
    strict,
)
from harness.records.store import Run, Store
from harness.runs import memory
from harness.runs.energy import metered
from harness.runs.kept import kept_folder, left_behind, open_kept
from harness.runs.scoring import missing_tasks, note_unavailable, now, reason_of, score_tasks
from harness.runs.workbench import Cell, Workbench, encoder_name, plumbing

log = logging.getLogger(__name__)

Status = Literal["done", "finished", "scored", "failed", "skipped"]
Keep = Literal["none", "best", "all"]
OnStep = Callable[[int, int, dict[str, float]], None]


@dataclass(frozen=True)
class Todo:
    """What is left of a cell: `train` (then score everything in `tasks`), `score`, or `nothing`; and why."""

    step: Literal["train", "score", "nothing"]
    tasks: tuple[Task, ...]
    why: str


@dataclass(frozen=True)
class Done:
    """How a cell ended. `seconds` is wall-clock; `reason` says why it failed or was skipped."""

    train_id: str
    title: str
    status: Status
    seconds: float
    reason: str | None = None
    notes: tuple[str, ...] = ()


def assess(store: Store, cell: Cell, tasks: Sequence[Task]) -> Todo:
    """Say what is left to do for a cell; reads the results folder only."""
    run = store.get(cell.train_id)
    if run is None or run.record.status != "ok" or run.record.embedder is None:
        before = "not run yet" if run is None else f"{run.record.status} before: {run.record.reason}"
        return Todo("train", tuple(tasks), before)
    missing = missing_tasks(run, tasks)
    if not missing:
        return Todo("nothing", (), "complete")
    names = ", ".join(task.id for task in missing)
    if kept_folder(run) is not None:
        return Todo("score", missing, f"{names} not scored yet; the weights were kept")
    return Todo(
        "train", missing, f"{names} not scored yet and the weights were not kept: the same run is trained again"
    )


def do_cell(
    cell: Cell,
    bench: Workbench,
    store: Store,
    *,
    keep: Keep = "best",
    wait: bool = True,
    on_step: OnStep | None = None,
) -> Done:
    """Do what is left of a cell and return how it ended; problems of the cell become records.

    `on_step(step, total, scalars)` is told how training gets on.

    Raises Busy if another process has the cell and `wait` is False, StoreError if results cannot be written, and
    KeyboardInterrupt, after which the checkpoint stays for the next call.
    """
    started = time.perf_counter()

    def done(status: Status, reason: str | None = None, notes: Sequence[str] = ()) -> Done:
        return Done(cell.train_id, cell.spec.title, status, time.perf_counter() - started, reason, tuple(notes))

    with store.lock(cell.train_id, wait=wait):
        tasks = bench.tasks(cell.spec)
        todo = assess(store, cell, tasks)
        list_run(store, cell)
        run, embedder, notes = store.get(cell.train_id), None, []
        if todo.step == "nothing":
            if run is not None:
                note_unavailable(run, tasks, store)
            return done("done")
        if todo.step == "score" and run is not None:
            embedder, problem = open_kept(run, cell)
            if embedder is None:
                notes.append(f"{problem}; the same run is trained again")
        elif run is not None and run.record.status == "ok" and bench.method(cell.spec).trained:
            notes.append(todo.why)
        for note in notes:
            log.warning("%s: %s", cell.spec.title, note)
        trained = embedder is None
        if embedder is None:
            before = run
            run, embedder = _train(cell, bench, store, before=before, keep=keep, on_step=on_step)
            if embedder is None:
                return done("skipped" if run.record.status == "skipped" else "failed", run.record.reason, notes)
            if left := left_behind(before, run, tasks):
                notes.append(left)
                log.warning("%s: %s", cell.spec.title, left)
        assert run is not None
        run = note_unavailable(run, tasks, store)
        problems = score_tasks(
            run,
            embedder,
            missing_tasks(run, tasks),
            store,
            pack=open_pack(cell.spec.language),
            touched=bench.touched(cell.spec),
        )
        if trained:
            remove(*store.folder(cell.train_id).glob("checkpoint*"))
        if run.record.keep == "none" and not missing_tasks(run, tasks):
            remove(run.folder / "embedder")
        if any(problem.status == "failed" for problem in problems.values()):
            reasons = "; ".join(f"{task}: {problem.reason}" for task, problem in problems.items())
            return done("failed", reasons, notes)
        return done("finished" if trained else "scored", None, notes)


def list_run(store: Store, cell: Cell) -> None:
    """Note in the record that this run also stands in another row (an equal run is trained once, shown everywhere).

    What was once asked for with `--set`, and a suite says by itself now, is no override.
    """
    run, spec = store.get(cell.train_id), cell.spec
    if run is None:
        return
    here = Listing(suite=spec.suite, scale=spec.scale, row=spec.row)
    change: dict[str, Any] = {}
    if here not in run.record.listings:
        change["also"] = (*run.record.also, here)
    if run.record.spec.overrides and not spec.overrides:
        change["spec"] = run.record.spec.model_copy(update={"overrides": {}})
    if change:
        store.write_run(run.record.model_copy(update=change))


def crashed(cell: Cell, bench: Workbench, store: Store, reason: str, *, keep: Keep) -> Done:
    """Record a cell whose process died without a word."""
    with store.lock(cell.train_id):
        run = store.get(cell.train_id)
        if run is None or run.record.status != "ok":
            store.write_run(_record(cell, bench, before=run, began=now(), status="failed", reason=reason, keep=keep))
    return Done(cell.train_id, cell.spec.title, "failed", 0.0, reason)


# -- training ---------------------------------------------------------------------------------------------------------
def _train(
    cell: Cell, bench: Workbench, store: Store, *, before: Run | None, keep: Keep, on_step: OnStep | None
) -> tuple[Run, Any | None]:
    """Train, save and record. Returns the run and its embedder, or None for the embedder if it failed or was skipped."""
    from harness import stages

    spec, began = cell.spec, now()
    method = bench.method(spec)
    memory.reset_peak()
    clock = time.perf_counter()
    try:
        if cell.skipped is not None:
            raise Skipped(cell.skipped)
        with metered() as energy:
            outcome = stages.execute(
                method,
                corpus=bench.corpus(spec),
                pack=bench.pack(spec.language),
                encoder=spec.encoder,
                seed=spec.seed,
                settings=bench.settings(spec),
                workdir=store.folder(cell.train_id) / "checkpoint",
                dev=bench.dev(spec) if method.trained else None,
                on_step=on_step,
            )
        sha = outcome.embedder.fingerprint()
        describe = strict(outcome.embedder.describe())
        if method.trained or keep == "all":
            store.save_embedder(cell.train_id, outcome.embedder)
    except StoreError:
        raise
    except Exception as error:
        stop_if_full(error, store.folder(cell.train_id))
        status: Literal["failed", "skipped"] = "skipped" if isinstance(error, Skipped) else "failed"
        trace = None if isinstance(error, Skipped) else traceback.format_exc()
        reason = reason_of(error)
        if before is not None and before.record.status == "ok":
            # results of the first training stay what they are; only the unfinished tasks get the reason
            todo = missing_tasks(before, bench.tasks(spec))
            problems = {t.id: TaskProblem(status=status, reason=reason) for t in todo}
            kept = before.record.model_copy(update={"problems": {**before.record.problems, **problems}})
            store.write_run(kept)
            return Run(before.folder, kept.model_copy(update={"status": status, "reason": reason})), None
        record = _record(
            cell, bench, before=before, began=began, status=status, reason=reason, traceback=trace, keep=keep
        )
        return store.write_run(record), None
    seconds = {**outcome.seconds, "total": time.perf_counter() - clock}
    record = _record(
        cell,
        bench,
        before=before,
        began=began,
        status="ok",
        seconds=strict(seconds),
        energy=strict(energy),
        embedder=EmbedderInfo(sha=sha, describe=describe),
        notes=strict({**spec.notes, **outcome.notes}),
        # tasks of other suites that could not be scored; what is scored now takes its own off the list
        problems=before.record.problems if before is not None and before.record.status == "ok" else {},
        keep=keep,
    )
    return store.write_run(record, curves=outcome.curves or None), outcome.embedder


def _record(
    cell: Cell, bench: Workbench, *, began: str, status: str, before: Run | None = None, **more: Any
) -> RunRecord:
    """A new record of a cell; it still stands in every row where the one `before` it stood."""
    spec, corpus = cell.spec, bench.corpus(cell.spec)
    here = Listing(suite=spec.suite, scale=spec.scale, row=spec.row)
    return RunRecord(
        train_id=cell.train_id,
        identity=strict(cell.identity),
        spec=RunInfo(
            suite=spec.suite,
            scale=spec.scale,
            row=spec.row,
            method=spec.method,
            config=spec.config,
            language=bench.pack(spec.language).name,
            corpus=CorpusInfo(name=corpus.name, sha=corpus.sha, rows=len(corpus.sentences), removed=corpus.removed),
            encoder=EncoderInfo(name=encoder_name(spec.encoder), sha=encoder_sha(cell.identity)),
            seed=spec.seed,
            settings=spec.settings,
            overrides=strict(spec.overrides),
            text=spec.text,
            probe=spec.probe,
        ),
        status=status,
        peak_memory_mib=memory.peak_mib(),
        hardware=provenance.hardware(),
        versions=provenance.versions(),
        code_revision=provenance.code_revision(),
        started=began,
        finished=now(),
        plumbing=plumbing(spec),
        also=tuple(at for at in before.record.listings if at != here) if before else (),
        **more,
    )


def encoder_sha(identity: dict[str, Any]) -> str | None:
    """Return the base encoder's sha256 as it stands in a run's identity."""
    found = identity.get("encoder")
    found = found.get("sha") if isinstance(found, dict) else found
    return found if isinstance(found, str) else None
