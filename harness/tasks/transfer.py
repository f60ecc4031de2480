"""What do frozen vectors know about sentiment, subjectivity, opinion, question types and paraphrase? SentEval's transfer tasks.

A probe (`harness.probes`) learns the classes of a task from the vectors; its accuracy × 100 on rows it has not seen is the
score. Two probes, never mixed: `logreg` (convex, the default) and `senteval-mlp` (the original's classifier to the letter).
Which rows teach, choose and judge follows from a task's files, as in SentEval: `all` is cross-validated with an inner
cross-validation, `train` and `test` are cross-validated on the training rows, `train`, `dev`, `test` are used as they are.

English, all through SentEval (Conneau & Kiela 2018): MR (Pang & Lee 2005), CR (Hu & Liu 2004), SUBJ (Pang & Lee 2004), MPQA
(Wiebe et al. 2005), SST2 (Socher et al. 2013, with phrases), TREC (Li & Roth 2002), MRPC (Dolan et al. 2004; |u - v| and u * v; F1
beside accuracy). Chinese: ChnSentiCorp (Tan 2012), TNEWS and EPRSTMT as in FewCLUE (Xu et al. 2021). Any other set in
`transfer/<language>/` is a task too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from harness.data import DataFolder
from harness.data.labelled import Labelled, read_labelled
from harness.data.readers import hash_rows
from harness.errors import DataError, UsageError
from harness.protocols import Protocol, Score, Slice, Task, TaskOptions, TaskResult
from harness.tasks.absent import with_absent
from harness.tasks.common import check_rows, numbered, undefined, unusable
from harness.tasks.presets import PROBES
from harness.tasks.resolve import Family, Splits

#: official numbers of items, by file
OFFICIAL: Mapping[str, Mapping[str, Mapping[str, int]]] = {
    "en": {
        "MR": {"all": 10662},
        "CR": {"all": 3775},
        "SUBJ": {"all": 10000},
        "MPQA": {"all": 10606},
        "SST2": {"train": 67349, "dev": 872, "test": 1821},
        "TREC": {"train": 5452, "test": 500},
        "MRPC": {"train": 4076, "test": 1725},
    },
    "zh": {
        "ChnSentiCorp": {"train": 9600, "dev": 1200, "test": 1200},
        "TNEWS-FewCLUE": {"train": 1185, "dev": 1098, "test": 2010},
        "EPRSTMT": {"train": 160, "dev": 160, "test": 610},
    },
}
#: the columns of every English table, in their order
SEVEN = tuple(OFFICIAL["en"])
PAIRS = ("MRPC",)
#: the files of a task -> how its rows are used (`harness.probes.schemes`)
SCHEMES = {("all",): "nested", ("train", "test"): "folds", ("train", "dev", "test"): "fixed"}


def protocol(probe: str, scheme: str, *, pairs: bool = False) -> Protocol:
    """Return the protocol of a probe: everything that decides a score. Raises UsageError for an unknown probe."""
    from harness.probes.schemes import FOLD_SEED, K, open_probe

    kind = open_probe(probe)
    details: dict[str, Any] = {"probe": probe, "scheme": scheme, "grid": list(kind.penalties), **kind.details}
    if scheme != "fixed":
        details |= {"folds": K, "fold_seed": FOLD_SEED, "folding": "stratified, shuffled (scikit-learn)"}
    details["order"] = "by number of words, then class"
    details["features"] = "|u - v|, u * v" if pairs else "the vector"
    note = (
        "SentEval's classifier to the letter"
        if probe == "senteval-mlp"
        else "L2 logistic regression, solved to the end"
    )
    return Protocol(f"transfer-{probe}", 1, text="original", similarity="probe", note=note, details=details)


class TransferTask(Task):
    """One labelled set.

    classes  class names, sorted; an item's class number is its place there
    gold     class numbers of the judged items (the test items, or all), shape (items,), int64
    """

    split = "test"
    main = ("accuracy", "all")

    def __init__(
        self,
        name: str,
        parts: Mapping[str, Labelled],
        *,
        language: str,
        probe: str = "logreg",
        notes: Sequence[str] = (),
    ) -> None:
        """`parts` are `all`, or `train` and `test`, or `train`, `dev` and `test`, in this order."""
        self.name, self.language, self.probe, self.notes = name, language, probe, tuple(notes)
        self.scheme = SCHEMES[tuple(parts)]
        self.texts = [item for part in parts.values() for item in part.texts]
        self.pairs_of_texts = len(self.texts[0]) == 2
        self.protocol = protocol(probe, self.scheme, pairs=self.pairs_of_texts)
        self.classes, self.labels = numbered([label for part in parts.values() for label in part.labels])
        ends = np.cumsum([len(part) for part in parts.values()])
        self.rows = {part: np.arange(end - len(parts[part]), end) for part, end in zip(parts, ends, strict=True)}
        self.judged = self.rows[list(parts)[-1]]
        self.gold = self.labels[self.judged]
        self.data_sha = hash_rows([part, len(data), data.sha256()] for part, data in parts.items())

    def __repr__(self) -> str:
        return f"TransferTask({self.id!r}, items={len(self.gold)}, classes={len(self.classes)}, {self.protocol.id})"

    def sentences(self) -> list[str]:
        """All texts, file by file; of pairs all first sentences, then all second ones."""
        return [item[side] for side in range(len(self.texts[0])) for item in self.texts]

    def score(self, vectors: Any) -> TaskResult:
        """Train and judge the probe on `vectors`, one per sentence, shape (n, d), dense or CSR.

        predictions  class numbers of the judged items, in the order of the file
        scores       accuracy (× 100) `all`; cross-validated also `folds`, the mean of the folds' accuracies, which is what
                     SentEval prints; `unseen` without test items whose text is in the training file; F1 for pairs
        facts        dev_accuracy, penalty (the median of the folds' choices), majority_accuracy, all_positive_f1 (floors)

        Undefined (None and a note) with NaN or equal vectors, one class, or fewer items of a class than folds. Raises
        ValueError on another number of rows and Skipped where the probe cannot use sparse vectors.
        """
        from harness.probes import TooFewError

        check_rows(self.id, vectors, len(self.texts) * len(self.texts[0]))
        reason = unusable(vectors)
        if reason is None:
            try:
                return self._result(self._outcome(vectors))
            except TooFewError as error:
                reason = str(error)
        metrics = dict.fromkeys(("accuracy", "f1") if self.pairs_of_texts else ("accuracy",), len(self.gold))
        return undefined(reason, metrics, items=len(self.gold), groups={self.split: len(self.gold)}, notes=self.notes)

    def _outcome(self, vectors: Any) -> Any:
        from harness.probes import open_probe, schemes
        from harness.probes.features import pair_features
        from harness.probes.folds import sentence_order

        n = len(self.texts)
        features = pair_features(vectors[:n], vectors[n:]) if self.pairs_of_texts else vectors
        probe = open_probe(self.probe)(features, self.labels, device=_device())
        ordered = {
            part: rows[sentence_order([self.texts[row] for row in rows], self.labels[rows])]
            for part, rows in self.rows.items()
        }
        outcome = getattr(schemes, self.scheme)(probe, self.labels, *ordered.values())
        # back into the order of the file
        place = np.argsort(ordered[list(ordered)[-1]])
        return outcome, outcome.predictions[place]

    def _result(self, found: Any) -> TaskResult:
        outcome, predictions = found
        items, right = len(self.gold), predictions == self.gold
        counts = np.bincount(self.gold, minlength=len(self.classes))
        scores = [Score("accuracy", "all", 100.0 * float(right.mean()), items)]
        facts: dict[str, float | None] = {
            "dev_accuracy": outcome.dev,
            "penalty": float(np.median(outcome.penalties)),
            "majority_accuracy": 100.0 * float(counts.max()) / items,
        }
        if self.scheme == "nested":
            scores.append(Score("accuracy", "folds", round(float(np.mean(outcome.folds)), 10), items))
            facts |= {f"penalty_fold_{number}": p for number, p in enumerate(outcome.penalties, start=1)}
        if self.pairs_of_texts and len(self.classes) == 2:
            scores.append(Score("f1", "all", f1(self.gold, predictions), items))
            facts["all_positive_f1"] = f1(self.gold, np.ones(items))
        notes, slices = [*self.notes, *outcome.notes], []
        if "train" in self.rows:
            known = {self.texts[row] for row in self.rows["train"]}
            unseen = np.array([self.texts[row] not in known for row in self.judged])
            if not unseen.all():
                left = int(unseen.sum())
                value = 100.0 * float(right[unseen].mean()) if left else None
                scores.append(Score("accuracy", "unseen", value, left))
                for part, mask in (("no", unseen), ("yes", ~unseen)):
                    value = 100.0 * float(right[mask].mean()) if mask.any() else None
                    slices.append(Slice("text is in train", part, "accuracy", value, int(mask.sum())))
                notes.append(f"{items - left} of {items} test texts are in the training file too")
        return TaskResult(
            tuple(scores), predictions.astype(np.float32), {self.split: items}, tuple(notes), tuple(slices), facts
        )


def f1(gold: np.ndarray, predictions: np.ndarray) -> float | None:
    """Return F1 × 100 of class 1, None if it neither occurs nor is predicted."""
    both = int(((gold == 1) & (predictions == 1)).sum())
    either = int((gold == 1).sum() + (predictions == 1).sum())
    return 200.0 * both / either if either else None


def _device() -> str:
    """The probes' device: CUDA if there is one (Apple's GPUs have no float64)."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def family(data: DataFolder, language: str, options: TaskOptions) -> Family:
    """Return the transfer tasks of a data folder; `transfer` stands for the seven in English, else for all there are.

    Raises UsageError if `options.probe` is none.
    """
    if options.probe not in PROBES:
        raise UsageError(f"unknown probe {options.probe!r}; expected one of {', '.join(PROBES)}.")
    present: dict[str, Splits] = {
        name: {"test": partial(_read, name, files, language=language, probe=options.probe)}
        for name, files in data.sets("transfer", language).items()
    }
    known = tuple(OFFICIAL.get(language, {}))
    # a folder with some of the seven is asked for all; one with a user's own sets only is not
    columns = SEVEN if language == "en" and present.keys() & set(SEVEN) else ()
    tasks = with_absent(
        present,
        columns,
        expected=lambda name: f"transfer/{language}/{name}/{{{','.join(OFFICIAL[language][name])}}}.tsv",
        protocol=lambda name: protocol(options.probe, SCHEMES[tuple(OFFICIAL[language][name])], pairs=name in PAIRS),
        main=lambda name: TransferTask.main,
        data=data,
        language=language,
    )
    return Family(tasks, columns or tuple(tasks), known, f"transfer/{language}")


