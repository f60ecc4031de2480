"""When do two texts count as the same, or as sharing a passage? The keys by which `leakage` and `contamination` compare.

Only letters and digits count, case folded. Words are runs of them; in scripts without blanks every character is a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from harness.protocols.scripts import UNSPACED, pieces

_UNSPACED = re.compile(f"[{UNSPACED}]")
_FACTOR = 0x9E3779B97F4A7C15  # odd, so that no word of a run loses a bit
_BATCH = 16_384


@dataclass(frozen=True)
class Grams:
    """The keys of n texts. They hold within one process only: Python's hash of a word is seeded anew in each.

    keys     of the whole text, uint64 (n,);  letters: its letters and digits, int64 (n,)
    runs     of every run of so many words in it, uint64 (r,);  owners: which text a run is of, int64 (r,), ascending
    """

    keys: np.ndarray
    letters: np.ndarray
    runs: np.ndarray
    owners: np.ndarray


def grams(texts: Sequence[str], *, words: int, characters: int) -> Grams:
    """Return the keys of texts; a run is `words` words, or `characters` words where most of a text's are single characters.

    Two runs of different lengths never have the same key (but for chance: about 2^-64).
    """
    flat: list[int] = []
    keys = np.empty(len(texts), dtype=np.int64)
    letters, counts, lengths = (np.zeros(len(texts), dtype=np.int64) for _ in range(3))
    for index, text in enumerate(texts):
        folded = text.casefold()
        found = pieces(folded)
        key = "".join(found)
        flat.extend(map(hash, found))
        keys[index], letters[index], counts[index] = hash(key), len(key), len(found)
        lengths[index] = characters if 2 * len(_UNSPACED.findall(folded)) > len(found) else words
    values = np.array(flat, dtype=np.int64).view(np.uint64)
    ends = np.cumsum(counts)
    owner = np.repeat(np.arange(len(texts)), counts)
    fits = np.flatnonzero(ends[owner] - np.arange(len(values)) >= lengths[owner])
    runs = np.zeros(len(fits), dtype=np.uint64)
    for length in sorted({words, characters}):
        chosen = lengths[owner[fits]] == length
        first, total = fits[chosen], np.full(int(chosen.sum()), length, dtype=np.uint64)
        for step in range(length):
            total = total * np.uint64(_FACTOR) + values[first + step]
        runs[chosen] = total
    return Grams(keys.view(np.uint64), letters, runs, owner[fits])


def batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in lists that fit into memory whatever the size of a corpus."""
    rest = iter(texts)
    while batch := list(islice(rest, _BATCH)):
        yield batch


class Table:
    """A set of keys to look others up in."""

    def __init__(self, keys: np.ndarray) -> None:
        self.keys = np.unique(keys)

    def find(self, keys: np.ndarray) -> np.ndarray:
        """Return the place of each key in `self.keys`, int64, -1 where it is none of them."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, place, -1)
