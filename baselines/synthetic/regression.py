"""How is an encoder trained on scored pairs? Weighted regression: L = mean over i of w_i · (cos(a_i, b_i) − y_i)².

DINO's loss with all w_i = 1; RISE's (Kim et al. 2022, Eq. 2) with constants in [0, 1], not divided by their sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from baselines.synthetic.pairs import Pairs
from harness.errors import DataError
from harness.protocols import Batch, BuildContext, Loss, Method, Protocol, Score, Step, Task, TaskResult, View
from harness.statistics import spearman
from harness.tasks.sts import cosine

LEFT, RIGHT, LABEL, WEIGHT = "left", "right", "label", "weight"


class PairRegression(Method):
    """What the last stage of `dino` and `rise` trains: columns left and right, numbers label and weight."""

    name = "pair-regression"

    def views(self) -> Sequence[View]:
        """Both sentences of a pair."""
        return (View(LEFT, column=LEFT), View(RIGHT, column=RIGHT))

    def build(self, context: BuildContext) -> nn.Module:
        """The encoder alone."""
        module = nn.Module()
        module.encoder = context.encoder
        return module

    def features(self, module: nn.Module, rows: Sequence[Any]) -> torch.Tensor:
        """Sentence vectors (rows, d), pooled as they are when the encoder is used."""
        vectors: torch.Tensor = module.encoder(rows, self.config.pooler)  # type: ignore[operator]
        return vectors

    def objective(self, module: nn.Module, features: Mapping[str, torch.Tensor], batch: Batch, step: Step) -> Loss:
        """The weighted mean squared error of the cosines, in fp32; the unweighted error is a scalar of the curve."""
        label, weight = batch.tensors[LABEL].float(), batch.tensors[WEIGHT].float()
        value = weighted_error(features[LEFT], features[RIGHT], label, weight)
        plain = weighted_error(features[LEFT], features[RIGHT], label, torch.ones_like(weight))
        return Loss(value, {"mse": plain.detach()})


def weighted_error(left: torch.Tensor, right: torch.Tensor, label: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Return mean_i w_i (cos(left_i, right_i) − y_i)²; left, right (n, d), label, weight (n,); a scalar in fp32."""
    with torch.autocast(left.device.type, enabled=False):
        cosines = F.cosine_similarity(left.float(), right.float(), dim=-1)
        return (weight * (cosines - label) ** 2).mean()


class DevPairs(Task):
    """Synthetic pairs as the dev split: Spearman's correlation of cosines and labels, as DINO and RISE choose weights."""

    name, split, language = "synthetic-pairs", "dev", ""
    main = ("spearman", "all")
    protocol = Protocol("synthetic-pairs", 1, text="original", note="labels are those the pairs were made for")

    def __init__(self, pairs: Pairs, data_sha: str = "") -> None:
        """Raises DataError if all labels are the same: no correlation is defined then."""
        if len(set(pairs.label.tolist())) < 2:
            raise DataError(
                f"the {len(pairs)} synthetic dev pairs all have one label; give pairs of more than one similarity, or choose the "
                "weights on the suite's dev split with --set dev=suite."
            )
        self.pairs, self.data_sha = pairs, data_sha
        self.gold = pairs.label

    def sentences(self) -> list[str]:
        """All left sentences, then all right ones."""
        return [*self.pairs.left, *self.pairs.right]

    def score(self, vectors: Any) -> TaskResult:
        """Score `vectors` (2 · pairs, d)."""
        count = len(self.pairs)
        cosines, _ = cosine(vectors[:count], vectors[count:])
        value = spearman(cosines, self.gold.astype(np.float64))
        return TaskResult((Score("spearman", "all", value, count),), cosines)
