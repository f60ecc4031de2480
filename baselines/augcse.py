"""AugCSE: dropout makes the positives, diverse augmentations go to a discriminator that the encoder learns to fool.

    L = (CE over rows + CE over columns) / 2 of cos(z(x), z'(x)) / τ  +  λ · mean BCE(D([z(x), z(A(x))]), class of A)

(Tang et al., 2022.) z' is a second dropout pass of the same sentence; x, A(x) and x again go through the encoder and the
projector in one batch of 3N. Both are in training only, except for the encoder.

Every augmentation is a view of the whole corpus, as in the paper, which generates one corpus per augmentation, and `collate` picks
each row's own: views share one parse, a set shares its views with every other set, method and run of the seed, a record tells
each augmentation's coverage, and drawing anew in every epoch needs nothing else. One operator that draws, as `ensemble` does,
would make a K-th of the edits but could not say which one it drew.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field, field_validator, model_validator
from torch import nn

from baselines import augcse_discriminator
from baselines.augcse_coverage import open_and_check
from baselines.augcse_discriminator import Discriminator, Logits, one_against_rest, own_stream
from baselines.augcse_sets import keeps_meaning, members_of
from baselines.simcse import MINI, SimCSE, SimCSEConfig
from harness.protocols.method import Batch, BuildContext, Loss, MethodConfig, Rows, Stage, Step, TokenRow, View
from harness.provenance import code_digest
from harness.seeds import derive
from harness.training.objectives import info_nce

_LABELS = "augmentation"
_VIEW = "augmentation-{}"


class AugCSEConfig(SimCSEConfig):
    """The settings of the paper and its released script for BERT-base; the paper does not say how many epochs, the script has 4.

    augmentations        the name of a set (`aug8-2`, see `augcse_sets.toml`), or a list of operators (`["pi", "crop@10"]`)
    discriminator        what it guesses: `type`, the augmentation or "none" (K + 1 classes); `bool`, whether there was one;
                         `positive`, whether A(x) still means what x means (unchanged text does); `none`, no discriminator
    alpha                factor on the gradient that the discriminator sends to the encoder, in the paper's sign: below 0 the
                         encoder learns to hide the augmentation (the paper's -1 is +1 in its code, which negates it), above 0
                         to show it, 0 cuts it off
    discriminator_weight λ;  discriminator_dropout: of its two layers
    logits               `code`: the discriminator's within ±1, as the released code has them; `paper`: unbounded
    draw                 each sentence's augmentation is drawn `once` at set-up or anew in every `epoch`, uniformly
    """

    learning_rate: float = Field(2e-5, gt=0)
    batch_size: int = Field(128, ge=2)
    eval_every: int = Field(500, ge=0)
    head: Literal["simcse", "sda", "none"] = "sda"
    augmentations: str | tuple[str, ...] = "aug8-2"
    discriminator: Literal["type", "bool", "positive", "none"] = "type"
    alpha: float = Field(-1.0, allow_inf_nan=False)
    discriminator_weight: float = Field(5e-3, ge=0, allow_inf_nan=False)
    discriminator_dropout: float = Field(0.2, ge=0, lt=1)
    logits: Logits = "code"
    draw: Literal["once", "epoch"] = "once"

    @field_validator("augmentations")
    @classmethod
    def _known(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        members_of(value)
        return value

    @model_validator(mode="after")
    def _something_to_guess(self) -> AugCSEConfig:
        if self.discriminator == "none":
            return self
        if not self.members:
            raise ValueError(
                f"the discriminator {self.discriminator!r} has nothing to guess without augmentations; name a set, e.g. "
                "augmentations=aug8-2, or take discriminator=none"
            )
        if self.discriminator == "positive" and all(keeps_meaning(spec) for spec in self.members):
            raise ValueError(
                "the discriminator 'positive' has nothing to guess where every augmentation keeps the meaning; take "
                "discriminator=type or add one that does not"
            )
        return self

    @property
    def members(self) -> tuple[str, ...]:
        """The operators that are drawn from."""
        return members_of(self.augmentations)


class AugCSE(SimCSE):
    """Symmetric InfoNCE over dropout pairs, and a discriminator of augmentations behind a gradient reversal."""

    name = "augcse"
    Config: ClassVar[type[MethodConfig]] = AugCSEConfig
    citation = "Tang et al., AugCSE: Contrastive Sentence Embedding with Diverse Augmentations, AACL 2022"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "bert-base": {"learning_rate": 2e-5, "batch_size": 128, "discriminator_weight": 5e-3},
        "roberta-base": {"learning_rate": 2e-5, "batch_size": 128, "discriminator_weight": 1e-4},
        "mini": MINI,
    }

    def views(self) -> Sequence[View]:
        """The sentence and each augmentation of it."""
        return (View("anchor"), *(View(name, operator=spec, on_refusal="missing") for name, spec in self._views()))

    def _views(self) -> list[tuple[str, str]]:
        """Names of views and their operators; a view's name becomes a file's, which an operator's may not be fit for."""
        members = () if self.config.discriminator == "none" else self.config.members
        return [(_VIEW.format(number), spec) for number, spec in enumerate(members)]

    def stages(self) -> Sequence[Stage]:
        """One: see that the augmentations apply at all, then train."""
        return (Stage("train", self._train),)

    def _train(self, context: Any) -> Any:
        names = dict(self._views())
        never = open_and_check(self, context, strict=not isinstance(self.config.augmentations, str))
        embedder = context.train(self)
        if names:
            changed = [context.outcome.notes["views"][name]["changed"] for name in names]
            context.outcome.notes["augmentations"] = {
                "members": list(names.values()),
                "never": never,
                "changed": round(sum(changed) / len(changed), 6),
            }
        return embedder

    def collate(self, rows: Rows, vocabulary: Any, rng: np.random.Generator) -> Batch:
        """Pick each row's augmentation. Where it changes nothing the encoder gets, or leaves no text, the class is "none"."""
        anchors = list(rows.tokens["anchor"])
        names = [name for name, _ in self._views()]
        if not names:
            return Batch({"anchor": anchors, "again": anchors}, {}, rows.index)
        drawn = self._draw(rows.index, len(names), rng)
        augmented = [rows.tokens[names[k]][row] for row, k in enumerate(drawn.tolist())]
        applied = [bool(rows.present[names[k]][row]) for row, k in enumerate(drawn.tolist())]
        for row, (anchor, there) in enumerate(zip(anchors, applied, strict=True)):
            if not there or np.array_equal(augmented[row], anchor) or _is_empty(augmented[row], vocabulary):
                drawn[row], augmented[row] = len(names), anchor
        labels = torch.from_numpy(self._classes()[drawn])
        return Batch({"anchor": anchors, "augmented": augmented, "again": anchors}, {_LABELS: labels}, rows.index)

    def _draw(self, index: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
        """The number of each row's augmentation, uniform in 0 … count - 1, shape (rows,), int64."""
        if self.config.draw == "epoch":
            # the step's own generator; an epoch has every row once
            return rng.integers(count, size=len(index))
        return np.array([derive(self._seed, "augmentation", row) % count for row in index.tolist()], dtype=np.int64)

    def _classes(self) -> np.ndarray:
        """What the discriminator is to say for each augmentation and, last, for unchanged text, shape (K + 1,), int64."""
        cfg = self.config
        if cfg.discriminator == "type":
            return np.arange(len(cfg.members) + 1)
        if cfg.discriminator == "bool":
            return np.array([0] * len(cfg.members) + [1])
        return np.array([*(int(keeps_meaning(spec)) for spec in cfg.members), 1])

    def build(self, context: BuildContext) -> nn.Module:
        """The encoder, the projector (DiffCSE's, which is head `sda`) and the discriminator."""
        cfg = self.config
        self._seed = context.seed
        module = super().build(context)
        if cfg.discriminator != "none":
            module.discriminator = Discriminator(
                context.hidden_size,
                int(self._classes().max()) + 1,
                alpha=cfg.alpha,
                logits=cfg.logits,
                dropout=cfg.discriminator_dropout,
            )
        return module

    def objective(self, module: nn.Module, features: Mapping[str, torch.Tensor], batch: Batch, step: Step) -> Loss:
        """The loss above; the head sees all 3N rows at once, as its batch norm expects."""
        projected = module.head(torch.cat(list(features.values())))  # type: ignore[operator]
        parts = dict(zip(features, projected.split([len(part) for part in features.values()]), strict=True))
        anchor, again = parts["anchor"], parts["again"]
        tau = self.config.temperature
        contrast = (info_nce(anchor, again, temperature=tau) + info_nce(again, anchor, temperature=tau)) / 2
        if "augmented" not in parts:
            return Loss(contrast)
        labels = batch.tensors[_LABELS]
        with own_stream(derive(step.seed, "discriminator", step.number), anchor.device):
            guess = module.discriminator(anchor, parts["augmented"])  # type: ignore[operator]
        wrong = one_against_rest(guess, labels)
        scalars = {
            "contrast": contrast.detach(),
            "discriminator": wrong.detach(),
            "discriminator_accuracy": (guess.detach().argmax(-1) == labels).float().mean(),
        }
        return Loss(contrast + self.config.discriminator_weight * wrong, scalars)

    def fingerprint(self) -> dict[str, Any]:
        """The settings, the augmentations a set stands for with their classes, and the code of the discriminator."""
        found = super().fingerprint()
        if self.config.discriminator != "none":
            found["augmentations"] = [
                [spec, int(c)] for (_, spec), c in zip(self._views(), self._classes(), strict=False)
            ]
            found["discriminator_code"] = code_digest(sys.modules[augcse_discriminator.__name__])
        return found


class AugCSETransfer(AugCSE):
    """AugCSE as its paper tunes it for transfer tasks: other rates and weights, nothing else (its models for STS are others)."""

    name = "augcse-transfer"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "bert-base": {"learning_rate": 2e-5, "batch_size": 128, "discriminator_weight": 1e-4},
        "roberta-base": {"learning_rate": 7e-6, "batch_size": 128, "discriminator_weight": 1e-2},
        "mini": {**MINI, "discriminator_weight": 1e-4},
    }


def _is_empty(row: TokenRow, vocabulary: Any) -> bool:
    return all(piece in vocabulary.special for piece in row.tolist())
