"""Exact gradients of a batch loss in small memory (gradient caching, Gao et al. 2021, "Scaling Deep Contrastive Learning").

InfoNCE couples all rows of a batch, so ordinary gradient accumulation computes another loss. Here the features of all
rows are computed in chunks without a graph, the loss and its gradient on the features once for the whole batch, and each
chunk is run again, under the same random state, to push its part of that gradient into the encoder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from harness.protocols.method import Batch, Loss, Method, Step
from harness.seeds import derive


def cached_backward(
    method: Method,
    module: nn.Module,
    batch: Batch,
    step: Step,
    *,
    rows_per_chunk: int,
    context: Callable[[], Any],
    scale: Callable[[torch.Tensor], torch.Tensor] = lambda value: value,
) -> Loss:
    """Run forward and backward of `batch` in chunks of `rows_per_chunk`; gradients accumulate in the parameters.

    `context` opens the autocast context, `scale` multiplies the loss (fp16). Dropout of a chunk depends on (seed, step,
    chunk); without dropout the gradient equals that of the undivided batch.
    """
    names, sizes = list(batch.inputs), [len(rows) for rows in batch.inputs.values()]
    rows = [row for view in batch.inputs.values() for row in view]
    chunks = [rows[i : i + rows_per_chunk] for i in range(0, len(rows), rows_per_chunk)]

    def features(number: int) -> torch.Tensor:
        torch.manual_seed(derive(step.seed, "dropout", step.number, number))
        with context():
            return method.features(module, chunks[number])

    with torch.no_grad():
        parts = [features(i) for i in range(len(chunks))]
    leaves = torch.cat(parts).detach().requires_grad_()
    torch.manual_seed(derive(step.seed, "objective", step.number))
    with context():
        loss = method.objective(module, dict(zip(names, leaves.split(sizes), strict=True)), batch, step)
    scale(loss.value).backward()
    assert leaves.grad is not None
    for number, grad in enumerate(leaves.grad.split([len(c) for c in chunks])):
        features(number).backward(grad)
    return loss
