"""How does SentEval train? A linear layer from a fixed seed, Adam, batches of 64 in an order drawn from the same seed.

What its classifier and its relatedness regressor share, for a batch of problems that all take the same number of steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch

SEED = 1111
BATCH = 64
LEARNING_RATE = 1e-3
_BETAS = (0.9, 0.999)
_EPSILON = 1e-8


def with_ones(vectors: Any, device: str) -> torch.Tensor:
    """Return float32 vectors with a last column of ones, shape (n, d + 1). Raises ValueError on NaN or infinity."""
    import torch

    values = np.asarray(vectors, dtype=np.float32)
    if not np.isfinite(values).all():
        raise ValueError("the vectors hold NaN or infinity; a classifier cannot be trained on them")
    return torch.from_numpy(np.concatenate([values, np.ones((len(values), 1), dtype=np.float32)], axis=1)).to(device)


def first_weights(dimensions: int, outputs: int, device: str) -> torch.Tensor:
    """Return torch's initial weights of a linear layer under the seed, shape (outputs, dimensions + 1), the bias last."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        layer = torch.nn.Linear(dimensions, outputs)
    return torch.cat([layer.weight.detach(), layer.bias.detach()[:, None]], dim=1).to(device)


def orders(rows: int, *, split: int | None = None) -> Iterator[np.ndarray]:
    """Yield the permutations NumPy's global generator would give under the seed: one of `split` items first, if any."""
    rng = np.random.RandomState(SEED)
    if split is not None:
        yield rng.permutation(split)
    while True:
        yield rng.permutation(rows)


class Adam:
    """torch's Adam with its default settings, for weights whose first axis are problems that can leave."""

    def __init__(self, weights: torch.Tensor) -> None:
        import torch

        self.weights = weights
        self.mean, self.square = torch.zeros_like(weights), torch.zeros_like(weights)
        self.steps = 0

    def step(self, gradient: torch.Tensor) -> None:
        """Move the weights. `gradient` includes the weight decay and is overwritten."""
        self.steps += 1
        self.mean.lerp_(gradient, 1 - _BETAS[0])
        self.square.mul_(_BETAS[1]).addcmul_(gradient, gradient, value=1 - _BETAS[1])
        root = math.sqrt(1 - _BETAS[1] ** self.steps)
        length = LEARNING_RATE / (1 - _BETAS[0] ** self.steps)
        self.weights.addcdiv_(self.mean, (self.square.sqrt() / root).add_(_EPSILON), value=-length)

    def keep(self, problems: torch.Tensor) -> None:
        """Drop all problems but these."""
        self.weights, self.mean, self.square = self.weights[problems], self.mean[problems], self.square[problems]
