"""Do the vectors fall into the classes of short texts by themselves? k-means with the true number of clusters.

The protocol of VaSCL (Zhang et al., 2022, Table 2), which is the one of SCCL: scikit-learn's k-means on raw vectors with as many
clusters as classes, random states 0 to 9, and for each the accuracy under the best one-to-one matching of clusters and
classes (Hungarian method) and the normalised mutual information; the mean of the ten is the score. VaSCL's script leaves
everything else at the defaults of its time, so each random state keeps the best of ten starts (`n_init=10`).

Sets: AgNews, SearchSnippets (Phan et al., 2008), StackOverflow, Biomedical (Xu et al., 2017), Tweet, GoogleNews-TS (Yin & Wang,
2014: title and snippet); any other file in `clustering/<language>/` is a task too.
"""

from __future__ import annotations

import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from harness.data import DataFolder
from harness.data.labelled import Labelled, read_labelled
from harness.errors import DataError
from harness.protocols import Protocol, Score, Task, TaskOptions, TaskResult
from harness.tasks.absent import with_absent
from harness.tasks.common import check_rows, numbered, undefined, unusable
from harness.tasks.resolve import Family, Splits

RANDOM_STATES = tuple(range(10))
N_INIT = 10
MAX_ITER = 300
TOLERANCE = 1e-4
PROTOCOL = Protocol(
    "clustering-kmeans",
    1,
    text="original",
    similarity="euclidean",
    note="VaSCL's clustering evaluation; VaSCL also cut texts at 64 word pieces, here the embedder's own limit holds",
    details={
        "algorithm": "k-means, Lloyd, k-means++ starts (scikit-learn)",
        "clusters": "as many as classes",
        "random_states": list(RANDOM_STATES),
        "n_init": N_INIT,
        "max_iter": MAX_ITER,
        "tol": TOLERANCE,
        "vectors": "raw",
        "accuracy": "best one-to-one matching of clusters and classes",
        "nmi": "normalised by the arithmetic mean of the entropies",
        "score": "mean over the random states",
    },
)
#: the sets of VaSCL's Table 2, in its order, with their official numbers of texts and classes
OFFICIAL = {
    "AgNews": (8000, 4),
    "SearchSnippets": (12340, 8),
    "StackOverflow": (20000, 20),
    "Biomedical": (20000, 20),
    "Tweet": (2472, 89),
    "GoogleNews-TS": (11109, 152),
}


class ClusteringTask(Task):
    """One set of labelled short texts.

    gold     class numbers, shape (items,), int64;  classes: their names, sorted
    texts    the texts, in the order of the predictions
    """

    split = "test"
    main = ("accuracy", "all")
    protocol = PROTOCOL

    def __init__(self, name: str, data: Labelled, *, language: str, notes: tuple[str, ...] = ()) -> None:
        self.name, self.language, self.notes = name, language, notes
        self.texts = [text for (text,) in data.texts]
        self.classes, self.gold = numbered(data.labels)
        self.data_sha = data.sha256()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r}, items={len(self.texts)}, classes={len(self.classes)}, {self.protocol.id})"

    def sentences(self) -> list[str]:
        """The texts."""
        return self.texts

    def score(self, vectors: Any) -> TaskResult:
        """Cluster `vectors`, shape (items, d), dense or CSR, ten times. Raises ValueError on another number of rows.

        predictions  the run of random state 0: for each text the class its cluster is matched with
        facts        the sample standard deviation of both metrics over the ten runs, the accuracy of each, and the share of
                     the largest class, × 100

        Undefined (None and a note) with NaN, infinity, or fewer different vectors than clusters.
        """
        check_rows(self.id, vectors, len(self.texts))
        count = len(self.classes)
        metrics = {"accuracy": len(self.texts), "nmi": len(self.texts)}
        reason = unusable(vectors)
        runs = [] if reason else kmeans(vectors, count)
        if runs and any(len(np.unique(run)) < count for run in runs):
            reason = f"fewer than {count} different vectors, so fewer clusters than classes"
        if reason:
            return undefined(reason, metrics, items=len(self.texts), groups={"all": len(self.texts)}, notes=self.notes)
        from sklearn.metrics import normalized_mutual_info_score

        matched = [match_clusters(run, self.gold, count) for run in runs]
        accuracies = [100.0 * float(np.mean(run == self.gold)) for run in matched]
        nmi = [100.0 * float(normalized_mutual_info_score(self.gold, run)) for run in runs]
        values = {"accuracy": accuracies, "nmi": nmi}
        scores = tuple(Score(name, "all", float(np.mean(values[name])), metrics[name]) for name in metrics)
        facts: dict[str, float | None] = {f"{name}_std": float(np.std(values[name], ddof=1)) for name in metrics}
        facts["largest_class"] = 100.0 * float(np.bincount(self.gold).max()) / len(self.gold)
        facts |= {f"accuracy_state_{s}": a for s, a in zip(RANDOM_STATES, accuracies, strict=True)}
        return TaskResult(scores, matched[0].astype(np.float32), {"all": len(self.texts)}, self.notes, facts=facts)


