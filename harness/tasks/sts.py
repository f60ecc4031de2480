"""How is semantic textual similarity scored? Cosine of the two vectors, correlated with human scores, no regressor.

The protocol is the one of SimCSE's fork of SentEval: Spearman's ρ × 100 over all subsets of a year
concatenated (aggregation `all`); `mean` and `wmean` over the subsets are computed beside it, because older
papers report those.

Works for every set in `sts/<language>/`: a folder with train/dev/test files is one set with splits, any other
folder is a test set of several subsets. For English STS12-16 the subsets and their order are fixed here and
checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from harness.data import DataFolder, ScoredPairs, read_scored_pairs
from harness.data.readers import hash_rows
from harness.errors import DataError, UsageError
from harness.protocols import Protocol, Score, Task, TaskOptions, TaskResult
from harness.statistics import AGGREGATIONS, METRICS, Aggregation, correlation
from harness.tasks.resolve import Family, Splits

PROTOCOLS = {
    "original": Protocol("sts-original", 1, text="original", note="texts as the organisers published them"),
    "senteval": Protocol(
        "sts-senteval",
        1,
        text="senteval",
        note="texts tokenised and lower-cased as SentEval's loaders give them",
    ),
}
SPLITS = ("train", "dev", "test")

#: subsets in the order SentEval concatenates them, with their official numbers of scored pairs
OFFICIAL_SUBSETS: Mapping[str, Mapping[str, int]] = {
    "STS12": {"MSRpar": 750, "MSRvid": 750, "SMTeuroparl": 459, "OnWN": 750, "SMTnews": 399},
    "STS13": {"FNWN": 189, "headlines": 750, "OnWN": 561},
    "STS14": {
        "deft-forum": 450,
        "deft-news": 300,
        "headlines": 750,
        "images": 750,
        "OnWN": 750,
        "tweet-news": 750,
    },
    "STS15": {"answers-forums": 375, "answers-students": 750, "belief": 375, "headlines": 750, "images": 750},
    "STS16": {
        "answer-answer": 254,
        "headlines": 249,
        "plagiarism": 230,
        "postediting": 244,
        "question-question": 209,
    },
}
OFFICIAL_SPLITS: Mapping[str, Mapping[str, int]] = {
    "STS-B": {"train": 5749, "dev": 1500, "test": 1379},
    "SICK-R": {"train": 4500, "dev": 500, "test": 4927},
}
#: the seven sets of every English table since SimCSE, in the order of the columns
SEVEN = (*OFFICIAL_SUBSETS, *OFFICIAL_SPLITS)
#: SICK's relatedness starts at 1; all other graded sets lie in 0-5 (binary Chinese sets in 0-1)
_LOWEST = {"SICK-R": 1.0}
_CHUNK = 4096


class STSTask(Task):
    """One STS set on one split.

    gold   human scores, shape (items,), float64;  pairs: the sentence pairs, in the order of the predictions
    groups subset name (or split name, for a set without subsets) -> number of items
    """

    main = ("spearman", "all")

    def __init__(
        self,
        name: str,
        blocks: Mapping[str, ScoredPairs],
        *,
        language: str,
        split: str = "test",
        text: str = "original",
        notes: Sequence[str] = (),
        aggregation: str = "all",
    ) -> None:
        """`blocks` are the subsets in order (one block, named by the split, if there are none).

        aggregation  the one tables show, if there are several subsets
        """
        self.name, self.language, self.split = name, language, split
        self.protocol = PROTOCOLS[text]
        self.gold = np.concatenate([block.gold for block in blocks.values()])
        self.pairs = [pair for block in blocks.values() for pair in block.pairs]
        self.groups = {subset: len(block) for subset, block in blocks.items()}
        self.main = ("spearman", aggregation if len(self.groups) > 1 else "all")
        self.data_sha = hash_rows([len(block), block.sha256()] for block in blocks.values())
        self.notes = tuple(notes)

    def __repr__(self) -> str:
        return f"STSTask({self.id!r}, language={self.language!r}, items={len(self.pairs)}, {self.protocol.id})"

    def sentences(self) -> list[str]:
        """All first sentences, then all second ones: 2 × items."""
        return [pair[0] for pair in self.pairs] + [pair[1] for pair in self.pairs]

    def score(self, vectors: Any) -> TaskResult:
        """Score `vectors`, shape (2 × items, d), row i for `sentences()[i]`; dense float32 or SciPy CSR.

        Raises ValueError on another number of rows. A similarity that is not defined (a zero vector, NaN)
        counts as 0, as in SimCSE's evaluation, and is mentioned in the notes; a correlation that is not
        defined is None.
        """
        items = len(self.pairs)
        if vectors.shape[0] != 2 * items:
            raise ValueError(f"{self.id} has {2 * items} sentences, got {vectors.shape[0]} vectors")
        cosines, undefined = cosine(vectors[:items], vectors[items:])
        # correlations are computed from the predictions as they are stored, so that they can be recomputed
        # exactly; float32 also makes ties of similarities that differ by rounding only
        predictions = cosines.astype(np.float32)
        notes = list(self.notes)
        if undefined:
            notes.append(f"{undefined} of {items} similarities were undefined (zero or NaN vectors) and count as 0")
        aggregations: tuple[Aggregation, ...] = AGGREGATIONS if len(self.groups) > 1 else ("all",)
        scores = tuple(
            Score(metric, aggregation, self._correlation(predictions, metric, aggregation), items)
            for metric in METRICS
            for aggregation in aggregations
        )
        if any(score.value is None for score in scores):
            notes.append("a correlation is undefined because all similarities (or scores) of a set are the same")
        return TaskResult(scores, predictions, dict(self.groups), tuple(notes))

    def _correlation(self, predictions: np.ndarray, metric: Any, aggregation: Any) -> float | None:
        sizes = list(self.groups.values())
        return correlation(self.gold, predictions, metric=metric, aggregation=aggregation, groups=sizes)


def cosine(first: Any, second: Any) -> tuple[np.ndarray, int]:
    """Return the cosine of each row pair, shape (n,), float64, and how many were undefined and set to 0.

    first, second  shape (n, d), dense or SciPy CSR. Products are summed in float64: two equal vectors give exactly 1.
    """
    from scipy.sparse import issparse

    out, sparse = np.empty(first.shape[0]), bool(issparse(first))
    for start in range(0, len(out), _CHUNK):
        rows = slice(start, start + _CHUNK)
        a, b = first[rows], second[rows]
        if sparse:
            a, b = a.astype(np.float64), b.astype(np.float64)
            dot, aa, bb = (np.asarray(x.multiply(y).sum(axis=1)).ravel() for x, y in ((a, b), (a, a), (b, b)))
        else:
            a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
            dot, aa, bb = (np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (a, a), (b, b)))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # sqrt(aa * bb) of equal vectors is exactly aa; separate roots would be off by a rounding
            out[rows] = dot / np.sqrt(aa * bb)
    undefined = ~np.isfinite(out)
    out[undefined] = 0.0
    return np.clip(out, -1.0, 1.0), int(undefined.sum())


def family(data: DataFolder, language: str, options: TaskOptions) -> Family:
    """Return the STS sets of a data folder.

    `sts` stands for the seven in English, else for all with a test split. With `options.relatedness` "regressor" STS-B and
    SICK-R are upstream SentEval's, and have a test split only. Raises UsageError on an option that is none.
    """
    for what, value, there in (
        ("aggregation", options.aggregation, AGGREGATIONS),
        ("relatedness", options.relatedness, ("cosine", "regressor")),
    ):
        if value not in there:
            raise UsageError(f"unknown {what} {value!r}; expected one of {', '.join(there)}.")
    text = options.text
    folder = data.sts(language, text)
    tasks = {name: _splits(data, name, language, options) for name in data.sts_sets(language, text)}
    if options.relatedness == "regressor":
        for name in tasks.keys() & OFFICIAL_SPLITS.keys():
            tasks[name] = {"test": partial(_regressor, name, tasks[name], folder / name, language, text)}
    english = language == "en"
    default = SEVEN if english else [name for name, splits in tasks.items() if "test" in splits]
    return Family(tasks, default, SEVEN if english else (), str(folder.relative_to(data.path)))


def _regressor(name: str, splits: Splits, folder: Path, language: str, text: str) -> Task:
    """Read the three splits of a set for the regressor. Raises DataError if one is missing."""
    from harness.tasks.relatedness import PARTS, RelatednessTask

    missing = [f"{part}.tsv" for part in PARTS if part not in splits]
    if missing:
        raise DataError(f"{folder} lacks {', '.join(missing)}; the regressor learns from train and is stopped by dev.")
    read = {part: splits[part]() for part in PARTS}
    parts = {
        part: ScoredPairs(task.gold, tuple(task.pairs)) for part, task in read.items() if isinstance(task, STSTask)
    }
    notes = [note for task in read.values() if isinstance(task, STSTask) for note in task.notes]
    return RelatednessTask(name, parts, language=language, text=text, notes=notes)


def _splits(data: DataFolder, name: str, language: str, options: TaskOptions) -> Splits:
    files = data.sts_files(language, name, options.text)
    factory: Callable[..., STSTask] = partial(
        _read, name, files=files, language=language, text=options.text, aggregation=options.aggregation
    )
    present = [] if _official(name, language) else [split for split in SPLITS if split in files]
    return {split: partial(factory, split) for split in present or ["test"]}


def _official(name: str, language: str) -> Mapping[str, int]:
    """Return the fixed subsets of a set, empty if the folder decides."""
    return OFFICIAL_SUBSETS.get(name, {}) if language == "en" else {}


def _read(
    name: str, split: str, *, files: Mapping[str, Path], language: str, text: str, aggregation: str = "all"
) -> STSTask:
    """Read one split of a set, or all its subsets. Raises DataError naming what is missing or malformed."""
    folder = next(iter(files.values())).parent
    notes = []
    subsets = _official(name, language)
    if split in files and not subsets:
        extra = sorted(set(files) - set(SPLITS))
        if extra:
            raise DataError(
                f"{folder} mixes splits and subsets: expected only train.tsv, dev.tsv and test.tsv, found also "
                f"{', '.join(f'{stem}.tsv' for stem in extra)}; move them to a folder of their own."
            )
        order: Sequence[str] = [split]
        official: Mapping[str, int] = OFFICIAL_SPLITS.get(name, {}) if language == "en" else {}
    else:
        official = subsets
        order = list(subsets) or sorted(files)
        missing = [stem for stem in order if stem not in files]
        if missing:
            raise DataError(
                f"{name} is incomplete: {folder} lacks {', '.join(f'{stem}.tsv' for stem in missing)}; a score over "
                f"the rest would not be comparable."
            )
        unread = sorted(set(files) - set(order))
        if unread:
            notes.append(f"not part of the protocol and not read: {', '.join(f'{stem}.tsv' for stem in unread)}")
    blocks = {stem: read_scored_pairs(files[stem], low=_LOWEST.get(name, 0.0)) for stem in order}
    for stem, block in blocks.items():
        if official.get(stem, len(block)) != len(block):
            notes.append(f"{stem} has {len(block)} pairs, the official set {official[stem]}: not comparable")
    return STSTask(name, blocks, language=language, split=split, text=text, notes=notes, aggregation=aggregation)
