"""Can an intent be told from a handful of examples? A linear layer on frozen vectors, 5, 10 or 20 rows per class.

The protocol of VaSCL (Zhang et al., 2022, Table 3): the training and validation rows of a set are merged; K rows per class are
drawn for training and K others for validation, in five fixed splits that all models share; one linear softmax layer is trained
with learning rate 1e-4, batch 32, 1000 iterations, validated every 100, and tested where it validated best. The score is the
mean test accuracy of the five. Not said in the paper, and chosen here: Adam, zero starting weights (the problem is convex, but
1000 steps stop before the minimum: starting as torch's layers do cost a point in a trial), and which rows the splits hold (drawn
from seed 42; the 5 of a class are among its 10 and 20).

Sets: SNIPS (Coucke et al., 2018), BANKING77 (Casanueva et al., 2020), CLINC150 (Larson et al., 2019) and HWU64 (Liu et al., 2019);
CLINC150's out-of-scope rows are not used. Any other set of `intent/<language>/` with train.tsv and test.tsv is a task too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from harness.data import DataFolder
from harness.data.labelled import Labelled, read_labelled
from harness.data.readers import hash_rows
from harness.errors import DataError
from harness.protocols import Protocol, Score, Task, TaskOptions, TaskResult
from harness.seeds import numpy_rng
from harness.tasks.absent import with_absent
from harness.tasks.common import check_rows, numbered, undefined, unusable
from harness.tasks.few_shot import Recipe, fit_splits
from harness.tasks.resolve import Family, Splits

SHOTS = (5, 10, 20)
SPLITS = 5
SEED = 42
RECIPE = Recipe()
#: VaSCL's sets and their numbers of intents
OFFICIAL = {"SNIPS": 7, "BANKING77": 77, "CLINC150": 150, "HWU64": 64}
PROTOCOLS = {
    shots: Protocol(
        f"intent-{shots}shot",
        1,
        text="original",
        similarity="linear softmax layer",
        note="VaSCL's few-shot intents; optimiser, starting weights and the rows of the splits are ours",
        details={
            "probe": "linear softmax layer on raw vectors",
            "optimiser": "adam",
            **asdict(RECIPE),
            "start": "zeros",
            "selection": "best validation accuracy, the first of equal ones",
            "shots": shots,
            "validation_shots": shots,
            "splits": SPLITS,
            "split_seed": SEED,
            "pool": "train + dev",
            "out_of_scope": "not used",
            "score": "mean test accuracy over the splits",
        },
    )
    for shots in SHOTS
}


class IntentTask(Task):
    """One set at one number of shots, `NAME-Kshot`.

    gold     class numbers of the test rows, once per split: shape (splits × test rows,), as the predictions lie
    classes  names of the intents, sorted;  groups: split -> test rows
    """

    split = "test"
    main = ("accuracy", "all")

    def __init__(
        self, name: str, pool: Labelled, test: Labelled, *, shots: int, language: str, notes: tuple[str, ...] = ()
    ) -> None:
        """`pool` are the rows to draw from. Raises DataError if a class has fewer than shots + 1 of them."""
        self.name, self.language = f"{name}-{shots}shot", language
        self.protocol = PROTOCOLS[shots]
        self.classes, numbers = numbered(pool.labels)
        number = {label: index for index, label in enumerate(self.classes)}
        self.test_gold = np.array([number[label] for label in test.labels], dtype=np.int64)
        self.gold = np.tile(self.test_gold, SPLITS)
        self.groups = {f"split {split + 1}": len(test) for split in range(SPLITS)}
        drawn = [draw(numbers, name, split, shots=shots, classes=self.classes) for split in range(SPLITS)]
        train, dev = np.stack([d[0] for d in drawn]), np.stack([d[1] for d in drawn])
        used, places = np.unique(np.concatenate([train, dev], axis=1), return_inverse=True)
        places = places.reshape(SPLITS, -1)
        self.train, self.dev = places[:, : train.shape[1]], places[:, train.shape[1] :]
        self.pool_gold = numbers[used]
        self.texts = [pool.texts[row][0] for row in used] + [text for (text,) in test.texts]
        self.data_sha = hash_rows([part.sha256()] for part in (pool, test))
        self.set_name = name
        short = [f"{c} ({n} rows)" for c, n in zip(self.classes, np.bincount(numbers), strict=True) if n < 2 * shots]
        if short:
            notes = (*notes, f"fewer than {2 * shots} rows, so fewer than {shots} for validation: {', '.join(short)}")
        self.notes = notes

    def __repr__(self) -> str:
        return f"IntentTask({self.id!r}, items={len(self.test_gold)}, classes={len(self.classes)}, {self.protocol.id})"

    def sentences(self) -> list[str]:
        """The rows that any split trains or validates on, then the test rows."""
        return self.texts

    def score(self, vectors: Any) -> TaskResult:
        """Train and test on `vectors`, dense or CSR, row i for `sentences()[i]`. Raises ValueError on another number of rows.

        predictions  the classes of the test rows by each split's layer, one split behind the other
        facts        the sample standard deviation over the splits, each split's accuracy, validation accuracy (× 100) and the
                     iteration it was reached at

        Undefined (None and a note) with NaN, infinity or constant vectors.
        """
        check_rows(self.id, vectors, len(self.texts))
        items = len(self.test_gold)
        reason = unusable(vectors)
        if reason:
            return undefined(reason, {"accuracy": items}, items=len(self.gold), groups=self.groups, notes=self.notes)
        pool = len(self.pool_gold)
        found = fit_splits(
            vectors[:pool],
            self.pool_gold,
            classes=len(self.classes),
            train=self.train,
            dev=self.dev,
            rngs=[numpy_rng(SEED, "intent", self.set_name, split, "batches") for split in range(SPLITS)],
            recipe=RECIPE,
        )
        predicted = found.predict(vectors[pool:])
        accuracies = 100.0 * (predicted == self.test_gold).mean(axis=1)
        facts: dict[str, float | None] = {
            "accuracy_std": float(accuracies.std(ddof=1)),
            "dev_accuracy": 100.0 * float(found.dev_accuracy.mean()),
        }
        for split in range(SPLITS):
            facts[f"accuracy_split_{split + 1}"] = float(accuracies[split])
            facts[f"dev_accuracy_split_{split + 1}"] = 100.0 * float(found.dev_accuracy[split])
            facts[f"iteration_split_{split + 1}"] = float(found.iteration[split])
        return TaskResult(
            (Score("accuracy", "all", float(accuracies.mean()), items),),
            predicted.ravel().astype(np.float32),
            dict(self.groups),
            self.notes,
            facts=facts,
        )


def draw(
    numbers: np.ndarray, name: str, split: int, *, shots: int, classes: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the row numbers a split trains on and those it validates on, class by class.

    numbers  class number of each row of the pool, in 0 … len(classes) - 1

    The same rows for any encoder: the order of a class's rows depends on the seed, the set, the split and the class only. A class
    with fewer than 2 × shots rows trains on `shots` and validates on the rest; DataError if no row is left for that.
    """
    train, dev = [], []
    for number, label in enumerate(classes):
        rows = np.flatnonzero(numbers == number)
        if len(rows) <= shots:
            raise DataError(
                f"{name}: the class {label!r} has {len(rows)} training and validation rows, expected more than {shots}; "
                f"take fewer shots."
            )
        order = numpy_rng(SEED, "intent", name, split, label).permutation(rows)
        train.append(order[:shots])
        dev.append(order[shots : 2 * shots])
    return np.concatenate(train), np.concatenate(dev)


