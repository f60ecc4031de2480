"""`random:` before a name: the shape without the learning; and weights that are not there are not made up."""

from __future__ import annotations

import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from harness.encoder import fingerprint, load_text_encoder, open_embedder
from harness.errors import EncoderError, UsageError


def weights(encoder) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in encoder.model.state_dict().items()}


def test_random_weights_have_the_shape_and_follow_the_seed(tiny_encoder):
    learnt = weights(load_text_encoder(str(tiny_encoder)))
    drawn = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        drawn.append(weights(load_text_encoder(f"random:{tiny_encoder}")))
    table = "embeddings.word_embeddings.weight"
    assert {name: tensor.shape for name, tensor in drawn[0].items()} == {n: t.shape for n, t in learnt.items()}
    assert torch.equal(drawn[0][table], drawn[1][table])
    assert not torch.equal(drawn[0][table], drawn[2][table])
    assert not torch.equal(drawn[0][table], learnt[table])


def test_an_opened_random_encoder_is_always_the_same_one(tiny_encoder):
    before = torch.random.get_rng_state()
    first = open_embedder(f"random:{tiny_encoder}").fingerprint()
    assert torch.equal(before, torch.random.get_rng_state())
    torch.manual_seed(5)
    assert open_embedder(f"random:{tiny_encoder}").fingerprint() == first
    assert open_embedder(str(tiny_encoder)).fingerprint() != first


def test_the_fingerprint_of_random_weights_leaves_the_weights_out(tiny_encoder, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(tiny_encoder, other)
    changed = {name: tensor + 1 for name, tensor in load_file(other / "model.safetensors").items()}
    save_file(changed, other / "model.safetensors", metadata={"format": "pt"})
    assert fingerprint(str(other)) != fingerprint(str(tiny_encoder))
    assert fingerprint(f"random:{other}") == fingerprint(f"random:{tiny_encoder}") != fingerprint(str(other))


def test_a_pooler_that_nobody_trained_is_left_out(tiny_encoder, tmp_path, sentences):
    bare = tmp_path / "bare"
    shutil.copytree(tiny_encoder, bare)
    kept = {n: t for n, t in load_file(bare / "model.safetensors").items() if not n.startswith("pooler.")}
    save_file(kept, bare / "model.safetensors", metadata={"format": "pt"})
    assert open_embedder(str(tiny_encoder), pooler="cls_pooler").encode(sentences[:2]).shape[0] == 2
    with pytest.raises(UsageError, match="pre-trained pooler"):
        open_embedder(str(bare), pooler="cls_pooler").encode(sentences[:2])


def test_incomplete_weights_are_refused(tiny_encoder, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(tiny_encoder, broken)
    kept = load_file(broken / "model.safetensors")
    del kept["encoder.layer.0.attention.self.query.weight"]
    save_file(kept, broken / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EncoderError, match="lack 1 tensors"):
        load_text_encoder(str(broken))
