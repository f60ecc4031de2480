"""Masking with a fake head whose predictions are known, without a head, and with a real small one."""

from __future__ import annotations

import random
from statistics import fmean

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.masking import Mask
from harness.errors import Skipped
from harness.protocols import OperatorTools
from harness.protocols.operator import render
from harness.words import word_positions

NLP = spacy.blank("en")


class FakeLM:
    """Words have one piece per started four letters; the n-th mask of a text is filled by `<n>`."""

    mask_token = "[MASK]"

    def __init__(self, available=True, limit=1_000):
        self.available = available
        self.limit = limit
        self.seen = []

    def pieces(self, word):
        return -(-len(word) // 4)

    def fill(self, texts):
        self.seen.append(list(texts))
        return [[f"<{n}>" for n in range(text[: self.limit].count("[MASK]"))] for text in texts]

    def join(self, pieces):
        return " " + "".join(pieces)

    def fingerprint(self):
        return "sha-of-the-encoder"


def mask(variant=None, lm=None):
    lm = lm or FakeLM()
    operator = Mask(variant, OperatorTools(encoder="some/encoder", load_masked_lm=lambda name: lm))
    return operator, lm


@pytest.fixture
def chosen(monkeypatch):
    """Make the operator mask exactly these word indices."""

    def set_words(*words):
        monkeypatch.setattr(Mask, "_choose", lambda self, doc, rng: list(words))

    return set_words


def test_each_word_becomes_as_many_masks_as_pieces_and_gets_them_back_joined(chosen):
    chosen(1, 3)
    operator, lm = mask()
    edit = operator.apply(NLP("The elephant (slept) well."), random.Random(0))
    assert lm.seen == [["The [MASK][MASK] ([MASK][MASK]) well."]]
    assert edit.text == "The <0><1> (<2><3>) well."
    assert [(c.kind, c.start, c.end, c.text) for c in edit.changes] == [
        ("replace", 1, 2, "<0><1>"),
        ("replace", 3, 4, "<2><3>"),
    ]


def test_words_behind_the_length_limit_stay(chosen):
    chosen(0, 2)
    operator, _ = mask(lm=FakeLM(limit=12))
    edit = operator.apply(NLP("one and elephant"), random.Random(0))
    assert edit.text == "<0> and elephant"


def test_right_predictions_change_nothing(chosen):
    class Right(FakeLM):
        def fill(self, texts):
            return [["cat"]] * len(texts)

        def join(self, pieces):
            return pieces[0]

    chosen(1)
    operator, _ = mask(lm=Right())
    assert operator.apply(NLP("the cat sat"), random.Random(0)) is None
    assert operator.apply(NLP("the dog sat"), random.Random(0)).text == "the cat sat"


def test_empty_predictions_leave_the_word(chosen):
    class Mute(FakeLM):
        def join(self, pieces):
            return " "

    chosen(1)
    assert mask(lm=Mute())[0].apply(NLP("the cat sat"), random.Random(0)) is None


def test_without_a_head_the_mask_token_stays(chosen):
    chosen(1)
    operator, lm = mask(lm=FakeLM(available=False))
    assert operator.apply(NLP("The elephant slept."), random.Random(0)).text == "The [MASK] slept."
    assert lm.seen == []
    assert operator.filling == "mask token"


def test_what_fills_the_masks_is_stated_and_hashed():
    head, bare = mask()[0], mask(lm=FakeLM(available=False))[0]
    assert head.filling == "predictions"
    assert head.fingerprint() == {
        "operator": "mask",
        "percent": 15,
        "filling": "predictions",
        "from": "sha-of-the-encoder",
    }
    # without a head, all encoders with this mask token give the same text
    assert bare.fingerprint() == {"operator": "mask", "percent": 15, "filling": "mask token", "from": "[MASK]"}
    assert mask("20")[0].fingerprint()["percent"] == 20


@settings(deadline=None)
@given(st.lists(st.text(max_size=50), max_size=5), st.integers(0, 99), st.booleans())
def test_batches_give_what_single_sentences_give(texts, seed, available):
    operator, _ = mask("50", FakeLM(available))
    docs = [NLP(text) for text in texts]
    together = operator.apply_batch(docs, [random.Random(seed + i) for i in range(len(docs))])
    alone = [operator.apply(doc, random.Random(seed + i)) for i, doc in enumerate(docs)]
    assert together == alone
    for doc, edit in zip(docs, together, strict=True):
        if edit is not None:
            assert render(doc, edit.changes) == edit.text
            assert {c.start for c in edit.changes} <= set(word_positions(doc))


def test_sentences_of_a_batch_are_filled_in_one_call():
    operator, lm = mask("99")
    operator.apply_batch([NLP("one two"), NLP("..."), NLP("three four")], [random.Random(i) for i in range(3)])
    assert len(lm.seen) == 1
    assert len(lm.seen[0]) == 2


def test_the_average_share_is_the_rate():
    operator, _ = mask(lm=FakeLM(available=False))
    doc, rng = NLP("one two three four five six"), random.Random(0)
    edits = [operator.apply(doc, rng) for _ in range(4_000)]
    assert fmean(len(e.changes) / 6 if e else 0 for e in edits) == pytest.approx(0.15, abs=0.01)


def test_a_text_with_the_mask_token_is_left_alone():
    operator, _ = mask("99")
    assert operator.apply(NLP("this [MASK] is a trap"), random.Random(0)) is None


def test_it_needs_an_encoder_with_a_mask_token():
    with pytest.raises(Skipped, match="--encoder"):
        Mask(None, OperatorTools())
    with pytest.raises(ValueError, match="write mask@PERCENT"):
        Mask("lots", OperatorTools())
    lm = FakeLM(available=False)
    lm.mask_token = ""
    with pytest.raises(Skipped, match="some/encoder has no mask token"):
        mask(lm=lm)[0].apply(NLP("a b"), random.Random(0))


def test_the_encoder_is_loaded_once_and_late():
    loads = []
    tools = OperatorTools(encoder="e", load_masked_lm=lambda name: loads.append(name) or FakeLM())
    operator = Mask("99", tools)
    assert not loads
    operator.apply(NLP("a b"), random.Random(0))
    operator.fingerprint()
    assert loads == ["e"]


def test_a_real_head_fills_words_of_its_vocabulary(tiny_mlm):
    operator = Mask("50", OperatorTools(encoder=str(tiny_mlm)))
    text = "the old dog sits near the house"
    edits = [operator.apply(NLP(text), random.Random(seed)) for seed in range(5)]
    assert operator.filling == "predictions"
    changed = [edit for edit in edits if edit]
    assert changed
    for edit in changed:
        assert "[" not in edit.text
        assert render(NLP(text), edit.changes) == edit.text


def test_a_real_encoder_without_head_leaves_masks(tiny_encoder):
    operator = Mask("50", OperatorTools(encoder=str(tiny_encoder)))
    assert operator.filling == "mask token"
    assert "[MASK]" in operator.apply(NLP("the old dog sits"), random.Random(0)).text
