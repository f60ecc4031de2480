"""VaSCL: dropout pairs, and a virtual view of each sentence, made in embedding space against its nearest neighbours.

Zhang et al., "Virtual Augmentation Supported Contrastive Learning of Sentence Representations", Findings of ACL 2022. Where the
paper and its code differ, both are settings, the code's by default, since the published numbers are the code's:

stop_gradient  `code`: the embeddings are cut off before they are shifted, and the clean vectors carry no gradient, so the
               neighbourhood loss trains the projection head alone and reaches the encoder only through it. `paper`: both
               carry gradient, as the formulas have it (the direction of the shift is a constant in either).
start          where the step of ascent begins: `uniform` in a cube (code) or `gaussian` (paper), scaled to the radius.

What the paper does not say is the code's: K, τ and the length, neighbours by raw dot products of the first view's embeddings,
no clipping of gradients, shifts as long as the radius from the sentence itself and not from where the ascent began. The
original takes neighbours within each GPU of several; here a batch is whole. It fails on a last batch of K sentences or fewer;
here such a batch has all its other sentences as neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import torch
from pydantic import Field, ValidationInfo, field_validator
from torch import nn
from torch.nn import functional as F

from baselines import vascl_losses
from baselines.simcse import MINI
from baselines.vascl_losses import adversarial_shift, nearest, neighbourhood_loss, nt_xent
from harness.errors import UsageError
from harness.protocols.method import Batch, BuildContext, Loss, Method, MethodConfig, Stage, Step, View
from harness.provenance import code_digest
from harness.seeds import derive

_WITHOUT = "none"
_PROJECTED = 128


class VaSCLConfig(MethodConfig):
    """VaSCL's settings; the defaults are those of its code, which are the paper's for RoBERTa-base where it has any.

    learning_rate, head_rate  constant rate of the encoder, and what it is multiplied by for the head (`lr_scale`)
    temperature    τ of both losses;  train_pooler: the sentence vector the losses see
    neighbourhood  False leaves the neighbourhood loss out: a symmetric SimCSE with this head
    neighbours     K, below the batch size;  a smaller last batch of an epoch takes all its other sentences
    radius         Δ, length of the shift in embedding space
    duplicates     `drop`: a line that is in the corpus already is left out;  `keep`: it is a negative of itself
    operator       makes the second view (`delete@10`, …) of a share `proportion` of the sentences; None, or "none" in a
                   suite file: dropout alone
    """

    learning_rate: float = Field(5e-6, gt=0)
    batch_size: int = Field(1024, ge=2)
    epochs: int = Field(5, ge=1)
    clip_norm: float = Field(0.0, ge=0)
    pooler: str = "avg"
    eval_every: int = Field(500, ge=0)
    train_pooler: str = "avg"
    head_rate: float = Field(100.0, gt=0, allow_inf_nan=False)
    temperature: float = Field(0.05, gt=0)
    neighbourhood: bool = True
    neighbours: int = Field(16, ge=1, validate_default=True)
    radius: float = Field(15.0, gt=0, allow_inf_nan=False)
    stop_gradient: Literal["code", "paper"] = "code"
    start: Literal["uniform", "gaussian"] = "uniform"
    duplicates: Literal["drop", "keep"] = "drop"
    operator: str | None = None
    proportion: float = Field(1.0, ge=0, le=1)

    @field_validator("operator", mode="before")
    @classmethod
    def _toml_has_no_null(cls, value: Any) -> Any:
        return None if value == _WITHOUT else value

    @field_validator("pooler", "train_pooler")
    @classmethod
    def _no_head(cls, value: str) -> str:
        if value == "cls_head":
            raise ValueError("VaSCL drops its head after training; give another pooler, e.g. avg")
        return value

    @field_validator("neighbours")
    @classmethod
    def _in_the_batch(cls, value: int, info: ValidationInfo) -> int:
        batch_size = info.data.get("batch_size", value + 1)
        if info.data.get("neighbourhood", True) and value >= batch_size:
            raise ValueError(
                f"a sentence's neighbours are other sentences of its batch, and batch_size is {batch_size}; give fewer, e.g. "
                f"--set neighbours={max(1, batch_size // 8)}"
            )
        return value


class VaSCLHead(nn.Module):
    """Linear(d, d)–ReLU–Linear(d, 128), no biases, scaled to unit length; used in training only."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(size, size, bias=False), nn.ReLU(), nn.Linear(size, _PROJECTED, bias=False)
        )

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """(rows, d) -> unit vectors (rows, 128)."""
        return F.normalize(self.layers(vectors), dim=-1)


