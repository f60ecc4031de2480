"""How sure is a proportion?"""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson(successes: int, trials: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval (1927) of a proportion, both ends in [0, 1]; (0, 1) where nothing was tried.

    Unlike p ± z √(p (1 - p) / n) it holds its level for few trials and near 0 and 1, and it never leaves [0, 1].
    Raises ValueError unless 0 <= successes <= trials and 0 < level < 1.
    """
    if not 0 <= successes <= trials or not 0 < level < 1:
        raise ValueError(f"expected 0 <= successes <= trials and 0 < level < 1, got {successes}, {trials} and {level}")
    if trials == 0:
        return 0.0, 1.0
    z, p = NormalDist().inv_cdf((1 + level) / 2), successes / trials
    middle = p + z * z / (2 * trials)
    half = z * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    # where nothing or everything succeeded that end is exactly 0 or 1; rounding must not move it
    low = 0.0 if successes == 0 else (middle - half) / scale
    high = 1.0 if successes == trials else (middle + half) / scale
    return low, high
