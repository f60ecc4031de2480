"""What do the pairs look like whose second sentence seems most and least human? RISE's Table 1, for any pairs.

    BLEU        of second sentences against their first ones, n = 1 … 4, × 100 (`harness.diagnostics.surface.corpus_bleu`)
    Jaccard     words that the two have in common, of all their words, mean × 100
    Distinct-n  different n-grams of all n-grams of the second sentences, mean over n = 1, 2, 3, × 100 (Li et al. 2016)
    Zipf        coefficient s of frequency ~ rank^−s, by least squares on the logarithms: the higher, the poorer in words

Distinct-n and Zipf grow and fall with the amount of text, so all groups have as many sentences as a decile has. The paper does
not say which n its BLEU-N and Distinct-N are means of; compare groups with each other and not with its numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.synthetic.pairs import NEIGHBOUR, RANDOM, Pairs
from harness.diagnostics.surface import corpus_bleu, surface_units
from harness.seeds import numpy_rng
from harness.words import is_word

SHARE = 0.1
ORDERS = (1, 2, 3)


def units(text: str) -> list[str]:
    """Return the words and marks of a text, lower-cased."""
    return surface_units(text.lower())


def jaccard(left: Sequence[str], right: Sequence[str]) -> float | None:
    """Return |a ∩ b| / |a ∪ b| × 100 of the words of two texts, None if neither has one (marks are no words)."""
    a, b = ({unit for unit in side if is_word(unit)} for side in (left, right))
    return 100 * len(a & b) / len(a | b) if a | b else None


def distinct(texts: Sequence[Sequence[str]], order: int) -> float | None:
    """Return the share of different n-grams, × 100, over all texts; None if no text is long enough for one."""
    grams = [tuple(text[i : i + order]) for text in texts for i in range(len(text) - order + 1)]
    return 100 * len(set(grams)) / len(grams) if grams else None


def zipf(texts: Sequence[Sequence[str]]) -> float | None:
    """Return the coefficient s of frequency ~ rank^−s over the words of all texts, None with fewer than two words."""
    counts = Counter(unit for text in texts for unit in text if is_word(unit))
    if len(counts) < 2:
        return None
    frequency = np.log(np.array(sorted(counts.values(), reverse=True), dtype=np.float64))
    rank = np.log(np.arange(1, len(counts) + 1, dtype=np.float64))
    rank -= rank.mean()
    # + 0.0: a flat distribution has 0 and not -0
    return float(-(rank @ frequency) / (rank @ rank)) + 0.0


def describe(right: Sequence[str], left: Sequence[str] | None = None) -> dict[str, float | int | None]:
    """Return the four numbers of second sentences; BLEU and Jaccard are None where there are no first ones."""
    texts = [units(text) for text in right]
    orders = [value for n in ORDERS if (value := distinct(texts, n)) is not None]
    found: dict[str, float | int | None] = {
        "sentences": len(texts),
        "bleu": None,
        "jaccard": None,
        "distinct": sum(orders) / len(orders) if orders else None,
        "zipf": zipf(texts),
    }
    if left is not None and texts:
        models = [units(text) for text in left]
        found["bleu"] = corpus_bleu(texts, [[model] for model in models])
        shares = [value for a, b in zip(models, texts, strict=True) if (value := jaccard(a, b)) is not None]
        found["jaccard"] = sum(shares) / len(shares) if shares else None
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in found.items()}


def deciles(pairs: Pairs, importance: np.ndarray, sentences: Sequence[str], seed: int) -> dict[str, Any]:
    """Return `human`, `top` and `bottom`: corpus sentences, and the tenth of the pairs with most and least importance.

    importance (pairs,) as `pairs`. Random pairs and neighbours are left out: nothing wrote their second sentences for the first.
    """
    made = np.array([origin not in (RANDOM, NEIGHBOUR) for origin in pairs.origin], dtype=bool)
    places = np.flatnonzero(made)
    order = places[np.argsort(-np.asarray(importance)[places], kind="stable")]
    count = max(1, round(SHARE * len(order))) if len(order) else 0
    found: dict[str, Any] = {}
    for name, chosen in (("top", order[:count]), ("bottom", order[len(order) - count :])):
        group = pairs.take(chosen)
        found[name] = describe(group.right, group.left)
        found[name]["importance"] = round(float(np.mean(importance[chosen])), 4) if count else None
    different = list(dict.fromkeys(sentences))
    drawn = numpy_rng(seed, "deciles").permutation(len(different))[:count]
    found["human"] = describe([different[i] for i in sorted(drawn.tolist())])
    return found
