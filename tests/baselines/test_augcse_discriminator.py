"""The discriminator: shape, bounds, loss, and what the gradient reversal does to whom, against finite differences."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from baselines.augcse_discriminator import Discriminator, one_against_rest, own_stream, scale_gradient


@pytest.mark.parametrize("alpha", [-1.0, 1.0, -100.0, 0.0, 2.5])
def test_the_gradient_is_multiplied_and_nothing_else(alpha):
    """A toy encoder w ↦ w·x and discriminator v ↦ v·z: dL/dv is the true one, dL/dw is α times the true one."""
    x = torch.tensor([[0.3, -1.2], [0.7, 0.4]], dtype=torch.float64)
    w = torch.tensor([[0.5, -0.1], [0.2, 0.9]], dtype=torch.float64, requires_grad=True)
    v = torch.tensor([1.5, -0.7], dtype=torch.float64, requires_grad=True)

    def loss(w, v, scaled):
        z = x @ w.T
        return torch.tanh((scale_gradient(z, alpha) if scaled else z) @ v).square().sum()

    assert loss(w, v, True).item() == loss(w, v, False).item()
    loss(w, v, True).backward()

    def slope(dw, dv):
        """Central difference of the loss without the reversal, in one direction."""
        with torch.no_grad():
            ends = [loss(w + e * dw, v + e * dv, False) for e in (1e-6, -1e-6)]
            return float(ends[0] - ends[1]) / 2e-6

    for i, row in enumerate(torch.eye(2, dtype=torch.float64)):
        assert float(v.grad[i]) == pytest.approx(slope(0, row), rel=1e-5)
        for j, column in enumerate(torch.eye(2, dtype=torch.float64)):
            true = slope(torch.outer(row, column), 0)
            assert float(w.grad[i, j]) == pytest.approx(alpha * true, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize(("alpha", "better"), [(-1.0, False), (1.0, True)])
def test_a_step_of_the_encoder_hides_or_shows_the_class(alpha, better):
    """Against a fixed discriminator, the encoder's own step raises the discriminator's loss for α < 0 and lowers it for α > 0."""
    torch.manual_seed(0)
    encoder, judge = nn.Linear(6, 4), Discriminator(4, 3, alpha=alpha, dropout=0.0)
    x, labels = torch.randn(32, 6), torch.arange(32) % 3
    second = x + labels[:, None].float()

    def loss():
        return one_against_rest(judge(encoder(x), encoder(second)), labels)

    before = loss()
    before.backward()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter -= 0.05 * parameter.grad
        assert (float(loss()) < float(before)) is better


def test_layers_are_those_of_the_code():
    names = [type(layer).__name__ for layer in Discriminator(8, 5, alpha=-1.0).layers]
    assert names == ["Dropout", "Linear", "Tanh", "Dropout", "Linear", "Tanh"]
    bounded, free = Discriminator(8, 5, alpha=-1.0), Discriminator(8, 5, alpha=-1.0, logits="paper")
    assert [type(layer).__name__ for layer in free.layers] == names[:5]
    for judge in (bounded, free):
        assert (judge.layers[1].in_features, judge.layers[1].out_features) == (16, 32)
        assert (judge.layers[4].in_features, judge.layers[4].out_features) == (32, 5)
        assert judge.layers[0].p == judge.layers[3].p == 0.2
    free.load_state_dict(bounded.state_dict())
    x, y = 50 * torch.randn(20, 8), 50 * torch.randn(20, 8)
    for judge in (bounded.eval(), free.eval()):
        judge.layers[4].weight.data.mul_(10)
    assert float(bounded(x, y).abs().max()) <= 1
    assert torch.allclose(torch.tanh(free(x, y)), bounded(x, y))
    assert float(free(x, y).abs().max()) > 1


def test_the_cross_entropy_counts_every_class_of_every_row():
    logits = torch.tensor([[0.2, -0.5, 1.0], [0.0, 0.3, -2.0]])
    found = one_against_rest(logits, torch.tensor([2, 0]))
    total = 0.0
    for row, label in zip(logits.tolist(), (2, 0), strict=True):
        for number, logit in enumerate(row):
            chance = 1 / (1 + math.exp(-logit))
            total -= math.log(chance if number == label else 1 - chance)
    assert float(found) == pytest.approx(total / 6, rel=1e-6)
    assert one_against_rest(logits.bfloat16(), torch.tensor([2, 0])).dtype == torch.float32


def test_an_own_stream_leaves_the_global_one_alone():
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    with own_stream(9, torch.device("cpu")):
        one = torch.rand(4)
    assert torch.equal(torch.rand(4), expected)
    with own_stream(9, torch.device("cpu")):
        assert torch.equal(torch.rand(4), one)
