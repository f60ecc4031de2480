"""How is a probe's penalty chosen, and on which rows is its accuracy measured? SentEval's three ways.

nested  all rows: each of k folds is judged by a classifier whose penalty k inner folds of the other rows have chosen
folds   train and test rows: k folds of the training rows choose the penalty
fixed   train, dev and test rows: the dev rows choose it (and the classifier that did so is the one that is tested)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from harness.probes.folds import Split, TooFewError, stratified

K = 10
FOLD_SEED = 1111


class Models(Protocol):
    """Trained classifiers: `correct` has shape (splits, penalties)."""

    @property
    def correct(self) -> np.ndarray: ...  # noqa: D102

    @property
    def notes(self) -> tuple[str, ...]: ...  # noqa: D102

    def predict(self, split: int, penalty: int, rows: np.ndarray) -> np.ndarray: ...  # noqa: D102


class Probe(Protocol):
    """A classifier on one set of vectors: `LogisticRegression` or `SentEvalMLP`."""

    @property
    def penalties(self) -> tuple[float, ...]: ...  # noqa: D102

    @property
    def decimals(self) -> int | None: ...  # noqa: D102

    def fit(self, splits: Sequence[Split], penalties: np.ndarray) -> Models: ...  # noqa: D102

    def refit(self, trains: Sequence[np.ndarray], penalties: np.ndarray) -> Models: ...  # noqa: D102

    def choose(self, correct: np.ndarray, sizes: np.ndarray) -> tuple[int, float]: ...  # noqa: D102


@dataclass(frozen=True)
class Outcome:
    """What a probe predicted.

    predictions  class numbers of the judged rows, in their order
    dev          accuracy × 100 of the chosen penalties where they were chosen
    penalties    the chosen ones, one per outer fold
    folds        accuracy × 100 of each outer fold (one entry if there is one test part)
    """

    predictions: np.ndarray
    dev: float
    penalties: tuple[float, ...]
    folds: tuple[float, ...]
    notes: tuple[str, ...] = field(default=())


def nested(probe: Probe, labels: np.ndarray, rows: np.ndarray, *, k: int = K) -> Outcome:
    """Judge all `rows`, given in the order that the shuffle sees; predictions are in that order too.

    Raises TooFewError if an outer or inner training part cannot have all classes.
    """
    outer = stratified(labels, k, seed=FOLD_SEED, rows=rows)
    inner = [stratified(labels, k, seed=FOLD_SEED, rows=split.train) for split in outer]
    every = [split for folds in inner for split in folds]
    models = probe.fit(every, _grid(probe, len(every)))
    chosen = [probe.choose(models.correct[i * k : (i + 1) * k], _sizes(folds)) for i, folds in enumerate(inner)]
    penalties = np.array([probe.penalties[index] for index, _ in chosen])
    final = probe.refit([split.train for split in outer], penalties)
    place = {int(row): position for position, row in enumerate(rows)}
    predictions = np.empty(len(rows), dtype=np.int64)
    accuracies = []
    for number, split in enumerate(outer):
        found = final.predict(number, 0, split.test)
        predictions[[place[int(row)] for row in split.test]] = found
        accuracies.append(_percent(found, labels[split.test], probe.decimals))
    dev = float(np.mean([score for _, score in chosen]))
    return Outcome(
        predictions,
        _rounded(dev, probe.decimals),
        tuple(penalties.tolist()),
        tuple(accuracies),
        models.notes + final.notes,
    )


def folds(probe: Probe, labels: np.ndarray, train: np.ndarray, test: np.ndarray, *, k: int = K) -> Outcome:
    """Judge the `test` rows; `train` in the order that the shuffle sees. Raises TooFewError as `nested` does."""
    splits = stratified(labels, k, seed=FOLD_SEED, rows=train)
    models = probe.fit(splits, _grid(probe, k))
    index, dev = probe.choose(models.correct, _sizes(splits))
    penalty = probe.penalties[index]
    final = probe.refit([train], np.array([penalty]))
    found = final.predict(0, 0, test)
    accuracy = _percent(found, labels[test], probe.decimals)
    return Outcome(found, dev, (penalty,), (accuracy,), models.notes + final.notes)


def fixed(probe: Probe, labels: np.ndarray, train: np.ndarray, dev: np.ndarray, test: np.ndarray) -> Outcome:
    """Judge the `test` rows. Raises TooFewError if the training rows have one class."""
    if len(np.unique(labels[train])) < 2:
        raise TooFewError("the training items have one class, a classifier needs two")
    models = probe.fit([Split(train, dev)], _grid(probe, 1))
    index, score = probe.choose(models.correct, np.array([len(dev)]))
    found = models.predict(0, index, test)
    accuracy = _percent(found, labels[test], probe.decimals)
    return Outcome(found, score, (probe.penalties[index],), (accuracy,), models.notes)


def _grid(probe: Probe, splits: int) -> np.ndarray:
    return np.tile(np.array(probe.penalties), (splits, 1))


def _sizes(splits: Sequence[Split]) -> np.ndarray:
    return np.array([len(split.test) for split in splits])


def _percent(found: np.ndarray, labels: np.ndarray, decimals: int | None) -> float:
    return _rounded(100.0 * float(np.mean(found == labels)), decimals)


def _rounded(value: float, decimals: int | None) -> float:
    return value if decimals is None else round(value, decimals)


def open_probe(name: str) -> Any:
    """Return the class of the probe called `name`. Raises UsageError, with the names there are."""
    from harness.errors import UsageError
    from harness.probes.logreg import LogisticRegression
    from harness.probes.senteval_mlp import SentEvalMLP

    known = {probe.name: probe for probe in (LogisticRegression, SentEvalMLP)}
    if name not in known:
        raise UsageError(f"unknown probe {name!r}; expected one of {', '.join(known)}.")
    return known[name]
