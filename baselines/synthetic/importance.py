"""How much does a pair count? The classifier's probability that a person wrote its second sentence, softened by a temperature.

    w = softmax(logits / τ)[human]        RISE, Eq. 1; τ is 0.5, 0.7 and 0.9 for the pairs made from STS-B, MRPC and QQP

Temperature changes no class, but says how sure the classifier is. `calibration` tells whether its certainty is deserved;
`fitted_temperature` is the τ under which it is (Guo et al. 2017), for sources that no paper names a τ for.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

Weighting = Literal["human", "filtered", "random"]
BINS = 10
#: what `fitted_temperature` looks through: 0.05 to 20, each 3 % above the one before
_GRID = np.exp(np.linspace(np.log(0.05), np.log(20.0), 201))


def human_probability(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Return p(human), float64 (n,), of logits (n, 2) (machine-made, human). Raises ValueError unless the temperature is > 0."""
    if not temperature > 0:
        raise ValueError(f"a temperature is above 0, got {temperature}")
    logits = np.asarray(logits, dtype=np.float64)
    gap = (logits[:, 1] - logits[:, 0]) / temperature
    # the logistic function without overflow
    small = np.exp(-np.abs(gap))
    return np.where(gap >= 0, 1 / (1 + small), small / (1 + small))


def log_loss(logits: np.ndarray, human: np.ndarray, temperature: float = 1.0) -> float:
    """Return the mean of −log p(class), in nats; human: 0 or 1 (n,)."""
    logits = np.asarray(logits, dtype=np.float64)
    gap = (logits[:, 1] - logits[:, 0]) / temperature
    return float(np.mean(np.logaddexp(0.0, np.where(human == 1, -gap, gap))))


def calibration_error(logits: np.ndarray, human: np.ndarray, temperature: float = 1.0) -> float:
    """Return the expected calibration error, 0 … 1: |accuracy − certainty| in ten bins of certainty, weighted by their size."""
    p = human_probability(logits, temperature)
    certainty, right = np.maximum(p, 1 - p), (p >= 0.5) == (human == 1)
    # the less certain class of two never has more than ½, so bins halve [½, 1]
    place = np.minimum(((certainty - 0.5) * 2 * BINS).astype(np.int64), BINS - 1)
    gaps = [
        abs(right[place == b].mean() - certainty[place == b].mean()) * np.mean(place == b) for b in np.unique(place)
    ]
    return float(sum(gaps))


def fitted_temperature(logits: np.ndarray, human: np.ndarray) -> float:
    """Return the temperature with the lowest log loss, of 201 between 0.05 and 20 (the ends if it would lie beyond)."""
    losses = [log_loss(logits, human, float(t)) for t in _GRID]
    return float(_GRID[int(np.argmin(losses))])


def keep_highest(importance: np.ndarray, dropped: float) -> np.ndarray:
    """Return the places, ascending, of all but the share `dropped` with the lowest importance (ties: the later goes first)."""
    count = int(dropped * len(importance))
    order = np.argsort(-np.asarray(importance), kind="stable")
    return np.sort(order[: len(order) - count])
