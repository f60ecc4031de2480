"""What a method is: views of the data, modules, a loss. The loop, precision, checkpoints and logging never vary by method.

The contract is wide on purpose: momentum encoders, queues, discriminators with their own learning rate, inner gradient
steps, span sampling and several stages all fit without an `if` in the loop (see `tests/harness/training/everything.py`).
Defaults make SimCSE about forty lines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    import torch
    from torch import nn

TokenRow = np.ndarray  # word-piece ids of one text, specials included, 1-d int


class FittedConfig(BaseModel):
    """Base of the settings of methods that are not trained: nothing but what the method adds. Frozen, no unknown names."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class MethodConfig(BaseModel):
    """The hyper-parameters every trained method has; methods add their own. Frozen, unknown names are refused.

    learning_rate  peak rate;  weight_decay, warmup (fraction of steps), clip_norm (0 = off): AdamW with linear decay
    batch_size     sentences per step;  epochs, max_steps (0 = no limit);  max_length: word pieces, specials included
    dropout        None keeps the encoder's own rate
    weights        `random` forgets what the encoder has learnt: its shape with weights drawn from the run's seed (an anchor)
    pooler         sentence vector of the trained embedder;  eval_every: steps between looks at the dev split (0 = end only)
    select         which weights are kept: `dev` score, `last` step, or `label-free` (alignment + uniformity)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    learning_rate: float = Field(3e-5, gt=0)
    batch_size: int = Field(64, ge=2)
    epochs: int = Field(1, ge=1)
    max_steps: int = Field(0, ge=0)
    max_length: int = Field(32, ge=4)
    weight_decay: float = Field(0.0, ge=0)
    warmup: float = Field(0.0, ge=0, lt=1)
    clip_norm: float = Field(1.0, ge=0)
    dropout: float | None = Field(None, ge=0, lt=1)
    weights: Literal["pretrained", "random"] = "pretrained"
    pooler: str = "cls"
    eval_every: int = Field(125, ge=0)
    select: Literal["dev", "last", "label-free"] = "dev"


@dataclass(frozen=True)
class View:
    """One version of every row that the loss sees.

    column      which text column of the data it is made from
    operator    `name@variant`, or None for the text itself
    proportion  share of sentences the operator is tried on; the others stay as they are
    on_refusal  what stands in when the operator does not apply: the text itself, or nothing (`Batch.present` is False)
    truncate    cut to the method's max_length; False hands whole documents to `collate`
    """

    name: str
    operator: str | None = None
    column: str = "text"
    proportion: float = 1.0
    on_refusal: Literal["self", "missing"] = "self"
    truncate: bool = True


@dataclass(frozen=True)
class Rows:
    """What `collate` gets: the rows of one step, as the data offers them.

    tokens   view name -> one id array per row;  present: view name -> bool array (False where the view is missing)
    numbers  extra numeric columns (gold scores, weights) by name;  index: row numbers in the data
    """

    index: np.ndarray
    tokens: Mapping[str, Sequence[TokenRow]]
    present: Mapping[str, np.ndarray]
    numbers: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass
class Batch:
    """What `loss` gets. All `inputs` are encoded in one forward.

    inputs   name -> token rows (names need not be views: sampled spans, corrupted copies …)
    tensors  anything else the loss needs, by name; moved to the device by the loop
    """

    inputs: dict[str, Sequence[TokenRow]]
    tensors: dict[str, torch.Tensor] = field(default_factory=dict)
    index: np.ndarray | None = None

    @property
    def size(self) -> int:
        """Number of rows of the first input."""
        return len(next(iter(self.inputs.values())))


@dataclass
class Loss:
    """A differentiable scalar and the numbers worth a curve (tensors are fetched only when logged)."""

    value: torch.Tensor
    scalars: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """Where training stands: `number` counts from 0 of `total`."""

    number: int
    total: int
    epoch: int
    seed: int


@dataclass(frozen=True)
class BuildContext:
    """What `build` may use.

    encoder      the base encoder, `rows -> pooled vectors` (a module; see `harness.encoder.TextEncoder`)
    new_encoder  returns another freshly loaded copy (momentum encoder, discriminator …)
    vocabulary   special ids, size, and whether an id may be edited
    """

    encoder: Any
    new_encoder: Callable[[], Any]
    hidden_size: int
    vocabulary: Any
    total_steps: int
    seed: int


@dataclass(frozen=True)
class Stage:
    """One step of a method; `run(context)` returns the artefact later stages find under `context.artefacts[name]`.

    The last stage of a method returns the embedder. `context.train(method, data)` runs the ordinary loop.
    """

    name: str
    run: Callable[[Any], Any]


class Method(ABC):
    """Base class of all methods. A trained method overrides `views`, `build`, `objective` and little else."""

    name: ClassVar[str]
    Config: ClassVar[type[BaseModel]] = MethodConfig
    #: the papers' settings by encoder family, e.g. {"bert-base": {"learning_rate": 3e-5}}
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    data: ClassVar[Literal["sentences", "documents"]] = "sentences"
    #: False for anchors that are not trained (their records carry no curves)
    trained: ClassVar[bool] = True
    #: False for methods that never open the base encoder (its identity is then not part of theirs)
    uses_encoder: ClassVar[bool] = True
    citation: ClassVar[str] = ""

    def __init__(self, config: BaseModel | None = None, **settings: Any) -> None:
        """Take a ready config, or settings for it. Raises pydantic.ValidationError on unknown names or bad values."""
        self.config: Any = config if config is not None else self.Config(**settings)

    # -- data ---------------------------------------------------------------------------------------------------------
    def views(self) -> Sequence[View]:
        """The views of the data that are prepared before training; the first is the anchor."""
        return (View("anchor"), View("positive"))

    def collate(self, rows: Rows, vocabulary: Any, rng: np.random.Generator) -> Batch:
        """Turn the rows of a step into a batch; override to sample spans or corrupt tokens. `rng` is this step's own."""
        import torch

        present = {f"present:{name}": torch.from_numpy(mask.copy()) for name, mask in rows.present.items()}
        numbers = {name: torch.from_numpy(values.copy()) for name, values in rows.numbers.items()}
        return Batch(dict(rows.tokens), present | numbers, rows.index)

    # -- modules and loss ---------------------------------------------------------------------------------------------
    def build(self, context: BuildContext) -> nn.Module:
        """Return one module that owns all weights and buffers (its `state_dict` is what a checkpoint saves)."""
        raise NotImplementedError(f"{self.name} declares no modules; override build()")

    def features(self, module: nn.Module, rows: Sequence[TokenRow]) -> torch.Tensor:
        """Vectors, shape (len(rows), d), of any slice of the batch's inputs: the part that gradient caching may chunk.

        Must treat rows independently (anything that mixes rows, batch norm included, belongs into `objective`).
        """
        vectors: torch.Tensor = module.encoder(rows)  # type: ignore[operator]
        return vectors

    def objective(self, module: nn.Module, features: Mapping[str, torch.Tensor], batch: Batch, step: Step) -> Loss:
        """The loss of a whole batch from the features of each input, shape (rows, d) each."""
        raise NotImplementedError(f"{self.name} declares no objective; override objective() or loss()")

    def loss(self, module: nn.Module, batch: Batch, step: Step) -> Loss:
        """The loss of a batch. Default: all inputs in one forward, then `objective`. May take inner gradients."""
        names, sizes = list(batch.inputs), [len(rows) for rows in batch.inputs.values()]
        every = self.features(module, [row for rows in batch.inputs.values() for row in rows])
        return self.objective(module, dict(zip(names, every.split(sizes), strict=True)), batch, step)

    @property
    def chunkable(self) -> bool:
        """Whether gradient accumulation is exact: true while `loss` is features + objective."""
        return type(self).loss is Method.loss

    # -- optimisation -------------------------------------------------------------------------------------------------
    def param_groups(self, module: nn.Module) -> list[dict[str, Any]]:
        """Optimiser groups; a group's `lr` overrides the config's. Default: every trainable weight in one group."""
        return [{"params": [p for p in module.parameters() if p.requires_grad]}]

    def optimizer(self, module: nn.Module, fused: bool) -> torch.optim.Optimizer:
        """The optimiser. Default: AdamW(0.9, 0.999), as the reference implementations use."""
        import torch

        cfg = self.config
        return torch.optim.AdamW(
            self.param_groups(module), lr=cfg.learning_rate, weight_decay=cfg.weight_decay, fused=fused
        )

    def schedule(self, step: int, total: int) -> float:
        """Factor on every learning rate at step `step` of `total`. Default: linear warm-up, linear decay to 0."""
        warmup = round(self.config.warmup * total)
        if step < warmup:
            return (step + 1) / warmup
        return max(0.0, (total - step) / max(1, total - warmup))

    def train_mode(self, module: nn.Module) -> None:
        """Set each part's train/eval mode before a step (frozen or momentum parts may stay in eval)."""
        module.train()

    def before_step(self, module: nn.Module, batch: Batch, step: Step) -> None:
        """Run before the loss of each step."""

    def after_step(self, module: nn.Module, batch: Batch, step: Step) -> None:
        """Run after the optimiser's step (momentum update, queue)."""

    def state(self, module: nn.Module) -> dict[str, torch.Tensor]:
        """State beside the module's own `state_dict` that an exact resume needs.

        Buffers whose shape changes while training (a filling queue) belong here and are registered as not persistent.
        """
        return {}

    def load_state(self, module: nn.Module, state: Mapping[str, torch.Tensor]) -> None:
        """Restore what `state` returned."""

    # -- result -------------------------------------------------------------------------------------------------------
    def trained_encoder(self, module: nn.Module) -> Any:
        """The text encoder that is evaluated and exported; its pooler is `config.pooler`."""
        return module.encoder

    def stages(self) -> Sequence[Stage]:
        """The steps of the method, in order. Default: train once on the run's corpus."""
        return (Stage("train", lambda context: context.train(self)),)

    def fingerprint(self) -> dict[str, Any]:
        """Everything beside the code that decides the result: name and the filled config."""
        return {"method": self.name, "config": self.config.model_dump(mode="json")}


class FittedMethod(Method):
    """A method without the training loop: `fit(context)` returns the embedder (untrained encoder, TF-IDF, whitening)."""

    Config: ClassVar[type[BaseModel]] = FittedConfig
    trained: ClassVar[bool] = False

    @abstractmethod
    def fit(self, context: Any) -> Any:
        """Return the embedder, made from `context.sentences`, `context.pack` and `context.encoder`."""

    def stages(self) -> Sequence[Stage]:
        """One stage: `fit`."""
        return (Stage("fit", self.fit),)
