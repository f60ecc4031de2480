"""A made-up language for the tests of pre-training, and segments of plain numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from harness.pretraining.packing import Segments
from harness.pretraining.settings import Recipe, Shape

SPECIAL = {"pad": 0, "unk": 1, "cls": 2, "sep": 3, "mask": 4}
NOUNS = ("cat", "dog", "bird", "man", "child", "fish", "horse", "sheep")
VERBS = ("sees", "eats", "buys", "finds", "likes", "paints")
PLACES = ("house", "garden", "river", "market", "village", "forest")


def sentence(rng: random.Random) -> str:
    return f"The {rng.choice(NOUNS)} {rng.choice(VERBS)} a {rng.choice(NOUNS)} near the old {rng.choice(PLACES)}."


def documents(count: int, lines: int = 3, seed: int = 0) -> list[list[str]]:
    """`count` documents of `lines` sentences."""
    rng = random.Random(seed)
    return [[sentence(rng) for _ in range(lines)] for _ in range(count)]


def write_documents(path: Path, wanted: Sequence[Sequence[str]]) -> Path:
    path.write_text("\n\n".join("\n".join(lines) for lines in wanted) + "\n", encoding="utf-8")
    return path


def segments_of(pieces: Sequence[Sequence[int]], starts: Sequence[Sequence[bool]] | None = None) -> Segments:
    """Segments with these ids, each piece a word of its own unless `starts` says where words begin."""
    ends = np.cumsum([len(p) for p in pieces], dtype=np.int64)
    ids = np.array([i for p in pieces for i in p], dtype=np.uint16)
    words = (
        np.ones(len(ids), dtype=bool) if starts is None else np.array([s for row in starts for s in row], dtype=bool)
    )
    return Segments(ids, words, np.r_[np.int64(0), ends[:-1]], ends)


def counting_segments(count: int, size: int, seed: int = 0) -> Segments:
    """Text that can be learnt: each piece is followed by the next number, round and round above the special pieces."""
    rng = random.Random(seed)
    room, made = size - len(SPECIAL), []
    for _ in range(count):
        first = rng.randrange(room)
        made.append([len(SPECIAL) + (first + i) % room for i in range(rng.randint(4, 14))])
    return segments_of(made)


def tiny_recipe(**changes: object) -> Recipe:
    """A recipe for a network of one layer, 16 wide."""
    shape = Shape(layers=1, width=16, heads=2, inner=32, positions=32, dropout=0.1)
    usual = {"pieces": 200, "tokens": 3_000, "rows": 4, "warmup": 5, "rate": 5e-3, "held_out": 0.1, "shape": shape}
    return Recipe(**{**usual, **changes})
