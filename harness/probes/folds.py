"""Which items train a probe and which ones judge it? Stratified folds, exactly as scikit-learn deals them.

SentEval folds with `StratifiedKFold(k, shuffle=True, random_state=1111)`, outside and inside (the inner folds of every
outer fold start from the same seed again). The order of the items decides what a shuffle does, so the order is part of a
protocol: SentEval's is by length, then class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


class TooFewError(ValueError):
    """The items cannot train or judge a classifier: one class, or fewer of a class than folds. A score is then undefined."""


@dataclass(frozen=True)
class Split:
    """Row numbers: `train` are fitted, `test` are judged. Both are int64 arrays in ascending order without overlap."""

    train: np.ndarray
    test: np.ndarray


def stratified(labels: np.ndarray, k: int, *, seed: int, rows: np.ndarray | None = None) -> list[Split]:
    """Return `k` stratified folds of `rows` (all rows if None), shuffled with `seed`.

    labels  class numbers of all rows, shape (n,);  rows: the rows to fold, in the order the shuffle sees them

    Raises TooFewError if a class has fewer than `k` of the rows: some training part might then lack it.
    """
    from sklearn.model_selection import StratifiedKFold

    rows = np.arange(len(labels)) if rows is None else np.asarray(rows)
    problem = too_few(labels[rows], k)
    if problem is not None:
        raise TooFewError(problem)
    folder = StratifiedKFold(n_splits=k, shuffle=True, random_state=seed)
    return [Split(rows[train], rows[test]) for train, test in folder.split(np.zeros(len(rows)), labels[rows])]


def too_few(labels: np.ndarray, k: int) -> str | None:
    """Return why `labels` cannot be dealt into `k` stratified folds (one class, or fewer items of one than folds), or None."""
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        return f"there {'is one class' if len(classes) else 'are no items'}, a classifier needs two"
    if counts.min() < k:
        return f"class {classes[counts.argmin()]} has {counts.min()} items, {k} folds need at least {k} of each class"
    return None


def sentence_order(texts: Sequence[tuple[str, ...]], labels: np.ndarray) -> np.ndarray:
    """Return the order of SentEval's loaders: by number of words of each text, then class; else as in the file.

    texts  tuples of one or two texts of words with blanks between them

    A few lines of CR (4) and MPQA (3) are empty in SentEval's archive, which sorts them first; data folders hold a lone "." for
    them (what encoders are fed), which is a word here. That changes which rows share a fold, not what a fold is: on CR
    the classifier of SentEval moved by 0.2 points.
    """
    lengths = [[len(text.split()) for text in item] for item in texts]
    return np.array(sorted(range(len(texts)), key=lambda i: (*lengths[i], int(labels[i]))), dtype=np.int64)
