"""The network on packed rows guesses what ordinary BERT guesses on each segment alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from pretraining_fakes import SPECIAL, segments_of
from torch.nn.functional import cross_entropy

from harness.encoder.dropout import Dropout16
from harness.pretraining.masking import IGNORED, mask_words
from harness.pretraining.network import guess, loss_of, make_network, start_from
from harness.pretraining.packing import lay_out, pack_rows
from harness.pretraining.settings import Shape

SIZE, WIDTH = 60, 32


def network_of(layers=2, dropout=0.0, seed=0):
    shape = Shape(layers=layers, width=16, heads=2, inner=32, positions=WIDTH, dropout=dropout)
    network = make_network(shape, SIZE, seed, pad=0)
    with torch.no_grad():
        for parameter in network.parameters():  # the usual spread is so small that everything looks alike
            if parameter.dim() > 1:
                parameter.mul_(8)
            else:
                parameter.add_(torch.linspace(-0.3, 0.3, len(parameter)))
    return network


@pytest.fixture(scope="module")
def batch():
    """Packed rows with several segments each, padding at the end, about a third masked."""
    rng = np.random.default_rng(0)
    segments = segments_of([rng.integers(5, SIZE, rng.integers(3, 13)).tolist() for _ in range(14)])
    rows = pack_rows(segments.ends - segments.starts + 2, WIDTH, rng)
    laid = lay_out(segments, rows, WIDTH, cls=2, sep=3, pad=0)
    found = mask_words(laid, 0.3, rng, mask=SPECIAL["mask"], size=SIZE, special=5)
    assert laid.segment.max() > 1
    assert (laid.segment == 0).any()
    arrays = (found.ids, laid.positions, laid.segment, found.where, found.targets)
    names = ("ids", "positions", "segment", "where", "targets")
    return {name: torch.from_numpy(array) for name, array in zip(names, arrays, strict=True)}


def alone(batch):
    """Each segment as a padded row of its own: ids, attention mask, and (row, number, place within it) of the guessed ones."""
    ids, seen, asked = [], [], []
    for row in range(len(batch["ids"])):
        for number in range(1, int(batch["segment"][row].max()) + 1):
            places = (batch["segment"][row] == number).nonzero()[:, 0]
            rest = WIDTH - len(places)
            ids.append(torch.cat([batch["ids"][row, places], torch.full((rest,), SPECIAL["pad"])]))
            seen.append(torch.tensor([1] * len(places) + [0] * rest))
            for slot, (where, target) in enumerate(zip(batch["where"][row], batch["targets"][row], strict=True)):
                if target != IGNORED and where in places:
                    asked.append((row, slot, len(ids) - 1, int(where - places[0])))
    return torch.stack(ids), torch.stack(seen), torch.tensor(asked).T


@pytest.mark.parametrize("layers", [1, 3])
def test_packed_is_as_each_segment_alone(batch, layers):
    network = network_of(layers).eval()
    ids, seen, (row, slot, segment, place) = alone(batch)
    assert len(row) == (batch["targets"] != IGNORED).sum()
    with torch.no_grad():
        packed = guess(network, batch["ids"], batch["positions"], batch["segment"], batch["where"])
        ordinary = network(input_ids=ids, attention_mask=seen).logits
    assert packed.shape == (*batch["where"].shape, SIZE)
    torch.testing.assert_close(packed[row, slot], ordinary[segment, place], atol=1e-4, rtol=1e-4)
    assert ordinary.std() > 0.1


def test_the_same_loss_and_gradients_as_an_ordinary_pass(batch):
    network = network_of()
    ids, seen, (row, slot, segment, place) = alone(batch)
    total, count = loss_of(network, batch)
    total.backward()
    packed = {name: p.grad.clone() for name, p in network.named_parameters() if p.grad is not None}
    network.zero_grad()
    targets = batch["targets"][row, slot]
    ordinary = cross_entropy(
        network(input_ids=ids, attention_mask=seen).logits[segment, place], targets, reduction="sum"
    )
    ordinary.backward()
    assert count == len(targets)
    torch.testing.assert_close(total, ordinary, rtol=1e-5, atol=1e-4)
    for name, parameter in network.named_parameters():
        if name == "bert.embeddings.token_type_embeddings.weight":
            assert (packed[name][0] != 0).any()
        torch.testing.assert_close(
            packed[name], parameter.grad, rtol=1e-3, atol=1e-3, msg=lambda m, n=name: f"{n}: {m}"
        )


@pytest.mark.parametrize("name", ["attention.self.dropout", "attention.output.dropout", "output.dropout"])
def test_dropout_in_training_only(batch, name):
    network = network_of(dropout=0.1)
    for other, module in network.named_modules():
        if isinstance(module, Dropout16):
            module.p = 0.5 if other.endswith(f"layer.1.{name}") else 0.0
    arguments = [batch[key] for key in ("ids", "positions", "segment", "where")]
    with torch.no_grad(), torch.random.fork_rng():
        torch.manual_seed(0)
        first, second = guess(network, *arguments), guess(network, *arguments)
        network.eval()
        still, same = guess(network, *arguments), guess(network, *arguments)
    assert not torch.allclose(first, second, atol=1e-3)
    assert torch.equal(still, same)


def test_make_network_depends_on_its_seed_alone():
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    first = make_network(Shape(layers=1, width=16, heads=2, inner=32, positions=16), 50, 7, pad=0)
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.manual_seed(2)
    again = make_network(Shape(layers=1, width=16, heads=2, inner=32, positions=16), 50, 7, pad=0).state_dict()
    other = make_network(Shape(layers=1, width=16, heads=2, inner=32, positions=16), 50, 8, pad=0).state_dict()
    for name, tensor in first.state_dict().items():
        assert torch.equal(tensor, again[name])
    name = "bert.encoder.layer.0.attention.self.query.weight"
    assert not torch.equal(again[name], other[name])


def test_the_shape_asked_for():
    network = make_network(Shape(layers=3, width=24, heads=3, inner=40, positions=48, dropout=0.2), 50, 0, pad=0)
    config = network.config
    assert (config.num_hidden_layers, config.hidden_size, config.num_attention_heads) == (3, 24, 3)
    assert (config.intermediate_size, config.max_position_embeddings, config.vocab_size) == (40, 48, 50)
    dropouts = [m for m in network.modules() if isinstance(m, torch.nn.Dropout)]
    assert len(dropouts) == 1 + 3 * 3
    assert all(isinstance(m, Dropout16) and m.p == 0.2 for m in dropouts)


@pytest.mark.parametrize("width", [16, 17])
def test_positions_start_as_waves(width):
    shape = Shape(layers=1, width=width, heads=1, inner=32, positions=40)
    table = make_network(shape, 50, 0, pad=0).bert.embeddings.position_embeddings.weight.detach()
    assert table.shape == (40, width)
    assert table.square().mean().sqrt() == pytest.approx(0.02, rel=0.1)
    if width % 2 == 0:  # the same distance, the same angle, wherever it is
        products = table @ table.T
        for distance in (1, 5):
            found = products.diagonal(distance)
            torch.testing.assert_close(found, found[:1].expand_as(found), rtol=1e-4, atol=1e-7)


@torch.no_grad()
def test_what_attention_carries_starts_larger():
    shape = Shape(layers=2, width=64, heads=2, inner=64, positions=16)
    for layer in make_network(shape, 50, 0, pad=0).bert.encoder.layer:
        attention, usual = layer.attention, layer.attention.self.query.weight.std()
        for part in (attention.self.value, attention.output.dense):
            assert float(part.weight.std() / usual) == pytest.approx(2, rel=0.1)
        assert float(attention.self.key.weight.std() / usual) == pytest.approx(1, rel=0.1)


def test_start_from_counts_and_vectors():
    network = network_of()
    table = network.bert.embeddings.word_embeddings.weight
    before, counts = table.detach().clone(), np.arange(SIZE) ** 2
    vectors = np.random.default_rng(0).normal(size=(SIZE, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[[0, 4, 30]] = 0
    start_from(network, vectors, counts, 0)
    expected = np.log((counts + 1) / (counts + 1).sum())
    np.testing.assert_allclose(network.cls.predictions.bias.detach().numpy(), expected, rtol=1e-5)
    assert torch.equal(table[[0, 4, 30]], before[[0, 4, 30]])
    given = np.delete(np.arange(SIZE), [0, 4, 30])
    # half of each vector is its own, without what all share by frequency, and half is noise
    own = vectors - sum(c * v for c, v in zip((counts + 1) / (counts + 1).sum(), vectors, strict=True))
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    found = table.detach().numpy()[given]
    cosines = (found * own[given]).sum(1) / np.linalg.norm(found, axis=1)
    assert 0.6 < cosines.mean() < 0.8  # the cosine of 45 degrees
    # a root mean square of 0.04, twice the spread BERT starts with
    np.testing.assert_allclose(table[given].detach().square().mean(1).sqrt(), 0.04, rtol=1e-4)


def test_the_head_starts_with_the_frequencies():
    network = network_of()
    before = network.bert.embeddings.word_embeddings.weight.detach().clone()
    counts = np.arange(SIZE)
    start_from(network, None, counts, 0)
    assert torch.equal(network.bert.embeddings.word_embeddings.weight, before)
    with torch.no_grad():
        network.cls.predictions.transform.LayerNorm.weight.zero_()
        network.cls.predictions.transform.LayerNorm.bias.zero_()
        scores = network.eval()(input_ids=torch.tensor([[2, 7, 3]])).logits[0, 1]
    np.testing.assert_allclose(scores.exp(), (counts + 1) / (counts + 1).sum(), rtol=1e-4)
