"""A made-up treebank for tests: `animal(3)` … are short sentences whose trees follow from their words."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from harness.parsing.treebank import Sentence

NOUNS = ("cat", "dog", "bird", "man", "child", "fish")
VERBS = ("sees", "eats", "buys")


def animal(seed: int) -> Sentence:
    """`The cat sees a dog.` with its tree."""
    rng = random.Random(seed)
    words = ("The", rng.choice(NOUNS), rng.choice(VERBS), "a", rng.choice(NOUNS), ".")
    return Sentence(
        words=words,
        spaces=(True, True, True, True, False, True),
        upos=("DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"),
        xpos=("DT", "NN", "VBZ", "DT", "NN", "."),
        heads=(1, 2, -1, 4, 2, 2),
        labels=("det", "nsubj", "root", "det", "obj", "punct"),
    )


def animals(count: int, start: int = 0) -> list[Sentence]:
    return [animal(seed) for seed in range(start, start + count)]


# no blanks inside a word: columns are words of a line, and running text is cut at blanks
_WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=5).filter(
    lambda w: w.strip() == w
)
_NAMES = st.sampled_from(["", "NOUN", "VERB", "X"])


@st.composite
def sentences(draw, max_size=6):
    """Any sentence whose heads are a tree: each word hangs on one that was attached before it."""
    n = draw(st.integers(1, max_size))
    order = draw(st.permutations(range(n)))
    heads = [-1] * n
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    labels = draw(st.lists(st.sampled_from(["nsubj", "obj", "x:y"]), min_size=n, max_size=n))
    return Sentence(
        words=tuple(draw(st.lists(_WORDS, min_size=n, max_size=n))),
        spaces=tuple(draw(st.lists(st.booleans(), min_size=n, max_size=n))),
        upos=tuple(draw(st.lists(_NAMES, min_size=n, max_size=n))),
        xpos=tuple(draw(st.lists(_NAMES, min_size=n, max_size=n))),
        heads=tuple(heads),
        labels=tuple("root" if head < 0 else label for head, label in zip(heads, labels, strict=True)),
    )
