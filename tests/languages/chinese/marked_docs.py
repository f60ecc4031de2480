"""Documents for the tests of marks and modals: hand-built trees, and random ones on strange words."""

from __future__ import annotations

import random

from chinese_trees import DEPS, POS, TAGS, VOCAB, WORDS
from hypothesis import strategies as st
from spacy.tokens import Doc


def tree(source: str) -> Doc:
    """Return the parse written as `word|POS|dep|head …`, heads counted from 1; a root is its own head. No blanks between words."""
    rows = [field.split("|") for field in source.split()]
    return Doc(
        VOCAB,
        words=[row[0] for row in rows],
        spaces=[False] * len(rows),
        pos=[row[1] for row in rows],
        tags=[row[1] for row in rows],
        deps=[row[2] for row in rows],
        heads=[int(row[3]) - 1 for row in rows],
    )


def latin(text: str) -> list[str]:
    """Return the Latin letters of a text."""
    return [c for c in text if c.isascii() and c.isalpha()]


def bare(text: str) -> Doc:
    """Return a text cut into characters, without a parse."""
    return Doc(VOCAB, words=list(text), spaces=[False] * len(text))


def documents(longest: int = 14) -> st.SearchStrategy[Doc]:
    """Random words with random tags and a random forest; drawn from one number, as drawing each column is slow."""
    return st.integers(0, 2**32).map(lambda number: _random(random.Random(number), longest))


def _random(rng: random.Random, longest: int) -> Doc:
    n = rng.randint(1, longest)
    order = rng.sample(range(n), n)
    heads = [0] * n
    for rank, token in enumerate(order):
        # every token hangs on one earlier in a random order, so there is no cycle; some are roots
        heads[token] = order[rng.randrange(rank)] if rank and rng.random() < 0.9 else token
    deps = ["ROOT" if heads[i] == i else rng.choice(DEPS) for i in range(n)]
    return Doc(
        VOCAB,
        words=rng.choices(WORDS, k=n),
        spaces=rng.choices([False, False, False, True], k=n),
        pos=rng.choices(POS, k=n),
        tags=rng.choices(TAGS, k=n),
        heads=heads,
        deps=deps,
    )
