"""A saved embedder is the same embedder for AugBench, for AutoModel and for sentence-transformers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from harness.encoder import TextEmbedder, load_text_encoder, open_embedder
from harness.encoder.heads import make_head
from harness.encoder.text_encoder import POOLERS
from harness.errors import EncoderError, UsageError
from harness.protocols import Embedder

TEXTS = ["the cat sits on the mat", "", "a dog runs", "the cat sits on the mat", "bread and cheese " * 30]


def embedder(folder, pooler: str, head: str = "simcse") -> TextEmbedder:
    encoder = load_text_encoder(str(folder), pooler=pooler)
    if pooler == "cls_head":
        torch.manual_seed(1)
        encoder.head = make_head(head, encoder.hidden_size).eval()
    return TextEmbedder(encoder, max_length=40, precision="fp32")


@pytest.mark.slow
@pytest.mark.parametrize("pooler", POOLERS)
def test_save_load_and_sentence_transformers_agree(tiny_encoder, tmp_path, pooler):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    from transformers import AutoModel

    original = embedder(tiny_encoder, pooler)
    vectors = original.encode(TEXTS)
    original.save(tmp_path)
    again = TextEmbedder.load(tmp_path, precision="fp32")
    assert isinstance(again, Embedder)
    np.testing.assert_array_equal(again.encode(TEXTS), vectors)
    assert again.fingerprint() == original.fingerprint()
    theirs = sentence_transformers.SentenceTransformer(str(tmp_path), device="cpu").encode(TEXTS)
    np.testing.assert_allclose(theirs, vectors, rtol=1e-4, atol=1e-4)
    auto = AutoModel.from_pretrained(str(tmp_path)).state_dict()
    for name, tensor in original.encoder.model.state_dict().items():
        assert torch.equal(auto[name], tensor), name


def test_a_head_sentence_transformers_cannot_express_is_not_pretended(tiny_encoder, tmp_path):
    original = embedder(tiny_encoder, "cls_head", "sda")
    original.save(tmp_path)
    assert not (tmp_path / "modules.json").exists()
    np.testing.assert_array_equal(TextEmbedder.load(tmp_path, precision="fp32").encode(TEXTS), original.encode(TEXTS))


def test_equal_texts_get_equal_vectors_in_order(tiny_encoder):
    vectors = embedder(tiny_encoder, "avg").encode(TEXTS)
    assert vectors.shape == (5, 32)
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors[0], vectors[3])
    alone = np.concatenate([embedder(tiny_encoder, "avg").encode([t]) for t in TEXTS])
    np.testing.assert_allclose(vectors, alone, rtol=1e-4, atol=1e-5)


def test_fingerprint_does_not_depend_on_what_was_encoded_before(tiny_encoder):
    subject = TextEmbedder(load_text_encoder(str(tiny_encoder)), max_length=8, precision="fp32")
    before = subject.fingerprint()
    subject.encode(["a much longer sentence than eight tokens, which the tokenizer has to cut", "short"])
    assert subject.fingerprint() == before


def test_fingerprint_changes_with_everything_that_changes_vectors(tiny_encoder):
    base = embedder(tiny_encoder, "avg")
    seen = {base.fingerprint(), embedder(tiny_encoder, "cls").fingerprint()}
    encoder = load_text_encoder(str(tiny_encoder), pooler="avg")
    seen.add(TextEmbedder(encoder, max_length=20, precision="fp32").fingerprint())
    encoder.model.embeddings.word_embeddings.weight.data[7, 0] += 1e-3
    seen.add(TextEmbedder(encoder, max_length=40, precision="fp32").fingerprint())
    assert len(seen) == 4
    assert base.fingerprint() == embedder(tiny_encoder, "avg").fingerprint()


def test_open_takes_the_saved_pooler_and_refuses_bad_lengths(tiny_encoder, tmp_path):
    embedder(tiny_encoder, "avg_top2").save(tmp_path)
    assert open_embedder(str(tmp_path)).pooler == "avg_top2"
    assert open_embedder(str(tmp_path), pooler="cls").pooler == "cls"
    with pytest.raises(UsageError, match=r"max_length 5000.*3 … 64"):
        open_embedder(str(tiny_encoder), max_length=5000)
    with pytest.raises(EncoderError, match=r"augbench\.json"):
        TextEmbedder.load(tiny_encoder)
