"""What do the tasks on labelled texts share? Class numbers, a look at the vectors before they are used, and "undefined"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from harness.protocols import Score, TaskResult


def numbered(labels: Sequence[str]) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the classes in sorted order and the number of each label among them, shape (len(labels),), int64."""
    names = tuple(sorted(set(labels)))
    number = {name: index for index, name in enumerate(names)}
    return names, np.array([number[label] for label in labels], dtype=np.int64)


def check_rows(task_id: str, vectors: Any, rows: int) -> None:
    """Raises ValueError unless there is one vector for each of the `rows` sentences of a task."""
    if vectors.shape[0] != rows:
        raise ValueError(f"{task_id} has {rows} sentences, got {vectors.shape[0]} vectors")


def unusable(vectors: Any) -> str | None:
    """Return why nothing can be learned from `vectors`, shape (n, d), dense or CSR: NaN, infinity, all the same; else None."""
    from scipy.sparse import issparse

    if issparse(vectors):
        entries = vectors.tocoo()
        bad = len(np.unique(entries.row[~np.isfinite(entries.data)]))
    else:
        bad = int((~np.isfinite(vectors).all(axis=1)).sum())
    if bad:
        return f"{bad} of {vectors.shape[0]} vectors hold NaN or infinity"
    spread = vectors.max(axis=0) - vectors.min(axis=0)
    if (spread.count_nonzero() if issparse(spread) else np.count_nonzero(spread)) == 0:
        return f"all {vectors.shape[0]} vectors are the same"
    return None


def undefined(
    reason: str, metrics: Mapping[str, int], *, items: int, groups: Mapping[str, int], notes: Sequence[str] = ()
) -> TaskResult:
    """Return a result whose scores are None and whose predictions are NaN, with the reason in its notes.

    metrics  metric -> number of items it would have been computed from;  items: number of predictions
    """
    scores = tuple(Score(metric, "all", None, count) for metric, count in metrics.items())
    why = f"undefined: {reason}"
    return TaskResult(scores, np.full(items, np.nan, dtype=np.float32), dict(groups), (*notes, why))


def row_products(first: Any, second: Any, *, chunk: int = 4096) -> np.ndarray:
    """Return the dot product of each row pair of two (n, d) matrices, dense or CSR, shape (n,), summed in float64."""
    from scipy.sparse import issparse

    out, sparse = np.empty(first.shape[0]), bool(issparse(first))
    for start in range(0, len(out), chunk):
        a, b = first[start : start + chunk], second[start : start + chunk]
        if sparse:
            products = a.astype(np.float64).multiply(b.astype(np.float64)).sum(axis=1)
            out[start : start + chunk] = np.asarray(products).ravel()
        else:
            out[start : start + chunk] = np.einsum("ij,ij->i", np.asarray(a, np.float64), np.asarray(b, np.float64))
    return out
