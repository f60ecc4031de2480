"""How rows of different length go through the encoder in one forward.

`flat`    all tokens of all rows in one sequence, rows of equal length next to each other: no padding at all. Linear layers
          see exactly the real tokens; attention runs per group of equal length, without a mask. Fastest on CPU.
`padded`  rows padded to one of a few bucket widths with a mask: fixed shapes for accelerators and `torch.compile`.

Both give the same vectors (checked when an encoder is loaded).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers import AttentionInterface, AttentionMaskInterface

from harness.encoder.dropout import dropout16

WIDTHS = (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
ATTENTION = "augbench"

_groups: ContextVar[tuple[tuple[int, int], ...] | None] = ContextVar("augbench_groups", default=None)


@dataclass(frozen=True)
class FlatRows:
    """Rows of one forward, concatenated by length; `groups` are (rows, length) runs, `order[i]` is the row at place i."""

    inputs: dict[str, torch.Tensor]
    groups: tuple[tuple[int, int], ...]
    starts: torch.Tensor
    row_of_token: torch.Tensor
    lengths: torch.Tensor

    def first(self, hidden: torch.Tensor) -> torch.Tensor:
        """First token ([CLS]) of each row, (rows, d), from hidden states (1, tokens, d)."""
        return hidden[0, self.starts]

    def mean(self, hidden: torch.Tensor) -> torch.Tensor:
        """Mean over each row's tokens, specials included, (rows, d), accumulated in fp32."""
        total = hidden.new_zeros(len(self.lengths), hidden.shape[-1], dtype=torch.float32)
        total = total.index_add(0, self.row_of_token, hidden[0].float())
        return total / self.lengths[:, None]


@dataclass(frozen=True)
class PaddedRows:
    """Rows of one forward, padded to one width."""

    inputs: dict[str, torch.Tensor]
    lengths: torch.Tensor

    def first(self, hidden: torch.Tensor) -> torch.Tensor:
        """First token ([CLS]) of each row, (rows, d)."""
        return hidden[:, 0]

    def mean(self, hidden: torch.Tensor) -> torch.Tensor:
        """Mean over each row's real tokens, specials included, (rows, d), accumulated in fp32."""
        mask = self.inputs["attention_mask"][..., None]
        return (hidden.float() * mask).sum(1) / self.lengths[:, None]


def flatten(rows: Sequence[np.ndarray], offset: int, device: torch.device) -> FlatRows:
    """Concatenate `rows` by length. `offset` is the first position id (RoBERTa-type models start at pad + 1)."""
    lengths = np.fromiter((len(r) for r in rows), dtype=np.int64, count=len(rows))
    order = np.argsort(lengths, kind="stable")
    ids = np.concatenate([rows[i] for i in order]).astype(np.int64)
    sorted_lengths = lengths[order]
    ends = np.cumsum(sorted_lengths)
    begins = ends - sorted_lengths
    positions = np.arange(len(ids)) - np.repeat(begins, sorted_lengths) + offset
    starts = np.empty(len(rows), dtype=np.int64)
    starts[order] = begins
    values, counts = np.unique(sorted_lengths, return_counts=True)

    def send(array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(device, non_blocking=True)

    inputs = {"input_ids": send(ids)[None], "position_ids": send(positions)[None]}
    groups = tuple((int(n), int(length)) for length, n in zip(values, counts, strict=True))
    return FlatRows(inputs, groups, send(starts), send(np.repeat(order, sorted_lengths)), send(lengths))


def pad(rows: Sequence[np.ndarray], pad_id: int, device: torch.device) -> PaddedRows:
    """Pad `rows` to the smallest bucket width that holds the longest of them."""
    lengths = np.fromiter((len(r) for r in rows), dtype=np.int64, count=len(rows))
    longest = int(lengths.max())
    width = next((w for w in WIDTHS if w >= longest), longest)
    ids = np.full((len(rows), width), pad_id, dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
    mask = (np.arange(width) < lengths[:, None]).astype(np.int64)
    inputs = {"input_ids": torch.from_numpy(ids).to(device), "attention_mask": torch.from_numpy(mask).to(device)}
    return PaddedRows(inputs, torch.from_numpy(lengths).to(device))


@contextmanager
def attending_to(groups: tuple[tuple[int, int], ...]) -> Iterator[None]:
    """Tell the attention function which runs of the flat sequence are rows."""
    token = _groups.set(groups)
    try:
        yield
    finally:
        _groups.reset(token)


def _attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """Attention of q, k, v (1, heads, tokens, dim) within each row of the flat sequence; sdpa for padded rows."""
    groups = _groups.get()
    if groups is None:
        sdpa = AttentionInterface()["sdpa"]
        return sdpa(module, query, key, value, attention_mask, scaling=scaling, dropout=dropout, **kwargs)
    heads, dim = query.shape[1], query.shape[3]
    scale = dim**-0.5 if scaling is None else scaling
    sizes = [rows * length for rows, length in groups]
    out = []
    # split, not slices: its backward is one concatenation instead of a zero-filled gradient per group
    parts = zip(*(tensor[0].split(sizes, dim=1) for tensor in (query, key, value)), strict=True)
    for (rows, length), (q, k, v) in zip(groups, parts, strict=True):
        q, k, v = (x.reshape(heads * rows, length, dim) for x in (q, k, v))
        weights = torch.baddbmm(q.new_empty(1, 1, 1), q, k.transpose(1, 2), beta=0, alpha=scale).softmax(-1)
        mixed = torch.bmm(dropout16(weights, dropout) if dropout else weights, v)
        out.append(mixed.view(heads, rows * length, dim))
    return torch.cat(out, dim=1).transpose(0, 1)[None], None


def _mask(*args: Any, **kwargs: Any) -> Any:
    return None if _groups.get() is not None else AttentionMaskInterface()["sdpa"](*args, **kwargs)


AttentionInterface.register(ATTENTION, _attention)
AttentionMaskInterface.register(ATTENTION, _mask)
