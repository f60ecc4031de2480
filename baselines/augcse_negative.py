"""What does an encoder learn from an augmentation that changes the meaning? AugCSE's Table 1: A(x) as the hard negative of x.

z' is a second dropout pass of x, n = z(A(x)); all cosines are divided by τ. With `own`, the code's `ranking_neg`,

    L = CE of row i: z_i with z'_i against every z'_j and n_i (its own negative)

and with `all`, its `ranking_pos_neg`, the mean of two cross entropies,

    L = 1/2 CE of row i: z_i with z'_i against every z'_j and every n_j
      + 1/2 CE of column i: z'_i with z_i against every z_j, and every cosine of a z_j with n_i

Sentences that the augmentation cannot change are left out of the corpus, as in the paper: an epoch is then shorter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field
from torch import nn
from torch.nn import functional as F

from baselines.simcse import MINI, SimCSE, SimCSEConfig
from harness.cache import cache_dir
from harness.errors import DataError, UsageError
from harness.prepare import operators_of
from harness.protocols import Operator
from harness.protocols.method import Batch, Loss, MethodConfig, Rows, Stage, Step, View
from harness.training.objectives import cosine_matrix
from harness.views import build_views

_ROWS = "negative_rows"


class AugCSENegativeConfig(SimCSEConfig):
    """The settings of AugCSE's released script; rate and batch size are those of the full method.

    operator   makes the hard negative;  negatives: `own` or `all`, see the module
    unchanged  sentences the operator cannot change: `drop` them from the corpus, or `keep` them without a hard negative
    """

    learning_rate: float = Field(2e-5, gt=0)
    batch_size: int = Field(128, ge=2)
    eval_every: int = Field(500, ge=0)
    head: Literal["simcse", "sda", "none"] = "sda"
    operator: str
    negatives: Literal["own", "all"] = "all"
    unchanged: Literal["drop", "keep"] = "drop"


class AugCSENegative(SimCSE):
    """Dropout pairs with the sentence's augmentation as a hard negative."""

    name = "augcse-negative"
    Config: ClassVar[type[MethodConfig]] = AugCSENegativeConfig
    citation = "Tang et al., AugCSE, AACL 2022, Table 1"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"mini": MINI}
    #: for the conformance checks, which have few sentences
    check_settings: ClassVar[Mapping[str, Any]] = {"operator": "crop@20", "unchanged": "keep"}

    def views(self) -> Sequence[View]:
        """The sentence and its augmentation."""
        return (View("anchor"), View("negative", operator=self.config.operator, on_refusal="missing"))

    def stages(self) -> Sequence[Stage]:
        """One: leave out what the augmentation cannot change, then train."""
        return (Stage("train", self._train),)

    def _train(self, context: Any) -> Any:
        if self.config.unchanged == "keep":
            return context.train(self)
        (operator,) = operators_of(self, context.pack, context.encoder).values()
        if not isinstance(operator, Operator):
            raise UsageError(f"{operator.spec} works on word pieces; take an operator on text, or unchanged=keep.")
        texts, folder = context.sentences, cache_dir()
        made = build_views(
            texts,
            [operator],
            pack=context.pack,
            seed=context.seed,
            cache=folder / "views",
            parses=folder / "parses",
            progress=context.progress,
        )
        kept = [text for text, new in zip(texts, made[operator.spec].texts, strict=True) if new is not None]
        if len(kept) < self.config.batch_size:
            raise DataError(
                f"{operator.spec} changes {len(kept):,} of the {len(texts):,} sentences, fewer than a batch of "
                f"{self.config.batch_size}; give more text with --corpus FILE, a smaller --set batch_size=…, or take "
                "--set unchanged=keep."
            )
        embedder = context.train(self, columns={"text": kept})
        context.outcome.notes["left_out"] = len(texts) - len(kept)
        return embedder

    def collate(self, rows: Rows, vocabulary: Any, rng: np.random.Generator) -> Batch:
        """Leave out the negatives that are not there, so that no stand-in enters the head's batch statistics."""
        anchors, there = list(rows.tokens["anchor"]), np.flatnonzero(rows.present["negative"])
        inputs: dict[str, Sequence[Any]] = {"anchor": anchors, "again": anchors}
        if len(there):
            inputs["negative"] = [rows.tokens["negative"][i] for i in there.tolist()]
        return Batch(inputs, {_ROWS: torch.from_numpy(there)}, rows.index)

    def objective(self, module: nn.Module, features: Mapping[str, torch.Tensor], batch: Batch, step: Step) -> Loss:
        """The loss above; the head sees all views at once, as its batch norm expects."""
        projected = module.head(torch.cat(list(features.values())))  # type: ignore[operator]
        parts = dict(zip(features, projected.split([len(part) for part in features.values()]), strict=True))
        return Loss(
            hard_negative_loss(
                parts["anchor"],
                parts["again"],
                parts.get("negative"),
                batch.tensors[_ROWS],
                temperature=self.config.temperature,
                negatives=self.config.negatives,
            )
        )


def hard_negative_loss(
    anchor: torch.Tensor,
    positive: torch.Tensor,
    negative: torch.Tensor | None,
    rows: torch.Tensor,
    *,
    temperature: float,
    negatives: Literal["own", "all"],
) -> torch.Tensor:
    """Return the loss of the module's docstring, a scalar in fp32.

    anchor, positive: (n, d);  negative: (m, d), those of the rows `rows` (m,), or None where there is none.
    """
    with torch.autocast(anchor.device.type, enabled=False):
        plain = cosine_matrix(anchor, positive) / temperature
        target = torch.arange(len(anchor), device=anchor.device)
        if negative is None:
            across = plain
            down = plain.T
        else:
            hard = cosine_matrix(anchor, negative) / temperature
            # a column per row of the batch: empty (no term in the sum) where a row has no negative
            every = hard.new_full(plain.shape, -torch.inf).index_copy(1, rows, hard)
            own = every.diagonal()[:, None]
            across = torch.cat([plain, every if negatives == "all" else own], 1)
            down = torch.cat([plain.T, every.T], 1)
        loss = F.cross_entropy(across, target)
        return loss if negatives == "own" else (loss + F.cross_entropy(down, target)) / 2
