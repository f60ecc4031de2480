"""Does a text find the one it belongs to among all others? Ranks by cosine; of several equally near ones, the middle rank."""

from __future__ import annotations

import numpy as np

_BLOCK = 1_024


def ranks(queries: np.ndarray, keys: np.ndarray, targets: np.ndarray | None = None) -> np.ndarray:
    """Return the rank, from 1, of each query's own key among all keys, shape (n,).

    queries  unit vectors (n, d);  keys: unit vectors (m, d);  targets: the number of each query's key (default: its own number)
    """
    targets = np.arange(len(queries)) if targets is None else np.asarray(targets)
    found = np.empty(len(queries))
    for start in range(0, len(queries), _BLOCK):
        cosines = queries[start : start + _BLOCK] @ keys.T
        own = cosines[np.arange(len(cosines)), targets[start : start + _BLOCK]][:, None]
        # rounding must not part what is equal
        nearer, level = (cosines > own + 1e-9).sum(axis=1), (np.abs(cosines - own) <= 1e-9).sum(axis=1)
        found[start : start + _BLOCK] = nearer + (level + 1) / 2
    return found


def both_ways(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the mean reciprocal rank of row i of `b` among all of `b` for row i of `a`, and the other way, shape (n,).

    a, b  unit vectors (n, d); 1 = each finds the other first
    """
    return (1 / ranks(a, b) + 1 / ranks(b, a)) / 2
