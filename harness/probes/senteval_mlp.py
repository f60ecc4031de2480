"""What does SentEval's own classifier score on frozen vectors? Its settings to the letter, many classifiers at once.

One linear layer, cross entropy, Adam (1e-3, batches of 64) on vectors as they are, weight decay from a grid. After every
four passes the accuracy on the judged rows is looked at; looks that are no improvement are counted, never forgotten, and the
sixth ends the training (also more than 200 passes do); the best weights are kept. Every classifier starts from the seed
1111, so all of one size begin with the same weights and see their rows in the same order: those are trained side by side,
each stops by itself, and the penalties of one fold share its batches. (Conneau & Kiela 2018; SimCSE's `test` mode.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from harness.errors import Skipped
from harness.probes.adam import BATCH, LEARNING_RATE, SEED, Adam, first_weights, orders, with_ones
from harness.probes.folds import Split, TooFewError

if TYPE_CHECKING:
    import torch

PASSES = 4
TENACITY = 5
LONGEST = 200
HELD_OUT = 0.05
#: folds trained side by side: few enough that their batches stay in a processor's cache, all at once on a GPU
_FOLDS = {"cpu": 10, "cuda": 512}


@dataclass(frozen=True)
class Trained:
    """Classifiers of every split and penalty.

    correct  right predictions on the rows that ended the training, shape (splits, penalties), int64
    weights  shape (splits, penalties, classes, d + 1), the bias last
    """

    correct: np.ndarray
    weights: torch.Tensor
    matrix: torch.Tensor
    notes: tuple[str, ...] = ()

    def predict(self, split: int, penalty: int, rows: np.ndarray) -> np.ndarray:
        """Return the predicted class numbers of `rows`, shape (len(rows),)."""
        import torch

        part = self.matrix[torch.as_tensor(rows, device=self.matrix.device)]
        return (part @ self.weights[split, penalty].T).argmax(1).cpu().numpy()


class SentEvalMLP:
    """SentEval's classifier with `nhid` 0 on one set of vectors."""

    name = "senteval-mlp"
    penalties: tuple[float, ...] = (1e-5, 1e-4, 1e-3, 1e-2)
    details: ClassVar[dict[str, Any]] = {
        "optimiser": "adam",
        "learning_rate": LEARNING_RATE,
        "batch": BATCH,
        "passes_per_look": PASSES,
        "tenacity": TENACITY,
        "longest": LONGEST,
        "held_out": HELD_OUT,
        "seed": SEED,
        "scaling": "none",
        "choice": "mean accuracy of the folds, rounded to two decimals, the first of the best",
    }
    #: decimals that accuracies of folds are rounded to before they are averaged
    decimals: int | None = 2

    def __init__(self, vectors: Any, labels: np.ndarray, *, device: str = "cpu") -> None:
        """`vectors` have shape (n, d); `labels` are class numbers from 0, shape (n,).

        Raises ValueError on NaN or infinity, or another number of labels than rows; Skipped if the vectors are sparse.
        """
        from scipy.sparse import issparse

        if issparse(vectors):
            raise Skipped(
                "the probe senteval-mlp needs dense vectors; sparse ones (bag of words) go with --probe logreg"
            )
        import torch

        self.labels = np.asarray(labels, dtype=np.int64)
        self.classes = int(self.labels.max()) + 1
        self.matrix = with_ones(vectors, device)
        if len(self.labels) != len(self.matrix):
            raise ValueError(f"got {len(self.labels)} labels for {len(self.matrix)} vectors")
        self.device = device
        self._labels = torch.from_numpy(self.labels).to(device)

    def fit(self, splits: Sequence[Split], penalties: np.ndarray) -> Trained:
        """Train on every split's training rows, ended by its test rows; `penalties` of shape (splits, k)."""
        return self._fit(splits, penalties, [None] * len(splits))

    def refit(self, trains: Sequence[np.ndarray], penalties: np.ndarray) -> Trained:
        """Train on each array of rows less a random 5 % that end the training; `penalties` of shape (len(trains),).

        Raises TooFewError if 5 % of an array is less than one row.
        """
        splits = []
        for rows in trains:
            held = int(HELD_OUT * len(rows))
            if not held:
                raise TooFewError(f"{len(rows)} training items are too few to hold out {HELD_OUT:.0%} of them")
            order = next(orders(0, split=len(rows)))
            splits.append(Split(rows[order[held:]], rows[order[:held]]))
        return self._fit(splits, penalties[:, None], [len(rows) for rows in trains])

    def choose(self, correct: np.ndarray, sizes: np.ndarray) -> tuple[int, float]:
        """Return the penalty's index and its accuracy × 100: mean of the folds, rounded to two decimals, first of the best.

        correct  shape (folds, k);  sizes: judged rows per fold
        """
        scores = [round(100 * float(np.mean(column / sizes)), 2) for column in correct.T]
        return int(np.argmax(scores)), max(scores)

    def _fit(self, splits: Sequence[Split], penalties: np.ndarray, drawn: Sequence[int | None]) -> Trained:
        import torch

        # equal sizes (and equally many numbers drawn before) mean equal orders: those go in step
        groups: dict[tuple[int, int | None], list[int]] = defaultdict(list)
        for number, split in enumerate(splits):
            groups[len(split.train), drawn[number]].append(number)
        correct = np.zeros(penalties.shape, dtype=np.int64)
        weights = torch.zeros(*penalties.shape, self.classes, self.matrix.shape[1], device=self.device)
        side_by_side = _FOLDS["cuda" if str(self.device).startswith("cuda") else "cpu"]
        for (rows, before), members in groups.items():
            for start in range(0, len(members), side_by_side):
                block = members[start : start + side_by_side]
                passes = islice(orders(rows, split=before), 0 if before is None else 1, None)
                decay = torch.from_numpy(penalties[block]).to(self.device, torch.float32)
                best, right = self._train([splits[b] for b in block], decay, passes)
                weights[block], correct[block] = best, right.cpu().numpy()
        return Trained(correct, weights, self.matrix)

    def _train(
        self, splits: Sequence[Split], decay: torch.Tensor, passes: Iterator[np.ndarray]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the best weights, shape (F, k, c, D), and their right predictions on the test rows, shape (F, k)."""
        import torch

        folds, k = decay.shape
        c, width = self.classes, self.matrix.shape[1]
        start = first_weights(width - 1, c, self.device)
        adam = Adam(start.repeat(folds, k, 1))
        best = adam.weights.unflatten(1, (k, c)).clone()
        most = torch.full((folds, k), -1, dtype=torch.int64, device=self.device)
        failures = torch.zeros(folds, k, dtype=torch.int64, device=self.device)
        going = torch.ones(folds, k, dtype=torch.bool, device=self.device)
        here = torch.arange(folds, device=self.device)
        train = torch.from_numpy(np.stack([split.train for split in splits])).to(self.device)
        judged = [torch.from_numpy(split.test).to(self.device) for split in splits]
        rates = decay.repeat_interleave(c, dim=1)[:, :, None]
        done = 0
        while len(here) and done <= LONGEST:
            for order in islice(passes, PASSES):
                self._pass(adam, train[:, torch.from_numpy(order).to(self.device)], rates, k)
            done += PASSES
            now = adam.weights.unflatten(1, (k, c))
            right = torch.stack([self._right(w, judged[fold]) for fold, w in zip(here.tolist(), now, strict=True)])
            better = going[here] & (right > most[here])
            most[here] = torch.where(better, right, most[here])
            best[here] = torch.where(better[:, :, None, None], now, best[here])
            failed = going[here] & ~better
            going[here] &= ~(failed & (failures[here] >= TENACITY))
            failures[here] += failed
            left = going[here].any(1)
            if not bool(left.all()):
                adam.keep(left)
                here, train, rates = here[left], train[left], rates[left]
        return best, most

    def _pass(self, adam: Adam, rows: torch.Tensor, rates: torch.Tensor, k: int) -> None:
        """One pass over the training rows, `rows` of shape (F, n), in steps of 64."""
        import torch

        n = rows.shape[1]
        goals = torch.nn.functional.one_hot(self._labels[rows], self.classes).to(torch.float32)[:, :, None]
        for start in range(0, n, BATCH):
            chosen = rows[:, start : start + BATCH]
            x = self.matrix.index_select(0, chosen.flatten()).unflatten(0, chosen.shape)
            scores = torch.bmm(x, adam.weights.mT).unflatten(2, (k, self.classes))
            residual = (torch.softmax(scores, dim=3) - goals[:, start : start + BATCH]) / chosen.shape[1]
            adam.step(torch.bmm(residual.flatten(2).mT, x).addcmul_(rates, adam.weights))

    def _right(self, weights: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Right predictions of (k, c, D) weights on `rows`, shape (k,)."""
        scores = (self.matrix[rows] @ weights.flatten(0, 1).T).unflatten(1, weights.shape[:2])
        return (scores.argmax(2) == self._labels[rows][:, None]).sum(0)
