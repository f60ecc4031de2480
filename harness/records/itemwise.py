"""Which numbers per item does a stored score follow from, so that a test can resample them?

A correlation follows from gold scores and predictions, accuracy from gold and predicted classes. Where a task repeats its
test items (few-shot tasks: once per draw of the training rows), an item's score is the share of repeats that got it right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from harness.errors import AugBenchError

if TYPE_CHECKING:
    import numpy as np

    from harness.records.schema import ScoreRecord
    from harness.statistics import Aggregation, Measure

#: by how much (points) a recomputed accuracy may miss the stored one
_TOLERANCE = 0.01


class NotItemwise(AugBenchError):
    """A score that does not follow from one stored number per item."""


@dataclass(frozen=True, eq=False)
class Itemwise:
    """The items behind a score: what `harness.statistics.draw_scores` takes.

    gold, predictions  shape (items,)
    groups             sizes of the subsets, None where the aggregation does not need them
    """

    gold: np.ndarray
    predictions: np.ndarray
    metric: Measure
    aggregation: Aggregation
    groups: tuple[int, ...] | None = None

    @property
    def options(self) -> dict[str, Any]:
        """How the score is formed, as keyword arguments of `draw_scores`."""
        return {"metric": self.metric, "aggregation": self.aggregation, "groups": self.groups}


def itemwise(record: ScoreRecord, *, gold: np.ndarray | None = None) -> Itemwise:
    """Return the items behind a record's main score.

    gold  the gold scores where the record holds none

    Raises NotItemwise, saying why, if the score does not follow from what is stored: another metric, no predictions, no gold
    scores, or an accuracy that is not that of the predictions (of a threshold, or a mean over runs of which one was kept).
    """
    from harness.statistics import AGGREGATIONS, METRICS

    metric, aggregation = record.main
    correlated = metric in METRICS and aggregation in AGGREGATIONS
    if not correlated and (metric, aggregation) != ("accuracy", "all"):
        raise NotItemwise(f"there is no paired test for {metric}/{aggregation}")
    if not record.packed_predictions:
        raise NotItemwise("the records were packed without their predictions")
    gold = record.gold if gold is None else gold
    if gold is None:
        raise NotItemwise("the records hold no gold scores; give the data folder with --data DIR")
    predictions = record.predictions
    if len(gold) != len(predictions):
        raise NotItemwise("the stored predictions do not fit the gold scores; evaluate the runs again")
    if correlated:
        groups = tuple(record.groups.values()) or None
        return Itemwise(gold, predictions, cast("Measure", metric), cast("Aggregation", aggregation), groups)
    accuracy = 100.0 * float((gold == predictions).mean()) if len(gold) else None
    if record.value is not None and (accuracy is None or abs(accuracy - record.value) > _TOLERANCE):
        raise NotItemwise("its accuracy is not that of the stored predictions, so no item can be tested")
    return _folded(Itemwise(gold, predictions, "accuracy", "all"), list(record.groups.values()))


def _folded(items: Itemwise, groups: list[int]) -> Itemwise:
    """The same test items several times over become items once, with the share of repeats that are right as their score."""
    repeats = len(groups)
    if repeats < 2 or len(set(groups)) > 1 or repeats * groups[0] != len(items.gold):
        return items
    gold = items.gold.reshape(repeats, -1)
    if not (gold == gold[0]).all():
        return items
    right = (items.predictions.reshape(repeats, -1) == gold).mean(axis=0)
    return replace(items, gold=gold[0], predictions=right, metric="mean")
