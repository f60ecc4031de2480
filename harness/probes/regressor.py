"""How well do human similarity scores follow from two frozen vectors? SentEval's relatedness regressor, to the letter.

A score y is spread over its two neighbours among the bins 1 to 5 (Tai, Socher & Manning 2015); a linear layer and a softmax on
|u - v|, u * v learn these shares by mean squared error (Adam 1e-3, batches of 64, no weight decay, seed 1111). After every 50
passes the Pearson correlation of the expected bins with the dev scores is looked at; the fourth look without improvement, counted
in total, ends the training (also more than 1,000 passes do); the best weights predict. Scores below 1, which STS-B has, keep
less than one share in all, as in the original.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from harness.probes.adam import BATCH, LEARNING_RATE, SEED, Adam, first_weights, orders, with_ones
from harness.statistics import pearson

BINS = 5
PASSES = 50
TENACITY = 3
LONGEST = 1000
DETAILS: dict[str, Any] = {
    "probe": "senteval-regressor",
    "features": "|u - v|, u * v",
    "bins": BINS,
    "loss": "mean squared error of the softmax",
    "optimiser": "adam",
    "learning_rate": LEARNING_RATE,
    "batch": BATCH,
    "passes_per_look": PASSES,
    "tenacity": TENACITY,
    "longest": LONGEST,
    "seed": SEED,
    "scaling": "none",
    "order": "by number of words of both sentences, then score",
}


@dataclass(frozen=True)
class Regression:
    """Expected bins (1 to 5) of the test rows, shape (n,), float64, and the best Pearson × 100 on the dev rows.

    dev is None where no look gave a defined correlation above -1; the predictions are then NaN.
    """

    predictions: np.ndarray
    dev: float | None
    passes: int


def shares(scores: np.ndarray) -> np.ndarray:
    """Return the training targets, shape (n, 5), float32: y's distance to its lower bin goes to the upper, and vice versa."""
    scores = np.asarray(scores, dtype=np.float64)
    lower = np.floor(scores)
    bins = np.arange(1, BINS + 1)
    above = np.where(bins == lower[:, None] + 1, scores[:, None] - lower[:, None], 0.0)
    at = np.where(bins == lower[:, None], lower[:, None] - scores[:, None] + 1, 0.0)
    return (above + at).astype(np.float32)


def regress(
    features: Any, scores: np.ndarray, train: np.ndarray, dev: np.ndarray, test: np.ndarray, *, device: str = "cpu"
) -> Regression:
    """Train on the rows `train`, stop by `dev`, predict `test`.

    features  shape (n, d), dense, from `pair_features`;  scores: shape (n,), 0 to 5;  rows in the order the original sees them

    Raises ValueError on NaN or infinity.
    """
    import torch

    matrix = with_ones(features, device)
    targets = torch.from_numpy(shares(scores[train])).to(device)
    train_rows, dev_rows, test_rows = (torch.from_numpy(rows).to(device) for rows in (train, dev, test))
    adam = Adam(first_weights(matrix.shape[1] - 1, BINS, device))
    best, highest, failures, done = None, -100.0, 0, 0
    passes = orders(len(train))
    while done <= LONGEST:
        for order in islice(passes, PASSES):
            places = torch.from_numpy(order).to(device)
            for start in range(0, len(train), BATCH):
                chosen = places[start : start + BATCH]
                x = matrix[train_rows[chosen]]
                p = torch.softmax(x @ adam.weights.T, dim=1)
                pull = (p - targets[chosen]) * (2.0 / p.numel())
                # through the softmax: p (pull - <p, pull>)
                inner = p * (pull - (p * pull).sum(1, keepdim=True))
                adam.step(inner.T @ x)
        done += PASSES
        now = pearson(scores[dev], _expected(matrix[dev_rows], adam.weights))
        if now is not None and now > highest:
            best, highest = adam.weights.clone(), now
            continue
        if failures >= TENACITY:
            break
        failures += 1
    if best is None:
        return Regression(np.full(len(test), np.nan), None, done)
    return Regression(_expected(matrix[test_rows], best), highest, done)


def _expected(x: Any, weights: Any) -> np.ndarray:
    """The mean bin of each row under the softmax, shape (n,), float64."""
    import torch

    p = torch.softmax(x @ weights.T, dim=1).cpu().numpy().astype(np.float64)
    expected: np.ndarray = p @ np.arange(1, BINS + 1)
    return expected
