"""Named random streams, all derived from one run seed.

Data order, dropout, augmentation and initialisation each get their own stream by name, so that changing how often one of
them is drawn never shifts another, and a run can be resumed at any step without storing generator state.
"""

from __future__ import annotations

import hashlib
import random

import numpy as np


def derive(seed: int, *names: str | int) -> int:
    """Return a 63-bit seed that depends on `seed` and every name, and on nothing else (not on the process or platform)."""
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def python_rng(seed: int, *names: str | int) -> random.Random:
    """Return the standard-library generator of the stream `names`."""
    return random.Random(derive(seed, *names))


def numpy_rng(seed: int, *names: str | int) -> np.random.Generator:
    """Return the NumPy generator of the stream `names`."""
    return np.random.default_rng(derive(seed, *names))
