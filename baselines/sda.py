"""SDA: a small grammatical change as the positive, the sentence's own negation as a softened hard negative.

Zhu et al. released no training code. What the paper leaves open is chosen as in SimCSE (word pieces, dropout, schedule), the
projection head as in DiffCSE, which describes its own in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field, field_validator
from torch import nn

from baselines.discrete import Discrete, DiscreteConfig
from baselines.simcse import MINI
from harness.protocols.method import Batch, Loss, MethodConfig, Rows, Step, View
from harness.training.objectives import Negatives, info_nce

_WITHOUT = "none"
_ROWS = "negation_rows"


class SDAConfig(DiscreteConfig):
    """The paper's settings for BERT-base (Table 3).

    operator   makes the positive: `pi`, `mv`, `dn`, `ensemble`, `pi@paper`, or any other operator
    proportion share of sentences it is tried on (Figure 5a); the others are paired with themselves
    negation   makes the hard negative; None, or "none" in a suite file, trains without (Tables 8 and 9)
    margin     δ of Eq. 4, in cosine: how much softer the own negation is than another sentence (Figure 5b)
    negatives  `own_only`: each sentence meets its own negation, as Eq. 4 is printed; `all_negations`: also those of the
               other sentences of the batch, as SimCSE's code treats hard negatives
    """

    learning_rate: float = Field(2e-5, gt=0)
    batch_size: int = Field(128, ge=2)
    eval_every: int = Field(250, ge=0)
    head: Literal["simcse", "sda", "none"] = "sda"
    operator: str = "pi"
    negation: str | None = "negation"
    margin: float = Field(0.5, ge=0, le=2)
    negatives: Negatives = "own_only"

    @field_validator("negation", mode="before")
    @classmethod
    def _toml_has_no_null(cls, value: Any) -> Any:
        return None if value == _WITHOUT else value


class SDA(Discrete):
    """Triples (x, A(x), Neg(x)) in one forward; Eq. 4 over the projected vectors.

    A sentence that A cannot change is paired with itself; one without a negation has no hard negative.
    """

    name = "sda"
    Config: ClassVar[type[MethodConfig]] = SDAConfig
    citation = "Zhu et al., SDA: Simple Discrete Augmentation for Contrastive Sentence Representation Learning"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "bert-base": {"learning_rate": 2e-5, "batch_size": 128},
        "roberta-base": {"learning_rate": 1e-5, "batch_size": 64},
        "chinese-roberta-wwm-ext": {"learning_rate": 5e-5, "batch_size": 128},
        "mini": MINI,
    }

    def views(self) -> Sequence[View]:
        """The sentence, its augmented version and, unless switched off, its negation."""
        views = super().views()
        if self.config.negation is None:
            return views
        return (*views, View("negation", operator=self.config.negation, on_refusal="missing"))

    def collate(self, rows: Rows, vocabulary: Any, rng: np.random.Generator) -> Batch:
        """Leave out the negations that are not there, so that no stand-in enters the head's batch statistics."""
        batch = super().collate(rows, vocabulary, rng)
        if "negation" in batch.inputs:
            there = np.flatnonzero(rows.present["negation"])
            batch.tensors[_ROWS] = torch.from_numpy(there)
            negations = batch.inputs.pop("negation")
            if len(there):
                batch.inputs["negation"] = [negations[i] for i in there.tolist()]
        return batch

    def objective(self, module: nn.Module, features: Mapping[str, torch.Tensor], batch: Batch, step: Step) -> Loss:
        """Eq. 4; without negations it is InfoNCE. The head sees all views at once, as its batch norm expects."""
        projected = module.head(torch.cat(list(features.values())))  # type: ignore[operator]
        parts = dict(zip(features, projected.split([len(part) for part in features.values()]), strict=True))
        anchor, found = parts["anchor"], parts.get("negation")
        given: dict[str, Any] = {}
        if found is not None:
            # rows without a negation hold zeros, which `has_negation` keeps out of the sum
            every = found.new_zeros(anchor.shape).index_copy(0, batch.tensors[_ROWS], found)
            given = {"negation": every, "has_negation": batch.tensors["present:negation"]}
        loss = info_nce(
            anchor,
            parts["positive"],
            temperature=self.config.temperature,
            margin=self.config.margin,
            negatives=self.config.negatives,
            **given,
        )
        return Loss(loss)
