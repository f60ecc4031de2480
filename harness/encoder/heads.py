"""Projection heads on the sentence vector. Methods use them in training only, unless the pooler `cls_head` keeps one."""

from __future__ import annotations

import torch
from torch import nn

from harness.errors import UsageError
from harness.protocols.registry import suggest


class SimCSEHead(nn.Module):
    """Linear(d, d) + tanh, freshly initialised N(0, 0.02²) as BERT layers are (SimCSE, Gao et al. 2021, §3.1)."""

    name = "simcse"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.linear = nn.Linear(size, size)
        nn.init.normal_(self.linear.weight, std=0.02)
        nn.init.zeros_(self.linear.bias)

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """(rows, d) -> (rows, d) in (-1, 1)."""
        return torch.tanh(self.linear(vectors))


class SDAHead(nn.Module):
    """Linear(d, 2d)–BN–ReLU–Linear(2d, d)–BN without affine, no biases: SDA's "two MLP layers with batch normalisation".

    The paper leaves the widths open; these are DiffCSE's, whose projector has the same description. Batch statistics run
    over all rows of a step, all views together.
    """

    name = "sda"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(size, 2 * size, bias=False),
            nn.BatchNorm1d(2 * size),
            nn.ReLU(),
            nn.Linear(2 * size, size, bias=False),
            nn.BatchNorm1d(size, affine=False),
        )

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """(rows, d) -> (rows, d); needs at least two rows in training mode."""
        out: torch.Tensor = self.layers(vectors)
        return out


class NoHead(nn.Identity):
    """The vector itself."""

    name = "none"

    def __init__(self, size: int) -> None:
        super().__init__()


HEADS: dict[str, type[nn.Module]] = {"simcse": SimCSEHead, "sda": SDAHead, "none": NoHead}


def make_head(name: str, size: int) -> nn.Module:
    """Return a fresh head for vectors of width `size`. Raises UsageError for unknown names."""
    if name not in HEADS:
        raise UsageError(f"unknown head {name!r}. {suggest(name, HEADS)}")
    return HEADS[name](size)
