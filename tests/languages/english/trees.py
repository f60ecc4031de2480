"""Hand-built parses: unit tests of rules load no parser.

`tree("He|PRP|PRON|nsubj|2 slept|VBD|VERB|ROOT|2 .|.|PUNCT|punct|2")`: one token per blank-separated field, written
form|XPOS|UPOS|dep|head, heads counted from 1. A `~` behind the form says that no blank follows; the blank before
closing punctuation and contractions ('s, n't, …) is left out anyway.

`ud("He slept.")` looks a sentence up in `parses.txt`, a small treebank in that notation; `clear("He slept.")` returns
the same parse in the ClearNLP scheme of spaCy's own English models (see `clearnlp`).
"""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

from spacy.lang.en import English
from spacy.tokens import Doc

_NLP = English()
VOCAB = _NLP.vocab
_JOINED = {".", ",", "?", "!", ";", ":", ")", "'s", "n't", "'re", "'ve", "'ll", "'d", "'m", "’s", "n’t"}
_LABELS = {
    "obj": "dobj", "iobj": "dative", "nsubj:pass": "nsubjpass", "aux:pass": "auxpass", "acl:relcl": "relcl", "nmod:poss": "poss",
    "compound:prt": "prt", "cc:preconj": "preconj", "det:predet": "predet", "discourse": "intj", "obl": "npadvmod",
}  # fmt: skip

#: what hangs on the copula, not on the predicate
_OF_CLAUSE = {
    "nsubj",
    "aux",
    "advmod",
    "punct",
    "cc",
    "conj",
    "mark",
    "discourse",
    "advcl",
    "parataxis",
    "ccomp",
    "expl",
}


def tree(text: str) -> Doc:
    """Return the parsed `Doc` written in `text`."""
    rows = [field.split("|") for field in text.split()]
    forms = [row[0] for row in rows]
    words = [form.removesuffix("~") for form in forms]
    spaces = [not form.endswith("~") for form in forms]
    for i, word in enumerate(words):
        if i and word in _JOINED:
            spaces[i - 1] = False
    spaces[-1] = False
    return Doc(
        VOCAB,
        words=words,
        spaces=spaces,
        tags=[row[1] for row in rows],
        pos=[row[2] for row in rows],
        deps=[row[3] for row in rows],
        heads=[int(row[4]) - 1 for row in rows],
    )


def unparsed(text: str) -> Doc:
    """Return a text's tokens without a parse."""
    return _NLP(text)


@cache
def _treebank() -> dict[str, str]:
    lines = (Path(__file__).parent / "parses.txt").read_text(encoding="utf-8").splitlines()
    return {tree(line).text: line for line in lines if line and not line.startswith("#")}


def sentences() -> list[str]:
    """Return the texts of the treebank, in order."""
    return list(_treebank())


def ud(text: str) -> Doc:
    """Return the UD parse of a sentence of the treebank. Raises KeyError for others."""
    return tree(_treebank()[text])


def clear(text: str) -> Doc:
    """Return the ClearNLP parse of a sentence of the treebank. Raises KeyError for others."""
    return clearnlp(ud(text))


def clearnlp(doc: Doc) -> Doc:
    """Return a UD parse in the ClearNLP scheme.

    The copula heads its clause (the predicate becomes attr or acomp), a preposition heads its noun (pobj), coordination
    is a chain with its conjunction on the first part, `not` is neg, an infinitive's `to` is aux; labels change names.
    """
    heads = [t.head.i for t in doc]
    deps = [t.dep_ for t in doc]

    def up(child: int, label: str) -> None:
        """Swap a function word with its head."""
        word = heads[child]
        heads[child], deps[child] = (child if heads[word] == word else heads[word]), deps[word]
        heads[word], deps[word] = child, label

    for cop in [t.i for t in doc if t.dep_ == "cop"]:
        predicate = heads[cop]
        up(cop, "acomp" if doc[predicate].pos_ == "ADJ" else "advmod" if doc[predicate].pos_ == "ADV" else "attr")
        for t in doc:
            if heads[t.i] == predicate and deps[t.i] in _OF_CLAUSE:
                heads[t.i] = cop
    for t in doc:
        if t.dep_ == "expl" and t.lower_ == "there":
            for other in doc:
                if deps[other.i] == "nsubj" and heads[other.i] == heads[t.i]:
                    deps[other.i] = "attr"
    for case in [t.i for t in doc if t.dep_ == "case" and t.tag_ != "POS"]:
        up(case, "pobj")
        if deps[case] not in ("ROOT", "conj"):
            deps[case] = "prep"
    for t in doc:
        parts = [t.i, *(c.i for c in doc if deps[c.i] == "conj" and heads[c.i] == t.i)]
        for first, second in itertools.pairwise(parts[1:]):
            heads[second] = first
    for t in doc:
        if t.dep_ == "cc" and deps[heads[t.i]] == "conj":
            heads[t.i] = heads[heads[t.i]]
        elif t.dep_ == "mark" and t.tag_ == "TO":
            deps[t.i] = "aux"
        elif t.dep_ == "advmod" and t.lower_ in ("not", "n't", "n’t", "never"):
            deps[t.i] = "neg"
    return Doc(
        doc.vocab,
        words=[t.text for t in doc],
        spaces=[bool(t.whitespace_) for t in doc],
        tags=[t.tag_ for t in doc],
        pos=[t.pos_ for t in doc],
        deps=[_LABELS.get(dep, dep) for dep in deps],
        heads=heads,
    )


#: how a rule may find a sentence of the treebank parsed
SCHEMES = (ud, clear)
