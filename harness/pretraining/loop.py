"""The loop of pre-training: read packed rows until the budget is spent; can be stopped, resumed and prolonged.

The rate rises, stays, and falls over the last part of the budget. What the weights were before the fall is kept, so that a later
run with a larger budget goes on from there as if the fall had never been.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from harness.encoder.precision import autocast, choose_device, choose_precision
from harness.errors import TrainingError
from harness.pretraining.masking import mask_words
from harness.pretraining.network import loss_of
from harness.pretraining.packing import Segments, lay_out, pack_rows
from harness.pretraining.settings import Recipe
from harness.seeds import derive, numpy_rng
from harness.training import checkpoint

log = logging.getLogger(__name__)

Progress = Callable[[int, int, dict[str, float]], None]
LATEST, STABLE = "checkpoint", "before-decay"
_POINT_EVERY = 50


class Reader:
    """Rows of an endless text, epoch after epoch in new order; any step can be had without the ones before it."""

    def __init__(self, segments: Segments, recipe: Recipe, special: dict[str, int], counts: np.ndarray) -> None:
        self.segments, self.recipe, self.special, self.counts = segments, recipe, special, counts
        self.weights = (counts + 1.0) ** -recipe.rarity if recipe.rarity else None
        self.width = recipe.shape.positions
        self._epoch = -1
        self._rows: list[list[int]] = []
        # best-fit packing wastes about one place in a hundred, so an epoch's length is known only when it is packed
        self._first_step = self._steps = 0

    def batch(self, step: int) -> tuple[dict[str, np.ndarray], int]:
        """Return the arrays of a step (counted from 0, asked for in ascending order) and its epoch (from 0)."""
        while self._epoch < 0 or step >= self._first_step + self._steps:
            self._first_step += self._steps
            self._epoch += 1
            lengths = self.segments.ends - self.segments.starts + 2
            self._rows = pack_rows(lengths, self.width, numpy_rng(self.recipe.seed, "rows", self._epoch))
            self._steps = max(1, len(self._rows) // self.recipe.rows)  # a text of few rows makes one small step
        first = (step - self._first_step) * self.recipe.rows
        rng = numpy_rng(self.recipe.seed, "mask", step)
        return self.masked(self._rows[first : first + self.recipe.rows], rng), self._epoch

    def masked(self, rows: list[list[int]], rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Return masked rows as arrays: ids, positions, segment, where, targets."""
        laid = lay_out(
            self.segments, rows, self.width, cls=self.special["cls"], sep=self.special["sep"], pad=self.special["pad"]
        )
        masked = mask_words(
            laid,
            self.recipe.masked,
            rng,
            mask=self.special["mask"],
            size=len(self.counts),
            special=max(self.special.values()) + 1,
            hidden=self.recipe.hidden,
            swapped=self.recipe.swapped,
            weights=self.weights,
        )
        return {
            "ids": masked.ids,
            "positions": laid.positions,
            "segment": laid.segment,
            "where": masked.where,
            "targets": masked.targets,
        }


def share_of_peak(done: float, step: int, recipe: Recipe) -> float:
    """Return the rate as a share of its peak, given the share of the budget that is `done` and the step (from 0)."""
    rising = min(1.0, (step + 1) / recipe.warmup)
    return min(rising, max(0.0, (1 - done) / recipe.decay))


