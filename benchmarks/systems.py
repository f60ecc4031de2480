"""What do other systems cost beside SimCSE? Seconds per step relative to SimCSE's, in one run, and what the arithmetic implies.

Same encoder, sentences, batch, length and mean pooling, in turn in one process. SimCSE runs the encoder forward and backward over
two views of a sentence.

VaSCL   over two as well, as its virtual view is made behind the encoder. Extra are passes of the head, d → d → 128, on single
        vectors: forward for the ascent and its gradient on the input, forward and backward for the virtual view, and products of
        the batch with itself
AugCSE  over three: the sentence twice and its augmentation; a projector, and the discriminator, 2d → 4d → K + 1, behind it

What these imply is counted in multiplications and printed beside the measured ratio.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import add_encoder, data_of, encoder_of, machine

WARM_UP = 2
#: AugCSE's augmentation: it leaves a sentence as long as it was
SWAP = "random-swap"
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
    """Train all in turn, print the ratios of their median steps and those that the extra multiplications imply."""
    from baselines.augcse import AugCSE
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
        "AugCSE": AugCSE(**shared, augmentations=(SWAP,)),
        "AugCSE without the discriminator": AugCSE(**shared, augmentations=(SWAP,), discriminator="none"),
    }
    data, tokens = _data(given)
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(given.repeats):
        for name, method in methods.items():
            seconds[name].append(_seconds_per_step(method, _asked_for(method, data), given))
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
    vascl, augcse = _implied(given, tokens)
    print(f"implied by the multiplications: VaSCL {vascl:.4f}, AugCSE {augcse:.4f} times SimCSE")


def _asked_for(method: Any, data: Any) -> Any:
    """The views a method declares and no other: the loop encodes all that it is given."""
    from harness.training import TrainingData

    names = {view.name for view in method.views()}
    views = {name: rows for name, rows in data.views.items() if name in names}
    return TrainingData(views, {name: there for name, there in data.present.items() if name in names})


def _data(given: argparse.Namespace) -> tuple[Any, float]:
    """Token arrays of the views, and the mean number of word pieces of a sentence."""
    from harness import augment
    from harness.corpus import read_corpus
    from harness.encoder import load_text_encoder
    from harness.training import TokenArray, TrainingData

    wanted = given.batch * (given.steps + WARM_UP + 1)
    sentences = read_corpus(data_of(given) / "corpus" / "en" / "wiki.txt", limit=wanted).sentences
    vocabulary = load_text_encoder(encoder_of(given)).vocabulary
    rows = TokenArray.of(vocabulary.rows(sentences, given.length), vocabulary.size)
    made = [row["views"].get(SWAP) for row in augment(sentences, [SWAP], language="english")]
    swapped = [text or sentence for text, sentence in zip(made, sentences, strict=True)]
    views = {
        "anchor": rows,
        "positive": rows,
        "augmentation-0": TokenArray.of(vocabulary.rows(swapped, given.length), vocabulary.size),
    }
    present = {"augmentation-0": np.array([text is not None for text in made])}
    return TrainingData(views, present), len(rows.ids) / len(rows)


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


def _implied(given: argparse.Namespace, tokens: float) -> tuple[float, float]:
    """Multiplications per sentence of a step of VaSCL and of AugCSE over those of SimCSE; a backward pass counts as two forward."""
    from harness.encoder import load_text_encoder

    encoder = load_text_encoder(encoder_of(given))
    d, n = encoder.hidden_size, given.batch
    weights = (p for name, p in encoder.model.named_parameters() if not name.startswith(("embeddings.", "pooler.")))
    view = 3 * tokens * sum(p.numel() for p in weights if p.dim() == 2)
    simcse = 2 * view + 2 * 3 * d * d + 3 * n * d
    head = d * d + d * _PROJECTED
    # two views; the ascent forward and back to its input; the virtual view forward and back to the weights (half of a backward)
    heads = 2 * 3 * head + 2 * head + 2 * head
    # 2n × 2n in both losses, n × n in the ascent and for the neighbours
    products = 2 * 3 * 4 * n * _PROJECTED + 2 * n * _PROJECTED + n * d
    # the projector (d → 2d → d) of three views; the discriminator of K + 1 = 2 classes; n × n, both ways
    behind = 3 * 3 * 4 * d * d + 3 * (2 * d * 4 * d + 4 * d * 2) + 2 * 3 * n * d
    return (2 * view + heads + products) / simcse, (3 * view + behind) / simcse
