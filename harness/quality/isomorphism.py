"""Do sentences and their augmentations span spaces of the same shape? Spectral measures of isomorphism (Dubossarsky et al., 2020).

With σ₁ ≥ σ₂ ≥ … the singular values of a matrix of vectors (n, d), as it is (neither centred nor scaled):

    singular value gap, SVG   Σᵢ (log σᵢ(A) - log σᵢ(B))²; 0 for equal spectra, lower: closer to isomorphic
    condition number κ        σ₁ / the last σ;  effective: σ₁ / σ_r with r = ⌊exp(entropy of σ / Σσ)⌋, the effective rank
    COND-HM, ECOND-HM         harmonic mean of κ (effective κ) of A and of B; lower: both spaces are easier to map

AugCSE's Figure 6 shows COND-HM and SVG of sentences and what an augmentation makes of them; its code computes ECOND-HM. A singular
value of zero counts as 1e-10, as there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from harness.diagnostics.geometry import LARGEST_SPECTRUM

ZERO = 1e-10


def spectrum(vectors: Any) -> np.ndarray:
    """Return the singular values of `vectors` (n, d), largest first, float64; those below 1e-10 count as 1e-10.

    Raises ValueError for anything but a finite matrix with a row and a column, or one too large to take apart.
    """
    matrix = np.asarray(vectors, dtype=np.float64)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"expected a matrix of vectors (n, d), got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("the vectors hold NaN or infinity")
    if min(matrix.shape) > LARGEST_SPECTRUM:
        raise ValueError(f"a matrix of shape {matrix.shape} is too large; its smaller side may be {LARGEST_SPECTRUM:,}")
    return np.maximum(np.linalg.svd(matrix, compute_uv=False), ZERO)


def singular_value_gap(first: Any, second: Any) -> float:
    """Return SVG of two matrices (n, d) with equally many singular values. Raises ValueError otherwise, and as `spectrum`."""
    a, b = spectrum(first), spectrum(second)
    if len(a) != len(b):
        raise ValueError(
            f"the two matrices have {len(a)} and {len(b)} singular values; give as many rows of equal length"
        )
    return float(np.sum((np.log(a) - np.log(b)) ** 2))


def condition_number(values: np.ndarray, *, effective: bool = False) -> float:
    """Return κ of singular values (k,), largest first; `effective`: up to the effective rank."""
    last = len(values)
    if effective:
        shares = values / values.sum()
        # a spectrum of k equal values has rank k, also where the logarithm rounds
        last = max(1, math.floor(math.exp(-float(np.sum(shares * np.log(shares)))) + 1e-9))
    return float(values[0] / values[last - 1])


def condition_harmonic_mean(first: Any, second: Any, *, effective: bool = False) -> float:
    """Return COND-HM (`effective`: ECOND-HM) of two matrices of vectors. Raises ValueError as `spectrum`."""
    a, b = (condition_number(spectrum(vectors), effective=effective) for vectors in (first, second))
    return 2 * a * b / (a + b)
