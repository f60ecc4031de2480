"""A small language model from plain text, as a folder that `AutoModelForCausalLM` loads: it proves generation, no more.

A GPT-2 of a few million parameters over the WordPiece vocabulary of `augbench pretrain`. Every line is learnt between quotes,
followed by the end token, and lines of a document follow each other: after an opening quote it writes a sentence and closes the
quote, which is all that generation asks for. It knows nothing of instructions. Its sentences are poor, lower-cased if the
vocabulary is, and no basis for a result.
"""

from __future__ import annotations

import logging
import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field, model_validator
from torch.nn.functional import cross_entropy

from harness.encoder.precision import autocast, choose_device, choose_precision
from harness.errors import DataError, TrainingError
from harness.pretraining.pieces import count_words, learn_pieces
from harness.pretraining.text import TextFile, read_text
from harness.pretraining.tokeniser import encode_lines, make_tokeniser
from harness.seeds import derive, numpy_rng

log = logging.getLogger(__name__)

END = "[SEP]"
Progress = Callable[[int, int, dict[str, float]], None]


class CausalRecipe(BaseModel):
    """How the language model learns.

    pieces    size of the vocabulary;  lowercase: also drops accents;  opening, closing: the quotes every line stands between
    layers, width, heads   its size;  positions: longest text it can see, instructions included
    steps, rows, rate, warmup   steps of `rows` rows of `positions` pieces, peak rate, steps up to it (then down to 0 in a line)
    held_out  share of the pieces kept for the perplexity;  seed: same seed, machine and thread count, same model
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pieces: int = Field(4_000, ge=50, le=65_535)
    lowercase: bool = True
    opening: str = Field('"', min_length=1, max_length=1)
    closing: str = Field('"', min_length=1, max_length=1)
    layers: int = Field(2, ge=1)
    width: int = Field(128, ge=8)
    heads: int = Field(4, ge=1)
    positions: int = Field(256, ge=32)
    dropout: float = Field(0.1, ge=0, lt=1)
    steps: int = Field(400, ge=1)
    rows: int = Field(8, ge=1)
    rate: float = Field(2e-3, gt=0)
    warmup: int = Field(20, ge=1)
    held_out: float = Field(0.02, gt=0, lt=0.5)
    seed: int = 0

    @model_validator(mode="after")
    def _divides(self) -> CausalRecipe:
        if self.width % self.heads:
            raise ValueError(f"width {self.width} cannot be divided among {self.heads} heads")
        return self


@dataclass(frozen=True)
class Causal:
    """What came out: the files that went in, pieces learnt from, mean loss of the last steps and held-out perplexity."""

    files: tuple[TextFile, ...]
    pieces: int
    loss: float
    perplexity: float


def pretrain_causal(
    files: Sequence[Path],
    out: Path,
    recipe: CausalRecipe | None = None,
    *,
    device: str = "auto",
    precision: str = "auto",
    progress: Progress | None = None,
) -> Causal:
    """Make a language model from text files (a sentence per line, UTF-8) in the new or empty folder `out`.

    Raises DataError (unusable or too short text; `out` holds something) and TrainingError (the loss is not finite).
    """
    recipe = recipe or CausalRecipe()
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise DataError(f"{out} exists already; give another --out, or remove it.")
    text = read_text(files)
    # the quotes count as words, else they would be no pieces where the text has none
    words = count_words([*text.lines, *[recipe.opening + recipe.closing] * len(text.lines)], lowercase=recipe.lowercase)
    work = out.with_name(out.name + ".new")
    shutil.rmtree(work, ignore_errors=True)
    try:
        tokeniser = make_tokeniser(
            learn_pieces(words, recipe.pieces), work, lowercase=recipe.lowercase, limit=recipe.positions
        )
        ids = _stream(tokeniser, text.lines, recipe)
        cut = len(ids) - max(recipe.positions + 1, round(recipe.held_out * len(ids)))
        if cut <= recipe.positions:
            raise DataError(
                f"the text has {len(ids)} pieces, too few for rows of {recipe.positions}; give more text, or fewer --positions."
            )
        network = _network(recipe, tokeniser)
        loss = _train(network, ids[:cut], recipe, device, precision, progress)
        perplexity = math.exp(_held_out(network, ids[cut:], recipe))
        tokeniser.eos_token = END
        tokeniser.save_pretrained(work)
        network.config.dtype = "float32"
        network.cpu().float().save_pretrained(work, safe_serialization=True)
        if out.exists():
            out.rmdir()
        work.rename(out)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Causal(text.files, cut, loss, perplexity)


def _stream(tokeniser: Any, lines: Sequence[str], recipe: CausalRecipe) -> np.ndarray:
    """All lines between quotes, each followed by the end token, as one array of ids."""
    ids, ends = encode_lines(tokeniser, [f"{recipe.opening}{line}{recipe.closing}" for line in lines])
    end = np.uint16(tokeniser.convert_tokens_to_ids(END))
    return np.insert(ids, ends, end).astype(np.int64)


def _network(recipe: CausalRecipe, tokeniser: Any) -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    end = tokeniser.convert_tokens_to_ids(END)
    config = GPT2Config(
        vocab_size=len(tokeniser),
        n_positions=recipe.positions,
        n_embd=recipe.width,
        n_layer=recipe.layers,
        n_head=recipe.heads,
        resid_pdrop=recipe.dropout,
        embd_pdrop=recipe.dropout,
        attn_pdrop=recipe.dropout,
        bos_token_id=end,
        eos_token_id=end,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive(recipe.seed, "network"))
        return GPT2LMHeadModel(config)


def _train(
    network: Any, ids: np.ndarray, recipe: CausalRecipe, device: str, precision: str, progress: Progress | None
) -> float:
    where, _ = choose_device(device)
    numbers, _ = choose_precision(where, precision)
    network.to(where).train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=recipe.rate, betas=(0.9, 0.98), weight_decay=0.01)
    scaler = torch.amp.GradScaler(where.type, enabled=numbers == "fp16")
    last: list[float] = []
    with torch.random.fork_rng(devices=[where] if where.type == "cuda" else []):
        for step in range(recipe.steps):
            share = min(1.0, (step + 1) / recipe.warmup, (recipe.steps - step) / max(1, recipe.steps - recipe.warmup))
            for group in optimizer.param_groups:
                group["lr"] = recipe.rate * share
            places = numpy_rng(recipe.seed, "rows", step).integers(0, len(ids) - recipe.positions, size=recipe.rows)
            rows = torch.from_numpy(np.stack([ids[p : p + recipe.positions + 1] for p in places.tolist()])).to(where)
            torch.manual_seed(derive(recipe.seed, "dropout", step))
            optimizer.zero_grad(set_to_none=True)
            with autocast(where, numbers):
                loss = _loss(network, rows)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            value = float(loss.detach())
            if not math.isfinite(value):
                raise TrainingError(f"the loss is {value} at step {step + 1}; try a lower --rate, or --precision fp32.")
            last = [*last[-49:], value]
            if progress:
                progress(step + 1, recipe.steps, {"loss": value})
    network.eval()
    return sum(last) / len(last)


def _loss(network: Any, rows: torch.Tensor) -> torch.Tensor:
    """Mean cross entropy of the next piece, nats; rows (n, positions + 1)."""
    scores = network(input_ids=rows[:, :-1]).logits
    return cross_entropy(scores.float().flatten(0, 1), rows[:, 1:].flatten())


@torch.no_grad()
def _held_out(network: Any, ids: np.ndarray, recipe: CausalRecipe) -> float:
    """Mean cross entropy (nats per piece) of whole rows of the held-out pieces, 64 of them at most."""
    starts = range(0, len(ids) - recipe.positions, recipe.positions)[:64]
    device = next(network.parameters()).device
    rows = torch.from_numpy(np.stack([ids[s : s + recipe.positions + 1] for s in starts])).to(device)
    parts = [float(_loss(network, rows[i : i + 8])) * len(rows[i : i + 8]) for i in range(0, len(rows), 8)]
    return sum(parts) / len(rows)
