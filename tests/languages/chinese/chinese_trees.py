"""Hand-built parses for the polarity tests: no parser is loaded. UD labels as in GSDSimp, and those of `zh_core_web_*`.

`tree("他|PRON|PRP|nsubj|2 来|VERB|VV|ROOT|2")`: word|UPOS|XPOS|dep|head, heads counted from 1, no blanks between words.
"""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

VOCAB = Vocab()


def tree(source: str) -> Doc:
    """Return the parse written in `source`."""
    rows = [field.split("|") for field in source.split()]
    return Doc(
        VOCAB,
        words=[row[0] for row in rows],
        spaces=[False] * len(rows),
        pos=[row[1] for row in rows],
        tags=[row[2] for row in rows],
        deps=[row[3] for row in rows],
        heads=[int(row[4]) - 1 for row in rows],
    )


def _parses(start: str) -> dict[str, Doc]:
    """The parses of the file behind the comment that begins with `start`."""
    found: dict[str, Doc] = {}
    inside = False
    for line in (Path(__file__).parent / "chinese_parses.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            inside = line.startswith(start)
        elif inside:
            doc = tree(line)
            found[doc.text] = doc
    return found


#: sentence -> its parse
PARSES = _parses("# Universal")
#: the same constructions under the labels and tags of zh_core_web_*
CLEAR = _parses("# zh_core_web")


def ud(text: str) -> Doc:
    """Return the UD parse of a sentence of `PARSES`."""
    return PARSES[text]


def clear(text: str) -> Doc:
    """Return the parse of a sentence of `CLEAR`."""
    return CLEAR[text]


WORDS = [
    "老板",
    "应该",
    "年",
    "3",
    "月",
    "ok",
    "!",
    "但是",
    "漂亮",
    "打",
    "「",
    "」",
    "·",
    "一定",
    "三",
    "他",
    "公司",
    "不",
    "没有",
    "未",
    "是",
    "在",
    "把",
    "被",
    "会",
    "的",
    "了",
    "过",
    "，",
    "。",
    "！",
    "？",
    ",",
    ".",
    "?",
    "、",
    "“",
    "”",
    "《",
    "》",
    "（",
    "）",
    "1998",
    "iPhone",
    "😀",
    "因此",
    "但",
    "后",
    "时",
    "如何",
    "吗",
    "为",
    "說",
    "們",
    "沒有",
    "nǐ",
    "看不见",
    "看得见",
    "喜欢",
    "买",
    "书",
    "请",
    "别",
    "一",
    "只",
    "有",
    "有没有",
    "从来",
    "并",
    "无",
    "曾",
    "已",
    "就",
    "还",
    "也",
    "都",
    "由",
    "以",
    "因",
    "而",
    "所",
    "者",
    "得",
    "不同",
    " ",
    "\u200b",
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
TAGS = ["NN", "VV", "RB", "SFN", "DEC", "MD", "VC", "AS", "BB", "IN", "NNB", ""]
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
    "csubj",
    "clf",
]


@st.composite
def documents(draw: st.DrawFn, longest: int = 12) -> Doc:
    """Random words with random tags and a random tree: what no parser should give, and some parser will."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=0, max_size=longest))
    n = len(words)
    if n == 0:
        return Doc(VOCAB)
    root = draw(st.integers(0, n - 1))
    order = [root, *(i for i in range(n) if i != root)]
    heads = [0] * n
    heads[root] = root
    for place, i in enumerate(order[1:], 1):
        heads[i] = order[draw(st.integers(0, place - 1))]
    return Doc(
        VOCAB,
        words=words,
        spaces=draw(st.lists(st.booleans(), min_size=n, max_size=n)),
        pos=draw(st.lists(st.sampled_from(POS), min_size=n, max_size=n)),
        tags=draw(st.lists(st.sampled_from(TAGS), min_size=n, max_size=n)),
        deps=["ROOT" if i == root else draw(st.sampled_from(DEPS)) for i in range(n)],
        heads=heads,
    )
