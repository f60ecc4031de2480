"""What are p values worth when there are many of them?

`holm` bounds the chance of even one false difference among all; `benjamini_hochberg` the expected share of false ones
among those that are found. Comparisons that could not be made are `None`: they stay `None` and do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

Correction = Literal["holm", "bh", "none"]
CORRECTIONS: tuple[Correction, ...] = ("holm", "bh", "none")


def corrected(p: Sequence[float | None], method: Correction = "holm") -> list[float | None]:
    """Return p values after a correction: `holm`, `bh` (Benjamini-Hochberg) or `none`, in the order given."""
    if method == "holm":
        return holm(p)
    if method == "bh":
        return benjamini_hochberg(p)
    if method == "none":
        return list(p)
    raise ValueError(f"unknown correction {method!r}, expected one of {', '.join(CORRECTIONS)}")


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Return Holm's (1979) step-down p values: the i-th smallest of m times m - i + 1, never falling.

    Holds for any dependence between the tests, uniformly sharper than Bonferroni's. Raises ValueError on p outside [0, 1].
    """

    def step(ordered: np.ndarray) -> np.ndarray:
        return np.minimum(1.0, np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1)))

    return _stepwise(p, step)


def benjamini_hochberg(p: Sequence[float | None]) -> list[float | None]:
    """Return Benjamini & Hochberg's (1995) step-up p values: the i-th smallest of m times m / i, never rising from the top.

    For tests that are independent or positively dependent. Raises ValueError on p outside [0, 1].
    """

    def step(ordered: np.ndarray) -> np.ndarray:
        m = len(ordered)
        return np.minimum(1.0, np.minimum.accumulate((ordered * m / np.arange(1, m + 1))[::-1])[::-1])

    return _stepwise(p, step)


def _stepwise(p: Sequence[float | None], step: Callable[[np.ndarray], np.ndarray]) -> list[float | None]:
    known = [index for index, value in enumerate(p) if value is not None]
    values = np.array([p[index] for index in known], dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("expected p values between 0 and 1")
    out: list[float | None] = [None] * len(p)
    order = np.argsort(values, kind="stable")
    for place, value in zip(order, step(values[order]), strict=True):
        out[known[place]] = float(value)
    return out
