"""Embed the sentences of the seven STS tasks: AugBench against SentenceTransformer.encode.

The peer encodes both sides of every pair of every task, as `evaluate` scripts do; AugBench encodes the union once, without
padding. Both must give the same Spearman correlations.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.common import add_encoder, compare, data_of, encoder_of, machine


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this comparison."""
    add_encoder(parser)
    parser.add_argument("--precision", default="auto", help="auto, fp32 or bf16 for ours; the peer always runs fp32")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tasks", default="sts")


def run(given: argparse.Namespace) -> None:
    """Measure in pairs, ours and peer in turn."""
    from sentence_transformers import SentenceTransformer

    from harness.data import open_data
    from harness.encoder import open_embedder
    from harness.evaluation.evaluator import evaluate
    from harness.tasks import resolve_tasks

    folder = encoder_of(given)
    tasks = resolve_tasks(given.tasks.split(","), data=open_data(data_of(given)), language="en")
    print(machine())
    peer = SentenceTransformer(folder, device="cpu")
    length = peer.max_seq_length
    embedder = open_embedder(folder, pooler="avg", max_length=length, precision=given.precision, device="cpu")
    wanted = [s for task in tasks for s in task.sentences()]
    unique = list(dict.fromkeys(wanted))
    print(
        f"{len(wanted)} encodings, {len(unique)} unique; precision {embedder.precision} ({embedder.precision_reason})"
    )
    peer.encode(wanted[:256], show_progress_bar=False)
    embedder.encode(wanted[:256])

    ours, theirs, once = [], [], []
    for _ in range(given.repeats):
        start = time.perf_counter()
        our_vectors = embedder.encode(wanted)
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        per_task = [peer.encode(list(task.sentences()), show_progress_bar=False) for task in tasks]
        theirs.append(time.perf_counter() - start)
        start = time.perf_counter()
        embedder.encode(unique[:8192])
        middle = time.perf_counter()
        peer.encode(unique[:8192], show_progress_bar=False)
        once.append((middle - start, time.perf_counter() - middle))
    compare("seven STS tasks", ours, theirs)
    compare("8,192 unique sentences (no repeats to save)", [a for a, _ in once], [b for _, b in once])

    their_vectors = np.concatenate(per_task)
    norms = np.linalg.norm(our_vectors, axis=1) * np.linalg.norm(their_vectors, axis=1)
    cosines = (our_vectors * their_vectors).sum(1) / norms
    print(f"cosine of our vector with the peer's: min {cosines.min():.6f}")
    mine = evaluate(embedder, tasks)
    reference = evaluate(peer, tasks)
    for task in tasks:
        a, b = mine.value(task.id), reference.value(task.id)
        assert a is not None
        assert b is not None
        print(f"{task.id}: Spearman ours {a:.2f}, peer {b:.2f}, difference {a - b:+.3f}")
