"""How far are two texts apart on the surface? Edit distances and BLEU, over characters or over words.

    edit distance   the fewest insertions, deletions and replacements that turn one sequence into the other (Levenshtein
                    1966), divided by the longer length: 0 (equal) … 1 (nothing in common)
    corpus BLEU     Papineni et al. (2002): geometric mean of the clipped n-gram precisions for n = 1 … 4, pooled over the
                    corpus, times the brevity penalty, × 100. No smoothing: pooled counts are zero only if nothing matches.
                    Orders that no text of the corpus is long enough for are left out
    self-BLEU       Zhu et al. (2018), within a sentence: each view of it against its other views. 100 = all views are equal

The units are the same in every language: runs of letters and digits, single characters of scripts without blanks, and every
other character that is no blank, so that inserted punctuation counts.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from harness.protocols.scripts import UNSPACED

_UNIT = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+|\\S")
ORDERS = 4


def surface_units(text: str) -> list[str]:
    """Return the words and marks of a text in order; ideographs and the like one by one, case kept."""
    return _UNIT.findall(text)


def edit_distance(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Return Levenshtein's distance of two sequences.

    Myers' bit-parallel algorithm (1999) in Hyyrö's form (2003): one column of the table is two integers of len(a) bits.
    """
    if not a or not b:
        return max(len(a), len(b))
    places: dict[Hashable, int] = {}
    for place, symbol in enumerate(a):
        places[symbol] = places.get(symbol, 0) | 1 << place
    every, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    # which of the vertical steps of a column are +1, and which -1
    rising, falling, distance = every, 0, len(a)
    for symbol in b:
        equal = places.get(symbol, 0)
        vertical = equal | falling
        horizontal = (((equal & rising) + rising) ^ rising) | equal
        up = falling | (every & ~(horizontal | rising))
        down = rising & horizontal
        distance += bool(up & last) - bool(down & last)
        up = up << 1 | 1
        rising = (down << 1 | ~(vertical | up)) & every
        falling = up & vertical & every
    return distance


def relative_distance(a: Sequence[Hashable], b: Sequence[Hashable]) -> float:
    """Return the edit distance divided by the longer length, 0 … 1; 0 for two empty sequences."""
    longest = max(len(a), len(b))
    return edit_distance(a, b) / longest if longest else 0.0


def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]]) -> float | None:
    """Return BLEU × 100 of texts, as units, against one or more references each; None if there is nothing to compare.

    The brevity penalty takes the reference length nearest to the text's, the shorter of two that are equally near.
    Raises ValueError if the two have different lengths or a text has no reference.
    """
    if len(hypotheses) != len(references) or not all(map(len, references)):
        raise ValueError(f"expected one or more references for each of {len(hypotheses)} texts")
    matches, totals = [0] * ORDERS, [0] * ORDERS
    length = wanted = 0
    for text, against in zip(hypotheses, references, strict=True):
        length += len(text)
        wanted += min((abs(len(other) - len(text)), len(other)) for other in against)[1]
        for order in range(1, ORDERS + 1):
            counts = _grams(text, order)
            allowed: Counter[tuple[str, ...]] = Counter()
            for other in against:
                allowed |= _grams(other, order)
            matches[order - 1] += (counts & allowed).total()
            totals[order - 1] += counts.total()
    possible = [(match, total) for match, total in zip(matches, totals, strict=True) if total]
    if not possible:
        return None
    if not all(match for match, _ in possible):
        return 0.0
    precision = sum(math.log(match / total) for match, total in possible) / len(possible)
    return 100 * math.exp(precision + min(0.0, 1 - wanted / length))


def self_bleu(views: Sequence[Sequence[Sequence[str]]]) -> float | None:
    """Return the mean BLEU × 100 of each view against the other views of its sentence; None with fewer than two views.

    views  views[k][i]: the units of view k of sentence i, the same sentences for every k
    """
    if len(views) < 2 or not views[0]:
        return None
    scores = []
    for number, hypotheses in enumerate(views):
        others = [view for place, view in enumerate(views) if place != number]
        scores.append(corpus_bleu(hypotheses, list(zip(*others, strict=True))))
    defined = [score for score in scores if score is not None]
    return sum(defined) / len(defined) if len(defined) == len(scores) else None


def _grams(units: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    grams: Iterable[tuple[str, ...]] = zip(*(units[start:] for start in range(order)), strict=False)
    return Counter(grams)