def _read(name: str, files: Mapping[str, Path], *, language: str, probe: str) -> TransferTask:
    """Read a set. Raises DataError naming what is missing or malformed; a class that only occurs in dev or test is an error."""
    folder = next(iter(files.values())).parent
    wanted = OFFICIAL.get(language, {}).get(name, {})
    order = tuple(wanted) or next((scheme for scheme in SCHEMES if set(scheme) == set(files)), ())
    missing = [part for part in order if part not in files]
    if missing or not order:
        expected = (
            " and ".join(f"{part}.tsv" for part in wanted)
            if wanted
            else "all.tsv; train.tsv and test.tsv; or these and dev.tsv"
        )
        found = ", ".join(f"{part}.tsv" for part in files)
        raise DataError(f"{name} is incomplete: {folder} holds {found}, expected {expected}.")
    pairs = name in PAIRS or _has_pairs(files[order[0]])
    parts: dict[str, Labelled] = {}
    for part in order:
        classes = tuple(sorted(set(parts[order[0]].labels))) if parts else None
        parts[part] = read_labelled(files[part], pairs=pairs, classes=classes)
    notes = [
        f"{part}.tsv has {len(parts[part])} items, the official set {size}: not comparable"
        for part, size in wanted.items()
        if len(parts[part]) != size
    ]
    return TransferTask(name, parts, language=language, probe=probe, notes=notes)


def _has_pairs(path: Path) -> bool:
    """Whether the first line of a file has three columns."""
    from harness.data.readers import read_text

    return read_text(path).split("\n", 1)[0].count("\t") == 2
