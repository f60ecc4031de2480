"""Are a text's nearest neighbours of its own class? The share of them that are, for several numbers of neighbours.

VaSCL (Zhang et al., 2022, Figure 2a) argues from it that the neighbourhood of a sentence holds the hard negatives: the neighbours
are the K other texts of the highest cosine. Measured on the clustering sets; K = 16 is what VaSCL trains with.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from harness.data import DataFolder
from harness.protocols import Protocol, Score, TaskOptions, TaskResult
from harness.tasks.absent import with_absent
from harness.tasks.clustering import OFFICIAL, ClusteringTask, read_set
from harness.tasks.common import check_rows, undefined, unusable
from harness.tasks.resolve import Family, Splits

NEIGHBOURS = (1, 2, 4, 8, 16, 32, 64)
MAIN = 16
SUFFIX = "-neighbours"
PROTOCOL = Protocol(
    "neighbourhood-purity",
    1,
    text="original",
    note="share of the K nearest other texts that have the text's class, mean over the texts",
    details={"neighbours": list(NEIGHBOURS), "self": "left out", "undefined similarity": 0.0},
)
#: similarities held at once: 128 MB of float32
_BLOCK_NUMBERS = 32_000_000


class NeighbourhoodTask(ClusteringTask):
    """Neighbourhood purity on one clustering set, `NAME-neighbours`: metrics `purity@K`."""

    main = (f"purity@{MAIN}", "all")
    protocol = PROTOCOL

    def score(self, vectors: Any) -> TaskResult:
        """Score `vectors`, shape (items, d), dense or CSR. Raises ValueError on another number of rows.

        predictions  each text's own share at K = 16 (at the largest K there is, in smaller sets)
        facts        `chance`: the purity of neighbours drawn at random, × 100

        A K that is not below the number of texts is undefined (None and a note); so is everything with NaN, infinity or
        constant vectors. Zero vectors have similarity 0 with every text, which is noted.
        """
        items = len(self.texts)
        check_rows(self.id, vectors, items)
        metrics = {f"purity@{k}": items for k in NEIGHBOURS}
        reason = unusable(vectors) or ("a single text has no neighbours" if items < 2 else None)
        if reason:
            return undefined(reason, metrics, items=items, groups={"all": items}, notes=self.notes)
        counts = NEIGHBOURS if items > MAIN else tuple(k for k in NEIGHBOURS if k < items)
        shares, zeros = purity(vectors, self.gold, [k for k in counts if k < items])
        values = {k: 100.0 * float(share.mean()) for k, share in shares.items()}
        scores = tuple(Score(f"purity@{k}", "all", values.get(k), items) for k in NEIGHBOURS)
        notes = list(self.notes)
        if len(values) < len(NEIGHBOURS):
            notes.append(f"purity@K is undefined from K = {items} on: there are {items} texts")
        if zeros:
            notes.append(f"{zeros} of {items} vectors are zero; their similarities count as 0")
        sizes = np.bincount(self.gold).astype(np.float64)
        chance = 100.0 * float((sizes * (sizes - 1)).sum() / (items * (items - 1)))
        own = shares[MAIN if MAIN in shares else max(shares)]
        return TaskResult(scores, own.astype(np.float32), {"all": items}, tuple(notes), facts={"chance": chance})


def purity(vectors: Any, gold: np.ndarray, neighbours: list[int]) -> tuple[dict[int, np.ndarray], int]:
    """Return K -> share of each item's K nearest others with its class, shape (n,), and the number of zero vectors.

    vectors  shape (n, d), dense or CSR, finite;  gold: shape (n,);  neighbours: every K in 1 … n - 1

    All n² cosines are computed, a block of rows at a time; only the largest K of each row are kept and sorted.
    """
    from scipy.sparse import csr_matrix, issparse

    sparse, n = bool(issparse(vectors)), vectors.shape[0]
    if sparse:
        norms = np.sqrt(np.asarray(vectors.astype(np.float64).multiply(vectors).sum(axis=1)).ravel())
    else:
        norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    inverse = np.divide(1.0, norms, out=np.zeros(n), where=norms > 0)
    if sparse:
        unit = csr_matrix(vectors.multiply(inverse[:, None]).astype(np.float32))
    else:
        unit = (vectors * inverse[:, None]).astype(np.float32)
    largest, shares = max(neighbours), {k: np.empty(n) for k in neighbours}
    step = max(1, _BLOCK_NUMBERS // n)
    for start in range(0, n, step):
        part = unit[start : start + step] @ unit.T
        similarity = part.toarray() if sparse else part
        rows = np.arange(similarity.shape[0])
        similarity[rows, start + rows] = -np.inf
        best = np.argpartition(similarity, n - largest, axis=1)[:, n - largest :]
        order = np.argsort(-np.take_along_axis(similarity, best, axis=1), axis=1, kind="stable")
        best = np.take_along_axis(best, order, axis=1)
        same = np.cumsum(gold[best] == gold[start + rows][:, None], axis=1)
        for k, share in shares.items():
            share[start + rows] = same[:, k - 1] / k
    return shares, int((norms == 0).sum())


def family(data: DataFolder, language: str, options: TaskOptions) -> Family:
    """Return the purity tasks of the clustering sets; `neighbourhood` stands for VaSCL's six in English, else for all."""
    present: dict[str, Splits] = {
        name + SUFFIX: {"test": partial(_read, name, files, language)}
        for name, files in data.sets("clustering", language).items()
    }
    known = [name + SUFFIX for name in OFFICIAL] if language == "en" else []
    tasks = with_absent(
        present,
        known,
        expected=lambda name: f"clustering/{language}/{name.removesuffix(SUFFIX)}.tsv",
        protocol=lambda name: PROTOCOL,
        main=lambda name: NeighbourhoodTask.main,
        language=language,
        data=data,
    )
    default = known if any(name in present for name in known) else list(present)
    return Family(tasks, default, known, f"clustering/{language}")


def _read(name: str, files: dict[str, Path], language: str) -> NeighbourhoodTask:
    labelled, notes = read_set(name, files, language)
    return NeighbourhoodTask(name + SUFFIX, labelled, language=language, notes=notes)
