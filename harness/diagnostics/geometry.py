"""How do the vectors lie in their space? Alignment, uniformity, effective rank and anisotropy, all on unit vectors u = v / ‖v‖.

    alignment       mean ‖u(x) - u(x⁺)‖² over positive pairs, 0 … 4; lower: equal meanings lie closer
    uniformity      log of the mean of exp(-2 ‖u(x) - u(y)‖²) over all pairs x ≠ y, -8 … 0; lower: spread more evenly
    effective rank  exp of the entropy of the singular values of the matrix of all u (not centred), divided by their sum,
                    1 … min(n, d); higher: more directions are used
    anisotropy      mean cosine over all pairs x ≠ y, -1 … 1; nearer to 0: no direction that all share

Alignment and uniformity: Wang and Isola (2020), with α = 2 and t = 2 as in SimCSE; effective rank: Roy and Vetterli (2007);
anisotropy: Ethayarajh (2019), over all pairs instead of a sample. Everything is exact and in float64; memory is bounded by blocks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_BLOCK = 1_024
#: the spectrum needs a matrix of this side at most (for 6,000: 288 MB)
LARGEST_SPECTRUM = 6_000


def unit_rows(vectors: Any) -> tuple[Any, np.ndarray]:
    """Return the rows of length 1 that `vectors` (n, d), dense or CSR, give, in float64, and which rows they are, bool (n,).

    A row of zeros has no direction and is left out.
    """
    from scipy.sparse import csr_matrix, diags, issparse

    if issparse(vectors):
        rows = csr_matrix(vectors, dtype=np.float64)
        norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        there = norms > 0
        return csr_matrix(diags(1 / norms[there]) @ rows[there]), there
    dense = np.asarray(vectors, dtype=np.float64)
    norms = np.linalg.norm(dense, axis=1)
    there = norms > 0
    return dense[there] / norms[there, None], there


def alignment(cosines: np.ndarray) -> float | None:
    """Return the mean squared distance of positive pairs from their cosines, shape (pairs,); None without a pair.

    For unit vectors ‖u - w‖² is 2 - 2 cos(u, w).
    """
    return float(np.mean(2 - 2 * np.asarray(cosines, dtype=np.float64))) if len(cosines) else None


def uniformity(units: Any) -> float | None:
    """Return log mean exp(-2 ‖u - w‖²) over all pairs of different rows of `units` (n, d), dense or CSR; None for n < 2."""
    n = units.shape[0]
    if n < 2:
        return None
    total = 0.0
    for start in range(0, n, _BLOCK):
        block = units[start : start + _BLOCK]
        # from the diagonal on: the other half is the same
        cosines = _dense(block @ units[start:].T)
        kernel = np.exp(4 * np.clip(cosines, -1, 1) - 4)
        size = block.shape[0]
        total += float(np.triu(kernel[:, :size], 1).sum()) + float(kernel[:, size:].sum())
    return math.log(total / (n * (n - 1) / 2))


def anisotropy(units: Any) -> float | None:
    """Return the mean cosine of all pairs of different rows of `units` (n, d); None for n < 2.

    Exact without a single pair: ‖Σ u‖² is the sum of all n² cosines, n of which are those of a row with itself.
    """
    n = units.shape[0]
    if n < 2:
        return None
    total = np.asarray(units.sum(axis=0), dtype=np.float64).ravel()
    return float((total @ total - n) / (n * (n - 1)))


def effective_rank(units: Any) -> float | None:
    """Return exp H(σ / Σσ) of the singular values σ of `units` (n, d); None without rows, or if min(n, d) is too large."""
    n, d = units.shape
    if n == 0 or min(n, d) > LARGEST_SPECTRUM:
        return None
    squares = np.linalg.eigvalsh(_dense(units @ units.T if n < d else units.T @ units))
    # squares that are rounding errors would become singular values of 1e-7
    squares = squares[squares > squares.max() * max(n, d) * np.finfo(np.float64).eps]
    values = np.sqrt(squares)
    share = values / values.sum()
    return float(np.exp(-(share * np.log(share)).sum()))


def _dense(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
