"""Documents for the tests of marks and modals: hand-built trees, and random ones on strange words."""

from __future__ import annotations

import random

from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

VOCAB = Vocab()
WORDS = [
    "他",
    "老板",
    "公司",
    "不",
    "没有",
    "是",
    "在",
    "把",
    "被",
    "会",
    "应该",
    "的",
    "了",
    "，",
    "。",
    "！",
    "？",
    "、",
    "“",
    "”",
    "《",
    "》",
    "（",
    "）",
    "1998",
    "年",
    "3",
    "月",
    "iPhone",
    "ok",
    "😀",
    ",",
    ".",
    "?",
    "!",
    "因此",
    "但是",
    "后",
    "时",
    "如何",
    "吗",
    "为",
    "說",
    "們",
    "nǐ",
    "漂亮",
    "喜欢",
    "打",
    "书",
    " ",
    "「",
    "」",
    "·",
    "请",
    "别",
    "一定",
    "三",
    "只",
]
POS = [
    "NOUN",
    "VERB",
    "ADJ",
    "ADV",
    "PRON",
    "PROPN",
    "ADP",
    "AUX",
    "PART",
    "NUM",
    "PUNCT",
    "CCONJ",
    "SCONJ",
    "DET",
    "X",
    "",
]
TAGS = ["NN", "VV", "RB", "SFN", "DEC", "MD", "VC", "AS", "BB", "IN", ""]
DEPS = [
    "nsubj",
    "obj",
    "advmod",
    "aux",
    "aux:pass",
    "obl",
    "case",
    "cop",
    "mark",
    "mark:rel",
    "acl:relcl",
    "ccomp",
    "xcomp",
    "conj",
    "punct",
    "nmod",
    "compound",
    "auxpass",
    "aux:modal",
    "neg",
    "advcl:loc",
    "dep",
    "nsubjpass",
]


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