def kmeans(vectors: Any, clusters: int) -> list[np.ndarray]:
    """Return the cluster numbers of `vectors`, (n, d) dense or CSR, for each random state: ten arrays of shape (n,).

    Each fit runs in one thread, because scikit-learn adds up partial sums in the order its threads finish, which moves
    results from run to run; the ten fits run beside each other on the cores there are.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    def fit(state: int) -> np.ndarray:
        # OpenMP's limit belongs to the thread that sets it
        with threadpool_limits(1, user_api="openmp"):
            model = KMeans(
                clusters,
                init="k-means++",
                n_init=N_INIT,
                max_iter=MAX_ITER,
                tol=TOLERANCE,
                random_state=state,
                algorithm="lloyd",
            )
            labels: np.ndarray = model.fit(vectors).labels_
            return labels

    with threadpool_limits(1, user_api="blas"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # too few different vectors: the caller counts clusters
        with ThreadPoolExecutor(min(len(RANDOM_STATES), _cores())) as pool:
            return list(pool.map(fit, RANDOM_STATES))


def match_clusters(found: np.ndarray, gold: np.ndarray, classes: int) -> np.ndarray:
    """Return the class of each item's cluster, shape (n,), under the one-to-one matching that agrees with most of `gold`.

    found, gold  cluster and class numbers, both in 0 … classes - 1, shape (n,).  Kuhn (1955), by scipy.
    """
    from scipy.optimize import linear_sum_assignment

    table = np.bincount(found * classes + gold, minlength=classes * classes).reshape(classes, classes)
    clusters, of = linear_sum_assignment(table, maximize=True)
    to_class = np.empty(classes, dtype=np.int64)
    to_class[clusters] = of
    return to_class[found]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def read_set(name: str, files: dict[str, Path], language: str) -> tuple[Labelled, tuple[str, ...]]:
    """Return the texts of a clustering set and what is to be said about them.

    Raises DataError unless there is exactly one file with at least two classes.
    """
    if list(files) != ["all"]:
        found = ", ".join(f"{stem}.tsv" for stem in files)
        raise DataError(
            f"{name} is a folder with {found}; a clustering set is one file, clustering/{language}/{name}.tsv, or all.tsv in it."
        )
    data = read_labelled(files["all"])
    classes = len(set(data.labels))
    if classes < 2:
        raise DataError(f"{files['all']} has one class only, {data.labels[0]!r}; expected at least two.")
    official = OFFICIAL.get(name, (len(data), classes)) if language == "en" else (len(data), classes)
    if (len(data), classes) != official:
        note = (
            f"{len(data)} texts in {classes} classes, the official set {official[0]} in {official[1]}: not comparable"
        )
        return data, (note,)
    return data, ()


def family(data: DataFolder, language: str, options: TaskOptions) -> Family:
    """Return the clustering sets of a data folder; `clustering` stands for VaSCL's six in English, else for all."""
    present: dict[str, Splits] = {
        name: {"test": partial(_read, name, files, language)}
        for name, files in data.sets("clustering", language).items()
    }
    known = list(OFFICIAL) if language == "en" else []
    tasks = with_absent(
        present,
        known,
        expected=lambda name: f"clustering/{language}/{name}.tsv",
        protocol=lambda name: PROTOCOL,
        main=lambda name: ClusteringTask.main,
        language=language,
        data=data,
    )
    official = any(name in present for name in known)
    default = known if official else list(present)
    return Family(tasks, default, known, f"clustering/{language}")


def _read(name: str, files: dict[str, Path], language: str) -> ClusteringTask:
    labelled, notes = read_set(name, files, language)
    return ClusteringTask(name, labelled, language=language, notes=notes)
