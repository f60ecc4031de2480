"""How is a natural language inference file read? `label<TAB>premise<TAB>hypothesis`, the label a word."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from harness.data.labelled import read_labelled
from harness.data.readers import hash_rows
from harness.errors import DataError

CLASSES = ("entailment", "neutral", "contradiction")
#: SNLI and MultiNLI mark pairs whose annotators did not agree so; nobody scores them
UNDECIDED = "-"


class InferencePairs:
    """Premise and hypothesis with a class.

    gold     number of the class in CLASSES, shape (items,), int64;  premises, hypotheses: the texts
    dropped  rows without a class of their own (label `-`), left out of everything else
    """

    def __init__(self, path: Path) -> None:
        """Raises DataError naming file and line for other labels and malformed rows, and if a class has no row."""
        data = read_labelled(path, pairs=True, classes=(*CLASSES, UNDECIDED))
        kept = [row for row, label in enumerate(data.labels) if label != UNDECIDED]
        self.gold = np.array([CLASSES.index(data.labels[row]) for row in kept], dtype=np.int64)
        self.premises = [data.texts[row][0] for row in kept]
        self.hypotheses = [data.texts[row][1] for row in kept]
        self.dropped = len(data) - len(kept)
        missing = [name for number, name in enumerate(CLASSES) if number not in self.gold]
        if missing:
            raise DataError(
                f"{path} has no pair of class {' and '.join(missing)}; expected all of {', '.join(CLASSES)}."
            )
        self.sha = hash_rows(
            [CLASSES[g], p, h] for g, p, h in zip(self.gold.tolist(), self.premises, self.hypotheses, strict=True)
        )

    def __len__(self) -> int:
        return len(self.gold)

    def sentences(self) -> list[str]:
        """All premises, then all hypotheses: 2 × items."""
        return self.premises + self.hypotheses
