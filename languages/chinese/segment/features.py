"""What does pkuseg look at? Its own feature extractor, filled with the words and features that are worth their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from languages.chinese.segment.runs import TAGS, Run

Indexed = list[np.ndarray]


def build(runs: Sequence[Run], *, rare: int) -> Any:
    """Return a `FeatureExtractor` for these runs.

    Its words are those met at least twice (a word met once teaches that whatever is in the list is right), its features those
    met more than `rare` times.
    """
    from spacy_pkuseg.feature_extractor import FeatureExtractor

    extractor = FeatureExtractor()
    rename = extractor.keyword_rename
    words = Counter(word for run in runs for word in run)
    pairs = Counter(f"{a}*{b}" for run in runs for a, b in pairwise(run))
    extractor.unigram = {rename(word) for word, n in words.items() if n >= 2 and 1 < len(word) <= 6}
    extractor.bigram = {rename(pair) for pair, n in pairs.items() if n > rare}
    met: Counter[str] = Counter()
    for run in runs:
        characters = list(extractor.normalize_text("".join(run)))
        for i in range(len(characters)):
            met.update(extractor.get_node_features(i, characters))
    del met["/"]  # stands for a feature that is not there
    chosen = [name for name, n in sorted(met.items(), key=lambda item: (-item[1], item[0])) if n > rare]
    # pkuseg takes for granted that feature 0 is the one that every character has
    chosen.remove("$$")
    extractor.feature_to_idx = {name: i for i, name in enumerate(["$$", *chosen])}
    extractor.tag_to_idx = {tag: i for i, tag in enumerate(TAGS)}
    return extractor


def index(extractor: Any, text: str) -> Indexed:
    """Return the numbers of the features of each character of a run."""
    characters = list(extractor.normalize_text(text))
    found = (extractor.get_node_features_idx(i, characters) for i in range(len(characters)))
    return [np.asarray(numbers, dtype=np.int64) for numbers in found]


def keep(extractor: Any, chosen: np.ndarray) -> None:
    """Leave only the features with these numbers (ascending, the first is 0), and the words that they speak of."""
    names = list(extractor.feature_to_idx)
    kept = [names[i] for i in chosen]
    extractor.feature_to_idx = {name: i for i, name in enumerate(kept)}
    used: set[str] = set()
    for name in kept:
        kind, _, value = name.partition(".")
        if kind in ("w-1", "w1"):
            used.add(value)
        elif kind == "ww":
            used.update(value.partition(".")[2].split("*"))
    extractor.unigram &= used
    # only needed to find features in training
    extractor.bigram = set()
