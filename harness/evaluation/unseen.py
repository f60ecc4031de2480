"""What is a score without the test items that the training text holds?

Items are found as `augbench data overlap` finds them: a text that is a line of the corpus by letters and digits, or that shares a
run of 8 words (13 characters) with one. The slice stands beside the score, which stays what the protocol says.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from harness.data.contamination import find_contamination, task_items
from harness.protocols import EncoderTask, Slice, Task, TaskResult
from harness.statistics import AGGREGATIONS, METRICS, Aggregation, Metric, correlation

KIND, PART = "training text", "items not in it"


def touched_items(tasks: Sequence[Task], corpus: Iterable[str]) -> dict[str, np.ndarray]:
    """Return task id -> which of its items a corpus holds, bool (items,); the corpus is read once for all tasks."""
    sets = {task.id: task_items(task) for task in tasks if not isinstance(task, EncoderTask)}
    return {name: found.touched for name, found in find_contamination(sets, corpus).items()}


def without_touched(task: Task, result: TaskResult, touched: Mapping[str, np.ndarray]) -> TaskResult:
    """Return `result` with how many items the training text holds, and the main metric on the others if there are some.

    As it is for a task that was not looked at, or that has no prediction per item; without the slice where the main metric is
    neither a correlation nor an accuracy.
    """
    mask = touched.get(task.id)
    if mask is None or len(mask) != len(result.predictions):
        return result
    facts = {**result.facts, "items in the training text": float(mask.sum())}
    slices = result.slices
    if mask.any():
        value, known = _score(task, result, ~mask)
        if known:
            slices = (*slices, Slice(KIND, PART, task.main[0], value, int((~mask).sum())))
    return dataclasses.replace(result, slices=slices, facts=facts)


def _score(task: Task, result: TaskResult, keep: np.ndarray) -> tuple[float | None, bool]:
    """The main metric on the items kept, and whether it can be computed from items at all."""
    gold: Any = getattr(task, "gold", None)
    metric, aggregation = task.main
    if gold is None or len(gold) != len(keep):
        return None, False
    gold, predictions = np.asarray(gold)[keep], np.asarray(result.predictions)[keep]
    if metric == "accuracy":
        return (100.0 * float(np.mean(gold == predictions)) if len(gold) else None), True
    if metric not in METRICS or aggregation not in AGGREGATIONS:
        return None, False
    ends = np.cumsum(list(result.groups.values()) or [len(keep)])
    sizes = [int(part.sum()) for part in np.split(keep, ends[:-1])]
    value = correlation(
        gold,
        predictions,
        metric=cast(Metric, metric),
        aggregation=cast(Aggregation, aggregation),
        groups=[size for size in sizes if size],
    )
    return value, True
