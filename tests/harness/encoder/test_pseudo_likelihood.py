"""Pseudo-log-likelihood: as if every piece had been masked and guessed by itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from harness.encoder import load_masked_lm
from harness.encoder.pseudo_likelihood import perplexity, pseudo_log_likelihoods

TEXTS = ["the cat sits on the mat", "a dog", "", "the cat sits on the mat", "bread or cheese, Qx!", "bird " * 100]


def slow(folder, text):
    """One piece at a time, the whole model, no batches."""
    model, tokenizer = AutoModelForMaskedLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(text, truncation=True, max_length=64, return_tensors="pt")["input_ids"]
    total = 0.0
    for spot in range(1, ids.shape[1] - 1):
        masked = ids.clone()
        masked[0, spot] = tokenizer.mask_token_id
        with torch.no_grad():
            logits = model(input_ids=masked).logits[0, spot]
        total += float(torch.log_softmax(logits, -1)[ids[0, spot]])
    return total, ids.shape[1] - 2


def test_sums_are_those_of_a_slow_loop(tiny_mlm, monkeypatch):
    monkeypatch.setattr("harness.encoder.pseudo_likelihood._TOKENS", 40)
    sums, pieces = pseudo_log_likelihoods(load_masked_lm(str(tiny_mlm)), TEXTS)
    for text, value, count in zip(TEXTS, sums.tolist(), pieces.tolist(), strict=True):
        expected, number = slow(tiny_mlm, text)
        assert count == number
        assert value == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert sums[0] == sums[3]
    assert (sums[2], pieces[2]) == (0, 0)


def test_a_model_whose_last_layer_is_not_known_gives_the_same(tiny_mlm, monkeypatch):
    expected = pseudo_log_likelihoods(load_masked_lm(str(tiny_mlm)), TEXTS[:2])[0]
    from transformers import BertForMaskedLM

    monkeypatch.setattr(BertForMaskedLM, "get_output_embeddings", lambda self: None)
    np.testing.assert_allclose(pseudo_log_likelihoods(load_masked_lm(str(tiny_mlm)), TEXTS[:2])[0], expected, rtol=1e-5)


def test_perplexity():
    assert perplexity(np.array([-2.0, -4.0]), np.array([1, 2])) == pytest.approx(math.exp(2))
    assert perplexity(np.array([0.0]), np.array([0])) is None
    assert perplexity(np.array([]), np.array([], dtype=np.int64)) is None


def test_weights_without_a_head_are_refused(tiny_encoder):
    with pytest.raises(ValueError, match="no masked-language-model head"):
        pseudo_log_likelihoods(load_masked_lm(str(tiny_encoder)), ["a"])
