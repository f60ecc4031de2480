"""Which pieces form one word? A word is masked as a whole, so that its other half does not give it away.

Where a script writes blanks, `##` tells. Chinese characters stand alone in the vocabulary; which of them form a word is
guessed from the text: neighbours that stand together far more often than chance would have it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: neighbours e³ ≈ 20 times as frequent as by chance count as one word
JOINED = 3.0
_LONGEST_GUESS = 4
#: a longer run of pieces (an address, a script without blanks) is masked in parts
_LONGEST_WORD = 8
# the blocks BERT's splitter isolates
_HAN = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))


def word_starts(tokeniser: Any, ids: np.ndarray, line_starts: np.ndarray) -> np.ndarray:
    """Return where words begin: bool (pieces,), for the ids of all lines behind each other.

    line_starts  ascending places in `ids`; no word crosses a line
    """
    pieces = tokeniser.convert_ids_to_tokens(list(range(len(tokeniser))))
    inside = np.array([len(piece) > 2 and piece.startswith("##") for piece in pieces])
    joined = inside[ids]
    first = line_starts[line_starts < len(ids)]
    han = np.array([_is_han(piece) for piece in pieces])
    if han.any():
        bound = _bound(ids, han, len(pieces))
        bound[first] = False  # or the line before would say where words of this one are cut
        joined |= _limited(bound, _LONGEST_GUESS)
    joined[first] = False
    return ~_limited(joined, _LONGEST_WORD)


def _is_han(piece: str) -> bool:
    return len(piece) == 1 and any(low <= ord(piece) <= high for low, high in _HAN)


def _bound(ids: np.ndarray, han: np.ndarray, size: int) -> np.ndarray:
    """Whether a Chinese character is bound to the one before it, by pointwise mutual information: bool (pieces,)."""
    bound = np.zeros(len(ids), dtype=bool)
    places = np.flatnonzero(han[ids[:-1]] & han[ids[1:]]) + 1
    if not len(places):
        return bound
    pairs = ids[places - 1].astype(np.int64) * size + ids[places]
    kinds, which, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    alone = np.bincount(ids, minlength=size)
    expected = alone[kinds // size] * alone[kinds % size] / alone[han].sum()
    strong = (counts > 1) & (np.log(counts / expected) > JOINED)
    bound[places] = strong[which]
    return bound


def _limited(joined: np.ndarray, longest: int) -> np.ndarray:
    """Cut runs of joined pieces so that no word has more than `longest` pieces."""
    places = np.arange(len(joined))
    first = np.maximum.accumulate(np.where(joined, 0, places))
    return joined & ((places - first) % longest != 0)
