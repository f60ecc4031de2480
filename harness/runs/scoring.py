"""How do tasks become score files? One evaluation of all that are missing, one file each, problems noted in the record."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from harness import provenance
from harness.errors import AugBenchError, Skipped
from harness.evaluation.unseen import without_touched
from harness.protocols import LanguagePack, Task, TaskResult
from harness.records.schema import ScoreRecord, ScoreValue, SliceValue, TaskProblem, eval_id, pack, strict
from harness.records.store import Run, Store

if TYPE_CHECKING:
    import numpy as np

log = logging.getLogger(__name__)


def missing_tasks(run: Run, tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Return the tasks that the present weights of a run have no matching score of, and that can be measured here."""
    have = {score.eval_id for score in run.scores()}
    sha = run.record.embedder.sha if run.record.embedder else ""
    return tuple(task for task in tasks if not task.unavailable and task_eval_id(task, sha) not in have)


def note_unavailable(run: Run, tasks: Sequence[Task], store: Store) -> Run:
    """Note in the run's record which tasks cannot be measured here, and why; no weights are needed to know that."""
    told = {task.id: task.unavailable for task in tasks if task.unavailable}
    new = {
        name: TaskProblem(status="skipped", reason=reason)
        for name, reason in told.items()
        if name not in run.record.problems or run.record.problems[name].reason != reason
    }
    if not new:
        return run
    for name, problem in new.items():
        log.warning("%s: %s could not be scored: %s", run.train_id, name, problem.reason)
    return store.write_run(run.record.model_copy(update={"problems": {**run.record.problems, **new}}))


def task_eval_id(task: Task, embedder_sha: str) -> str:
    """Return the name of the evaluation of a task with an embedder."""
    return eval_id(
        embedder_sha=embedder_sha,
        task_id=task.id,
        language=task.language,
        data_sha=task.data_sha,
        protocol=task.protocol.fingerprint(),
    )


def score_tasks(
    run: Run,
    embedder: Any,
    tasks: Sequence[Task],
    store: Store,
    *,
    pack: LanguagePack | None = None,
    touched: Mapping[str, np.ndarray] | None = None,
) -> dict[str, TaskProblem]:
    """Score tasks, write one file each, and note in the run's record which could not be scored.

    pack     the language of the tasks, for the scores by parts
    touched  task id -> which of its items the training text holds (`harness.evaluation.unseen`)
    """
    problems: dict[str, TaskProblem] = {}
    clock = time.perf_counter()
    for task, result, seconds in _results(embedder, tasks, pack):
        if isinstance(result, TaskResult):
            result = without_touched(task, result, touched or {})
            store.write_score(_score_record(run, task, result, seconds))
            continue
        status: Literal["failed", "skipped"] = "skipped" if isinstance(result, Skipped) else "failed"
        level = logging.WARNING if status == "skipped" else logging.ERROR
        log.log(level, "%s: %s could not be scored: %s", run.train_id, task.id, result)
        problems[task.id] = TaskProblem(status=status, reason=reason_of(result))
    scored = {task.id for task in tasks}
    old = {name: problem for name, problem in run.record.problems.items() if name not in scored}
    if tasks:
        spent = run.record.seconds.get("score", 0.0) + time.perf_counter() - clock
        update = {"problems": {**old, **problems}, "seconds": {**run.record.seconds, "score": spent}}
        store.write_run(run.record.model_copy(update=update))
    return problems


def _results(
    embedder: Any, tasks: Sequence[Task], pack: LanguagePack | None
) -> list[tuple[Task, TaskResult | Exception, float | None]]:
    """All tasks in one pass; if that fails one by one, so that a bad task takes no other with it."""
    from harness.evaluation.evaluator import evaluate

    if not tasks:
        return []
    try:
        found = evaluate(embedder, tasks, pack=pack)
        return [
            (task, found.results.get(task.id) or Skipped(found.skipped[task.id]), found.seconds.get(f"score:{task.id}"))
            for task in tasks
        ]
    except Exception as error:
        if len(tasks) == 1:
            return [(tasks[0], error, None)]
    return [one for task in tasks for one in _results(embedder, [task], pack)]


def _score_record(run: Run, task: Task, result: TaskResult, seconds: float | None) -> ScoreRecord:
    assert run.record.embedder is not None
    sha, gold = run.record.embedder.sha, getattr(task, "gold", None)
    return ScoreRecord(
        train_id=run.train_id,
        eval_id=task_eval_id(task, sha),
        task=task.name,
        split=task.split,
        language=task.language,
        protocol=task.protocol.id,
        protocol_fingerprint=strict(task.protocol.fingerprint()),
        data_sha=task.data_sha,
        embedder_sha=sha,
        main=task.main,
        scores=tuple(
            ScoreValue(metric=s.metric, aggregation=s.aggregation, value=strict(s.value), items=s.items)
            for s in result.scores
        ),
        groups=dict(result.groups),
        notes=tuple(result.notes),
        slices=tuple(SliceValue(**{**vars(part), "value": strict(part.value)}) for part in result.slices),
        facts=strict(result.facts),
        seconds=seconds,
        code_revision=provenance.code_revision(),
        finished=now(),
        predictions_dtype="<f4",
        packed_predictions=pack(result.predictions, "<f4"),
        packed_gold=None if gold is None else pack(gold, "<f4"),
    )


def reason_of(error: BaseException) -> str:
    """Return one line for tables: our own errors speak for themselves, others get their kind in front."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if isinstance(error, AugBenchError) else f"{type(error).__name__}: {text}"[:500]


def now() -> str:
    """Return the time as records write it: ISO 8601, UTC, seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
