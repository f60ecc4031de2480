"""What are an encoder's scores on these tasks?

Every unique sentence of all tasks is encoded once, then each task scores.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.adapters import as_embedder, check_vectors
from harness.errors import UsageError
from harness.protocols import EncoderTask, Task, TaskResult


@dataclass(frozen=True)
class Evaluation:
    """The results of one embedder on several tasks.

    results    task id -> scores and per-item predictions, in the order of `tasks`
    seconds    wall-clock of the phases `encode` and `score`, and of each task's scoring (`score:STS12`)
    requested  sentences the tasks asked for;  unique: sentences that were encoded
    embedder   what the embedder says about itself;  fingerprint: its sha256
    """

    tasks: tuple[Task, ...]
    results: dict[str, TaskResult]
    seconds: dict[str, float]
    requested: int
    unique: int
    embedder: dict[str, Any]
    fingerprint: str

    def value(self, task_id: str, metric: str | None = None, aggregation: str | None = None) -> float | None:
        """Return an unrounded score, the task's main one if no other is named; None if undefined or not computed.

        Raises KeyError if the task was not evaluated.
        """
        task = next((t for t in self.tasks if t.id == task_id), None)
        if task is None:
            raise KeyError(f"{task_id} was not evaluated; there is {', '.join(self.results)}")
        wanted = (metric or task.main[0], aggregation or task.main[1])
        for score in self.results[task_id].scores:
            if (score.metric, score.aggregation) == wanted:
                return score.value
        return None

    def average(self, task_ids: Sequence[str] | None = None) -> float | None:
        """Return the mean of the unrounded main scores of `task_ids` (all tasks if None).

        None unless every one of them was evaluated and is defined: a missing score is never a 0.
        """
        ids = list(self.results) if task_ids is None else list(task_ids)
        values = [self.value(task_id) if task_id in self.results else None for task_id in ids]
        defined = [value for value in values if value is not None]
        return float(np.mean(defined)) if ids and len(defined) == len(ids) else None


def evaluate(embedder: Any, tasks: Sequence[Task], *, progress: bool = False) -> Evaluation:
    """Encode the union of the tasks' sentences once and score every task on its rows.

    embedder  a folder or model id, an `Embedder`, a SentenceTransformer, or a callable texts -> array
    tasks     from `harness.tasks.resolve_tasks`;  progress: show the encoder's progress bar

    Raises UsageError without tasks or with two of one id (another language or text variant: evaluate them
    apart), and EncoderError if the vectors have a wrong shape or hold NaN or infinity.
    """
    ids = [task.id for task in tasks]
    if not ids:
        raise UsageError("there is nothing to evaluate: no tasks were given.")
    twice = sorted({task_id for task_id in ids if ids.count(task_id) > 1})
    if twice:
        raise UsageError(
            f"several tasks are called {', '.join(twice)}; evaluate one language and text variant at a time."
        )
    embedder = as_embedder(embedder)

    place: dict[str, int] = {}
    rows = {}
    for task in tasks:
        sentences = task.sentences()
        rows[task.id] = np.fromiter(
            (place.setdefault(s, len(place)) for s in sentences), dtype=np.intp, count=len(sentences)
        )
    unique = list(place)

    started = time.perf_counter()
    vectors = check_vectors(embedder.encode(unique, progress=progress), unique) if unique else None
    seconds = {"encode": time.perf_counter() - started, "score": 0.0}
    results = {}
    for task in tasks:
        started = time.perf_counter()
        if isinstance(task, EncoderTask):
            results[task.id] = task.inspect(embedder)
        else:
            assert vectors is not None
            results[task.id] = task.score(vectors[rows[task.id]])
        seconds[f"score:{task.id}"] = time.perf_counter() - started
        seconds["score"] += seconds[f"score:{task.id}"]
    return Evaluation(
        tasks=tuple(tasks),
        results=results,
        seconds=seconds,
        requested=sum(map(len, rows.values())),
        unique=len(unique),
        embedder=embedder.describe(),
        fingerprint=embedder.fingerprint(),
    )
