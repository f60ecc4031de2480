"""Where do embeddings start? From which pieces stand near each other, instead of from noise.

Positive pointwise mutual information with a smoothed context distribution, then a truncated singular value decomposition
(Levy, Goldberg and Dagan 2015). One pass over the text costs a minute and gives the first layer what masked-language
modelling would need millions of tokens to find.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WINDOW = 5
_SMOOTHING = 0.75
_CHUNK = 4_000_000


def cooccurrences(ids: np.ndarray, starts: np.ndarray, size: int, *, window: int = WINDOW) -> Any:
    """Count how often two pieces stand within `window` places of each other in one segment, weighted by 1 / distance.

    ids     uint16 (pieces,), all segments behind each other;  starts: where segments begin, ascending, the first 0
    Returns a symmetric float32 sparse matrix (size, size).
    """
    from scipy import sparse

    segment = np.zeros(len(ids), dtype=np.int32)
    segment[starts[1:]] = 1
    np.cumsum(segment, out=segment)
    total = sparse.csr_matrix((size, size), dtype=np.float32)
    for first in range(0, len(ids), _CHUNK):
        for distance in range(1, window + 1):
            left = np.arange(first, min(first + _CHUNK, len(ids) - distance))
            if not len(left):
                continue
            left = left[segment[left] == segment[left + distance]]
            weights = np.full(len(left), 1.0 / distance, dtype=np.float32)
            total = total + sparse.coo_matrix((weights, (ids[left], ids[left + distance])), (size, size)).tocsr()
    return total + total.T


def ppmi(counts: Any) -> Any:
    """Return max(0, log p(a, b) / (p(a) q(b))) as a sparse matrix, where q is the context distribution to the power 0.75."""
    counts = counts.tocoo()
    rows = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    context = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel() ** _SMOOTHING
    context /= context.sum()
    with np.errstate(divide="ignore"):
        values = np.log(counts.data) - np.log(rows[counts.row]) - np.log(context[counts.col])
    keep = values > 0
    from scipy import sparse

    return sparse.csr_matrix(
        (values[keep].astype(np.float32), (counts.row[keep], counts.col[keep])), shape=counts.shape
    )


def embeddings(matrix: Any, dimensions: int, *, seed: int) -> np.ndarray:
    """Return float32 (pieces, dimensions): left singular vectors, rows of length 1; rows without any neighbour are zero.

    The singular values are left out, as Levy et al. advise: with them, frequent directions drown what tells words apart.
    """
    from sklearn.utils.extmath import randomized_svd

    vectors, _, _ = randomized_svd(matrix, dimensions, n_iter=4, random_state=seed)
    vectors = np.pad(vectors, ((0, 0), (0, dimensions - vectors.shape[1])))  # a small vocabulary has fewer directions
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    alone = np.asarray(abs(matrix).sum(axis=1)).ravel() == 0  # their rows hold rounding errors
    return np.where(alone[:, None], 0, vectors / np.where(norms > 0, norms, 1)).astype(np.float32)
