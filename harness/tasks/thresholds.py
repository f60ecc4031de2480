"""From which similarity on are two sentences a pair? The threshold that does best on other pairs, and what it is worth.

Thresholds are the mid-points between neighbouring different similarities; a pair is positive if its similarity is above.
That a threshold below or above everything is not tried is the rule of sentence-transformers' evaluator, which RISE uses.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

Metric = Literal["accuracy", "f1"]


class Threshold(NamedTuple):
    """A cut, and the metric in [0, 1] it reaches where it was chosen."""

    value: float
    reached: float


def best_threshold(similarities: np.ndarray, gold: np.ndarray, metric: Metric) -> Threshold | None:
    """Return the mid-point with the highest `metric`, the highest of equal ones; None if all similarities are the same.

    similarities  shape (n,), finite;  gold: 0 or 1, shape (n,)
    """
    values = np.asarray(similarities, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    ordered, positive = values[order], np.asarray(gold)[order].astype(np.int64)
    cuts = np.flatnonzero(ordered[1:] < ordered[:-1])  # above the cut: the first cut + 1 items
    if not len(cuts):
        return None
    true = np.cumsum(positive)[cuts]
    above = cuts + 1
    if metric == "accuracy":
        reached = (true + (len(values) - above) - (positive.sum() - true)) / len(values)
    else:
        reached = 2 * true / (above + positive.sum())
    best = int(np.argmax(reached))
    first = cuts[best]
    return Threshold(float((ordered[first] + ordered[first + 1]) / 2), float(reached[best]))


def above(similarities: np.ndarray, threshold: Threshold) -> np.ndarray:
    """Return 1 where a similarity is above the threshold, else 0.

    Compared in float64: rounded to float32 the mid-point of two neighbouring numbers would be one of them.
    """
    return (np.asarray(similarities, dtype=np.float64) > threshold.value).astype(np.int64)


def f1_score(predicted: np.ndarray, gold: np.ndarray) -> float:
    """Return F1 in [0, 1] of the positive class of 0/1 arrays; `gold` holds at least one 1."""
    return 2 * int((predicted & gold).sum()) / (int(predicted.sum()) + int(gold.sum()))


def average_precision(similarities: np.ndarray, gold: np.ndarray) -> float:
    """Return Σ (recall step × precision) over the different similarities, in [0, 1]; `gold` (0/1) holds at least one 1."""
    order = np.argsort(-similarities, kind="stable")
    ordered, positive = similarities[order], np.asarray(gold)[order].astype(np.int64)
    ends = np.flatnonzero(np.append(ordered[1:] < ordered[:-1], True))  # the last item of each run of equal ones
    true = np.cumsum(positive)[ends]
    return float((np.diff(true, prepend=0) * (true / (ends + 1))).sum() / positive.sum())
