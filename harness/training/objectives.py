"""Contrastive objectives. Similarities and the softmax are computed in fp32 whatever the encoder's precision."""

from __future__ import annotations

from typing import Literal

import torch
from torch.nn import functional as F

Negatives = Literal["own_only", "all_negations"]


def cosine_matrix(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Cosines of all rows of `a` (n, d) with all rows of `b` (m, d) -> (n, m), in fp32."""
    with torch.autocast(a.device.type, enabled=False):
        return F.normalize(a.float(), dim=-1) @ F.normalize(b.float(), dim=-1).T


def info_nce(
    anchor: torch.Tensor,
    positive: torch.Tensor,
    *,
    temperature: float = 0.05,
    negation: torch.Tensor | None = None,
    has_negation: torch.Tensor | None = None,
    margin: float = 0.0,
    negatives: Negatives = "own_only",
) -> torch.Tensor:
    """Mean over i of −log exp(cos(a_i, p_i)/τ) / [Σ_j exp(cos(a_i, p_j)/τ) + Σ_k∈K(i) exp((cos(a_i, n_k) − δ_ik)/τ)].

    Row direction only: the negatives of anchor i are the other *positives* (SimCSE, Gao et al. 2021, Eq. 1). With
    `negation`, K(i) = {i} and δ_ii = `margin` (SDA, Eq. 4: a softened hard negative); `all_negations` adds every
    sentence's negation, the margin still only on the own one.

    anchor, positive, negation: (n, d);  has_negation: bool (n,), False where a sentence has no negation.
    Returns a scalar in fp32 that carries gradient to every input. Raises ValueError on mismatched shapes.
    """
    if anchor.shape != positive.shape or (negation is not None and negation.shape != anchor.shape):
        shapes = [tuple(t.shape) for t in (anchor, positive, negation) if t is not None]
        raise ValueError(f"anchor, positive and negation must have one shape (n, d), got {shapes}")
    with torch.autocast(anchor.device.type, enabled=False):
        logits = cosine_matrix(anchor, positive) / temperature
        if negation is not None:
            logits = torch.cat(
                [logits, _negation_logits(anchor, negation, has_negation, margin, temperature, negatives)], 1
            )
        target = torch.arange(len(anchor), device=anchor.device)
        return F.cross_entropy(logits, target)


def _negation_logits(
    anchor: torch.Tensor,
    negation: torch.Tensor,
    has_negation: torch.Tensor | None,
    margin: float,
    temperature: float,
    negatives: Negatives,
) -> torch.Tensor:
    if negatives == "own_only":
        own = F.cosine_similarity(anchor.float(), negation.float(), dim=-1)
        logits = ((own - margin) / temperature)[:, None]
        return logits if has_negation is None else logits.masked_fill(~has_negation[:, None], -torch.inf)
    if negatives != "all_negations":
        raise ValueError(f"negatives must be 'own_only' or 'all_negations', got {negatives!r}")
    cosines = cosine_matrix(anchor, negation)
    logits = (cosines - margin * torch.eye(len(anchor), device=anchor.device)) / temperature
    return logits if has_negation is None else logits.masked_fill(~has_negation[None, :], -torch.inf)
