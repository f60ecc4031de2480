"""What does a classifier of sentence pairs see? |u - v| and u * v side by side (InferSent; SentEval's MRPC and SICK)."""

from __future__ import annotations

from typing import Any

import numpy as np


def pair_features(first: Any, second: Any) -> Any:
    """Return [|u - v|, u * v], shape (n, 2 d), of the vectors u and v of two sentences, shape (n, d) each.

    Dense arrays give a dense array of their type, SciPy sparse matrices a CSR matrix.
    """
    from scipy.sparse import hstack, issparse

    if first.shape != second.shape:
        raise ValueError(f"expected vectors of one shape, got {first.shape} and {second.shape}")
    if issparse(first):
        return hstack([abs(first - second), first.multiply(second)], format="csr")
    return np.concatenate([np.abs(first - second), first * second], axis=1)
