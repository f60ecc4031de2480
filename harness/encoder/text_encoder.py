"""The module that turns word-piece rows into sentence vectors; every method's encoder is one of these.

Poolers have one meaning each:
  cls             last-layer [CLS] as it is (SimCSE's `cls_before_pooler`)
  cls_head        [CLS] through the trained head that is kept with the encoder
  cls_pooler      [CLS] through the model's own pre-trained pooler (BERT: linear + tanh)
  avg             mean of the last layer over real tokens, specials included
  avg_top2        mean of the last two layers, then over tokens
  avg_first_last  mean of layer 1 and the last layer (today's SimCSE code)
  avg_embed_last  mean of the embedding output and the last layer (the published BERT baseline)
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from harness.encoder.dropout import use_dropout16
from harness.encoder.layout import ATTENTION, FlatRows, PaddedRows, attending_to, flatten, pad
from harness.encoder.loading import load_model, load_tokenizer
from harness.encoder.vocabulary import Vocabulary
from harness.errors import EncoderError, UsageError
from harness.protocols.registry import suggest

log = logging.getLogger(__name__)

POOLERS = ("cls", "cls_head", "cls_pooler", "avg", "avg_top2", "avg_first_last", "avg_embed_last")
_LAYERS = {"avg_top2": (-2, -1), "avg_first_last": (1, -1), "avg_embed_last": (0, -1)}
_TOLERANCE = 1e-4

Layout = Literal["auto", "flat", "padded"]


def check_pooler(name: str) -> str:
    """Return `name` if it is a pooler. Raises UsageError with suggestions."""
    if name not in POOLERS:
        raise UsageError(f"unknown pooler {name!r}. {suggest(name, POOLERS)} All: {', '.join(POOLERS)}.")
    return name


class TextEncoder(nn.Module):
    """`encoder(rows)` -> vectors (len(rows), d) for id rows of any lengths, all in one forward.

    Attributes: `model` (the transformers model), `pooler`, `head` (an optional module for `cls_head`), `vocabulary`,
    `layout` and `notes` (what was chosen automatically, and why).
    """

    def __init__(self, model: nn.Module, vocabulary: Vocabulary, pooler: str = "cls") -> None:
        super().__init__()
        self.model = model
        self.vocabulary = vocabulary
        self.pooler = check_pooler(pooler)
        self.head: nn.Module | None = None
        self.layout: Literal["flat", "padded"] = "padded"
        self.offset = 0
        self.notes: dict[str, str] = {}
        self._first_rows: torch.Tensor | None = None
        self._skips_tail = False

    @property
    def hidden_size(self) -> int:
        """Width d of the vectors."""
        return int(self.config.hidden_size)

    @property
    def config(self) -> Any:
        """The transformers configuration of the model."""
        return self.model.config

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.model.parameters()).device

    def forward(self, rows: Sequence[np.ndarray], pooler: str | None = None) -> torch.Tensor:
        """Pooled vectors (len(rows), d). Raises UsageError if the pooler needs a part the model lacks."""
        pooler = pooler or self.pooler
        packed: FlatRows | PaddedRows
        if self.layout == "flat":
            packed = flatten(rows, self.offset, self.device)
            with attending_to(packed.groups):
                return self._pool(packed, pooler)
        packed = pad(rows, self.vocabulary.pad, self.device)
        return self._pool(packed, pooler)

    def _pool(self, packed: FlatRows | PaddedRows, pooler: str) -> torch.Tensor:
        skip_tail = self._skips_tail and isinstance(packed, FlatRows) and pooler in ("cls", "cls_head")
        with self._reading_only(packed.starts) if skip_tail else nullcontext():  # type: ignore[union-attr]
            out = self.model(**packed.inputs, output_hidden_states=pooler in _LAYERS)
        if pooler in _LAYERS:
            states = [out.hidden_states[i] for i in _LAYERS[pooler]]
            return packed.mean((states[0].float() + states[1].float()) / 2)
        if pooler == "avg":
            return packed.mean(out.last_hidden_state)
        first = out.last_hidden_state[0] if skip_tail else packed.first(out.last_hidden_state)
        if pooler == "cls":
            return first
        if pooler == "cls_head":
            if self.head is None:
                raise UsageError(
                    "pooler 'cls_head' needs a trained head, and this encoder has none; use --pooling cls or avg."
                )
            projected: torch.Tensor = self.head(first)
            return projected
        own = getattr(self.model, "pooler", None)
        if own is None or not hasattr(own, "dense"):
            raise UsageError(
                f"pooler 'cls_pooler' needs the pre-trained pooler, and {type(self.model).__name__} has none; use cls or avg."
            )
        return own.activation(own.dense(first))

    def _reading_only(self, starts: torch.Tensor) -> Any:
        """While the first tokens alone are read, the last layer need not finish the others."""
        encoder = self

        class Reading:
            def __enter__(self) -> None:
                encoder._first_rows = starts

            def __exit__(self, *exc: object) -> None:
                encoder._first_rows = None

        return Reading()

    def _tail_hook(self, module: nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        if self._first_rows is None:
            return None
        mixed, residual, *rest = args
        picked = [x.reshape(-1, x.shape[-1])[self._first_rows][None] for x in (mixed, residual)]
        return (*picked, *rest)

    def choose_layout(self, wanted: Layout = "auto") -> None:
        """Settle on a layout for the model's device, by trying it; the reason goes into `notes`.

        Raises EncoderError if `flat` was asked for and this model gives other vectors in it.
        """
        on_cpu = self.device.type == "cpu"
        if wanted == "padded" or (wanted == "auto" and not on_cpu):
            self.notes["layout"] = "padded: " + (
                "as asked" if wanted == "padded" else f"fixed shapes suit {self.device.type}"
            )
            return
        reason = self._try_flat()
        if reason is None:
            self.notes["layout"] = "flat: no padding, same vectors as padded (checked)"
            if on_cpu:
                use_dropout16(self.model)
                self.notes["dropout"] = "16-bit (CPU)"
            return
        self.layout = "padded"
        if wanted == "flat":
            raise EncoderError(f"{type(self.model).__name__} cannot run without padding ({reason}); use layout=padded.")
        self.notes["layout"] = f"padded: {reason}"

    @torch.no_grad()
    def _try_flat(self) -> str | None:
        if not hasattr(self.model, "set_attn_implementation"):
            return "the model does not offer exchangeable attention"
        training = self.training
        self.eval()
        vocabulary = self.vocabulary
        ends = [i for i in (vocabulary.cls, vocabulary.sep) if i is not None]
        plain = [i for i in range(vocabulary.size) if i not in vocabulary.special][:64] or ends
        rows = [
            np.array([*ends[:1], *plain[a:b], *ends[1:]], dtype=np.int32)
            for a, b in ((0, 3), (5, 20), (7, 10), (9, 33))
        ]
        try:
            padded = self(rows, "avg"), self(rows, "cls")
            self.model.set_attn_implementation(ATTENTION)  # type: ignore[operator]
            self.layout = "flat"
            for offset in dict.fromkeys((0, vocabulary.pad + 1)):
                self.offset = offset
                if all(_close(self(rows, p), reference) for p, reference in zip(("avg", "cls"), padded, strict=True)):
                    self._try_tail(rows, padded[1])
                    return None
            reason = "its vectors differ without padding"
        except Exception as error:  # any architecture may refuse in its own way; padded always works
            reason = f"{type(error).__name__}: {str(error).splitlines()[0][:80] if str(error) else ''}"
        finally:
            self.train(training)
        self.layout = "padded"
        self.model.set_attn_implementation("sdpa")  # type: ignore[operator]
        return reason

    def _try_tail(self, rows: Sequence[np.ndarray], reference: torch.Tensor) -> None:
        """Use the shortcut for [CLS] poolers if the model has BERT's layer shape and the vectors agree."""
        layers = getattr(getattr(self.model, "encoder", None), "layer", None)
        output = getattr(getattr(layers[-1], "attention", None), "output", None) if layers is not None else None
        if output is None:
            return
        handle = output.register_forward_pre_hook(self._tail_hook)
        self._skips_tail = True
        try:
            if _close(self(rows, "cls"), reference):
                return
        except Exception as error:
            log.debug("first-token shortcut not used: %s", error)
        self._skips_tail = False
        handle.remove()


