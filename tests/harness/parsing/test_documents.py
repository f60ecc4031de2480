"""Training documents: what chance may do to a sentence, and what spaCy gets."""

from __future__ import annotations

import random
from itertools import islice

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from parsing_fakes import animal, animals, sentences

from harness.parsing.documents import (
    Disturbance,
    batches,
    disturb,
    example,
    grouped,
    lowered,
    spread,
    stream,
    to_doc,
    unstopped,
)


@pytest.fixture(scope="module")
def blank():
    return spacy.blank("en")


@settings(max_examples=40)
@given(sentences())
def test_disturbed_sentences_keep_their_shape(sentence):
    for changed in (lowered(sentence), spread(sentence)):
        assert (changed.heads, changed.labels, changed.upos, changed.xpos) == (
            sentence.heads,
            sentence.labels,
            sentence.upos,
            sentence.xpos,
        )
    assert lowered(sentence).text == sentence.text.lower()
    assert spread(sentence).text == " ".join(sentence.words)


@settings(max_examples=40)
@given(sentences())
def test_only_a_last_mark_without_dependents_is_dropped(sentence):
    shorter = unstopped(sentence)
    if shorter is not sentence:
        last = len(sentence) - 1
        assert sentence.upos[last] == "PUNCT"
        assert len(shorter) == last
        assert max(shorter.heads) < last
        assert shorter.heads.count(-1) == 1


def test_the_full_stop_goes():
    assert unstopped(animal(0)).text == animal(0).text[:-1]


@given(st.integers(0, 1000))
def test_no_disturbance_is_no_change(seed):
    how = Disturbance(lower=0, unstopped=0, groups=(1.0,))
    assert disturb(animal(1), how, random.Random(seed)) == animal(1)


def test_every_disturbance_at_once():
    how = Disturbance(lower=1, unstopped=1)
    found = {disturb(animal(1), how, random.Random(seed)).text for seed in range(20)}
    text = animal(1).text[:-1].lower()
    assert found == {text}


def test_a_document_has_the_annotation_of_its_sentences(blank):
    first, second = animal(0), animal(5)
    doc = to_doc(blank.vocab, [first, second])
    assert doc.text == f"{first.text} {second.text}"
    assert [sentence.text for sentence in doc.sents] == [first.text, second.text]
    assert [t.dep_ for t in doc] == ["det", "nsubj", "ROOT", "det", "obj", "punct"] * 2
    assert [t.head.i for t in doc] == [1, 2, 2, 4, 2, 2, 7, 8, 8, 10, 8, 8]
    assert [t.tag_ for t in doc][:3] == ["DT", "NN", "VBZ"]
    assert [t.pos_ for t in doc][:3] == ["DET", "NOUN", "VERB"]


def test_an_example_is_cut_by_the_pipelines_tokeniser(blank):
    one = example(blank, [animal(0)])
    assert one.predicted.text == one.reference.text == animal(0).text
    assert not one.predicted.has_annotation("DEP")


@given(st.integers(0, 40), st.integers(0, 1000))
def test_groups_are_the_sentences_in_order(count, seed):
    bank = animals(count)
    groups = list(grouped(bank, (0.5, 0.3, 0.2), random.Random(seed)))
    assert [s for group in groups for s in group] == bank
    assert all(1 <= len(group) <= 3 for group in groups)


def test_an_epoch_holds_gold_by_its_weight_and_silver_once(blank):
    gold, silver = animals(5), [spread(s) for s in animals(7, 100)]
    how = Disturbance(lower=0, unstopped=0, groups=(1.0,))
    epoch = list(islice(stream(blank, gold, silver, weight=3, how=how, seed=0), 5 * 3 + 7))
    texts = sorted(one.reference.text for one in epoch)
    assert texts == sorted([s.text for s in gold] * 3 + [s.text for s in silver])


def test_the_stream_depends_on_the_seed_alone(blank):
    def texts(seed):
        found = stream(blank, animals(9), animals(9, 50), weight=2, how=Disturbance(), seed=seed)
        return [one.reference.text for one in islice(found, 60)]

    assert texts(1) == texts(1)
    assert texts(1) != texts(2)
    # a second epoch is shuffled and disturbed anew
    assert texts(1)[:27] != texts(1)[27:54]


def test_batches_are_counted_in_words(blank):
    examples = [example(blank, [s]) for s in animals(9)]
    sizes = [len(batch) for batch in batches(examples, 12)]
    assert sizes == [2, 2, 2, 2]
