"""Train SimCSE-style pairs: AugBench's loop against sentence-transformers' trainer (MultipleNegativesRankingLoss).

Same encoder, sentences, batch size, length, pooling, temperature (scale 20 = 1/0.05) and optimiser family; each side runs
in a process of its own so that peak memory is its own, in turn, and reports the median time between optimiser steps.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.common import add_encoder, compare, data_of, encoder_of, machine

WARM_UP = 3


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this comparison."""
    add_encoder(parser)
    parser.add_argument("--pooling", default="cls", choices=("cls", "avg"))
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--side", choices=("ours", "peer"), help=argparse.SUPPRESS)


def run(given: argparse.Namespace) -> None:
    """Alternate the two sides, then compare their medians and peaks."""
    if given.side:
        print(json.dumps(SIDES[given.side](given)))
        return
    print(machine())
    results: dict[str, list[dict[str, float]]] = {"ours": [], "peer": []}
    for _ in range(given.repeats):
        for side in results:
            command = [sys.executable, "-m", "benchmarks", *sys.argv[1:], "--side", side]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{side} failed:\n{done.stderr[-2000:]}")
            results[side].append(json.loads(done.stdout.strip().splitlines()[-1]))
    print(f"batch {given.batch}, length {given.length}, pooling {given.pooling}, {given.steps} steps each")
    for key, unit in (("seconds_per_step", "s"), ("peak_mib", "MiB")):
        compare(key, [r[key] for r in results["ours"]], [r[key] for r in results["peer"]], unit)
    print("ours ran in", results["ours"][0]["precision"])


def _sentences(given: argparse.Namespace) -> list[str]:
    from harness.corpus import read_corpus

    wanted = given.batch * (given.steps + WARM_UP)
    return read_corpus(data_of(given) / "corpus" / "en" / "wiki.txt", limit=wanted).sentences


def _result(stamps: list[float], precision: str) -> dict[str, object]:
    gaps = [b - a for a, b in itertools.pairwise(stamps)][WARM_UP:]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds_per_step": statistics.median(gaps), "peak_mib": peak, "precision": precision}


def _ours(given: argparse.Namespace) -> dict[str, object]:
    from baselines.simcse import SimCSE
    from harness.encoder import load_text_encoder
    from harness.training import Settings, TokenArray, TrainingData, train

    folder = encoder_of(given)
    method = SimCSE(
        batch_size=given.batch,
        max_length=given.length,
        head="none",
        train_pooler=given.pooling,
        pooler=given.pooling,
        select="last",
        eval_every=0,
    )
    vocabulary = load_text_encoder(folder).vocabulary
    rows = TokenArray.of(vocabulary.rows(_sentences(given), given.length), vocabulary.size)
    stamps: list[float] = []
    with tempfile.TemporaryDirectory() as workdir:
        result = train(
            method,
            TrainingData({"anchor": rows, "positive": rows}, {}),
            load_encoder=lambda: load_text_encoder(folder),
            seed=0,
            workdir=Path(workdir),
            settings=Settings(checkpoint_every=10_000, precision=given.precision),
            progress=lambda done, total, scalars: stamps.append(time.perf_counter()),
        )
    return _result(stamps, result.notes["precision"]["choice"])


def _peer(given: argparse.Namespace) -> dict[str, object]:
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.losses import MultipleNegativesRankingLoss
    from sentence_transformers.models import Pooling, Transformer
    from transformers import TrainerCallback

    transformer = Transformer(encoder_of(given), max_seq_length=given.length)
    size = transformer.get_embedding_dimension()
    model = SentenceTransformer(modules=[transformer, Pooling(size, "cls" if given.pooling == "cls" else "mean")])
    stamps: list[float] = []

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, *args: object, **kwargs: object) -> None:
            stamps.append(time.perf_counter())

    sentences = _sentences(given)
    with tempfile.TemporaryDirectory() as folder:
        SentenceTransformerTrainer(
            model=model,
            args=SentenceTransformerTrainingArguments(
                output_dir=folder,
                num_train_epochs=1,
                per_device_train_batch_size=given.batch,
                learning_rate=3e-5,
                save_strategy="no",
                report_to=[],
                disable_tqdm=True,
                use_cpu=True,
            ),
            train_dataset=Dataset.from_dict({"anchor": sentences, "positive": sentences}),
            loss=MultipleNegativesRankingLoss(model, scale=20.0),
            callbacks=[Clock()],
        ).train()
    return _result(stamps, "fp32")


SIDES = {"ours": _ours, "peer": _peer}
