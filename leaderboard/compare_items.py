"""On which items do two methods disagree, and on which kinds of items is one better?

Similarities of two encoders have different ranges, so items are compared by their place: the share of the task's items (in
percent) whose prediction is not higher. For classes an item has the share of the runs that got it right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.errors import AugBenchError
from harness.statistics import Estimate, difference_estimate, fixed_draws, over_seeds
from leaderboard.compare_data import Method, Place, same_items

if TYPE_CHECKING:
    import pandas as pd

    from harness.records.schema import ScoreRecord

#: what `kind` says about the numbers of an item
PLACES, RIGHT = "place among the items, %", "runs that are right, %"


@dataclass(frozen=True, eq=False)
class Items:
    """The items of one task under two methods.

    frame  columns item (number from 1), gold, gold_place, a, b (means over the runs), gap (b - a), closer: whose place is nearer
           to that of the gold score (`A`, `B` or `equal`)
    kind   what a and b are: `PLACES` or `RIGHT`
    """

    frame: pd.DataFrame
    kind: str
    record: ScoreRecord


@dataclass(frozen=True)
class SliceDifference:
    """A task's main metric on a part of its items: means over the seeds, and b minus a over the seeds alone."""

    kind: str
    part: str
    metric: str
    items: int
    a: float | None
    b: float | None
    difference: Estimate | None


def items(a: Method, b: Method, place: Place) -> Items:
    """Return the items of a task that both were scored on. Raises AugBenchError, saying why, if there are none to compare."""
    import numpy as np
    import pandas as pd

    of_a, of_b = a.at(place)[1], b.at(place)[1]
    if not of_a or not of_b:
        raise AugBenchError(f"only one of the two was scored on {place[0]}")
    found = same_items([*of_a, *of_b])
    gold = np.asarray(found[0].gold, dtype=np.float64)
    kind = PLACES if found[0].metric in ("spearman", "pearson") else RIGHT
    if kind == PLACES:
        shown = [_places(one.predictions) for one in found]
        gold_place = _places(gold)
    else:
        # `mean` items hold the share of repeats that are right already
        shown = [100.0 * (one.predictions if one.metric == "mean" else one.predictions == one.gold) for one in found]
        gold_place = np.full(len(gold), 100.0)
    first, second = np.mean(shown[: len(of_a)], axis=0), np.mean(shown[len(of_a) :], axis=0)
    error_a, error_b = np.abs(first - gold_place), np.abs(second - gold_place)
    closer = np.where(np.abs(error_a - error_b) < 1e-9, "equal", np.where(error_a < error_b, "A", "B"))
    frame = pd.DataFrame(
        {
            "item": np.arange(1, len(gold) + 1),
            "gold": gold,
            "gold_place": gold_place,
            "a": first,
            "b": second,
            "gap": second - first,
            "closer": closer,
        }
    )
    return Items(frame, kind, of_a[0])


def disagreements(found: Items, *, count: int = 20) -> pd.DataFrame:
    """Return the items with the widest gaps, the widest first (ties in the order of the task)."""
    order = found.frame["gap"].abs().sort_values(ascending=False, kind="stable").index
    return found.frame.loc[order[:count]]


def sentences(record: ScoreRecord, data: Any = None) -> list[tuple[str, ...]]:
    """Return the texts behind each item of a score record, from a data folder.

    data  folder; None: AUGBENCH_DATA

    Raises AugBenchError, saying why, if there is no folder, it lacks the task, or its content is not what was scored.
    """
    from harness.data import open_data
    from harness.tasks import resolve_tasks

    folder = open_data(data)
    text = str(record.protocol_fingerprint.get("text", "original"))
    (task,) = resolve_tasks([record.task_id], data=folder, language=record.language, text=text)
    if task.data_sha != record.data_sha:
        raise AugBenchError(f"{folder.path} holds other data for {record.task_id} than these runs were scored on.")
    pairs: Sequence[Any] | None = getattr(task, "pairs", None)
    found: list[tuple[str, ...]] = [tuple(map(str, pair)) for pair in pairs or ()]
    if pairs is None:
        found = [(sentence,) for sentence in task.sentences()]
    if len(found) != len(record.predictions):
        raise AugBenchError(f"{record.task_id} has no sentences that stand for one item each.")
    return found


def slices(a: Method, b: Method, place: Place) -> list[SliceDifference]:
    """Return the task's score on parts of its items (overlap, negation, length), for parts that both have for every seed.

    Which items are in a part is not stored, so that intervals are over the seeds alone, and missing with one seed.
    """
    (seeds_a, of_a), (seeds_b, of_b) = a.at(place), b.at(place)
    if not of_a or not of_b or len({record.data_sha for record in (*of_a, *of_b)}) > 1:
        return []
    found = []
    for first in of_a[0].slices:
        name = (first.kind, first.part, first.metric)
        values_a, values_b = ([_slice(record, name) for record in records] for records in (of_a, of_b))
        known_a, known_b = ([v for v in values if v is not None] for values in (values_a, values_b))
        difference = None
        if len(known_a) == len(of_a) and len(known_b) == len(of_b):
            difference = difference_estimate(
                fixed_draws(known_a, resamples=2), fixed_draws(known_b, resamples=2), seeds_a=seeds_a, seeds_b=seeds_b
            )
        found.append(
            SliceDifference(
                *name,
                first.items,
                over_seeds(known_a).mean if len(known_a) == len(of_a) else None,
                over_seeds(known_b).mean if len(known_b) == len(of_b) else None,
                difference,
            )
        )
    return found


def _slice(record: ScoreRecord, name: tuple[str, str, str]) -> float | None:
    return next((s.value for s in record.slices if (s.kind, s.part, s.metric) == name), None)


def _places(values: Any) -> Any:
    """The mean rank of each value among all, as a percentage of the items."""
    from scipy.stats import rankdata

    ranks = rankdata(values)
    return 100.0 * ranks / len(ranks)