def family(data: DataFolder, language: str, options: TaskOptions) -> Family:
    """Return the few-shot tasks; `intent` stands for VaSCL's four sets at 5, 10 and 20 shots in English, else for all."""
    present: dict[str, Splits] = {}
    for name, files in data.sets("intent", language).items():
        for shots in SHOTS:
            present[f"{name}-{shots}shot"] = {"test": partial(_read, name, files, shots, language)}
    known = [f"{name}-{shots}shot" for name in OFFICIAL for shots in SHOTS] if language == "en" else []
    tasks = with_absent(
        present,
        known,
        expected=lambda name: (
            f"intent/{language}/{name.rpartition('-')[0]}/train.tsv and test.tsv (dev.tsv where there is one)"
        ),
        protocol=lambda name: PROTOCOLS[int(name.rpartition("-")[2].removesuffix("shot"))],
        main=lambda name: IntentTask.main,
        language=language,
        data=data,
    )
    default = known if any(name in present for name in known) else list(present)
    return Family(tasks, default, known, f"intent/{language}")


def _read(name: str, files: Mapping[str, Path], shots: int, language: str) -> IntentTask:
    missing = [stem for stem in ("train", "test") if stem not in files]
    if missing:
        folder = next(iter(files.values())).parent
        raise DataError(f"{name}: {folder} lacks {' and '.join(f'{stem}.tsv' for stem in missing)}.")
    parts = [read_labelled(files[stem]) for stem in ("train", "dev") if stem in files]
    pool = Labelled(
        tuple(label for part in parts for label in part.labels), tuple(text for part in parts for text in part.texts)
    )
    classes = set(pool.labels)
    if len(classes) < 2:
        raise DataError(f"{files['train']} has one class only, {pool.labels[0]!r}; expected at least two.")
    test = read_labelled(files["test"], classes=tuple(sorted(classes)))
    notes = []
    if language == "en" and OFFICIAL.get(name, len(classes)) != len(classes):
        notes.append(f"{len(classes)} intents, the official set {OFFICIAL[name]}: not comparable")
    unread = sorted(set(files) - {"train", "dev", "test"})
    if unread:
        notes.append(f"not part of the protocol and not read: {', '.join(f'{stem}.tsv' for stem in unread)}")
    return IntentTask(name, pool, test, shots=shots, language=language, notes=tuple(notes))
