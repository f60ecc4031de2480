"""Rows to vectors, many at a time: longest first, batches by token count, one pass, no gradients."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import torch

from harness.encoder.precision import autocast
from harness.encoder.text_encoder import TextEncoder

CPU_TOKENS, GPU_TOKENS = 4_096, 65_536


@torch.inference_mode()
def encode_rows(
    encoder: TextEncoder,
    rows: Sequence[np.ndarray],
    *,
    pooler: str | None = None,
    precision: str = "fp32",
    progress: bool = False,
) -> np.ndarray:
    """Vectors of `rows`, float32 (len(rows), d), in the order given. The encoder is put in eval mode and left as it was.

    Batches hold about 4,096 tokens on CPU and 65,536 on an accelerator; the longest rows go first, so that running out
    of memory shows at once.
    """
    training = encoder.training
    encoder.eval()
    lengths = np.fromiter((len(r) for r in rows), dtype=np.int64, count=len(rows))
    order = np.argsort(-lengths, kind="stable")
    budget = CPU_TOKENS if encoder.device.type == "cpu" else GPU_TOKENS
    out: np.ndarray | None = None
    bar = _bar(len(rows), progress)
    try:
        start = 0
        while start < len(order):
            stop = start + max(1, int(budget // max(1, lengths[order[start]])))
            chosen = order[start:stop]
            with autocast(encoder.device, precision):
                vectors = encoder([rows[i] for i in chosen], pooler)
            if out is None:
                out = np.empty((len(rows), vectors.shape[1]), dtype=np.float32)
            out[chosen] = vectors.float().cpu().numpy()
            bar.update(len(chosen))
            start = stop
    finally:
        bar.close()
        encoder.train(training)
    return np.empty((0, encoder.hidden_size), dtype=np.float32) if out is None else out


def _bar(total: int, progress: bool):  # type: ignore[no-untyped-def]
    from tqdm.auto import tqdm  # type: ignore[import-untyped]

    return tqdm(
        total=total, desc="encoding", unit=" sentences", disable=not (progress and sys.stderr.isatty()), leave=False
    )
