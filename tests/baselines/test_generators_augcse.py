"""The operators that let a sequence-to-sequence model write: with a tiny random T5, and without any."""

from __future__ import annotations

import os
import random

import pytest
import spacy

from baselines.generators_augcse import CasualToFormal, DiverseParaphrase, Seq2Seq
from harness.errors import EncoderError, Skipped
from harness.protocols.operator import render

NLP = spacy.blank("en")
TEXTS = ["The baker sold bread.", "She lives in a small house near the river.", "...", ""]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a T5 of two layers and random weights, and a tokenizer of forty pieces."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    where = tmp_path_factory.mktemp("t5")
    letters = ["<pad>", "</s>", "<unk>", "▁", *"abcdefghijklmnopqrstuvwxyzTS.,:CF"]
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0) for piece in letters], unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
    fast.save_pretrained(where)
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=len(letters),
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=0,
        pad_token_id=0,
    )
    T5ForConditionalGeneration(config).save_pretrained(where)
    return where


@pytest.fixture
def paraphrase(folder, monkeypatch):
    monkeypatch.setenv("AUGBENCH_PARAPHRASE_MODEL", str(folder))
    return DiverseParaphrase()


def test_a_model_writes_and_the_text_is_one_change(paraphrase):
    docs = [NLP(text) for text in TEXTS]
    edits = paraphrase.apply_batch(docs, [random.Random(i) for i in range(len(docs))])
    assert [edit is None for edit in edits] == [False, False, True, True]
    for doc, edit in zip(docs, edits, strict=True):
        if edit is not None:
            assert edit.text == render(doc, edit.changes) != doc.text
            assert len(edit.changes) == 1


def test_the_choice_among_candidates_comes_from_rng_alone(paraphrase):
    doc = NLP(TEXTS[1])
    offered = paraphrase.models[0].write([doc.text], candidates=5)[0]
    assert len(offered) == 5
    new = list(dict.fromkeys(offered))
    assert len(new) > 1
    for seed in (0, 1, 1):
        assert paraphrase.apply(doc, random.Random(seed)).text == random.Random(seed).choice(new)


def test_the_formal_one_takes_the_best_and_a_prefix(folder, monkeypatch):
    monkeypatch.setenv("AUGBENCH_FORMAL_MODEL", str(folder))
    operator = CasualToFormal()
    asked = []
    monkeypatch.setattr(
        Seq2Seq, "write", lambda self, texts, candidates: asked.append((texts, candidates)) or [["Fine."]]
    )
    assert operator.apply(NLP("ok"), random.Random(0)).text == "Fine."
    assert asked == [(["transfer Casual to Formal: ok"], 1)]


def test_two_models_run_one_behind_the_other(folder, monkeypatch):
    monkeypatch.setenv("AUGBENCH_PARAPHRASE_MODEL", os.pathsep.join([str(folder), str(folder)]))
    operator = DiverseParaphrase()
    asked = []

    def write(self, texts, candidates):
        asked.append((list(texts), candidates))
        return [[f"{text}{i}" for i in range(candidates)] for text in texts]

    monkeypatch.setattr(Seq2Seq, "write", write)
    assert operator.apply(NLP("a"), random.Random(0)).text.startswith("a0")
    assert asked == [(["a"], 1), (["a0"], 5)]
    assert len(operator.fingerprint()["models"]) == 2


def test_the_fingerprint_is_the_models_and_no_path(paraphrase, folder):
    found = paraphrase.fingerprint()
    assert str(folder) not in str(found)
    assert len(found["models"][0]) == 64


@pytest.mark.parametrize("kind", [DiverseParaphrase, CasualToFormal])
def test_without_a_model_the_reason_says_what_to_type(kind, monkeypatch):
    monkeypatch.delenv(kind.variable, raising=False)
    with pytest.raises(Skipped, match=f"none is named; type export {kind.variable}=FOLDER"):
        kind()
    with pytest.raises(ValueError, match=f"write {kind.name}"):
        kind("x")


def test_what_is_no_such_model_is_refused(tmp_path, monkeypatch, folder):
    monkeypatch.setenv("AUGBENCH_PARAPHRASE_MODEL", str(tmp_path / "none"))
    with pytest.raises(EncoderError, match="does not exist"):
        DiverseParaphrase().apply(NLP("a"), random.Random(0))
    from transformers import BertConfig, BertModel

    BertModel(
        BertConfig(vocab_size=40, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    ).save_pretrained(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    monkeypatch.setenv("AUGBENCH_PARAPHRASE_MODEL", str(tmp_path))
    with pytest.raises(EncoderError, match="Expected a sequence-to-sequence model"):
        DiverseParaphrase().apply(NLP("a"), random.Random(0))
