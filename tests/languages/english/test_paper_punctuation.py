"""`pi@paper`: Algorithm 1 as printed, in its order, on whole subtrees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import consistent, made
from randomdocs import documents
from trees import clearnlp, tree, unparsed

from harness.seeds import python_rng
from languages.english.paper_punctuation import PaperPunctuation

OPERATOR = PaperPunctuation("paper")

CLAUSE_FIRST = (
    "The|DT|DET|det|2 cook|NN|NOUN|nsubj|3 said|VBD|VERB|ROOT|3 that|IN|SCONJ|mark|6 he|PRP|PRON|nsubj|6 "
    "slept|VBD|VERB|ccomp|3 .|.|PUNCT|punct|3"
)
INFINITIVE = (
    "She|PRP|PRON|nsubj|2 wants|VBZ|VERB|ROOT|2 to|TO|PART|mark|4 learn|VB|VERB|xcomp|2 Greek|NNP|PROPN|obj|4 "
    ".|.|PUNCT|punct|2"
)
OPENING = "When|WRB|ADV|advmod|2 asked|VBN|VERB|advcl|4 he|PRP|PRON|nsubj|4 lied|VBD|VERB|ROOT|4 .|.|PUNCT|punct|4"
SUBTREE = (
    "The|DT|DET|det|2 king|NN|NOUN|nsubj|5 of|IN|ADP|case|4 France|NNP|PROPN|nmod|2 sleeps|VBZ|VERB|ROOT|5 "
    ".|.|PUNCT|punct|5"
)
FRONTED = (
    "Today|NN|NOUN|obl|5 ,|,|PUNCT|punct|5 the|DT|DET|det|4 king|NN|NOUN|nsubj|5 sleeps|VBZ|VERB|ROOT|5 "
    ".|.|PUNCT|punct|5"
)
MARKED = (
    "He|PRP|PRON|nsubj|2 slept|VBD|VERB|ROOT|2 ,|,|PUNCT|punct|6 because|IN|SCONJ|mark|6 he|PRP|PRON|nsubj|6 "
    "could|MD|AUX|advcl|2 .|.|PUNCT|punct|2"
)


@pytest.mark.parametrize(
    ("source", "outputs"),
    [
        (CLAUSE_FIRST, {"The cook said, that he slept."}),
        (INFINITIVE, {"She wants, to learn Greek."}),
        (OPENING, {"When asked, he lied."}),
        (SUBTREE, {'"The king of France" sleeps.', "The king of France, sleeps."}),
        (FRONTED, {'Today, "the king" sleeps.', "Today, the king, sleeps."}),
        (MARKED, {'"He" slept, because he could.', "He, slept, because he could."}),
    ],
    ids=["clause", "infinitive", "opening clause", "whole subtree", "subject behind an adjunct", "no doubled comma"],
)
def test_the_order_and_the_spans(source, outputs):
    for doc in (tree(source), clearnlp(tree(source))):
        assert made(OPERATOR, doc) == outputs


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("Close the door.", "Close the door!"),
        ("Close the door", "Close the door!"),
        ("Really?", "Really!"),
        ("Two eggs;", "Two eggs!"),
        ('"Yes."', '"Yes."!'),
        ("Stop!", None),
        ("...", None),
        ("", None),
        (" \n", None),
    ],
)
def test_the_tail_where_there_is_neither_clause_nor_subject(text, output):
    assert made(OPERATOR, unparsed(text)) == {output}


@given(documents(), st.integers(0, 3))
def test_any_parse_survives(doc, seed):
    edit = OPERATOR.apply(doc, python_rng(seed, "pi@paper"))
    if edit is not None:
        consistent(edit, doc)
        assert "".join(filter(str.isalnum, edit.text)) == "".join(filter(str.isalnum, doc.text))


def test_it_answers_to_its_full_name_only():
    assert OPERATOR.spec == "pi@paper"
    with pytest.raises(ValueError, match="pi@paper"):
        PaperPunctuation("loud")
