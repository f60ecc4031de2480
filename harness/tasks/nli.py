"""Is an entailed sentence nearer than a neutral or a contradicted one? Cosines of premise and hypothesis, class by class.

VaSCL (Zhang et al., 2022, Figure 2b) shows the distributions of the three classes. Here they are kept as predictions and summed
up by how well the cosine separates two classes: the probability that a random pair of the first class has the higher cosine
(area under the ROC curve; 50 is chance), and by mean, deviation and quartiles.

Sets: `other/<language>/SNLI` (Bowman et al., 2015), `MNLI` (Williams et al., 2018) and `ANLI` (Nie et al., 2020), with files such
as test.tsv, dev_matched.tsv or r1_dev.tsv of label<TAB>premise<TAB>hypothesis.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from harness.data import DataFolder
from harness.protocols import Protocol, Score, Task, TaskOptions, TaskResult
from harness.tasks.absent import with_absent
from harness.tasks.common import check_rows, undefined
from harness.tasks.nli_data import CLASSES, InferencePairs
from harness.tasks.resolve import Family, Splits
from harness.tasks.sts import cosine

PAIRS = (("entailment", "contradiction"), ("entailment", "neutral"), ("neutral", "contradiction"))
SUFFIX = "-distances"
SETS = ("SNLI", "MNLI", "ANLI")
#: what the group `nli` stands for: the splits that papers report on, and the ANLI rounds at hand
KNOWN = ("SNLI-distances", "MNLI-distances:dev_matched", "ANLI-distances:r1_dev", "ANLI-distances:r3_dev")
PROTOCOL = Protocol(
    "nli-distances",
    1,
    text="original",
    note="VaSCL Figure 2b as numbers: separation of the classes' cosine distributions",
    details={"auc": "probability that the first class has the higher cosine, equal ones count half"},
)


class DistancesTask(Task):
    """The cosine distributions of one inference file. gold: number of the class in `CLASSES`, shape (items,), int64."""

    main = ("auc-entailment-contradiction", "all")
    protocol = PROTOCOL

    def __init__(self, name: str, split: str, data: InferencePairs, *, language: str) -> None:
        self.name, self.language, self.split = name, language, split
        self.gold, self.data_sha = data.gold, data.sha
        self.pairs = list(zip(data.premises, data.hypotheses, strict=True))
        self._sentences = data.sentences()
        self.notes = (f"pairs without a label (`-`) are left out: {data.dropped}",) if data.dropped else ()

    def __repr__(self) -> str:
        return f"DistancesTask({self.id!r}, items={len(self.gold)}, {self.protocol.id})"

    def sentences(self) -> list[str]:
        """All premises, then all hypotheses."""
        return self._sentences

    def score(self, vectors: Any) -> TaskResult:
        """Score `vectors`, shape (2 × items, d), dense or CSR. Raises ValueError on another number of rows.

        predictions  cosines, in the order of the pairs
        facts        per class: `mean_…`, `std_…` (sample), `q25_…`, `median_…`, `q75_…` of its cosines, on their own scale

        A cosine that is not defined counts as 0 and is noted; all scores are None if all cosines are the same.
        """
        items = len(self.gold)
        check_rows(self.id, vectors, 2 * items)
        cosines, bad = cosine(vectors[:items], vectors[items:])
        notes = list(self.notes)
        if bad:
            notes.append(f"{bad} of {items} similarities were undefined (zero or NaN vectors) and count as 0")
        metrics = {
            f"auc-{a}-{b}": int(np.isin(self.gold, [CLASSES.index(a), CLASSES.index(b)]).sum()) for a, b in PAIRS
        }
        predictions = cosines.astype(np.float32)
        if np.ptp(predictions) == 0:
            return undefined(
                "all similarities are the same", metrics, items=items, groups={self.split: items}, notes=notes
            )
        of = {name: predictions[self.gold == number].astype(np.float64) for number, name in enumerate(CLASSES)}
        scores = tuple(
            Score(f"auc-{a}-{b}", "all", 100.0 * auc(of[a], of[b]), metrics[f"auc-{a}-{b}"]) for a, b in PAIRS
        )
        facts: dict[str, float | None] = {}
        for name, values in of.items():
            facts[f"mean_{name}"] = float(values.mean())
            facts[f"std_{name}"] = float(values.std(ddof=1)) if len(values) > 1 else None
            for key, quantile in (("q25", 0.25), ("median", 0.5), ("q75", 0.75)):
                facts[f"{key}_{name}"] = float(np.quantile(values, quantile))
        return TaskResult(scores, predictions, {self.split: items}, tuple(notes), facts=facts)


def auc(first: np.ndarray, second: np.ndarray) -> float:
    """Return the probability that a random value of `first` exceeds one of `second`, equal ones counting half (Mann & Whitney)."""
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([first, second]))[: len(first)]
    return float((ranks.sum() - len(first) * (len(first) + 1) / 2) / (len(first) * len(second)))


def family(data: DataFolder, language: str, options: TaskOptions) -> Family:
    """Return one task per inference set and file; `nli` stands for SNLI test, MNLI matched, ANLI rounds 1 and 3 in English."""
    sets = {name: files for name, files in data.sets("other", language).items() if name in SETS}
    present: dict[str, Splits] = {
        name + SUFFIX: {stem: partial(_read, name + SUFFIX, stem, path, language) for stem, path in files.items()}
        for name, files in sets.items()
    }
    known = KNOWN if language == "en" else ()
    tasks = with_absent(
        present,
        known,
        expected=lambda name: f"other/{language}/{name.removesuffix(SUFFIX)}/*.tsv (label<TAB>premise<TAB>hypothesis)",
        protocol=lambda name: PROTOCOL,
        main=lambda name: DistancesTask.main,
        language=language,
        data=data,
    )
    ids = [f"{name}:{split}" if split != "test" else name for name, splits in tasks.items() for split in splits]
    default = [task_id for task_id in known if task_id in ids] if known else ids
    return Family(tasks, default, list(dict.fromkeys(name.partition(":")[0] for name in known)), f"other/{language}")


def _read(name: str, split: str, path: Path, language: str) -> DistancesTask:
    return DistancesTask(name, split, InferencePairs(path), language=language)
