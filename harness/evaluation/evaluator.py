"""What are an encoder's scores on these tasks?

Every unique sentence of all tasks is encoded once, then each task scores.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.adapters import as_embedder, check_vectors
from harness.diagnostics.slices import with_slices
from harness.errors import Skipped, UsageError
from harness.protocols import EncoderTask, LanguagePack, Task, TaskResult


@dataclass(frozen=True)
class Evaluation:
    """The results of one embedder on several tasks.

    results    task id -> scores and per-item predictions, in the order of `tasks`; skipped tasks have none
    skipped    task id -> why it could not be measured with this embedder or these data
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
    skipped: dict[str, str] = field(default_factory=dict)

    def value(self, task_id: str, metric: str | None = None, aggregation: str | None = None) -> float | None:
        """Return an unrounded score, the task's main one if no other is named; None if undefined or not computed.

        Raises KeyError if the task was not evaluated.
        """
        task = next((t for t in self.tasks if t.id == task_id), None)
        if task is None:
            raise KeyError(f"{task_id} was not evaluated; there is {', '.join(self.results)}")
        if task_id not in self.results:
            return None  # skipped
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


def evaluate(
    embedder: Any, tasks: Sequence[Task], *, pack: LanguagePack | None = None, progress: bool = False
) -> Evaluation:
    """Encode the union of the tasks' sentences once and score every task on its rows.

    embedder  a folder or model id, an `Embedder`, a SentenceTransformer, or a callable texts -> array
    tasks     from `harness.tasks.resolve_tasks`;  progress: show the encoder's progress bar
    pack      the language of the tasks: pairs of sentences are then scored by parts too (word overlap, negation, length)

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

    unique, rows, skipped = _union(tasks)
    started = time.perf_counter()
    vectors = check_vectors(embedder.encode(unique, progress=progress), unique) if unique else None
    seconds = {"encode": time.perf_counter() - started, "score": 0.0}
    results: dict[str, TaskResult] = {}
    for task in tasks:
        if task.id in skipped:
            continue
        started = time.perf_counter()
        try:
            if isinstance(task, EncoderTask):
                found = task.inspect(embedder)
            else:
                assert vectors is not None
                found = task.score(vectors[rows[task.id]])
            results[task.id] = with_slices(task, found, pack)
        except Skipped as reason:
            skipped[task.id] = str(reason)
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
        skipped=skipped,
    )


def unique_sentences(tasks: Sequence[Task]) -> list[str]:
    """Return the sentences that an evaluation of these tasks encodes."""
    return _union(tasks)[0]


def _union(tasks: Sequence[Task]) -> tuple[list[str], dict[str, np.ndarray], dict[str, str]]:
    """Return the unique sentences of all tasks, task id -> the place of each of its sentences, task id -> why it has none."""
    place: dict[str, int] = {}
    rows: dict[str, np.ndarray] = {}
    skipped: dict[str, str] = {}
    for task in tasks:
        try:
            sentences = task.sentences()
        except Skipped as reason:
            skipped[task.id] = str(reason)
            continue
        places = (place.setdefault(sentence, len(place)) for sentence in sentences)
        rows[task.id] = np.fromiter(places, dtype=np.intp, count=len(sentences))
    return list(place), rows, skipped
