"""What does VaSCL minimise? A contrast with the whole batch, and one with the nearest neighbours under an adversarial shift.

After Zhang et al., Findings of ACL 2022. Everything is computed in fp32, whatever the precision of the encoder.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.nn import functional as F

Project = Callable[[torch.Tensor], torch.Tensor]


def nt_xent(first: torch.Tensor, second: torch.Tensor, *, temperature: float) -> torch.Tensor:
    """Mean over all 2n rows of −log exp(u·v/τ) / [exp(u·v/τ) + Σ_w exp(u·w/τ)], v the other view of u's sentence.

    first, second  unit vectors (n, d) of the two views;  w: both views of the other sentences, 2n − 2 vectors.

    Returns a scalar that carries gradient to both. Raises ValueError on different shapes.
    """
    _same_shape(first, second)
    with torch.autocast(first.device.type, enabled=False):
        every = torch.cat([first.float(), second.float()])
        logits = every @ every.T / temperature
        logits.fill_diagonal_(-torch.inf)
        target = torch.arange(len(every), device=every.device).roll(len(first))
        return F.cross_entropy(logits, target)


@torch.no_grad()
def nearest(vectors: torch.Tensor, count: int) -> torch.Tensor:
    """Return the rows with the largest dot products with each row of `vectors` (n, d), itself left out: (n, count), int64.

    Raw products of raw vectors, as in the original code; no cosine. Raises ValueError unless 1 ≤ count ≤ n − 1.
    """
    if not 1 <= count < len(vectors):
        raise ValueError(
            f"{count} neighbours were asked for among {len(vectors)} rows; expected 1 to {len(vectors) - 1}"
        )
    with torch.autocast(vectors.device.type, enabled=False):
        products = vectors.float() @ vectors.float().T
    return products.fill_diagonal_(-torch.inf).topk(count).indices


def adversarial_shift(
    vectors: torch.Tensor,
    clean: torch.Tensor,
    neighbours: torch.Tensor,
    *,
    project: Project,
    start: torch.Tensor,
    radius: float,
    temperature: float,
) -> torch.Tensor:
    """Return the shifts Δ·g/‖g‖, (n, d), that make a sentence hardest to tell from its neighbours, to first order.

    g is the gradient, at δ = start, of ℓ_i(δ) = −log exp(u_i·z_i/τ) / [exp(u_i·z_i/τ) + Σ_k exp(u_i·z_k/τ)] with
    u_i = project(e_i + δ_i) and k over the neighbours of i: one step of ascent, whose length is the radius Δ.

    vectors     e, (n, d);  clean: z = project(e), unit vectors (n, p);  neighbours: rows (n, K), from `nearest`
    project     (n, d) -> unit vectors (n, p), row by row;  start: δ, (n, d)

    The gradient is taken with respect to the shift alone: no parameter's `.grad` is touched, whatever it holds, and the
    result carries no gradient. It works without gradients switched on, too.
    """
    with torch.enable_grad(), torch.autocast(vectors.device.type, enabled=False):
        shift = start.detach().clone().requires_grad_()
        shifted, fixed = project(vectors.detach() + shift), clean.detach()
        positive = (shifted * fixed).sum(1, keepdim=True)
        negative = (shifted @ fixed.T).gather(1, neighbours)
        # the sum, not the mean: rows do not depend on each other, and small numbers lose digits
        loss = _first_of(torch.cat([positive, negative], 1) / temperature, reduction="sum")
        (gradient,) = torch.autograd.grad(loss, shift)
    return radius * F.normalize(gradient, dim=-1)


def neighbourhood_loss(
    clean: torch.Tensor, virtual: torch.Tensor, neighbours: torch.Tensor, *, temperature: float
) -> torch.Tensor:
    """Mean over all 2n rows of −log exp(u·v/τ) / [exp(u·v/τ) + Σ_w exp(u·w/τ)], u and v a sentence and its virtual view.

    clean, virtual  unit vectors (n, p);  neighbours: rows (n, K);  w: these neighbours and their virtual views, 2K vectors.

    Returns a scalar that carries gradient to both. Raises ValueError on different shapes.
    """
    _same_shape(clean, virtual)
    with torch.autocast(clean.device.type, enabled=False):
        every = torch.cat([clean.float(), virtual.float()])
        # row u, column w; a sentence and its virtual view have the same 2K columns
        columns = torch.cat([neighbours, neighbours + len(clean)], 1).repeat(2, 1)
        negative = (every @ every.T).gather(1, columns)
        positive = (clean.float() * virtual.float()).sum(1, keepdim=True).repeat(2, 1)
        return _first_of(torch.cat([positive, negative], 1) / temperature, reduction="mean")


def _first_of(logits: torch.Tensor, *, reduction: str) -> torch.Tensor:
    """Cross entropy where column 0 is right."""
    return F.cross_entropy(logits, logits.new_zeros(len(logits), dtype=torch.long), reduction=reduction)


def _same_shape(a: torch.Tensor, b: torch.Tensor) -> None:
    if a.shape != b.shape:
        raise ValueError(f"both views must have one shape (n, d), got {tuple(a.shape)} and {tuple(b.shape)}")