class VaSCL(Method):
    """Dropout pairs against the whole batch, and virtual views against the nearest neighbours."""

    name = "vascl"
    Config: ClassVar[type[MethodConfig]] = VaSCLConfig
    citation = "Zhang et al., Virtual Augmentation Supported Contrastive Learning, Findings of ACL 2022"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "distilroberta-base": {"radius": 15.0},
        "roberta-base": {"radius": 15.0},
        "roberta-large": {"radius": 30.0},
        # SimCSE's for the packs' own encoders, and the same budget. Head rate and radius: the best of nine pairs (0.25, 1, 4 by
        # 1.5, 3, 6) on STS-B dev, one seed. Vectors are about 6.6 long, the 16 nearest as far away.
        "mini": {
            **{name: value for name, value in MINI.items() if name != "head"},
            "epochs": 1,
            "head_rate": 0.25,
            "radius": 6.0,
        },
    }
    #: the conformance checks' batches hold 16 sentences
    check_settings: ClassVar[Mapping[str, Any]] = {"neighbours": 4}

    def views(self) -> Sequence[View]:
        """The sentence and itself, or itself after the operator; the first view has the neighbours and the virtual view."""
        cfg = self.config
        if cfg.operator is None:
            return (View("anchor"), View("positive"))
        return (View("anchor"), View("positive", operator=cfg.operator, proportion=cfg.proportion))

    def stages(self) -> Sequence[Stage]:
        """One stage: train on the corpus without its duplicates."""
        return (Stage("train", self._train),)

    def _train(self, context: Any) -> Any:
        cfg, given = self.config, context.sentences
        texts = list(dict.fromkeys(given)) if cfg.duplicates == "drop" else list(given)
        if cfg.neighbourhood and len(texts) <= cfg.neighbours:
            raise UsageError(
                f"neighbours={cfg.neighbours}, and the corpus has only {len(texts)} different sentences; give a larger one with "
                "--corpus FILE, or --set neighbours=… below that."
            )
        context.outcome.notes["duplicates_dropped"] = len(given) - len(texts)
        return context.train(self, columns={"text": texts})

    def build(self, context: BuildContext) -> nn.Module:
        """The encoder and its head."""
        module = nn.Module()
        module.encoder = context.encoder
        module.head = VaSCLHead(context.hidden_size)
        return module

    def param_groups(self, module: nn.Module) -> list[dict[str, Any]]:
        """The encoder at the rate of the config, the head at `head_rate` times that."""
        encoder, head = module.encoder, module.head
        return [
            {"params": [p for p in encoder.parameters() if p.requires_grad]},  # type: ignore[union-attr]
            {"params": list(head.parameters()), "lr": self.config.learning_rate * self.config.head_rate},  # type: ignore[union-attr]
        ]

    def schedule(self, step: int, total: int) -> float:
        """Constant; a warm-up, if one is set, leads up to it."""
        warmup = round(self.config.warmup * total)
        return min(1.0, (step + 1) / warmup) if warmup else 1.0

    def features(self, module: nn.Module, rows: Sequence[Any]) -> torch.Tensor:
        """Sentence vectors (rows, d), before the head."""
        vectors: torch.Tensor = module.encoder(rows, self.config.train_pooler)  # type: ignore[operator]
        return vectors

    def objective(self, module: nn.Module, features: Mapping[str, torch.Tensor], batch: Batch, step: Step) -> Loss:
        """Both losses, added. The head and all that follows run in fp32, as the original does throughout."""
        cfg = self.config
        project: Any = module.head
        with torch.autocast(features["anchor"].device.type, enabled=False):
            vectors = features["anchor"].float()
            clean, second = project(vectors), project(features["positive"].float())
            contrast = nt_xent(clean, second, temperature=cfg.temperature)
            if not cfg.neighbourhood:
                return Loss(contrast)
            neighbours = nearest(vectors, min(cfg.neighbours, len(vectors) - 1))
            if cfg.stop_gradient == "code":
                vectors, clean = vectors.detach(), clean.detach()
            shift = adversarial_shift(
                vectors,
                clean,
                neighbours,
                project=project,
                start=self._start(vectors, step),
                radius=cfg.radius,
                temperature=cfg.temperature,
            )
            near = neighbourhood_loss(clean, project(vectors + shift), neighbours, temperature=cfg.temperature)
        return Loss(contrast + near, {"contrast": contrast.detach(), "neighbourhood": near.detach()})

    def _start(self, vectors: torch.Tensor, step: Step) -> torch.Tensor:
        """Random directions as long as the radius, (n, d): the same on every device and however the batch is cut up."""
        generator = torch.Generator().manual_seed(derive(step.seed, "ascent", step.number))
        if self.config.start == "uniform":
            drawn = torch.rand(vectors.shape, generator=generator) - 0.5
        else:
            drawn = torch.randn(vectors.shape, generator=generator)
        return self.config.radius * F.normalize(drawn, dim=-1).to(vectors.device)

    def fingerprint(self) -> dict[str, Any]:
        """Name, settings, and the code of the losses, which stands in a module of its own."""
        return {**super().fingerprint(), "losses": code_digest(vascl_losses)}
