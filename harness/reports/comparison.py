"""Do two runs differ on the tasks both were scored on?

Answered from their stored predictions, without encoding anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from harness.data import DataFolder
from harness.errors import AugBenchError
from harness.records.itemwise import Itemwise, itemwise
from harness.statistics import METRICS, Difference, Metric, paired_accuracy, paired_bootstrap, paired_means
from harness.tasks import resolve_tasks

if TYPE_CHECKING:
    from harness.records.schema import ScoreRecord


@dataclass(frozen=True)
class TaskComparison:
    """Two runs on one task under one protocol.

    a, b        the stored, unrounded main scores, None if undefined or absent
    difference  b - a over the items by paired bootstrap, for accuracy with McNemar's exact test; None where it could not
                be computed (`reason` says why)
    """

    task: str
    language: str
    protocol: str
    metric: str
    aggregation: str
    items: int
    a: float | None
    b: float | None
    difference: Difference | None
    reason: str | None = None


def compare_scores(
    first: Sequence[ScoreRecord],
    second: Sequence[ScoreRecord],
    *,
    data: DataFolder | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> list[TaskComparison]:
    """Compare two runs' score records task by task, in the order of the first.

    A task is compared if both were scored on the same items (data sha) under the same protocol. Gold scores
    come from the records; `data` is only read for records without them.
    """
    others = {_key(record): record for record in second}
    rows = [_compare(record, others.pop(_key(record), None), data, resamples, seed) for record in first]
    return rows + [_alone(record, "only the second run was scored on it", b=record.value) for record in others.values()]


def _key(record: ScoreRecord) -> tuple[str, str, str]:
    return record.task_id, record.language, record.protocol


def _compare(
    a: ScoreRecord, b: ScoreRecord | None, data: DataFolder | None, resamples: int, seed: int
) -> TaskComparison:
    if b is None:
        return _alone(a, "only the first run was scored on it", a=a.value)
    metric, aggregation = a.main
    values: dict[str, Any] = {"a": a.value, "b": b.find(metric, aggregation)}
    if a.data_sha != b.data_sha:
        return _alone(a, "the two runs were scored on different data; evaluate them again on one", **values)
    if a.value is None or values["b"] is None:
        return _alone(a, "a score is undefined (constant predictions)", **values)
    try:
        gold = _gold(a, b, data) if metric in (*METRICS, "accuracy") else None
        first, second = itemwise(a, gold=gold), itemwise(b, gold=gold)
    except AugBenchError as error:
        return _alone(a, str(error), **values)
    difference = paired_difference(first, second, resamples=resamples, seed=seed)
    reason = "the stored predictions are constant" if difference.value is None else None
    return _alone(a, reason, difference=difference, **values)


def paired_difference(a: Itemwise, b: Itemwise, *, resamples: int = 10_000, seed: int = 0) -> Difference:
    """Return b minus a on the same items: the paired bootstrap, for classes McNemar's exact test."""
    options: dict[str, Any] = {"resamples": resamples, "seed": seed}
    if a.metric == "accuracy":
        return paired_accuracy(a.gold, a.predictions, b.predictions, **options)
    if a.metric == "mean":
        return paired_means(a.predictions, b.predictions, **options)
    return paired_bootstrap(
        a.gold,
        a.predictions,
        b.predictions,
        a.groups,
        metric=cast(Metric, a.metric),
        aggregation=a.aggregation,
        **options,
    )


def _gold(a: ScoreRecord, b: ScoreRecord, data: DataFolder | None) -> np.ndarray | None:
    """Return the gold scores from the records, else from the data folder if its content is what was scored."""
    for record in (a, b):
        if record.gold is not None:
            return record.gold
    if data is None:
        return None
    text = str(a.protocol_fingerprint.get("text", "original"))
    (task,) = resolve_tasks([a.task_id], data=data, language=a.language, text=text)
    if task.data_sha != a.data_sha:
        raise AugBenchError(f"{data.path} holds other data for it than the runs were scored on")
    gold: np.ndarray | None = getattr(task, "gold", None)
    return gold


def _alone(record: ScoreRecord, reason: str | None, **values: Any) -> TaskComparison:
    metric, aggregation = record.main
    items = next((s.items for s in record.scores if (s.metric, s.aggregation) == record.main), len(record.predictions))
    return TaskComparison(
        task=record.task_id,
        language=record.language,
        protocol=record.protocol,
        metric=metric,
        aggregation=aggregation,
        items=items,
        a=values.get("a"),
        b=values.get("b"),
        difference=values.get("difference"),
        reason=reason,
    )
