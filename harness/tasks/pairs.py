"""Do two sentences mean the same: can the cosine tell, with a threshold chosen on other pairs?

The protocol of RISE (Kim et al., 2022): the cosine of the two vectors; among the mid-points of the dev similarities one threshold
maximises accuracy and another one F1; each is applied to the test pairs. Average precision needs no threshold. Calling every
pair a paraphrase gives the F1 in `facts` (`all_positive_f1`): a score at this floor shows nothing.

    MRPC-pairs  (Dolan & Brockett, 2005) test file; dev: 408 rows drawn from the train file. GLUE's own 408 validation rows are
                named by ids that the files here lack.
    PAWS-pairs  (Zhang et al., 2019; the PAWS-QQP dev_and_test file) halved per class after a shuffle with seed 42, first half dev
    QQP-pairs   dev: the first 5 % of the train file; test: GLUE's validation file. Read where the folder holds them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from harness.data import DataFolder
from harness.data.labelled import Labelled, read_labelled
from harness.data.readers import hash_rows
from harness.errors import DataError
from harness.protocols import Protocol, Score, Task, TaskOptions, TaskResult
from harness.tasks.absent import with_absent
from harness.tasks.common import check_rows, undefined
from harness.tasks.resolve import Family, Splits
from harness.tasks.sts import cosine
from harness.tasks.thresholds import above, average_precision, best_threshold, f1_score

SEED = 42
MRPC_DEV = 408
CLASSES = ("0", "1")

Parts = tuple[Labelled, Labelled]


def _protocol(name: str, dev: str, test: str, *, text: str = "original", note: str = "") -> Protocol:
    return Protocol(
        name,
        1,
        text=text,
        note=note,
        details={
            "dev": dev,
            "test": test,
            "thresholds": "mid-points of the dev similarities, one for accuracy and one for F1, the highest of equal ones",
            "positive": "similarity above the threshold",
        },
    )


class PairsTask(Task):
    """Pairs of sentences with class 1 (same meaning) or 0.

    gold   classes of the test pairs, shape (items,), int64;  dev_gold: of the pairs the thresholds are chosen on
    pairs  the test pairs, in the order of the predictions
    """

    split = "test"

    def __init__(
        self,
        name: str,
        dev: Labelled,
        test: Labelled,
        *,
        protocol: Protocol,
        main: tuple[str, str],
        language: str,
        notes: tuple[str, ...] = (),
    ) -> None:
        """Raises DataError if one of the two parts has pairs of one class only."""
        for part, data in (("dev", dev), ("test", test)):
            if len(set(data.labels)) < 2:
                raise DataError(
                    f"{name}: the {part} part has {len(data)} pairs, all of class {data.labels[0]}; expected both."
                )
        self.name, self.language, self.protocol, self.main, self.notes = name, language, protocol, main, notes
        self.dev_gold, self.gold = (np.array([int(label) for label in data.labels]) for data in (dev, test))
        self.pairs = test.texts
        self._all = (*dev.texts, *test.texts)
        self.data_sha = hash_rows([[dev.sha256(), test.sha256()]])

    def __repr__(self) -> str:
        return f"PairsTask({self.id!r}, items={len(self.pairs)}, {self.protocol.id})"

    def sentences(self) -> list[str]:
        """All first sentences (dev, then test), then all second ones."""
        return [pair[0] for pair in self._all] + [pair[1] for pair in self._all]

    def score(self, vectors: Any) -> TaskResult:
        """Score `vectors`, row i for `sentences()[i]`, dense or CSR. Raises ValueError on another number of rows.

        predictions  cosines of the test pairs
        facts        both thresholds, what they reach on dev (× 100), and the floors on test: F1 of calling all pairs positive,
                     accuracy of the larger class

        A cosine that is not defined (zero vector, NaN) counts as 0, as for STS, and is noted. All scores are None if the dev
        similarities are all the same.
        """
        check_rows(self.id, vectors, 2 * len(self._all))
        count, items = len(self._all), len(self.gold)
        cosines, bad = cosine(vectors[:count], vectors[count:])
        similarities = cosines.astype(np.float32)  # as they are stored: a score can be recomputed exactly
        notes = list(self.notes)
        if bad:
            notes.append(f"{bad} of {count} similarities were undefined (zero or NaN vectors) and count as 0")
        dev, test = similarities[:-items], similarities[-items:]
        by_accuracy, by_f1 = (best_threshold(dev, self.dev_gold, metric) for metric in ("accuracy", "f1"))
        metrics = {"accuracy": items, "f1": items, "ap": items}
        if by_accuracy is None or by_f1 is None:
            reason = "all dev similarities are the same, so there is no threshold"
            return undefined(reason, metrics, items=items, groups={"test": items}, notes=notes)
        values = {
            "accuracy": float(np.mean(above(test, by_accuracy) == self.gold)),
            "f1": f1_score(above(test, by_f1), self.gold),
            "ap": average_precision(test, self.gold),
        }
        positive = float(self.gold.mean())
        facts: dict[str, float | None] = {
            "threshold_accuracy": by_accuracy.value,
            "threshold_f1": by_f1.value,
            "dev_accuracy": 100.0 * by_accuracy.reached,
            "dev_f1": 100.0 * by_f1.reached,
            "all_positive_f1": 100.0 * 2 * positive / (1 + positive),
            "larger_class": 100.0 * max(positive, 1 - positive),
        }
        scores = tuple(Score(metric, "all", 100.0 * values[metric], items) for metric in metrics)
        return TaskResult(scores, test, {"test": items}, tuple(notes), facts=facts)


def split_mrpc(files: Mapping[str, Path]) -> Parts:
    """Return 408 pairs of the train file, drawn with seed 42 and in the order of the file, and the test file.

    Raises DataError if the train file has no more than 408 pairs.
    """
    train, test = (read_labelled(files[stem], pairs=True, classes=CLASSES) for stem in ("train", "test"))
    if len(train) <= MRPC_DEV:
        raise DataError(
            f"{files['train']} has {len(train)} pairs, expected more than the {MRPC_DEV} that become dev pairs."
        )
    return _take(train, sorted(random.Random(SEED).sample(range(len(train)), MRPC_DEV))), test


def split_paws(files: Mapping[str, Path]) -> Parts:
    """Return the two halves of the file: shuffled with seed 42, then the first half of each class (rounded down) and the rest.

    The shuffle is the standard library's, of the rows in the order of the file, as in RISE's script. Raises DataError if a class
    has fewer than two pairs.
    """
    data = read_labelled(files["dev_and_test"], pairs=True, classes=CLASSES)
    order = list(range(len(data)))
    random.Random(SEED).shuffle(order)
    dev: list[int] = []
    test: list[int] = []
    for label in dict.fromkeys(data.labels[row] for row in order):
        rows = [row for row in order if data.labels[row] == label]
        dev += rows[: len(rows) // 2]
        test += rows[len(rows) // 2 :]
    if len({data.labels[row] for row in dev}) < 2:
        raise DataError(f"{files['dev_and_test']} needs at least two pairs of each class 0 and 1 to be halved.")
    return _take(data, sorted(dev)), _take(data, sorted(test))


def split_files(files: Mapping[str, Path]) -> Parts:
    """Return the dev and the test file as they are."""
    dev, test = (read_labelled(files[stem], pairs=True, classes=CLASSES) for stem in ("dev", "test"))
    return dev, test


def _take(data: Labelled, rows: list[int]) -> Labelled:
    return Labelled(tuple(data.labels[row] for row in rows), tuple(data.texts[row] for row in rows))


@dataclass(frozen=True)
class _Source:
    """Where a set lies (part and folder of the data folder, files in it), how it is split, and what a score of it means."""

    part: str
    folder: str
    files: tuple[str, ...]
    split: Callable[[Mapping[str, Path]], Parts]
    protocol: Protocol
    main: tuple[str, str]


_SOURCES = {
    "MRPC-pairs": _Source(
        "transfer",
        "MRPC",
        ("train", "test"),
        split_mrpc,
        _protocol(
            "pairs-mrpc-train408",
            f"{MRPC_DEV} rows of the train file, drawn with seed {SEED}",
            "test file",
            text="senteval",
            note="texts tokenised as SentEval does, case kept; RISE's dev pairs are GLUE's validation rows",
        ),
        ("accuracy", "all"),
    ),
    "PAWS-pairs": _Source(
        "other",
        "PAWS-QQP",
        ("dev_and_test",),
        split_paws,
        _protocol("pairs-paws-halves", f"first half per class, shuffled with seed {SEED}", "the other halves"),
        ("f1", "all"),
    ),
    "QQP-pairs": _Source(
        "other",
        "QQP",
        ("dev", "test"),
        split_files,
        _protocol("pairs-qqp", "dev file (first 5 % of the train file)", "test file (GLUE's validation rows)"),
        ("accuracy", "all"),
    ),
}


def family(data: DataFolder, language: str, options: TaskOptions) -> Family:
    """Return the thresholded pairs of a data folder (English only); `pairs` stands for MRPC, PAWS and QQP."""
    present: dict[str, Splits] = {}
    known = list(_SOURCES) if language == "en" else []
    for name in known:
        source = _SOURCES[name]
        files = data.sets(source.part, language).get(source.folder, {})
        if all(stem in files for stem in source.files):
            present[name] = {"test": partial(_read, name, files, language)}
    tasks = with_absent(
        present,
        known,
        expected=lambda name: _expected(_SOURCES[name], language),
        protocol=lambda name: _SOURCES[name].protocol,
        main=lambda name: _SOURCES[name].main,
        language=language,
        data=data,
    )
    return Family(tasks, known if present else [], known, f"other/{language}")


def _expected(source: _Source, language: str) -> str:
    files = " and ".join(f"{source.part}/{language}/{source.folder}/{stem}.tsv" for stem in source.files)
    return f"{files} (label<TAB>sentence1<TAB>sentence2, labels 0 and 1)"


def _read(name: str, files: Mapping[str, Path], language: str) -> PairsTask:
    source = _SOURCES[name]
    dev, test = source.split(files)
    return PairsTask(name, dev, test, protocol=source.protocol, main=source.main, language=language)
