"""The loop: the same for every method. Read `train` from top to bottom; what it calls is one file each.

Every random draw comes from a stream named by (seed, purpose, step), so a run that is killed and resumed from its last
checkpoint ends with the same weights as one that was left alone.
"""

from __future__ import annotations

import logging
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from harness.encoder.encode import encode_rows
from harness.encoder.precision import autocast, choose_device, choose_precision
from harness.encoder.text_encoder import TextEncoder
from harness.errors import TrainingError
from harness.protocols.method import Batch, BuildContext, Loss, Method, Step
from harness.seeds import derive, numpy_rng
from harness.settings import Settings
from harness.training import checkpoint
from harness.training.batches import BatchOrder
from harness.training.data import TrainingData
from harness.training.gradcache import cached_backward
from harness.training.monitors import Health
from harness.training.selection import Selection

log = logging.getLogger(__name__)

Progress = Callable[[int, int, dict[str, float]], None]
PROBE_ROWS = 512


@dataclass
class TrainResult:
    """A trained encoder with the chosen weights, and the story of the run.

    curves  points {"step", "name", "value"};  notes: JSON values;  seconds by phase
    """

    encoder: TextEncoder
    module: nn.Module
    curves: list[dict[str, Any]]
    notes: dict[str, Any]
    seconds: dict[str, float] = field(default_factory=dict)


def train(
    method: Method,
    data: TrainingData,
    *,
    load_encoder: Callable[[], TextEncoder],
    seed: int,
    workdir: Path,
    settings: Settings | None = None,
    dev_score: Callable[[TextEncoder], float | None] | None = None,
    probe: Sequence[np.ndarray] = (),
    identity: str = "",
    progress: Progress | None = None,
) -> TrainResult:
    """Train `method` on `data`, or continue from the checkpoint in `workdir`.

    load_encoder  returns a fresh base encoder (called once, and again for methods that want a second copy)
    dev_score     scores an encoder on the dev split (higher is better); never given test data
    probe         id rows of held-out sentences for the monitors; `identity` must match a checkpoint's
    Raises TrainingError if the loss stops being finite or a checkpoint belongs to another run.
    """
    settings = settings or Settings()
    workdir.mkdir(parents=True, exist_ok=True)
    device, device_reason = choose_device(settings.device)
    precision, precision_reason = choose_precision(device, settings.precision)
    cfg = method.config
    order = BatchOrder(len(data), cfg.batch_size, cfg.epochs, seed, cfg.max_steps)
    total = order.total
    probe = list(probe)[:PROBE_ROWS]
    seconds: dict[str, float] = defaultdict(float)

    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(derive(seed, "init"))
        encoder = load_encoder().to(device)
        context = BuildContext(encoder, load_encoder, encoder.hidden_size, encoder.vocabulary, total, seed)
        module = method.build(context).to(device)
        if settings.compile:
            encoder.model.compile()
        optimizer = method.optimizer(module, fused=_can_fuse(device))
        peak_rates = [group["lr"] for group in optimizer.param_groups]
        scaler = torch.amp.GradScaler(device.type, enabled=precision == "fp16")
        selection = Selection(cfg.select, workdir)
        curves: list[dict[str, Any]] = []
        alarms: list[dict[str, Any]] = []
        start = 0

        saved = checkpoint.find(workdir / "checkpoint")
        if saved is not None:
            parts, values = checkpoint.load(saved, device=device)
            if values["identity"] != identity:
                raise TrainingError(f"the checkpoint {saved} belongs to another run; delete that folder to start anew.")
            module.load_state_dict(parts["module"])
            checkpoint.unpack_optimizer(optimizer, parts.get("optimizer", {}), values["optimizer"])
            method.load_state(module, parts.get("method", {}))
            scaler.load_state_dict(values["scaler"])
            selection.load_state(values["selection"])
            start, curves, alarms = values["step"], values["curves"], values["alarms"]
            log.info("continuing at step %d of %d", start, total)

        def note(step: int, **points: float) -> None:
            curves.extend({"step": step, "name": k, "value": v} for k, v in points.items() if math.isfinite(v))

        def look(step: int) -> None:
            trained = method.trained_encoder(module)
            with _timed(seconds, "monitor"):
                health = _health(trained, probe, cfg.pooler, precision, seed) if len(probe) > 1 else None
            with _timed(seconds, "dev"):
                dev = dev_score(trained.eval()) if dev_score and step else None
            if health:
                note(step, **health.as_dict())
                before = {p["name"]: p["value"] for p in curves if p["step"] == 0}
                reason = health.collapsed(before)
                if reason and step:  # what the base encoder is like is no fault of the training
                    alarms.append({"step": step, "reason": reason})
                    log.warning("collapse alarm at step %d: %s", step, reason)
            if dev is not None:
                note(step, dev=dev)
            if step:
                selection.look(step, dev, health.label_free if health else -math.inf, trained)

        if start == 0 and not curves:
            look(0)
        for number in range(start, total):
            step = Step(number, total, order.epoch(number), seed)
            with _timed(seconds, "train"):
                rate = method.schedule(number, total)
                for group, peak in zip(optimizer.param_groups, peak_rates, strict=True):
                    group["lr"] = peak * rate
                rows = data.rows(order[number])
                batch = method.collate(rows, encoder.vocabulary, numpy_rng(seed, "collate", number))
                batch.tensors = {k: v.to(device, non_blocking=True) for k, v in batch.tensors.items()}
                torch.manual_seed(derive(seed, "dropout", number))
                method.train_mode(module)
                method.before_step(module, batch, step)
                loss, norm = _optimise(method, module, batch, step, optimizer, scaler, settings, device, precision)
                method.after_step(module, batch, step)
            done = number + 1
            looking = done == total or (cfg.eval_every and done % cfg.eval_every == 0)
            saving = done < total and done % settings.checkpoint_every == 0
            if looking or saving or device.type == "cpu" or done % settings.log_every == 0:
                scalars = _fetch(loss, norm, number, scaler.is_enabled())
                if done % settings.log_every == 0 or done == total:
                    note(done, **scalars, learning_rate=optimizer.param_groups[0]["lr"])
                if progress:
                    progress(done, total, scalars)
            if looking:
                look(done)
            if saving:
                with _timed(seconds, "checkpoint"):
                    tensors, values = checkpoint.pack_optimizer(optimizer)
                    checkpoint.save(
                        workdir / "checkpoint",
                        {"module": module.state_dict(), "optimizer": tensors, "method": method.state(module)},
                        {
                            "identity": identity,
                            "step": done,
                            "optimizer": values,
                            "scaler": scaler.state_dict(),
                            "selection": selection.state(),
                            "curves": curves,
                            "alarms": alarms,
                        },
                    )
        trained = method.trained_encoder(module)
        selection.restore(trained)
    notes = {
        "device": {"choice": str(device), "reason": device_reason},
        "precision": {"choice": precision, "reason": precision_reason},
        "encoder": dict(encoder.notes),
        "optimizer": {"name": type(optimizer).__name__, "fused": _can_fuse(device)},
        "steps": total,
        "resumed_at": start or None,
        "selection": selection.describe(),
        "collapse_alarms": alarms,
    }
    return TrainResult(trained.eval(), module, curves, notes, dict(seconds))


