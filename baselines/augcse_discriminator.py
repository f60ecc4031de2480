"""Can one tell from two sentence vectors what was done to the second? AugCSE's discriminator behind a gradient reversal.

    [x, A(x)] (n, 2d) -> gradient times α -> [Dropout .2, Linear(2d, 4d), Tanh, Dropout .2, Linear(4d, classes), Tanh]

The discriminator itself always learns to tell the classes apart; α says what the encoder before it learns. α = -1, the paper's
(a multiplier of +1 in its code), reverses the gradient: the encoder learns to hide the augmentation. α > 0 lets it help.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import torch
from torch import nn
from torch.nn import functional as F

Logits = Literal["code", "paper"]


class _Scale(torch.autograd.Function):
    """The identity; its gradient is multiplied by a number."""

    @staticmethod
    def forward(ctx: Any, vectors: torch.Tensor, alpha: float) -> torch.Tensor:
        ctx.alpha = alpha
        return vectors.view_as(vectors)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None]:
        return gradients[0] * ctx.alpha, None


def scale_gradient(vectors: torch.Tensor, alpha: float) -> torch.Tensor:
    """Return `vectors` as they are; on the way back their gradient is multiplied by `alpha` (Ganin et al., 2016: α < 0)."""
    scaled: torch.Tensor = _Scale.apply(vectors, alpha)
    return scaled


class Discriminator(nn.Module):
    """Guesses a class from the vectors of x and A(x), (n, size) each -> logits (n, classes).

    logits  `code`: a tanh behind the last layer, as the released code has it, keeps them in (-1, 1), so that no class can
            become surer than σ(1) = 73 %; `paper`: the plain logits of a classifier

    The output size that the paper's Appendix A.5 prints is the hidden size, which cannot be meant.
    """

    def __init__(self, size: int, classes: int, *, alpha: float, logits: Logits = "code", dropout: float = 0.2) -> None:
        super().__init__()
        self.alpha = alpha
        layers: list[nn.Module] = [
            nn.Dropout(dropout),
            nn.Linear(2 * size, 4 * size),
            nn.Tanh(),
            nn.Dropout(dropout),
            nn.Linear(4 * size, classes),
        ]
        if logits == "code":
            layers.append(nn.Tanh())
        self.layers = nn.Sequential(*layers)

    def forward(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        """Return the logits of each pair of rows, (n, classes)."""
        out: torch.Tensor = self.layers(scale_gradient(torch.cat([first, second], dim=-1), self.alpha))
        return out


def one_against_rest(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the mean, over all n × classes, of the binary cross entropy between logits and one-hot labels (n,), in fp32."""
    with torch.autocast(logits.device.type, enabled=False):
        wanted = F.one_hot(labels, logits.shape[-1]).float()
        return F.binary_cross_entropy_with_logits(logits.float(), wanted)


@contextmanager
def own_stream(seed: int, device: torch.device) -> Iterator[None]:
    """Draw dropout from a stream of its own, and leave the global one as it was.

    The masks then depend on the seed alone, not on how many rows were encoded at once before (gradient caching).
    """
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield
