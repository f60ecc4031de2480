"""Synonym replacement: which words give way, in which form; and what the table must look like."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import consistent, made
from randomdocs import documents
from trees import clearnlp, tree, unparsed

import languages.english.synonym as synonym
from harness.seeds import python_rng
from languages.english.synonym import Synonym, candidates, table

OPERATOR = Synonym()

VERB = "She|PRP|PRON|nsubj|2 purchased|VBD|VERB|ROOT|2 three|CD|NUM|nummod|4 eggs|NNS|NOUN|obj|2 .|.|PUNCT|punct|2"
PLURAL = "Two|CD|NUM|nummod|2 lawyers|NNS|NOUN|nsubj|3 slept|VBD|VERB|ROOT|3 .|.|PUNCT|punct|3"
ARTICLE = (
    "He|PRP|PRON|nsubj|2 told|VBD|VERB|ROOT|2 an|DT|DET|det|5 amusing|JJ|ADJ|amod|5 joke|NN|NOUN|obj|2 "
    ".|.|PUNCT|punct|2"
)
CAPITAL = "A|DT|DET|det|2 baby|NN|NOUN|nsubj|3 slept|VBD|VERB|ROOT|3 .|.|PUNCT|punct|3"
RARELY = "She|PRP|PRON|nsubj|3 rarely|RB|ADV|advmod|3 smiled|VBD|VERB|ROOT|3 .|.|PUNCT|punct|3"
COPULA = "It|PRP|PRON|nsubj|3 is|VBZ|AUX|cop|3 wrong|JJ|ADJ|ROOT|3 .|.|PUNCT|punct|3"


@pytest.mark.parametrize(
    ("source", "outputs"),
    [
        (VERB, {"She bought three eggs."}),
        (PLURAL, {"Two attorneys slept."}),
        (ARTICLE, {"He told a funny joke."}),
        (CAPITAL, {"An infant slept."}),
        (RARELY, {"She seldom smiled."}),
        (COPULA, {"It is incorrect."}),
    ],
    ids=["past tense", "plural", "article", "capital article", "adverb", "predicate"],
)
def test_form_casing_and_article_follow(source, outputs):
    for doc in (tree(source), clearnlp(tree(source))):
        assert made(OPERATOR, doc) == outputs


@pytest.mark.parametrize(
    "source",
    [
        "They|PRP|PRON|nsubj|2 started|VBD|VERB|ROOT|2 up|RP|ADP|compound:prt|2 again|RB|ADV|advmod|2",
        "He|PRP|PRON|nsubj|2 wants|VBZ|VERB|ROOT|2 out|IN|ADP|case|5 of|IN|ADP|fixed|3 it|PRP|PRON|obl|2",
        "The|DT|DET|det|3 car|NN|NOUN|compound|3 park|NN|NOUN|nsubj|4 fell|VBD|VERB|ROOT|4",
        "It|PRP|PRON|nsubj|3 had|VBD|AUX|aux|3 gone|VBN|VERB|ROOT|3",
        "By|IN|ADP|case|2 error|NN|NOUN|obl|4 he|PRP|PRON|nsubj|4 went|VBD|VERB|ROOT|4",
        "He|PRP|PRON|nsubj|2 is|VBZ|VERB|ROOT|2 (~|(|PUNCT|punct|4 wrong~|JJ|ADJ|amod|2 )|)|PUNCT|punct|4",
        "Baker|NNP|PROPN|nsubj|2 sold|VBD|VERB|ROOT|2 Film|NNP|PROPN|compound|4 Nation|NNP|PROPN|obj|2",
        "A|DT|DET|det|3 large|JJ|ADJ|amod|3 number|NN|NOUN|nsubj|4 fell|VBD|VERB|ROOT|4",
        "He|PRP|PRON|nsubj|2 saw|VBD|VERB|ROOT|2 it|PRP|PRON|obj|2 two|CD|NUM|nummod|5 years|NNS|NOUN|obl|6 later|RB|ADV|advmod|2",
        "They|PRP|PRON|nsubj|2 took|VBD|VERB|ROOT|2 part|NN|NOUN|obj|2 of|IN|ADP|case|5 it|PRP|PRON|nmod|3",
        "a|DT|DET|det|4 car~|NN|NOUN|nmod|4 -~|HYPH|PUNCT|punct|2 wash|NN|NOUN|ROOT|4",
    ],
    ids=["particle", "preposition", "compound", "auxiliary", "bare noun", "brackets", "names", "quantity", "years later",
         "idiom", "hyphen"],
)  # fmt: skip
def test_what_stays(source):
    assert made(OPERATOR, tree(source)) == {None}


@pytest.mark.parametrize(("text", "count"), [("1", 1), ("20", 1), ("40", 2), ("99", 2)])
def test_the_rate_counts_words_and_changes_at_least_one(text, count):
    source = (
        "The|DT|DET|det|2 lawyer|NN|NOUN|nsubj|3 purchased|VBD|VERB|ROOT|3 three|CD|NUM|nummod|5 "
        "eggs|NNS|NOUN|obj|3 .|.|PUNCT|punct|3"
    )
    edit = Synonym(text).apply(tree(source), python_rng(0, "rate"))
    assert len(edit.changes) == count
    assert edit.text in {
        "The attorney purchased three eggs.",
        "The lawyer bought three eggs.",
        "The attorney bought three eggs.",
    }


@pytest.mark.parametrize("variant", ["0", "100", "-3", "x", "", "paper", "2,5"])
def test_a_rate_that_is_none_is_refused(variant):
    with pytest.raises(ValueError, match="synonym@20"):
        Synonym(variant)


@pytest.mark.parametrize(
    ("word", "vowel"),
    [("apple", True), ("hour", True), ("honest", True), ("university", False), ("useful", False), ("unimportant", True),
     ("euro", False), ("one", False), ("old", True), ("house", False), ("uncle", True), ("unidentified", True)],
)  # fmt: skip
def test_which_article(word, vowel):
    assert synonym._begins_with_vowel(word) is vowel


def test_the_first_synonym_is_the_likeliest():
    doc = tree("He|PRP|PRON|nsubj|3 almost|RB|ADV|advmod|3 slept|VBD|VERB|ROOT|3 .|.|PUNCT|punct|3")
    drawn = [OPERATOR.apply(doc, python_rng(seed, "synonym")).text for seed in range(200)]
    assert drawn.count("He nearly slept.") > drawn.count("He virtually slept.") > 0


def test_the_table_is_well_formed_and_carries_its_licence():
    rows = table()
    assert len(rows) > 800
    for (lemma, pos), words in rows.items():
        assert pos in synonym._TAGS
        assert lemma.isalpha()
        assert lemma.islower()
        assert lemma not in words
        assert len(set(words)) == len(words) > 0
        assert all(word.isalpha() and word.islower() and len(word) > 1 for word in words)
    notice = (Path(synonym.__file__).parent / "lexicon" / "WORDNET-LICENSE").read_text(encoding="utf-8")
    assert "Princeton University" in notice
    assert "AS IS" in notice


@given(documents(), st.integers(0, 3))
def test_any_parse_survives_and_only_candidates_change(doc, seed):
    found = candidates(doc)
    edit = OPERATOR.apply(doc, python_rng(seed, "synonym"))
    assert (edit is None) == (not found)
    if edit is not None:
        consistent(edit, doc)
        changed = edit.changes[-1]
        assert changed.text in found[changed.start]


@given(st.text(max_size=60))
def test_unparsed_text_is_left_alone(text):
    assert OPERATOR.apply(unparsed(text), python_rng(0, "synonym")) is None
