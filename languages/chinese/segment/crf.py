"""Which weights make pkuseg's model right? A linear-chain conditional random field, learnt in batches.

The model is pkuseg's (Luo et al. 2019, https://arxiv.org/abs/1906.11455) and is decoded by it; its trainer goes through one
sentence after the other in Python, this one takes 32 at a time and leaves out features by chance, so that the model does not
lean on its word list alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from languages.chinese.segment.features import Indexed
from languages.chinese.segment.runs import TAGS

Progress = Callable[[int, int, dict[str, float]], None]


@dataclass(frozen=True)
class CrfSettings:
    """How the field is trained. `dropout`: share of features left out; the weights of the last half of epochs are averaged."""

    epochs: int = 8
    batch: int = 32
    rate: float = 0.05
    dropout: float = 0.2


class Field(nn.Module):
    """`field(batch)` -> negative log-likelihood, summed over runs. Weights (features, tags) and transitions [tag, next tag]."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.weights = nn.EmbeddingBag(features, len(TAGS), mode="sum", sparse=True)
        nn.init.zeros_(self.weights.weight)
        self.transitions = nn.Parameter(torch.zeros(len(TAGS), len(TAGS)))

    def forward(
        self, flat: torch.Tensor, offsets: torch.Tensor, tags: torch.Tensor, real: torch.Tensor
    ) -> torch.Tensor:
        """Features of all characters in a row with the first of each; tags and real characters (runs, longest)."""
        scores = torch.zeros(*real.shape, len(TAGS))
        scores[real] = self.weights(flat, offsets)
        mask = real.float()
        right = (scores.gather(2, tags[..., None])[..., 0] * mask).sum(1)
        right = right + (self.transitions[tags[:, :-1], tags[:, 1:]] * mask[:, 1:]).sum(1)
        total = scores[:, 0]
        for i in range(1, scores.shape[1]):
            step = torch.logsumexp(total[:, :, None] + self.transitions, 1) + scores[:, i]
            total = torch.where(real[:, i, None], step, total)
        return (torch.logsumexp(total, 1) - right).sum()


def train(
    data: Sequence[tuple[Indexed, list[int]]],
    features: int,
    settings: CrfSettings,
    rng: np.random.Generator,
    *,
    progress: Progress | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (features, tags) and transitions (tags, tags), float64, learnt from runs of (features, tags)."""
    field = Field(features)
    optimizer = torch.optim.Adagrad(field.parameters(), lr=settings.rate)
    sums = [np.zeros((features, len(TAGS))), np.zeros((len(TAGS), len(TAGS)))]
    kept = 0
    steps = settings.epochs * -(-len(data) // settings.batch)
    done = 0
    for epoch in range(settings.epochs):
        loss_sum = 0.0
        for chosen in _batches([len(tags) for _, tags in data], settings.batch, rng):
            # said aloud, or torch warns of its default
            with torch.sparse.check_sparse_tensor_invariants(False):
                loss = field(*_tensors([data[i] for i in chosen], settings.dropout, rng))
                optimizer.zero_grad()
                (loss / len(chosen)).backward()
                optimizer.step()
            loss_sum += float(loss.detach())
            done += 1
            if progress:
                progress(done, steps, {"loss": float(loss.detach()) / len(chosen)})
        if epoch >= settings.epochs // 2:
            kept += 1
            for total, now in zip(sums, (field.weights.weight, field.transitions), strict=True):
                total += now.detach().numpy()
    return sums[0] / kept, sums[1] / kept


def write(folder: Any, extractor: Any, weights: np.ndarray, transitions: np.ndarray) -> None:
    """Write pkuseg's model folder. Weights are rounded to half precision, which packs to a third on disk."""
    folder.mkdir(parents=True, exist_ok=True)
    # pkuseg's order: weights by feature and tag, then transitions by tag and the tag before
    flat = np.concatenate([weights.ravel(), transitions.T.ravel()]).astype(np.float16).astype(np.float64)
    np.savez_compressed(folder / "weights.npz", sizes=np.array([len(TAGS), len(extractor.feature_to_idx)]), w=flat)
    extractor.save(str(folder))


def _batches(lengths: Sequence[int], size: int, rng: np.random.Generator) -> list[list[int]]:
    """Batches of runs of about the same length, in random order."""
    order = sorted(range(len(lengths)), key=lambda i: lengths[i] * (1 + 0.3 * rng.random()))
    batches = [order[i : i + size] for i in range(0, len(order), size)]
    return [batches[i] for i in rng.permutation(len(batches))]


def _tensors(
    items: Sequence[tuple[Indexed, list[int]]], dropout: float, rng: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    longest = max(len(tags) for _, tags in items)
    tags = torch.zeros(len(items), longest, dtype=torch.long)
    real = torch.zeros(len(items), longest, dtype=torch.bool)
    for row, (_, column) in enumerate(items):
        tags[row, : len(column)] = torch.tensor(column)
        real[row, : len(column)] = True
    bags = [bag for found, _ in items for bag in found]
    flat, sizes = np.concatenate(bags), np.array([len(bag) for bag in bags])
    stays = rng.random(len(flat)) >= dropout
    owners = np.repeat(np.arange(len(bags)), sizes)
    sizes = np.bincount(owners[stays], minlength=len(bags))
    offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return torch.from_numpy(flat[stays]), torch.from_numpy(offsets), tags, real
