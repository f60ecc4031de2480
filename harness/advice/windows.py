"""Which view of a line was made by no augmentation? Its beginning and its ending, apart from each other.

The two share their line's subject and, as a rule, none of its words. No operator makes such a pair, so that none is examined on
what it was trained with. Both have the same number of words in every line: halves would be as long as each other, and an
encoder that hears nothing but length could match them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.errors import DataError
from harness.protocols.scripts import UNSPACED

_WORD = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")
#: words (ideographs, in scripts without blanks) of a window: at most, at least; and the share of lines that must have two
MOST, LEAST, SHARE = 16, 2, 0.8


@dataclass(frozen=True)
class Windows:
    """Beginnings and endings of `size` words of the lines with the numbers `rows`; shorter lines have none."""

    size: int
    rows: np.ndarray
    beginnings: list[str]
    endings: list[str]


def windows(texts: Sequence[str]) -> Windows:
    """Return the windows of lines, as large as four lines in five allow.

    Raises DataError if too many lines have fewer than four words.
    """
    words = [[match.span() for match in _WORD.finditer(text)] for text in texts]
    lengths = sorted(map(len, words), reverse=True)
    size = min(MOST, lengths[max(0, int(np.ceil(SHARE * len(lengths))) - 1)] // 2) if lengths else 0
    if size < LEAST:
        raise DataError(
            f"the lines are too short to compare augmentations on: {SHARE:.0%} of them must have at least {2 * LEAST} "
            "words; put whole sentences on a line, or give pairs with scores with --labelled FILE and longer text."
        )
    rows = [row for row, found in enumerate(words) if len(found) >= 2 * size]
    return Windows(
        size,
        np.array(rows, dtype=np.int64),
        [texts[row][words[row][0][0] : words[row][size - 1][1]] for row in rows],
        [texts[row][words[row][-size][0] : words[row][-1][1]] for row in rows],
    )
