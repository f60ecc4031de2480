"""Random parses, and treebank parses gone wrong: rules may refuse them but never fail."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st
from spacy.tokens import Doc
from trees import SCHEMES, VOCAB, sentences

#: words beside those of the treebank
_STRANGE = ["n’t", "’s", "DID", "EUROPE", "-", "…", ";", "(", "1999", "£", "é", "語", "👍", "cbg", "s)"]


@cache
def _seen(name: str) -> list[str]:
    """Return every `text`, `tag_`, `pos_` or `dep_` of the treebank in both schemes, sorted."""
    docs = [scheme(text) for text in sentences() for scheme in SCHEMES]
    return sorted({getattr(token, name) for doc in docs for token in doc} | ({*_STRANGE} if name == "text" else set()))


def documents(longest: int = 12) -> st.SearchStrategy[Doc]:
    """Parsed documents: sentences of the treebank with some errors, or wholly random ones of up to `longest` tokens."""
    return st.one_of(_damaged(), _random(longest))


@st.composite
def _random(draw, longest: int) -> Doc:
    words = draw(st.lists(st.sampled_from(_seen("text")), min_size=1, max_size=longest))
    n = len(words)
    pick = lambda values: draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))  # noqa: E731
    order = draw(st.permutations(range(n)))
    # every token hangs on one earlier in a random order, so there is no cycle; some are roots
    heads = [0] * n
    for rank, token in enumerate(order):
        heads[token] = order[draw(st.integers(0, rank - 1))] if rank and draw(st.integers(0, 9)) else token
    deps = ["ROOT" if heads[i] == i else dep for i, dep in enumerate(pick(_seen("dep_")))]
    spaces = pick([True, True, False])
    return Doc(
        VOCAB, words=words, spaces=spaces, tags=pick(_seen("tag_")), pos=pick(_seen("pos_")), heads=heads, deps=deps
    )


@st.composite
def _damaged(draw) -> Doc:
    """A sentence of the treebank in either scheme, with some words, tags, labels and heads exchanged."""
    doc = draw(st.sampled_from(SCHEMES))(draw(st.sampled_from(sentences())))
    n = len(doc)
    columns = {
        "words": ([t.text for t in doc], _seen("text")),
        "spaces": ([bool(t.whitespace_) for t in doc], [True, False]),
        "tags": ([t.tag_ for t in doc], _seen("tag_")),
        "pos": ([t.pos_ for t in doc], _seen("pos_")),
        "deps": ([t.dep_ for t in doc], _seen("dep_")),
        "heads": ([t.head.i for t in doc], list(range(n))),
    }
    for name, place in draw(st.lists(st.tuples(st.sampled_from(sorted(columns)), st.integers(0, n - 1)), max_size=6)):
        values, choices = columns[name]
        before, values[place] = values[place], draw(st.sampled_from(choices))
        if name == "heads" and _has_cycle(values):
            values[place] = before
    heads, deps = columns["heads"][0], columns["deps"][0]
    deps[:] = ["ROOT" if heads[i] == i else "dep" if dep == "ROOT" else dep for i, dep in enumerate(deps)]
    return Doc(VOCAB, **{name: values for name, (values, _) in columns.items()})


def _has_cycle(heads: list[int]) -> bool:
    for token in range(len(heads)):
        for _ in heads:
            token = heads[token]
        if heads[token] != token:
            return True
    return False
