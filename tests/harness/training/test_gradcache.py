"""Gradient caching gives the gradient of the whole batch, batch norm and dropout included."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
import torch

from baselines.simcse import SimCSE
from harness.encoder import load_text_encoder
from harness.protocols import Batch, BuildContext, Step
from harness.seeds import derive
from harness.training.gradcache import cached_backward

STEP = Step(number=2, total=10, epoch=0, seed=5)


def built(encoder_folder, dropout: float, head: str):
    method = SimCSE(head=head)
    torch.manual_seed(0)
    encoder = load_text_encoder(str(encoder_folder), dropout=dropout)
    module = method.build(BuildContext(encoder, lambda: None, encoder.hidden_size, encoder.vocabulary, 10, 0))
    module.train()
    return method, module


def batch_of(module, sentences) -> Batch:
    rows = module.encoder.vocabulary.rows(sentences, 32)
    return Batch({"anchor": rows, "positive": list(reversed(rows))})


def gradients(module) -> dict[str, torch.Tensor]:
    return {name: p.grad.clone() for name, p in module.named_parameters() if p.grad is not None}


@pytest.mark.parametrize("head", ["simcse", "sda"])
@pytest.mark.parametrize("chunk", [1, 3, 24, 100])
def test_without_dropout_chunks_change_nothing(tiny_encoder, sentences, chunk, head):
    method, module = built(tiny_encoder, 0.0, head)
    batch = batch_of(module, sentences[:12])
    whole = method.loss(module, batch, STEP)
    whole.value.backward()
    expected = gradients(module)
    method, module = built(tiny_encoder, 0.0, head)
    cached = cached_backward(method, module, batch, STEP, rows_per_chunk=chunk, context=nullcontext)
    assert cached.value.item() == pytest.approx(whole.value.item(), rel=1e-5)
    got = gradients(module)
    assert got.keys() == expected.keys()
    whole_norm = torch.cat([g.flatten() for g in expected.values()]).norm()
    for name in expected:  # a bias in front of batch norm has gradient zero but for rounding
        error = (got[name] - expected[name]).norm() / (expected[name].norm() + 1e-2 * whole_norm)
        assert error < 1e-3, f"{name}: relative error {error:.2g}"


def test_with_dropout_the_second_pass_sees_the_same_masks(tiny_encoder, sentences):
    """Reference: keep the graph of every chunk under the documented random state, then one ordinary backward."""
    method, module = built(tiny_encoder, 0.3, "simcse")
    batch = batch_of(module, sentences[:6])
    rows = [*batch.inputs["anchor"], *batch.inputs["positive"]]
    parts = []
    for number, start in enumerate(range(0, 12, 5)):
        torch.manual_seed(derive(STEP.seed, "dropout", STEP.number, number))
        parts.append(method.features(module, rows[start : start + 5]))
    whole = torch.cat(parts)
    torch.manual_seed(derive(STEP.seed, "objective", STEP.number))
    method.objective(module, {"anchor": whole[:6], "positive": whole[6:]}, batch, STEP).value.backward()
    expected = gradients(module)
    module.zero_grad()
    cached_backward(method, module, batch, STEP, rows_per_chunk=5, context=nullcontext)
    for name, grad in gradients(module).items():
        torch.testing.assert_close(grad, expected[name], rtol=1e-4, atol=1e-6, msg=name)


def test_naive_accumulation_would_give_another_gradient(tiny_encoder, sentences):
    """Guards the tests above: summing the losses of chunks is not the loss of the batch."""
    method, module = built(tiny_encoder, 0.0, "simcse")
    batch = batch_of(module, sentences[:12])
    method.loss(module, batch, STEP).value.backward()
    expected = gradients(module)
    module.zero_grad()
    for start in (0, 6):
        part = Batch({name: rows[start : start + 6] for name, rows in batch.inputs.items()})
        (method.loss(module, part, STEP).value / 2).backward()
    name = "head.linear.weight"
    assert not torch.allclose(gradients(module)[name], expected[name], rtol=1e-2)
