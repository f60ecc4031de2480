"""How is a linear softmax layer trained on a few rows per class? Several splits of the data as one batched problem.

The splits have equally many rows, so that their weights, batches and Adam's averages lie behind each other in one array and
every step is one product of three-dimensional arrays; the result is what training them one after another gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Recipe:
    """Adam (Kingma & Ba, 2015) on the mean cross entropy of a batch, from zero weights; `every` iterations the dev rows."""

    learning_rate: float = 1e-4
    batch: int = 32
    iterations: int = 1000
    every: int = 100
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8


@dataclass(frozen=True)
class Fit:
    """What came out, for S splits.

    weights, bias    the layers at their best dev accuracy (the first of equal ones): (S, d, classes) and (S, 1, classes)
    dev_accuracy     that accuracy, in [0, 1], shape (S,);  iteration: where it was reached, shape (S,)
    """

    weights: np.ndarray
    bias: np.ndarray
    dev_accuracy: np.ndarray
    iteration: np.ndarray

    def predict(self, vectors: Any) -> np.ndarray:
        """Return the class of each row of `vectors`, (n, d) dense or CSR, by each split's layer: (S, n)."""
        return np.stack([_logits(vectors, w, b).argmax(axis=1) for w, b in zip(self.weights, self.bias, strict=True)])


def fit_splits(
    vectors: Any,
    gold: np.ndarray,
    *,
    classes: int,
    train: np.ndarray,
    dev: np.ndarray,
    rngs: Sequence[np.random.Generator],
    recipe: Recipe | None = None,
) -> Fit:
    """Train one linear softmax layer per split and keep each at its best dev accuracy.

    vectors     (n, d), dense float32 or CSR, finite;  gold: class numbers, (n,)
    train, dev  row numbers, (S, rows) each;  rngs: one generator per split, which orders its batches

    Each split goes through its training rows in a new random order per pass; the last batch of a pass may be smaller.
    Columns of a CSR matrix that are 0 in all training rows keep the weight 0 and are left out of the computation.
    """
    from scipy.sparse import issparse

    recipe = recipe or Recipe()
    columns: np.ndarray | None = None
    dimensions = vectors.shape[1]
    if issparse(vectors):
        columns = np.unique(vectors[np.unique(train)].indices)
        vectors = vectors[:, columns]
    splits, dim = len(train), vectors.shape[1]
    layer = np.zeros((splits, dim + 1, classes), dtype=np.float32)  # the last row is the bias
    mean, square = np.zeros_like(layer), np.zeros_like(layer)
    best, accuracy, at = layer.copy(), np.full(splits, -1.0), np.zeros(splits, dtype=np.int64)
    batches = _batches(train, rngs, recipe.batch)
    for step in range(1, recipe.iterations + 1):
        rows = next(batches)
        x = _rows(vectors, rows)
        logits = x @ layer[:, :-1] + layer[:, -1:]
        error = _softmax(logits)
        error[np.arange(splits)[:, None], np.arange(rows.shape[1])[None], gold[rows]] -= 1.0
        error /= rows.shape[1]
        gradient = np.concatenate([x.transpose(0, 2, 1) @ error, error.sum(axis=1, keepdims=True)], axis=1)
        mean += (1 - recipe.beta1) * (gradient - mean)
        square += (1 - recipe.beta2) * (gradient * gradient - square)
        root = np.sqrt(square) / np.float32(np.sqrt(1 - recipe.beta2**step)) + np.float32(recipe.epsilon)
        layer -= np.float32(recipe.learning_rate / (1 - recipe.beta1**step)) * mean / root
        if step % recipe.every == 0:
            for split, chosen in enumerate(dev):
                found = _logits(vectors[chosen], layer[split, :-1], layer[split, -1:]).argmax(axis=1)
                reached = float(np.mean(found == gold[chosen]))
                if reached > accuracy[split]:
                    best[split], accuracy[split], at[split] = layer[split], reached, step
    weights = best[:, :-1]
    if columns is not None:
        whole = np.zeros((splits, dimensions, classes), dtype=np.float32)
        whole[:, columns] = weights
        weights = whole
    return Fit(weights, best[:, -1:], accuracy, at)


def _batches(train: np.ndarray, rngs: Sequence[np.random.Generator], size: int) -> Any:
    """Yield row numbers, (S, size) each, for ever."""
    while True:
        order = np.stack([rows[rng.permutation(len(rows))] for rows, rng in zip(train, rngs, strict=True)])
        for start in range(0, order.shape[1], size):
            yield order[:, start : start + size]


def _rows(vectors: Any, rows: np.ndarray) -> np.ndarray:
    """Return vectors[rows] as a dense array, shape (*rows.shape, d)."""
    from scipy.sparse import issparse

    if issparse(vectors):
        dense: np.ndarray = vectors[rows.ravel()].toarray().reshape(*rows.shape, vectors.shape[1])
        return dense
    picked: np.ndarray = vectors[rows]
    return picked


def _logits(vectors: Any, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return np.asarray(vectors @ weights) + bias


def _softmax(logits: np.ndarray) -> np.ndarray:
    out = np.exp(logits - logits.max(axis=-1, keepdims=True))
    out /= out.sum(axis=-1, keepdims=True)
    return out
