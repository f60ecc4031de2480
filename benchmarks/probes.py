"""Nested cross-validation of a logistic regression: all folds and penalties at once against scikit-learn, fit by fit.

Same vectors, folds, penalties and scaling on both sides; the peer is `LogisticRegression` (lbfgs, its default tolerance) for every
inner fold and penalty, then for every outer fold. By default CR and two of its ten outer folds (142 fits on the peer's side).
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.common import add_encoder, compare, data_of, encoder_of, machine


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this comparison."""
    add_encoder(parser)
    parser.add_argument("--task", default="CR", help="MR, CR, SUBJ or MPQA")
    parser.add_argument("--outer", type=int, default=2, help="outer folds to run, of 10")
    parser.add_argument("--vectors", default=None, help=".npy file of the task's vectors instead of an encoder")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="the peer's; ours is far below its default")
    parser.add_argument("--repeats", type=int, default=1)


def run(given: argparse.Namespace) -> None:
    """Measure in turn; print the ratio and the difference in accuracy."""
    from harness.data import DataFolder
    from harness.probes.folds import sentence_order, stratified
    from harness.probes.schemes import FOLD_SEED, K
    from harness.protocols import TaskOptions
    from harness.tasks.transfer import TransferTask, family

    task = family(DataFolder(data_of(given)), "en", TaskOptions()).tasks[given.task]["test"]()
    assert isinstance(task, TransferTask)
    print(machine())
    if given.vectors:
        vectors = np.load(given.vectors)
    else:
        from harness.encoder import open_embedder

        embedder = open_embedder(encoder_of(given), pooler="avg", precision="fp32", device="cpu")
        vectors = embedder.encode(task.sentences())
    order = sentence_order(task.texts, task.labels)
    x, y = vectors[order], task.labels[order]
    outer = stratified(y, K, seed=FOLD_SEED)[: given.outer]
    inner = [stratified(y, K, seed=FOLD_SEED, rows=split.train) for split in outer]

    ours, theirs = [], []
    for _ in range(given.repeats):
        start = time.perf_counter()
        mine, my_dev = batched(x, y, outer, inner)
        middle = time.perf_counter()
        peers, their_dev = one_by_one(x, y, outer, inner, given.tolerance)
        theirs.append(time.perf_counter() - middle)
        ours.append(middle - start)
    compare(f"{given.task}, {len(outer)} outer folds of {len(x)} items, {x.shape[1]} dimensions", ours, theirs)
    gold = y[np.concatenate([split.test for split in outer])]
    a, b = (100 * float(np.mean(found == gold)) for found in (mine, peers))
    print(
        f"accuracy ours {a:.2f}, peer {b:.2f}, difference {a - b:+.3f}; {int((mine != peers).sum())} predictions differ"
    )
    print(f"accuracy on the inner folds ours {np.mean(my_dev):.2f}, peer {np.mean(their_dev):.2f}")


def batched(x: np.ndarray, y: np.ndarray, outer: list, inner: list) -> tuple[np.ndarray, list[float]]:
    """Ours: predictions of the outer folds, and each one's best inner accuracy."""
    from harness.probes import LogisticRegression

    probe = LogisticRegression(x, y)
    every = [split for folds in inner for split in folds]
    fitted = probe.fit(every, np.tile(probe.penalties, (len(every), 1)))
    k = len(inner[0])
    chosen = [
        probe.choose(fitted.correct[i * k : (i + 1) * k], np.array([len(split.test) for split in folds]))
        for i, folds in enumerate(inner)
    ]
    final = probe.refit([split.train for split in outer], np.array([probe.penalties[index] for index, _ in chosen]))
    found = [final.predict(i, 0, split.test) for i, split in enumerate(outer)]
    return np.concatenate(found), [dev for _, dev in chosen]


def one_by_one(
    x: np.ndarray, y: np.ndarray, outer: list, inner: list, tolerance: float
) -> tuple[np.ndarray, list[float]]:
    """The peer: the same with scikit-learn."""
    from sklearn.linear_model import LogisticRegression as Peer

    from harness.probes import LogisticRegression

    x = x.astype(np.float64)

    def predicted(train: np.ndarray, test: np.ndarray, penalty: float) -> np.ndarray:
        part = x[train]
        centre, sigma = part.mean(0), np.sqrt(part.var(0).mean())
        model = Peer(C=1 / (penalty * len(train)), max_iter=1000, tol=tolerance).fit((part - centre) / sigma, y[train])
        found: np.ndarray = model.predict((x[test] - centre) / sigma)
        return found

    grid, predictions, devs = LogisticRegression.penalties, [], []
    for split, folds in zip(outer, inner, strict=True):
        right = [sum(int((predicted(f.train, f.test, penalty) == y[f.test]).sum()) for f in folds) for penalty in grid]
        best = max(range(len(grid)), key=lambda i: (right[i], i))
        devs.append(100 * right[best] / len(split.train))
        predictions.append(predicted(split.train, split.test, grid[best]))
    return np.concatenate(predictions), devs
