"""The network that learns: BERT of any size, its vocabulary head on the masked places only."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

from harness.encoder.dropout import use_dropout16
from harness.pretraining.masking import IGNORED
from harness.pretraining.settings import Shape
from harness.seeds import derive, numpy_rng

#: spread of word embeddings that come from co-occurrences: twice BERT's, so that words stand out from positions
_SPREAD = 0.04
#: spread of position embeddings, BERT's
_NARROW = 0.02
#: what attention carries starts larger: BERT's spread is for 768 dimensions, and in 256 next to nothing would arrive
_CARRIED = 2.0


def make_network(shape: Shape, pieces: int, seed: int, *, pad: int) -> Any:
    """Return a fresh `BertForMaskedLM`, drawn from a stream of `seed`."""
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(
        vocab_size=pieces,
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner,
        max_position_embeddings=shape.positions,
        hidden_dropout_prob=shape.dropout,
        attention_probs_dropout_prob=shape.dropout,
        pad_token_id=pad,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive(seed, "network"))
        network: Any = BertForMaskedLM(config)
        network.bert.embeddings.position_embeddings.weight.data.copy_(_waves(shape.positions, shape.width))
        for layer in network.bert.encoder.layer:
            for part in (layer.attention.self.value, layer.attention.output.dense):
                part.weight.data *= _CARRIED
    use_dropout16(network)
    return network


def _waves(positions: int, width: int) -> torch.Tensor:
    """Sines and cosines (Vaswani et al. 2017) as the first position embeddings, which are then learnt like BERT's.

    "One place to the left" is the same rotation everywhere; from noise it would have to be learnt for every place anew.
    """
    place = torch.arange(positions)[:, None]
    speed = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    waves = torch.zeros(positions, width)
    waves[:, 0::2], waves[:, 1::2] = torch.sin(place * speed), torch.cos(place * speed)[:, : width // 2]
    return waves * (_NARROW * 2**0.5)


@torch.no_grad()
def start_from(network: Any, vectors: np.ndarray | None, counts: np.ndarray, seed: int) -> None:
    """Set the head's bias to the log frequency of each piece, and word embeddings to `vectors` where there are some.

    vectors  (pieces, width), rows of length 1 or 0;  counts: how often each piece occurs
    With the bias in place the first steps need not learn frequencies. What all vectors share is taken out, and each is mixed with
    noise of its own, drawn from a stream of `seed`: words of one topic stand close, yet every word can be told from every other.
    """
    share = (counts + 1) / (counts + 1).sum()
    network.cls.predictions.bias.copy_(torch.from_numpy(np.log(share)).float())
    if vectors is None:
        return
    table = network.bert.embeddings.word_embeddings.weight
    given = torch.from_numpy(np.linalg.norm(vectors, axis=1) > 0)
    own = vectors - share @ vectors
    noise = numpy_rng(seed, "words").standard_normal(vectors.shape)
    mixed = _unit(_unit(own) + _unit(noise)).astype(np.float32)
    scaled = torch.from_numpy(mixed) * (_SPREAD * vectors.shape[1] ** 0.5)
    table[given] = scaled[given]


def _unit(rows: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1))


def guess(
    network: Any, ids: torch.Tensor, positions: torch.Tensor, segment: torch.Tensor, where: torch.Tensor
) -> torch.Tensor:
    """Return the scores (rows, most, pieces) of the places `where`; every segment sees itself only.

    The last layer is computed at the masked places alone: all others would get no gradient through it anyway.
    """
    bert = network.bert
    visible = (segment[:, None, :, None] == segment[:, None, None, :]).contiguous()
    hidden = bert.embeddings(input_ids=ids, position_ids=positions)
    for layer in bert.encoder.layer[:-1]:
        hidden = _layer(layer, hidden, hidden, visible)
    rows = torch.arange(len(ids), device=ids.device)[:, None]
    asked = hidden[rows, where]
    hidden = _layer(bert.encoder.layer[-1], asked, hidden, visible[:, 0][rows, where][:, None])
    scores: torch.Tensor = network.cls(hidden)
    return scores


def _layer(layer: nn.Module, asked: torch.Tensor, hidden: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
    """One BERT layer for the places `asked` (rows, q, width), which look at `hidden` (rows, k, width) where `visible`."""
    attention: Any = layer.attention
    inner = attention.self

    def heads(x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:-1], inner.num_attention_heads, inner.attention_head_size).transpose(1, 2)

    mixed = scaled_dot_product_attention(
        heads(inner.query(asked)),
        heads(inner.key(hidden)),
        heads(inner.value(hidden)),
        attn_mask=visible,
        dropout_p=inner.dropout.p if layer.training else 0.0,
    )
    attended = attention.output(mixed.transpose(1, 2).flatten(2), asked)
    found: torch.Tensor = layer.output(layer.intermediate(attended), attended)  # type: ignore[operator]
    return found


def loss_of(network: Any, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the sum of the cross entropies (nats) over the guessed pieces of a batch, and how many there were."""
    scores = guess(network, batch["ids"], batch["positions"], batch["segment"], batch["where"])
    real = batch["targets"] != IGNORED
    total = cross_entropy(scores[real].float(), batch["targets"][real], reduction="sum")
    return total, real.sum()