def _optimise(
    method: Method,
    module: nn.Module,
    batch: Batch,
    step: Step,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    settings: Settings,
    device: torch.device,
    precision: str,
) -> tuple[Loss, torch.Tensor | None]:
    """One optimiser step; returns the loss and the gradient norm before clipping."""
    optimizer.zero_grad(set_to_none=True)
    if settings.micro_batch:
        if not method.chunkable:
            raise TrainingError(
                f"method {method.name!r} overrides loss(), so micro_batch cannot be exact; use micro_batch=0."
            )
        loss = cached_backward(
            method,
            module,
            batch,
            step,
            rows_per_chunk=settings.micro_batch,
            context=lambda: autocast(device, precision),
            scale=scaler.scale,
        )
    else:
        with autocast(device, precision):
            loss = method.loss(module, batch, step)
        scaler.scale(loss.value).backward()
    norm = None
    if method.config.clip_norm:
        scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(
            [p for group in optimizer.param_groups for p in group["params"]], method.config.clip_norm
        )
    scaler.step(optimizer)
    scaler.update()
    return loss, norm


def _fetch(loss: Loss, norm: torch.Tensor | None, number: int, scaled: bool) -> dict[str, float]:
    """Numbers of a step as floats. Raises TrainingError if the loss or (without fp16 scaling) the gradient is not finite."""
    scalars = {"loss": float(loss.value.detach())}
    if norm is not None:
        scalars["gradient_norm"] = float(norm)
    bad = not math.isfinite(scalars["loss"]) or (not scaled and not math.isfinite(scalars.get("gradient_norm", 0.0)))
    if bad:
        raise TrainingError(
            f"training stopped at step {number + 1}: loss {scalars['loss']}, gradient norm {scalars.get('gradient_norm')}. "
            "Try a lower rate (--set learning_rate=…) or --precision fp32."
        )
    return scalars | {name: float(value) for name, value in loss.scalars.items()}


def _health(encoder: TextEncoder, probe: Sequence[np.ndarray], pooler: str, precision: str, seed: int) -> Health:
    """Encode the probe twice with dropout on (two fixed noise streams) and measure the space."""
    noisy = []
    for stream in range(2):
        torch.manual_seed(derive(seed, "probe", stream))
        noisy.append(_encode_with_dropout(encoder, probe, pooler, precision))
    return Health.of(*noisy)


@torch.no_grad()
def _encode_with_dropout(encoder: TextEncoder, rows: Sequence[np.ndarray], pooler: str, precision: str) -> np.ndarray:
    encoder.train()
    with autocast(encoder.device, precision):
        parts = [encoder(rows[i : i + 128], pooler).float().cpu().numpy() for i in range(0, len(rows), 128)]
    return np.concatenate(parts)


def dev_scorer(
    rows: Sequence[np.ndarray], pooler: str, precision: str, score: Callable[[np.ndarray], float | None]
) -> Any:
    """Return `encoder -> score(vectors)` over the unique dev rows, each encoded once."""
    return lambda encoder: score(encode_rows(encoder, rows, pooler=pooler, precision=precision))


def _can_fuse(device: torch.device) -> bool:
    return device.type in ("cpu", "cuda", "mps")


@contextmanager
def _timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    start = time.perf_counter()
    try:
        yield
    finally:
        seconds[phase] += time.perf_counter() - start
