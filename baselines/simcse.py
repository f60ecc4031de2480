"""Unsupervised SimCSE: the same sentence twice, dropout as the only augmentation (Gao et al., EMNLP 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import torch
from pydantic import Field
from torch import nn

from harness.encoder.heads import make_head
from harness.protocols.method import Batch, BuildContext, Loss, Method, MethodConfig, Step, View
from harness.training.objectives import info_nce

#: Settings for the packs' mini encoders. Twelve or so words per sentence: in longer text a narrow encoder tells sentences apart
#: by their length, which is no meaning. Little dropout: more drowns the fine directions in which words differ. Averages of
#: the first and the last layer gained more on dev than averages of the last. Suites that compare edits say 32 pieces, as the papers
#: do: of longer sentences cut at 14, most edits fall behind the cut, or push words out (docs/reproduction.md).
MINI: Mapping[str, Any] = {
    "pooler": "avg_embed_last",
    "train_pooler": "avg_embed_last",
    "head": "none",
    "learning_rate": 2e-3,
    "batch_size": 128,
    "max_length": 14,
    "temperature": 0.1,
    "dropout": 0.02,
    "eval_every": 10,
}


class SimCSEConfig(MethodConfig):
    """SimCSE's settings; the defaults are the paper's for BERT-base.

    temperature: τ of InfoNCE;  head: projection used in training only, unless `pooler` is `cls_head` which keeps it;
    train_pooler: the sentence vector the loss sees.
    """

    temperature: float = Field(0.05, gt=0)
    head: Literal["simcse", "sda", "none"] = "simcse"
    train_pooler: str = "cls"


class SimCSE(Method):
    """Row InfoNCE between two dropout-noised encodings of each sentence (Eq. 1)."""

    name = "simcse"
    Config: ClassVar[type[MethodConfig]] = SimCSEConfig
    citation = "Gao et al., SimCSE, EMNLP 2021"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "bert-base": {"learning_rate": 3e-5, "batch_size": 64},
        "bert-large": {"learning_rate": 1e-5, "batch_size": 64},
        "roberta-base": {"learning_rate": 1e-5, "batch_size": 512},
        "roberta-large": {"learning_rate": 3e-5, "batch_size": 512},
        # the packs' own encoders; chosen on STS-B dev, seed 0, see their cards
        "mini": MINI,
    }

    def views(self) -> Sequence[View]:
        """The sentence, twice."""
        return (View("anchor"), View("positive"))

    def build(self, context: BuildContext) -> nn.Module:
        """The encoder and its head."""
        module = nn.Module()
        module.encoder = context.encoder
        module.head = make_head(self.config.head, context.hidden_size)
        if self.config.pooler == "cls_head":
            context.encoder.head = module.head
        return module

    def features(self, module: nn.Module, rows: Sequence[Any]) -> torch.Tensor:
        """Sentence vectors (rows, d), before the head."""
        vectors: torch.Tensor = module.encoder(rows, self.config.train_pooler)  # type: ignore[operator]
        return vectors

    def objective(self, module: nn.Module, features: Mapping[str, torch.Tensor], batch: Batch, step: Step) -> Loss:
        """InfoNCE over the projected views; the head sees all views at once, as its batch norm expects."""
        projected = module.head(torch.cat(list(features.values())))  # type: ignore[operator]
        anchor, positive = projected.chunk(2)
        return Loss(info_nce(anchor, positive, temperature=self.config.temperature))
