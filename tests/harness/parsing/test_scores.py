"""Scores against counts by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
import spacy
from parsing_fakes import animal
from spacy.language import Language

from harness.parsing.documents import to_doc
from harness.parsing.scores import measure

ANSWERS = {}


@Language.component("told_in_test_scores")
def told(doc):
    want = to_doc(doc.vocab, ANSWERS[doc.text])
    for token, other in zip(doc, want, strict=True):
        token.pos_, token.tag_, token.dep_ = other.pos_, other.tag_, other.dep_
        token.head = doc[other.head.i]
    return doc


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("told_in_test_scores")
    # the scorer asks components for what they score
    for name in ("tagger", "morphologizer", "parser"):
        nlp.add_pipe(name)
        nlp.disable_pipe(name)
    return nlp


def scores(nlp, gold, answers, **options):
    ANSWERS.clear()
    ANSWERS.update(answers)
    from spacy.scorer import Scorer

    with pytest.MonkeyPatch.context() as patch:
        # disabled components do not score; ask all of them
        patch.setattr(Scorer, "score", lambda self, examples: _all_scores(self.nlp, examples))
        return measure(nlp, gold, **options)


def _all_scores(nlp, examples):
    from spacy.scorer import Scorer

    found = dict(Scorer.score_tokenization(examples))
    for _, component in nlp.components:
        if hasattr(component, "score"):
            found.update(component.score(examples))
    return found


def test_everything_right(nlp):
    gold = [animal(0), animal(1)]
    found = scores(nlp, gold, {s.text: [s] for s in gold})
    assert (found.tokens, found.sentences, found.upos, found.xpos, found.uas, found.las) == (100,) * 6
    assert found.words_per_second > 0


def test_each_mistake_counts_where_it_should(nlp):
    gold = animal(0)
    wrong = replace(
        gold,
        upos=("NOUN", *gold.upos[1:]),
        xpos=(*gold.xpos[:2], "NN", "NN", *gold.xpos[4:]),
        # one wrong head, one wrong label, and a wrong head of punctuation, which does not count
        heads=(2, 2, -1, 4, 2, 1),
        labels=("det", "obj", "root", "det", "obj", "punct"),
    )
    found = scores(nlp, [gold], {gold.text: [wrong]})
    assert found.upos == pytest.approx(100 * 5 / 6)
    assert found.xpos == pytest.approx(100 * 4 / 6)
    assert found.uas == pytest.approx(100 * 4 / 5)
    assert found.las == pytest.approx(100 * 3 / 5)


def test_grouped_sentences_have_boundaries_to_find(nlp):
    gold = [animal(0), animal(1)]
    text = f"{gold[0].text} {gold[1].text}"
    assert scores(nlp, gold, {text: gold}, group=2).sentences == 100


def test_numbers_are_rounded_for_reports(nlp):
    gold = animal(0)
    wrong = replace(gold, upos=("X", *gold.upos[1:]))
    shown = scores(nlp, [gold], {gold.text: [wrong]}).as_dict()
    assert shown["upos"] == 83.33
    assert "words_per_second" not in shown
