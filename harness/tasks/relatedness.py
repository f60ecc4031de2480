"""How are STS-B and SICK-R scored upstream? With SentEval's regressor, trained on the training pairs: not with a cosine.

Conneau & Kiela (2018) report the Pearson correlation of its predictions with the human scores; Spearman's is beside it. No
number of this protocol may stand in a column of cosines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from harness.data import ScoredPairs
from harness.data.readers import hash_rows
from harness.errors import Skipped
from harness.protocols import Protocol, Score, Task, TaskResult
from harness.statistics import METRICS, correlation
from harness.tasks.common import check_rows, undefined, unusable

PARTS = ("train", "dev", "test")


def protocol(text: str) -> Protocol:
    """Return the protocol for a text variant, `original` or `senteval`."""
    from harness.probes.regressor import DETAILS

    note = "upstream SentEval's regressor for STS-B and SICK-R, not a cosine"
    return Protocol("senteval-regressor", 1, text=text, similarity="probe", note=note, details=DETAILS)


class RelatednessTask(Task):
    """A set with training, dev and test pairs.

    gold, pairs  human scores, shape (items,), and the sentences of the test pairs
    """

    split = "test"
    main = ("pearson", "all")

    def __init__(
        self, name: str, parts: Mapping[str, ScoredPairs], *, language: str, text: str, notes: Sequence[str] = ()
    ) -> None:
        """`parts` are `train`, `dev` and `test`."""
        self.name, self.language, self.notes = name, language, tuple(notes)
        self.protocol = protocol(text)
        self.gold, self.pairs = parts["test"].gold, list(parts["test"].pairs)
        self._pairs = [pair for part in PARTS for pair in parts[part].pairs]
        self._scores = np.concatenate([parts[part].gold for part in PARTS])
        ends = np.cumsum([len(parts[part]) for part in PARTS])
        self._rows = [np.arange(end - len(parts[part]), end) for part, end in zip(PARTS, ends, strict=True)]
        self.data_sha = hash_rows([part, len(parts[part]), parts[part].sha256()] for part in PARTS)

    def __repr__(self) -> str:
        return f"RelatednessTask({self.id!r}, language={self.language!r}, items={len(self.gold)}, {self.protocol.id})"

    def sentences(self) -> list[str]:
        """All first sentences of train, dev and test, then all second ones."""
        return [pair[0] for pair in self._pairs] + [pair[1] for pair in self._pairs]

    def score(self, vectors: Any) -> TaskResult:
        """Train the regressor on `vectors`, one per sentence, shape (n, d).

        predictions  the expected score of each test pair, 1 to 5;  facts: dev_pearson, passes

        Undefined (None and a note) with NaN or equal vectors. Raises ValueError on another number of rows and Skipped
        for sparse vectors.
        """
        from scipy.sparse import issparse

        from harness.probes.features import pair_features
        from harness.probes.regressor import regress

        n, items = len(self._pairs), len(self.gold)
        check_rows(self.id, vectors, 2 * n)
        reason = unusable(vectors)
        if reason:
            return undefined(
                reason, dict.fromkeys(METRICS, items), items=items, groups={"test": items}, notes=self.notes
            )
        if issparse(vectors):
            raise Skipped(
                "SentEval's regressor needs dense vectors; sparse ones (bag of words) go with cosine relatedness"
            )
        ordered = [self._ordered(rows) for rows in self._rows]
        device = _device()
        found = regress(pair_features(vectors[:n], vectors[n:]), self._scores, *ordered, device=device)
        predictions = found.predictions[np.argsort(ordered[2])].astype(np.float32)
        if found.dev is None:
            reason = "the regressor's predictions for the dev pairs are all the same"
            return undefined(
                reason, dict.fromkeys(METRICS, items), items=items, groups={"test": items}, notes=self.notes
            )
        scores = tuple(Score(m, "all", correlation(self.gold, predictions, metric=m), items) for m in METRICS)
        facts: dict[str, float | None] = {"dev_pearson": found.dev, "passes": float(found.passes)}
        return TaskResult(scores, predictions, {"test": items}, self.notes, facts=facts)

    def _ordered(self, rows: np.ndarray) -> np.ndarray:
        """The order of SentEval's loader: by number of words of both sentences, then score."""
        keys = {int(r): (*(len(s.split()) for s in self._pairs[r]), self._scores[r]) for r in rows}
        return np.array(sorted(keys, key=lambda row: keys[row]), dtype=np.int64)


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
