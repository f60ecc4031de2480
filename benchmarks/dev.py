"""One look at the dev split during training: AugBench against encoding every split of STS-B and SICK-R each time.

The reference script of SimCSE hands STS-B and SICK-R objects whose data are train + dev + test to every evaluation,
although only dev is read (37,000 sentences a look). AugBench encodes each unique dev sentence once. Both sides use the
same encoder and the same forward, so the ratio is of work, not of kernels.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.common import add_encoder, compare, data_of, encoder_of, machine


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this comparison."""
    add_encoder(parser)
    parser.add_argument("--repeats", type=int, default=2)


def run(given: argparse.Namespace) -> None:
    """Time both ways of looking and check that they see the same score."""
    from harness.data import open_data
    from harness.encoder import load_text_encoder
    from harness.encoder.encode import encode_rows
    from harness.stages import dev_look
    from harness.tasks import resolve_tasks

    print(machine())
    data = open_data(data_of(given))
    splits = [f"{name}:{split}" for name in ("STS-B", "SICK-R") for split in ("train", "dev", "test")]
    tasks = resolve_tasks(splits, data=data, language="en")
    dev = next(task for task in tasks if task.id == "STS-B:dev")
    encoder = load_text_encoder(encoder_of(given), pooler="avg")
    look = dev_look(dev, encoder.vocabulary, "avg", "fp32")
    every = [encoder.vocabulary.rows(task.sentences()) for task in tasks]
    ours, theirs = [], []
    for _ in range(given.repeats):
        start = time.perf_counter()
        score = look(encoder)
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        vectors = [encode_rows(encoder, rows) for rows in every]
        reference = dev.score(vectors[1]).scores
        theirs.append(time.perf_counter() - start)
    value = next(s.value for s in reference if (s.metric, s.aggregation) == dev.main)
    assert score is not None
    assert value is not None
    assert np.isclose(score, value, atol=1e-2), (score, value)
    compare(f"one look (dev {score:.2f})", ours, theirs)
