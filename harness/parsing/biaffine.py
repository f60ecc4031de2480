"""A graph-based parser on a pre-trained encoder: how plausible is each word as head of each other word?

Deep biaffine attention (Dozat and Manning 2017) over the mean of a word's pieces, with heads for both parts of speech.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

_CASES = 6


def case_class(word: str) -> int:
    """The letter case of a word as a small number, for encoders that see lower case only."""
    if not any(map(str.isalpha, word)):
        return 1 if any(map(str.isdigit, word)) else 0
    if word.islower():
        return 2
    if word.isupper() and len(word) > 1:
        return 3
    return 4 if word[0].isupper() else 5


@dataclass(frozen=True)
class Batch:
    """Sentences as tensors. b sentences of at most n words and p pieces, specials included.

    ids (b, p)  piece ids; mask (b, p) real pieces; owner (b, p) the word a piece belongs to + 1, 0 for none
    cases (b, n)  `case_class`; words (b, n) which of the n places are real
    """

    ids: torch.Tensor
    mask: torch.Tensor
    owner: torch.Tensor
    cases: torch.Tensor
    words: torch.Tensor


@dataclass(frozen=True)
class Scores:
    """arcs (b, n, n + 1): [i, 0] root, [i, j + 1] head j; upos, xpos (b, n, classes); `labels` come from given heads."""

    arcs: torch.Tensor
    upos: torch.Tensor
    xpos: torch.Tensor
    child: torch.Tensor
    parent: torch.Tensor


class BiaffineParser(nn.Module):
    """`parser(batch)` -> Scores; `parser.label_scores(scores, heads)` -> (b, n, labels) for the heads given."""

    def __init__(
        self,
        encoder: Any,
        *,
        labels: int,
        upos: int,
        xpos: int,
        arc_width: int = 256,
        label_width: int = 128,
        dropout: float = 0.2,
    ) -> None:
        super().__init__()
        self.encoder: Any = encoder
        width = int(encoder.config.hidden_size)
        self.case = nn.Embedding(_CASES, 16)
        self.dropout = nn.Dropout(dropout)
        inner = width + 16

        def projection(out: int) -> nn.Sequential:
            return nn.Sequential(nn.Linear(inner, out), nn.GELU(), nn.Dropout(dropout))

        self.root = nn.Parameter(torch.randn(inner) * 0.02)
        self.arc_child, self.arc_parent = projection(arc_width), projection(arc_width)
        self.label_child, self.label_parent = projection(label_width), projection(label_width)
        self.arc = nn.Parameter(torch.zeros(arc_width + 1, arc_width))
        self.label = nn.Parameter(torch.zeros(labels, label_width + 1, label_width + 1))
        self.upos, self.xpos = nn.Linear(inner, upos), nn.Linear(inner, xpos)

    def forward(self, batch: Batch) -> Scores:
        """Score all heads and tags; places that are no words get scores too, which mean nothing."""
        states = self.encoder(input_ids=batch.ids, attention_mask=batch.mask.long()).last_hidden_state
        words = self._pool(states, batch)
        words = self.dropout(torch.cat([words, self.case(batch.cases)], dim=-1))
        parents = torch.cat([self.root.expand(len(words), 1, -1), words], dim=1)
        child, parent = _with_one(self.arc_child(words)), self.arc_parent(parents)
        arcs = torch.einsum("bic,cd,bjd->bij", child, self.arc, parent)
        allowed = nn.functional.pad(batch.words, (1, 0), value=True)[:, None, :]
        arcs = arcs.masked_fill(~allowed, -1e4)
        own = torch.eye(words.shape[1], words.shape[1] + 1, dtype=torch.bool, device=arcs.device).roll(1, dims=1)
        arcs = arcs.masked_fill(own, -1e4)
        return Scores(
            arcs=arcs,
            upos=self.upos(words),
            xpos=self.xpos(words),
            child=_with_one(self.label_child(words)),
            parent=_with_one(self.label_parent(parents)),
        )

    def label_scores(self, scores: Scores, heads: torch.Tensor) -> torch.Tensor:
        """Scores (b, n, labels) of every label for the arc to `heads` (b, n), -1 for the root."""
        index = (heads + 1).clamp(min=0)[..., None].expand(-1, -1, scores.parent.shape[-1])
        chosen = scores.parent.gather(1, index)
        return torch.einsum("bic,lcd,bid->bil", scores.child, self.label, chosen)

    @staticmethod
    def _pool(states: torch.Tensor, batch: Batch) -> torch.Tensor:
        b, n = batch.words.shape
        sums = states.new_zeros(b, n + 1, states.shape[-1])
        index = batch.owner[..., None].expand_as(states)
        sums = sums.scatter_add(1, index, states)
        counts = states.new_zeros(b, n + 1).scatter_add(
            1, batch.owner, torch.ones_like(batch.owner, dtype=states.dtype)
        )
        return sums[:, 1:] / counts[:, 1:, None].clamp(min=1)


def _with_one(x: torch.Tensor) -> torch.Tensor:
    return nn.functional.pad(x, (0, 1), value=1.0)


def make_batch(
    rows: Sequence[tuple[list[int], list[int]]], words: Sequence[Sequence[str]], *, pad: int, device: torch.device
) -> Batch:
    """Pad sentences into tensors. `rows`: piece ids with specials, and the owner of each piece (word + 1, 0 for none)."""
    b, p, n = len(rows), max(len(ids) for ids, _ in rows), max(map(len, words))
    ids, owner = torch.full((b, p), pad), torch.zeros(b, p, dtype=torch.long)
    mask, real = torch.zeros(b, p, dtype=torch.bool), torch.zeros(b, n, dtype=torch.bool)
    cases = torch.zeros(b, n, dtype=torch.long)
    for k, ((row, owners), sentence) in enumerate(zip(rows, words, strict=True)):
        ids[k, : len(row)] = torch.tensor(row)
        owner[k, : len(row)] = torch.tensor(owners)
        mask[k, : len(row)] = True
        real[k, : len(sentence)] = True
        cases[k, : len(sentence)] = torch.tensor([case_class(word) for word in sentence])
    tensors = (ids, mask, owner, cases, real)
    return Batch(*(tensor.to(device) for tensor in tensors))
