"""Do the vectors know whether a sentence is grammatical? Logistic regression on CoLA.

CoLA (Warstadt et al., 2019) as AugCSE (Tang et al., 2022) reports it: scikit-learn's multinomial logistic regression (lbfgs, at
most 1000 iterations, C = 1) on frozen vectors, trained on the train file, accuracy on GLUE's validation rows, which are dev.tsv
and dev_ood.tsv behind each other. Beside it Matthews' correlation, the measure of CoLA itself, and the share of the larger class:
69 % of the rows are grammatical.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from harness.data.labelled import read_labelled
from harness.data.readers import hash_rows
from harness.errors import DataError
from harness.protocols import Protocol, Score, Slice, Task, TaskResult
from harness.tasks.common import check_rows, undefined, unusable

FILES = ("train", "dev", "dev_ood")
CLASSES = ("0", "1")
MAX_ITER = 1000
#: two classes under a softmax share the penalty between two weight vectors, w and -w: C = 1 there is C = 2 for one
C = 2.0
PROTOCOL = Protocol(
    "cola-logreg",
    1,
    text="original",
    similarity="logistic regression",
    note="AugCSE's CoLA",
    details={
        "probe": "scikit-learn LogisticRegression, lbfgs, L2, on raw vectors in float64",
        "C": C,
        "C_note": "equals the multinomial formulation with C = 1",
        "max_iter": MAX_ITER,
        "train": "train",
        "test": "dev + dev_ood (GLUE validation)",
    },
)


class AcceptabilityTask(Task):
    """CoLA on GLUE's validation rows. gold: 1 grammatical, 0 not, shape (items,), int64;  groups: dev, dev_ood."""

    name = "CoLA"
    split = "dev"
    main = ("accuracy", "all")
    protocol = PROTOCOL

    def __init__(self, files: Mapping[str, Path], *, language: str) -> None:
        """Raises DataError if the train file or the validation rows have one class only, or as the reader does."""
        self.language = language
        train, *validation = (read_labelled(files[stem], classes=CLASSES) for stem in FILES)
        labels = [label for part in validation for label in part.labels]
        for where, found in (
            (str(files["train"]), set(train.labels)),
            ("dev.tsv and dev_ood.tsv of CoLA", set(labels)),
        ):
            if len(found) < 2:
                raise DataError(
                    f"{where}: all sentences have the label {found.pop()}, expected both of {', '.join(CLASSES)}."
                )
        self.train_gold = np.array([int(label) for label in train.labels])
        self.gold = np.array([int(label) for label in labels])
        self.groups = {stem: len(part) for stem, part in zip(FILES[1:], validation, strict=True)}
        self.texts = [text for part in (train, *validation) for (text,) in part.texts]
        self.data_sha = hash_rows([part.sha256()] for part in (train, *validation))

    def __repr__(self) -> str:
        return f"AcceptabilityTask({self.id!r}, items={len(self.gold)}, {self.protocol.id})"

    def sentences(self) -> list[str]:
        """The sentences of train, dev and dev_ood."""
        return self.texts

    def score(self, vectors: Any) -> TaskResult:
        """Train and score on `vectors`, dense or CSR, row i for `sentences()[i]`. Raises ValueError on another number of rows.

        predictions  0 or 1 for each sentence of dev, then dev_ood;  slices: accuracy on each of the two
        facts        training accuracy and the larger class (× 100), iterations of the solver

        Undefined (None and a note) with NaN, infinity or constant vectors; Matthews' correlation also where every prediction
        is the same.
        """
        check_rows(self.id, vectors, len(self.texts))
        items = len(self.gold)
        reason = unusable(vectors)
        if reason:
            return undefined(reason, {"accuracy": items, "matthews": items}, items=items, groups=self.groups)
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        rows = vectors.astype(np.float64)
        train = len(self.train_gold)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # noted below
            model = LogisticRegression(C=C, solver="lbfgs", max_iter=MAX_ITER).fit(rows[:train], self.train_gold)
        steps = int(model.n_iter_[0])
        notes = (
            [] if steps < MAX_ITER else [f"the classifier stopped after {MAX_ITER} iterations without having converged"]
        )
        predicted = model.predict(rows[train:])
        right = predicted == self.gold
        matthews = matthews_correlation(predicted, self.gold)
        if matthews is None:
            notes.append("Matthews' correlation is undefined: every prediction is the same")
        starts = np.cumsum([0, *self.groups.values()])
        slices = tuple(
            Slice("file", stem, "accuracy", 100.0 * float(right[start : start + count].mean()), count)
            for (stem, count), start in zip(self.groups.items(), starts, strict=False)
        )
        facts: dict[str, float | None] = {
            "train_accuracy": 100.0 * float(np.mean(model.predict(rows[:train]) == self.train_gold)),
            "larger_class": 100.0 * max(float(self.gold.mean()), 1 - float(self.gold.mean())),
            "iterations": float(steps),
        }
        scores = (
            Score("accuracy", "all", 100.0 * float(right.mean()), items),
            Score("matthews", "all", matthews, items),
        )
        return TaskResult(
            scores, predicted.astype(np.float32), dict(self.groups), tuple(notes), slices=slices, facts=facts
        )


def matthews_correlation(predicted: np.ndarray, gold: np.ndarray) -> float | None:
    """Return Matthews' correlation × 100 of two 0/1 arrays (1975); None if one of them is constant."""
    both, first, second, n = (int(x.sum()) for x in (predicted & gold, predicted, gold, np.ones_like(gold)))
    spread = first * (n - first) * second * (n - second)
    return None if spread == 0 else 100.0 * (n * both - first * second) / math.sqrt(spread)
