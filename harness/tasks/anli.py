"""Is an entailed hypothesis nearer to its premise than one that is not? Pairs of hypotheses of one premise, compared.

AugCSE (Tang et al., 2022, Table 1) on ANLI (Nie et al., 2020): for each premise every pair of an entailed and a not entailed
hypothesis counts as right if the raw dot product with the premise is higher for the entailed one. Its code takes neutral and
contradicted hypotheses (`accuracy`), its text contradicted ones only (`accuracy-contradiction`): both are given. AugCSE scored
`train_r1`; each file of `other/en/ANLI` is a split of its own here (`r1_dev`, `r3_dev`, or train_r1.tsv where it is at hand).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from harness.protocols import Protocol, Score, Task, TaskResult
from harness.tasks.common import check_rows, row_products, undefined
from harness.tasks.nli_data import CLASSES, InferencePairs

ENTAILMENT, CONTRADICTION = CLASSES.index("entailment"), CLASSES.index("contradiction")
PROTOCOL = Protocol(
    "anli-ranking",
    1,
    text="original",
    similarity="dot",
    note="AugCSE Table 1; its rows are train_r1",
    details={
        "accuracy": "entailed above neutral or contradicted hypotheses of the same premise (AugCSE's code)",
        "accuracy-contradiction": "entailed above contradicted hypotheses of the same premise (AugCSE's text)",
        "equal": "wrong",
    },
)


class RankingTask(Task):
    """Comparisons of hypotheses in one file.

    gold        number of the class of each row in `CLASSES`, shape (rows,), int64
    comparisons row numbers (entailed, not entailed) of one premise, shape (comparisons, 2)
    """

    name = "ANLI"
    main = ("accuracy", "all")
    protocol = PROTOCOL

    def __init__(self, split: str, path: Path, *, language: str) -> None:
        """Raises DataError as the reader does."""
        data = InferencePairs(path)
        self.split, self.language, self.gold, self.data_sha = split, language, data.gold, data.sha
        self._sentences = data.sentences()
        rows: dict[str, list[int]] = {}
        for row, premise in enumerate(data.premises):
            rows.setdefault(premise, []).append(row)
        found = [
            (first, second)
            for same in rows.values()
            for first in same
            for second in same
            if data.gold[first] == ENTAILMENT and data.gold[second] != ENTAILMENT
        ]
        self.comparisons = np.array(found, dtype=np.int64).reshape(-1, 2)
        self.premises = len({data.premises[first] for first, _ in found})

    def __repr__(self) -> str:
        return f"RankingTask({self.id!r}, comparisons={len(self.comparisons)}, {self.protocol.id})"

    def sentences(self) -> list[str]:
        """All premises, then all hypotheses."""
        return self._sentences

    def score(self, vectors: Any) -> TaskResult:
        """Score `vectors`, shape (2 × rows, d), dense or CSR. Raises ValueError on another number of rows.

        predictions  the dot product of premise and hypothesis of each row, float32
        facts        premises with both kinds of hypotheses

        Undefined (None and a note) with NaN or infinity, where all products are the same, and without a comparison.
        """
        rows = len(self.gold)
        check_rows(self.id, vectors, 2 * rows)
        products = row_products(vectors[:rows], vectors[rows:]).astype(np.float32)
        contradicted = self.gold[self.comparisons[:, 1]] == CONTRADICTION
        metrics = {"accuracy": len(self.comparisons), "accuracy-contradiction": int(contradicted.sum())}
        groups = {self.split: rows}
        if not np.isfinite(products).all():
            bad = int((~np.isfinite(products)).sum())
            return undefined(f"{bad} of {rows} products are NaN or infinite", metrics, items=rows, groups=groups)
        if np.ptp(products) == 0:
            return undefined("all products are the same", metrics, items=rows, groups=groups)
        right = products[self.comparisons[:, 0]] > products[self.comparisons[:, 1]]
        values = {"accuracy": right, "accuracy-contradiction": right[contradicted]}
        scores = tuple(
            Score(name, "all", 100.0 * float(each.mean()) if len(each) else None, len(each))
            for name, each in values.items()
        )
        notes = tuple(
            f"{score.metric} is undefined: no premise has both an entailed and {what} hypothesis"
            for score, what in zip(scores, ("another", "a contradicted"), strict=True)
            if score.value is None
        )
        return TaskResult(scores, products, groups, notes, facts={"premises": float(self.premises)})
