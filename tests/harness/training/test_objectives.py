"""InfoNCE against a slow loop written from the formula, values and gradients."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.training.objectives import info_nce


def slow(anchor, positive, temperature, negation=None, has=None, margin=0.0, every=False):
    """−log of the fraction, term by term, as printed in SimCSE Eq. 1 and SDA Eq. 4."""

    def cos(u, v):
        return (u @ v) / (u.norm() * v.norm())

    total = 0.0
    for i in range(len(anchor)):
        numerator = torch.exp(cos(anchor[i], positive[i]) / temperature)
        denominator = 0.0
        for j in range(len(anchor)):
            denominator = denominator + torch.exp(cos(anchor[i], positive[j]) / temperature)
        if negation is not None:
            for k in range(len(anchor)) if every else [i]:
                if has is None or has[k]:
                    shift = margin if k == i else 0.0
                    denominator = denominator + torch.exp((cos(anchor[i], negation[k]) - shift) / temperature)
        total = total - torch.log(numerator / denominator)
    return total / len(anchor)


def vectors(seed: int, n: int, d: int, views: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(n, d, generator=generator, dtype=torch.float64) for _ in range(views)]


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 6),
    temperature=st.sampled_from([0.05, 0.1, 1.0]),
    margin=st.floats(0, 0.9),
    kind=st.sampled_from(["plain", "own", "own-some", "all", "all-some"]),
)
def test_loss_and_gradients_equal_the_formula(seed, n, temperature, margin, kind):
    data = vectors(seed, n, 5, 3)
    has = None
    if kind.endswith("some"):
        has = torch.rand(n, generator=torch.Generator().manual_seed(seed)) < 0.5
    every = kind.startswith("all")
    fast_in = [x.float().requires_grad_() for x in data]
    slow_in = [x.clone().requires_grad_() for x in data]
    if kind == "plain":
        fast = info_nce(*fast_in[:2], temperature=temperature)
        expected = slow(*slow_in[:2], temperature)
        used = 2
    else:
        fast = info_nce(
            *fast_in[:2],
            temperature=temperature,
            negation=fast_in[2],
            has_negation=has,
            margin=margin,
            negatives="all_negations" if every else "own_only",
        )
        expected = slow(*slow_in[:2], temperature, slow_in[2], has, margin, every)
        used = 3
    assert fast.item() == pytest.approx(expected.item(), rel=1e-4, abs=1e-5)
    fast.backward()
    expected.backward()
    for quick, reference in zip(fast_in[:used], slow_in[:used], strict=True):
        expected_grad = torch.zeros_like(quick, dtype=torch.float64) if reference.grad is None else reference.grad
        torch.testing.assert_close(quick.grad.double(), expected_grad, rtol=2e-3, atol=2e-5)


def test_margin_softens_the_own_negation_by_exactly_its_size():
    anchor = torch.eye(2)
    own_negation_equal_to_anchor = anchor.clone()
    loss = info_nce(anchor, anchor, temperature=0.5, negation=own_negation_equal_to_anchor, margin=0.5)
    expected = -math.log(math.exp(2) / (math.exp(2) + math.exp(0) + math.exp(1)))
    assert loss.item() == pytest.approx(expected, rel=1e-6)


def test_only_the_row_direction_counts():
    """Swapping anchor and positive changes the loss: it is not the symmetric NT-Xent."""
    anchor, positive = (x.float() for x in vectors(1, 4, 5, 2))
    assert info_nce(anchor, positive).item() != pytest.approx(info_nce(positive, anchor).item(), rel=1e-3)


def test_similarities_stay_in_fp32_under_autocast():
    anchor, positive = (x.float() for x in vectors(2, 8, 16, 2))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = info_nce(anchor, positive)
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(info_nce(anchor, positive).item(), rel=1e-6)


def test_shapes_and_names_are_checked():
    with pytest.raises(ValueError, match=r"one shape.*\(2, 3\), \(3, 3\)"):
        info_nce(torch.ones(2, 3), torch.ones(3, 3))
    with pytest.raises(ValueError, match="own_only"):
        info_nce(torch.ones(2, 3), torch.ones(2, 3), negation=torch.ones(2, 3), negatives="none")  # type: ignore[arg-type]
