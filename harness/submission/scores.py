"""Is a score's record what it claims to be: within all ranges, and do its predictions give its scores?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

from harness.records.schema import ScoreRecord, ScoreValue, eval_id
from harness.statistics import AGGREGATIONS, METRICS, Aggregation, Metric, correlation
from harness.submission.reading import names

#: by how much (points) a recomputed score may miss the stated one, by the precision of the predictions
_TOLERANCE = {"<f4": 0.01, "<f2": 0.5}
#: metrics that lie in a known range, × 100
_RANGES = {
    **dict.fromkeys(("spearman", "pearson", "mcc"), (-100.0, 100.0)),
    **dict.fromkeys(("accuracy", "f1", "ap", "nmi"), (0.0, 100.0)),
}
_ROUNDING = 1e-6


def problems(record: ScoreRecord) -> Iterator[str]:
    """Yield what is wrong with a score's record."""
    import numpy as np

    yield from names(
        [("task", record.task), ("split", record.split), ("protocol", record.protocol), ("language", record.language)]
    )
    yield from names([(f"groups[{n}]", name) for n, name in enumerate(record.groups)])
    expected = eval_id(
        embedder_sha=record.embedder_sha,
        task_id=record.task_id,
        language=record.language,
        data_sha=record.data_sha,
        protocol=record.protocol_fingerprint,
    )
    if expected != record.eval_id:
        yield "eval_id is not that of its embedder, task, data and protocol: the record was changed"
    stated = [(score.metric, score.aggregation) for score in record.scores]
    if len(set(stated)) < len(stated):
        yield "a score stands there twice"
    if tuple(record.main) not in stated:
        yield f"its main score {'/'.join(record.main)} is not among its scores"
    for score in record.scores:
        yield from _range(score)
    for part in record.slices:
        if part.value is not None and not math.isfinite(part.value):
            yield f"slice {part.kind}/{part.part}: not a finite number"
    try:
        predictions, gold = record.predictions, record.gold
    except ValueError as error:
        yield str(error)
        return
    for name, values in (("predictions", predictions), ("gold", gold)):
        if values is not None and not np.isfinite(values).all():
            yield f"{name}: not a finite number among them"
            return
    if gold is not None and len(gold) != len(predictions):
        yield f"{len(predictions):,} predictions for {len(gold):,} gold scores"
    elif record.groups and (min(record.groups.values()) < 1 or sum(record.groups.values()) != len(predictions)):
        yield f"groups have {sum(record.groups.values()):,} items, there are {len(predictions):,} predictions"
    elif gold is not None:
        yield from _not_reproduced(record)


def unchecked(record: ScoreRecord) -> str | None:
    """Return why a record's main score cannot be computed again from its predictions, None if it can."""
    metric, aggregation = record.main
    if record.packed_gold is None:
        return "no gold scores, so its score cannot be computed again"
    if (metric in METRICS and aggregation in AGGREGATIONS) or (metric == "accuracy" and _classes(record)):
        return None
    return f"{metric}/{aggregation} does not follow from one stored number per item, so it is not computed again"


def _range(score: ScoreValue) -> Iterator[str]:
    name = f"{score.metric}/{score.aggregation}"
    yield from names([("scores.metric", score.metric), ("scores.aggregation", score.aggregation)])
    if not 0 <= score.items <= 20_000_000:
        yield f"{name}: {score.items} items"
    low, high = _RANGES.get(score.metric, (-math.inf, math.inf))
    if score.value is not None and not (
        math.isfinite(score.value) and low - _ROUNDING <= score.value <= high + _ROUNDING
    ):
        yield f"{name} is {score.value}, expected {low:g} to {high:g}"


def recomputed(record: ScoreRecord) -> dict[tuple[str, str], float | None]:
    """Return what a record's predictions give for its stated correlations and the accuracy of predicted classes.

    By (metric, aggregation); None where undefined. Scores that follow from something else are not in it, nor any without gold
    scores. Raises ValueError if predictions, gold scores and groups do not fit each other.
    """
    gold, predictions = record.gold, record.predictions
    found: dict[tuple[str, str], float | None] = {}
    if gold is None:
        return found
    for score in record.scores:
        if score.metric in METRICS and score.aggregation in AGGREGATIONS:
            found[score.metric, score.aggregation] = correlation(
                gold,
                predictions,
                metric=cast(Metric, score.metric),
                aggregation=cast(Aggregation, score.aggregation),
                groups=list(record.groups.values()) or None,
            )
        elif (score.metric, score.aggregation) == ("accuracy", "all") and _classes(record):
            found[score.metric, score.aggregation] = 100.0 * float((gold == predictions).mean())
    return found


def _not_reproduced(record: ScoreRecord) -> Iterator[str]:
    """Every stated score that follows from the predictions, against what they give."""
    tolerance = _TOLERANCE[record.predictions_dtype]
    try:
        again = recomputed(record)
    except ValueError as error:
        yield f"{'/'.join(record.main)}: {error}"
        return
    for score in record.scores:
        if (score.metric, score.aggregation) not in again:
            continue
        name, found = f"{score.metric}/{score.aggregation}", again[score.metric, score.aggregation]
        stated = score.value
        if score.metric == "accuracy" and (states := _states(record)):
            # the predictions are those of the first of several random states, the score is the mean of all
            stated, mean = states[0], sum(states) / len(states)
            if score.value is None or abs(mean - score.value) > _ROUNDING:
                yield f"{name} is stated as {_said(score.value)}, its random states give {mean:.4f}"
        # tests on several splits keep one group of predictions per split
        if score.items != len(record.predictions) and set(record.groups.values()) != {score.items}:
            yield f"{name}: stated for {score.items:,} items, there are {len(record.predictions):,} predictions"
        if found is None or stated is None:
            if (found is None) != (stated is None):
                yield f"{name} is stated as {_said(stated)}, its predictions give {_said(found)}"
        elif abs(found - stated) > tolerance:
            yield f"{name} is stated as {stated:.4f}, its predictions give {found:.4f}"


def _states(record: ScoreRecord) -> list[float]:
    """The accuracy of every random state, in order; empty for tests that have one."""
    named = {name: value for name, value in record.facts.items() if name.startswith("accuracy_state_")}
    ordered = sorted(named, key=lambda name: int(name.rpartition("_")[2]))
    return [value for name in ordered if (value := named[name]) is not None]


def _classes(record: ScoreRecord) -> bool:
    """Whether the predictions are classes of the items (not similarities under a threshold)."""
    import numpy as np

    gold, predictions = record.gold, record.predictions
    return gold is not None and len(predictions) > 0 and bool(np.isin(predictions, gold).all())


def _said(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