def pretrain(
    network: Any,
    train: Reader,
    held_out: Reader,
    *,
    work: Path,
    text: str = "",
    device: str = "auto",
    precision: str = "auto",
    checkpoint_seconds: float = 120,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train `network` in place until the budget of `train.recipe` is spent, or go on from the checkpoint in `work`.

    text: stands for the text that is read; a checkpoint of another text is refused.

    Returns what the card tells: steps, tokens, epochs, curve, held-out loss and perplexity, seconds, hardware choices.
    Raises TrainingError if the loss is not finite or the checkpoint was made with other settings.
    """
    recipe = train.recipe
    where, why_device = choose_device(device)
    numbers, why_numbers = choose_precision(where, precision)
    network.to(where).train()
    optimizer = _optimizer(network, recipe)
    scaler = torch.amp.GradScaler(where.type, enabled=numbers == "fp16")
    state = _resume(network, optimizer, work, recipe, text, where)
    if state["scaler"]:
        scaler.load_state_dict(state["scaler"])

    def keep(name: str) -> None:
        state["scaler"] = scaler.state_dict()
        _save(work / name, network, optimizer, state, recipe)

    saved = time.monotonic()
    while state["tokens"] < recipe.tokens:
        began = time.monotonic()
        step, done = state["step"], state["tokens"] / recipe.tokens
        decaying = done > 1 - recipe.decay
        if decaying and not state["decaying"]:
            keep(STABLE)
        state["decaying"] = decaying
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate * share_of_peak(done, step, recipe)
        arrays, epoch = train.batch(step)
        torch.manual_seed(derive(recipe.seed, "dropout", step))
        batch = {name: torch.from_numpy(array).to(where, non_blocking=True) for name, array in arrays.items()}
        optimizer.zero_grad(set_to_none=True)
        with autocast(where, numbers):
            total, count = loss_of(network, batch)
        scaler.scale(total / count).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(network.parameters(), recipe.clip_norm)
        scaler.step(optimizer)
        scaler.update()
        loss = float(total.detach() / count)
        if not math.isfinite(loss):
            raise TrainingError(f"the loss is {loss} at step {step + 1}; try a lower --rate, or --precision fp32.")
        state["step"], state["epoch"] = step + 1, epoch
        state["tokens"] += int((arrays["segment"] > 0).sum())
        state["seconds"] += time.monotonic() - began
        state["sum"] += loss
        if (step + 1) % _POINT_EVERY == 0:
            state["curve"].append([step + 1, state["tokens"], round(state["sum"] / _POINT_EVERY, 4)])
            state["sum"] = 0.0
        if progress:
            progress(
                min(state["tokens"], recipe.tokens),
                recipe.tokens,
                {"loss": loss, "gradient": float(norm), "pieces/s": state["tokens"] / state["seconds"]},
            )
        if time.monotonic() - saved > checkpoint_seconds:
            keep(LATEST)
            saved = time.monotonic()
    keep(LATEST)
    nats = held_out_loss(network, held_out, where, numbers)
    return {
        **{name: state[name] for name in ("step", "tokens", "epoch", "seconds", "curve")},
        "held_out_loss": nats,
        "perplexity": math.exp(nats),
        "device": f"{where} ({why_device})",
        "precision": f"{numbers} ({why_numbers})",
    }


@torch.no_grad()
def held_out_loss(network: Any, reader: Reader, device: torch.device, precision: str, *, rows: int = 512) -> float:
    """Return the mean cross entropy (nats per guessed piece) on the first `rows` held-out rows, always masked alike.

    All pieces to guess are behind [MASK], a fifth of the text in whole words, whatever the recipe hides in training.
    """
    network.eval()
    recipe = reader.recipe.model_copy(update={"masked": 0.2, "hidden": 1.0, "swapped": 0.0, "rarity": 0.0})
    reader = Reader(reader.segments, recipe, reader.special, reader.counts)
    lengths = reader.segments.ends - reader.segments.starts + 2
    packed = pack_rows(lengths, reader.width, numpy_rng(0, "held-out"))[:rows]
    total = count = 0.0
    for first in range(0, len(packed), 32):
        arrays = reader.masked(packed[first : first + 32], numpy_rng(0, "held-out", first))
        batch = {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}
        with autocast(device, precision):
            nats, pieces = loss_of(network, batch)
        total, count = total + float(nats), count + float(pieces)
    network.train()
    return total / count


def _optimizer(network: Any, recipe: Recipe) -> torch.optim.Optimizer:
    """AdamW as BERT uses it: no decay for biases and layer norms."""
    plain = [p for p in network.parameters() if p.ndim < 2]
    decayed = [p for p in network.parameters() if p.ndim >= 2]
    groups = [{"params": decayed, "weight_decay": recipe.weight_decay}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=recipe.rate, betas=(0.9, 0.98), eps=1e-6, fused=True)


def _save(folder: Path, network: Any, optimizer: torch.optim.Optimizer, state: dict[str, Any], recipe: Recipe) -> None:
    tensors, values = checkpoint.pack_optimizer(optimizer)
    parts = {"network": network.state_dict(), "optimizer": tensors}
    checkpoint.save(
        folder,
        parts,
        {"recipe": recipe.lasting(), "budget": [recipe.tokens, recipe.decay], "optimizer": values, **state},
    )


def _resume(
    network: Any, optimizer: torch.optim.Optimizer, work: Path, recipe: Recipe, text: str, device: torch.device
) -> dict[str, Any]:
    """Load the newest checkpoint that fits the budget; returns the state to go on from (a fresh one if there is none)."""
    fresh = {
        "step": 0,
        "tokens": 0,
        "epoch": 0,
        "seconds": 0.0,
        "sum": 0.0,
        "curve": [],
        "decaying": False,
        "scaler": {},
        "text": text,
    }
    for name in (LATEST, STABLE):
        found = checkpoint.find(work / name)
        if found is None:
            continue
        parts, values = checkpoint.load(found, device=device)
        if values.get("recipe") != recipe.lasting() or values.get("text") != text:
            raise TrainingError(
                f"{found} was made with other settings or from another text; give the same ones (only the budget may change), "
                f"another --out, or delete {work}."
            )
        if values["decaying"] and values["budget"] != [recipe.tokens, recipe.decay]:
            continue  # the rate fell for another budget
        if not values["decaying"] and values["tokens"] >= recipe.tokens:
            raise TrainingError(
                f"{values['tokens']:,} pieces have been read already, more than the {recipe.tokens:,} asked for; give more "
                "--tokens, or another --out."
            )
        network.load_state_dict(parts["network"])
        checkpoint.unpack_optimizer(optimizer, parts["optimizer"], values["optimizer"])
        log.info("going on from step %d", values["step"])
        return {key: values.get(key, start) for key, start in fresh.items()}
    return fresh