def _close(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and bool((a - b).abs().max() < _TOLERANCE * max(1.0, float(b.abs().max())))


def load_text_encoder(
    name: str,
    *,
    pooler: str = "cls",
    dropout: float | None = None,
    layout: Layout = "auto",
    device: str | torch.device = "cpu",
) -> TextEncoder:
    """Load an encoder by folder or hub id. Raises EncoderError (see `loading`)."""
    tokenizer = load_tokenizer(name)
    model = load_model(name, dropout=dropout).to(device)
    positions = getattr(model.config, "max_position_embeddings", None)
    if positions and getattr(model.config, "model_type", "") in _OFFSET_TYPES:
        positions -= tokenizer.pad_token_id + 1
    if len(tokenizer) > model.get_input_embeddings().num_embeddings:
        raise EncoderError(
            f"the tokenizer of {name!r} knows {len(tokenizer)} pieces, the model only "
            f"{model.get_input_embeddings().num_embeddings}; the two do not belong together. Copy the folder again."
        )
    encoder = TextEncoder(model, Vocabulary.of(tokenizer, positions), pooler)
    encoder.choose_layout(layout)
    return encoder.eval()


_OFFSET_TYPES = (
    "roberta",
    "xlm-roberta",
    "xlm-roberta-xl",
    "camembert",
    "mpnet",
    "longformer",
    "luke",
    "data2vec-text",
)
