"""What does VaSCL's neighbourhood cost? Seconds per step of VaSCL relative to SimCSE, in one run, and what the arithmetic implies.

Same encoder, sentences, batch, length and mean pooling, in turn in one process. Both run the encoder forward and backward over
two views of a sentence; VaSCL's virtual view is made behind it. Extra are passes of the head, d → d → 128, on single vectors:
forward for the ascent and its gradient on the input, forward and backward for the virtual view, and products of the batch with
itself. What these imply is counted in multiplications and printed beside the measured ratio.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import add_encoder, data_of, encoder_of, machine

WARM_UP = 2
_PROJECTED = 128


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this comparison."""
    add_encoder(parser)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--neighbours", type=int, default=16)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--device", default="auto")


def run(given: argparse.Namespace) -> None:
    """Train both in turn, print the ratio of their median steps and the one the extra multiplications imply."""
    from baselines.simcse import SimCSE
    from baselines.vascl import VaSCL

    print(machine())
    shared = {
        "batch_size": given.batch,
        "max_length": given.length,
        "pooler": "avg",
        "train_pooler": "avg",
        "epochs": 1,
    }
    shared |= {"select": "last", "eval_every": 0, "clip_norm": 1.0}
    methods = {
        "SimCSE": SimCSE(**shared),
        "VaSCL": VaSCL(**shared, neighbours=given.neighbours),
        "VaSCL, paper's stop-gradient": VaSCL(**shared, neighbours=given.neighbours, stop_gradient="paper"),
        "VaSCL without the neighbourhood": VaSCL(**shared, neighbours=given.neighbours, neighbourhood=False),
    }
    data, tokens = _data(given)
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(given.repeats):
        for name, method in methods.items():
            seconds[name].append(_seconds_per_step(method, data, given))
    print(
        f"batch {given.batch}, length {given.length}, K {given.neighbours}, {given.steps} steps each, {given.precision}"
    )
    base = seconds["SimCSE"]
    print(f"SimCSE: {statistics.median(base):.3f} s per step")
    for name in list(methods)[1:]:
        pairs = [own / other for own, other in zip(seconds[name], base, strict=True)]
        print(
            f"{name}: {statistics.median(seconds[name]):.3f} s per step, {statistics.median(pairs):.3f} times SimCSE "
            f"(pairs {min(pairs):.3f} to {max(pairs):.3f}, n={len(pairs)})"
        )
    print(f"implied by the multiplications: {_implied(given, tokens):.4f} times SimCSE (the encoder runs as often)")


def _data(given: argparse.Namespace) -> tuple[Any, float]:
    """Token arrays of both views, and the mean number of word pieces of a sentence."""
    from harness.corpus import read_corpus
    from harness.encoder import load_text_encoder
    from harness.training import TokenArray, TrainingData

    wanted = given.batch * (given.steps + WARM_UP + 1)
    sentences = read_corpus(data_of(given) / "corpus" / "en" / "wiki.txt", limit=wanted).sentences
    vocabulary = load_text_encoder(encoder_of(given)).vocabulary
    rows = TokenArray.of(vocabulary.rows(sentences, given.length), vocabulary.size)
    return TrainingData({"anchor": rows, "positive": rows}, {}), len(rows.ids) / len(rows)


def _seconds_per_step(method: Any, data: Any, given: argparse.Namespace) -> float:
    from harness.encoder import load_text_encoder
    from harness.training import Settings, train

    stamps: list[float] = []

    def clock(done: int, total: int, scalars: dict[str, float]) -> None:
        stamps.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as workdir:
        train(
            method,
            data,
            load_encoder=lambda: load_text_encoder(encoder_of(given)),
            seed=0,
            workdir=Path(workdir),
            # log_every=1 makes the loop wait for the device at every step
            settings=Settings(checkpoint_every=10_000, log_every=1, precision=given.precision, device=given.device),
            progress=clock,
        )
    return statistics.median([b - a for a, b in itertools.pairwise(stamps)][WARM_UP:])


def _implied(given: argparse.Namespace, tokens: float) -> float:
    """Multiplications per sentence of a VaSCL step over those of a SimCSE step; a backward pass counts as two forward ones."""
    from harness.encoder import load_text_encoder

    encoder = load_text_encoder(encoder_of(given))
    d, n = encoder.hidden_size, given.batch
    weights = (p for name, p in encoder.model.named_parameters() if not name.startswith(("embeddings.", "pooler.")))
    views = 2 * 3 * tokens * sum(p.numel() for p in weights if p.dim() == 2)
    head = d * d + d * _PROJECTED
    # two views; the ascent forward and back to its input; the virtual view forward and back to the weights (half of a backward)
    heads = 2 * 3 * head + 2 * head + 2 * head
    # 2n × 2n in both losses, n × n in the ascent and for the neighbours
    products = 2 * 3 * 4 * n * _PROJECTED + 2 * n * _PROJECTED + n * d
    simcse = 2 * 3 * d * d + 3 * n * d
    return (views + heads + products) / (views + simcse)
