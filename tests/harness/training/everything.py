"""A test-only method that uses the whole contract at once; nobody would train it, the loop must not notice.

A second encoder updated by EMA, a queue of its vectors, a discriminator with its own learning rate, an inner gradient step
in embedding space, spans sampled from documents in `collate`, parts with their own train/eval mode, a constant schedule,
and Python-side state that an exact resume needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from harness.protocols import Batch, BuildContext, Loss, Method, MethodConfig, Rows, Step, View

QUEUE, SPAN = 12, 6


class EverythingConfig(MethodConfig):
    momentum: float = 0.9
    radius: float = 0.5
    discriminator_rate: float = 1e-2


class Everything(Method):
    name = "everything"
    Config = EverythingConfig
    data = "documents"

    def views(self) -> Sequence[View]:
        return (View("document", truncate=False),)

    def collate(self, rows: Rows, vocabulary: Any, rng: np.random.Generator) -> Batch:
        """Two spans of each document, each between [CLS] and [SEP]."""
        spans: dict[str, list[np.ndarray]] = {"a": [], "b": []}
        for row in rows.tokens["document"]:
            inner = np.asarray(row[1:-1], dtype=np.int32)
            for name in spans:
                start = int(rng.integers(0, max(1, len(inner) - SPAN + 1)))
                span = inner[start : start + SPAN]
                spans[name].append(np.concatenate([[vocabulary.cls], span, [vocabulary.sep]]).astype(np.int32))
        return Batch(dict(spans), {"which": torch.arange(2 * len(rows.index)) % 2}, rows.index)

    def build(self, context: BuildContext) -> nn.Module:
        module = nn.Module()
        module.encoder = context.encoder
        module.teacher = context.new_encoder().requires_grad_(False)
        module.discriminator = nn.Linear(context.hidden_size, 2)
        module.register_buffer("queue", torch.zeros(0, context.hidden_size), persistent=False)
        self.pushed = 0
        return module

    def param_groups(self, module: nn.Module) -> list[dict[str, Any]]:
        return [
            {"params": list(module.encoder.parameters())},
            {"params": list(module.discriminator.parameters()), "lr": self.config.discriminator_rate},
        ]

    def schedule(self, step: int, total: int) -> float:
        return 1.0

    def train_mode(self, module: nn.Module) -> None:
        module.train()
        module.teacher.eval()

    def loss(self, module: nn.Module, batch: Batch, step: Step) -> Loss:
        n = batch.size
        h = module.encoder([*batch.inputs["a"], *batch.inputs["b"]], "avg")
        a, b = h[:n], h[n:]
        # inner ascent in embedding space: the gradient must not reach the parameters' .grad
        leaf = a.detach().requires_grad_()
        inner = F.cosine_similarity(leaf, b.detach()).sum()
        (direction,) = torch.autograd.grad(inner, leaf)
        virtual = a - self.config.radius * F.normalize(direction, dim=-1)
        keys = torch.cat([b, module.queue.to(b.dtype)])
        logits = F.normalize(virtual, dim=-1) @ F.normalize(keys, dim=-1).T / 0.1
        contrast = F.cross_entropy(logits, torch.arange(n, device=h.device))
        guess = F.cross_entropy(module.discriminator(h), batch.tensors["which"])
        return Loss(contrast + guess, {"contrast": contrast.detach(), "guess": guess.detach()})

    @torch.no_grad()
    def after_step(self, module: nn.Module, batch: Batch, step: Step) -> None:
        for slow, fast in zip(module.teacher.parameters(), module.encoder.parameters(), strict=True):
            slow.mul_(self.config.momentum).add_(fast, alpha=1 - self.config.momentum)
        pushed = module.teacher(batch.inputs["a"], "avg").float()
        module.queue = torch.cat([pushed, module.queue])[:QUEUE]
        self.pushed += len(pushed)

    def state(self, module: nn.Module) -> dict[str, torch.Tensor]:
        return {"pushed": torch.tensor(self.pushed), "queue": module.queue}

    def load_state(self, module: nn.Module, state: Mapping[str, torch.Tensor]) -> None:
        self.pushed = int(state["pushed"])
        module.queue = state["queue"]
