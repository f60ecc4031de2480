"""How well do classes follow from frozen vectors under a convex, deterministic probe? L2 logistic regression.

For one training part of n rows and one penalty λ the probe minimises

    1/n Σ_i loss_i(W, b)  +  λ/2 σ² |W|²        σ² = mean over the columns of their variance in the n rows

with the logistic loss (two classes: one vector of weights) or the softmax loss (more: one vector per class); the
intercept b is not penalised. This is scikit-learn's `LogisticRegression(C=1 / (n λ))` on vectors divided by σ: one
number, so angles and the relative spread of directions stay as the encoder made them, but a score does not change if all
vectors are moved, rotated, or multiplied by 0.01. (SentEval's classifier sees raw vectors; its few steps under-train those of
small norm.) σ is taken from training rows only.

All folds and all penalties are solved together, see `solver`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from harness.probes.folds import Split
from harness.probes.solver import Design, Guide, guide, solve

if TYPE_CHECKING:
    import torch

#: numbers (rows × problems × classes) held per array while solving
_NUMBERS = 2_000_000
#: from how many folds on a guide pays
_GUIDED = 5


@dataclass(frozen=True)
class Fitted:
    """Models of every split and penalty.

    correct  right predictions on each split's test rows, shape (splits, penalties), int64
    weights  shape (d + 1, splits, penalties, m), in the axes of `matrix`
    notes    what went wrong without making the models useless
    """

    correct: np.ndarray
    weights: Any
    matrix: Any
    notes: tuple[str, ...] = ()

    def predict(self, split: int, penalty: int, rows: np.ndarray) -> np.ndarray:
        """Return the predicted class numbers of `rows`, shape (len(rows),)."""
        return _decide(self._scores(split, penalty, rows)).cpu().numpy()

    def decision(self, split: int, penalty: int, rows: np.ndarray) -> np.ndarray:
        """Return the scores of `rows`, shape (len(rows), m): the log-odds of class 1, or one score per class."""
        return self._scores(split, penalty, rows).cpu().numpy()

    def _scores(self, split: int, penalty: int, rows: np.ndarray) -> torch.Tensor:
        import torch

        chosen, weights = torch.as_tensor(rows, device=self.weights.device), self.weights[:, split, penalty]
        if self.matrix.layout == torch.strided:
            return self.matrix[chosen] @ weights
        return (self.matrix @ weights)[chosen]  # rows of a sparse matrix cannot be taken


class LogisticRegression:
    """L2 logistic regression on one set of vectors.

    penalties  the λ that folds choose among, ascending;  tolerance: how far above its minimum a loss may end
    """

    name = "logreg"
    penalties: tuple[float, ...] = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
    tolerance = 1e-9
    max_iterations = 300
    details: ClassVar[dict[str, Any]] = {
        "objective": "mean logistic loss + penalty / 2 * |w|^2, intercept free; softmax from three classes on",
        "scaling": "vectors divided by the root of the mean variance of the training rows",
        "choice": "most right answers over the folds, then the strongest penalty",
    }
    #: decimals that accuracies of folds are rounded to before they are averaged
    decimals: int | None = None

    def __init__(self, vectors: Any, labels: np.ndarray, *, device: str = "cpu") -> None:
        """`vectors` have shape (n, d), dense or SciPy CSR; `labels` are class numbers from 0, shape (n,).

        Raises ValueError on NaN or infinity, or another number of labels than rows.
        """
        import torch

        self.labels = np.asarray(labels, dtype=np.int64)
        self.classes = int(self.labels.max()) + 1
        self.design, self.squares = _design(vectors, device)
        self._columns = np.shape(vectors)[1]
        if len(self.labels) != self.design.matrix.shape[0]:
            raise ValueError(f"got {len(self.labels)} labels for {self.design.matrix.shape[0]} vectors")
        self._labels = torch.from_numpy(self.labels).to(device)

    def fit(self, splits: Sequence[Split], penalties: np.ndarray) -> Fitted:
        """Fit every split with its penalties, `penalties` of shape (splits, k)."""
        import torch

        n, m = len(self.labels), 1 if self.classes == 2 else self.classes
        splits_n, k = penalties.shape
        width = max(1, _NUMBERS // (n * m * k))
        weights, correct, unsolved = [], [], 0
        guided = self._guide(splits, penalties)
        for start in range(0, splits_n, width):
            block = splits[start : start + width]
            lam = torch.as_tensor(penalties[start : start + width], dtype=torch.float64, device=self._labels.device)
            shares = torch.zeros(n, len(block), dtype=torch.float64, device=self._labels.device)
            judged = torch.zeros(n, len(block), dtype=torch.bool, device=self._labels.device)
            for column, split in enumerate(block):
                shares[torch.from_numpy(split.train), column] = 1.0 / len(split.train)
                judged[torch.from_numpy(split.test), column] = True
            variance = self._variance(shares)
            solution = solve(
                self.design,
                self._labels,
                shares.repeat_interleave(k, dim=1),
                (lam * variance[:, None]).flatten(),
                classes=self.classes,
                tolerance=self.tolerance,
                max_iterations=self.max_iterations,
                guided=guided,
            )
            unsolved += int((~solution.converged).sum())
            scores = (self.design.matrix @ solution.weights.flatten(1)).unflatten(1, (len(block), k, m))
            right = (_decide(scores) == self._labels[:, None, None]) & judged[:, :, None]
            correct.append(right.sum(0).cpu().numpy())
            weights.append(solution.weights.unflatten(1, (len(block), k)))
        notes = (
            (f"{unsolved} of {penalties.size} logistic regressions stopped before they converged",) if unsolved else ()
        )
        return Fitted(np.concatenate(correct), torch.cat(weights, dim=1), self.design.matrix, notes)

    def _guide(self, splits: Sequence[Split], penalties: np.ndarray) -> Guide | None:
        """A guide for many folds under the same penalties; None where it costs more than it saves."""
        import torch

        same = bool((penalties == penalties[0]).all())
        if len(splits) < _GUIDED or not same or self.design.matrix.layout != torch.strided:
            return None
        share = torch.zeros(len(self.labels), dtype=torch.float64, device=self._labels.device)
        share[torch.from_numpy(np.unique(np.concatenate([split.train for split in splits])))] = 1.0
        share /= share.sum()
        lam = torch.as_tensor(penalties[0], device=share.device) * self._variance(share[:, None])
        return guide(self.design, self._labels, share, lam, classes=self.classes)

    def refit(self, trains: Sequence[np.ndarray], penalties: np.ndarray) -> Fitted:
        """Fit on each array of rows with its penalty, `penalties` of shape (len(trains),)."""
        nothing = np.empty(0, dtype=np.int64)
        return self.fit([Split(rows, nothing) for rows in trains], penalties[:, None])

    def choose(self, correct: np.ndarray, sizes: np.ndarray) -> tuple[int, float]:
        """Return the penalty's index and its accuracy × 100 over all judged rows; of equal ones the strongest penalty.

        correct  shape (folds, k);  sizes: judged rows per fold
        """
        total = correct.sum(0)
        best = int(np.flatnonzero(total == total.max())[-1])
        return best, 100.0 * float(total[best]) / float(sizes.sum())

    def _variance(self, shares: torch.Tensor) -> torch.Tensor:
        """σ² of each column of `shares`, in the units of the design; 1 where all training rows are equal."""
        import torch

        means = (self.design.transposed @ shares)[:-1]
        total = self.squares @ shares - (means * means).sum(0)
        return torch.where(total > 1e-12, total / self._columns, torch.ones_like(total))


def _decide(scores: torch.Tensor) -> torch.Tensor:
    """Class numbers from scores whose last axis has one log-odds, or one score per class."""
    return (scores[..., 0] > 0).long() if scores.shape[-1] == 1 else scores.argmax(-1)


def _design(vectors: Any, device: str) -> tuple[Design, torch.Tensor]:
    """Return the shared matrix, in units of the vectors' spread, and the squared lengths of its rows, shape (n,).

    Dense vectors are centred and turned into the axes of their covariance, which changes no optimum and makes the
    Hessian nearly diagonal. Sparse ones stay as they are (so that they stay sparse): more iterations, same optimum. Their
    columns without a value are left out: their weights are 0, and a bag of hashed words has a million of them.
    """
    import torch
    from scipy.sparse import csr_matrix, hstack, issparse

    sparse = bool(issparse(vectors))
    values = vectors.data if sparse else np.asarray(vectors)
    if not np.isfinite(values).all():
        raise ValueError("the vectors hold NaN or infinity; a classifier cannot be fitted on them")
    if sparse:
        x = csr_matrix(vectors, dtype=np.float64)
        n = x.shape[0]
        means, mean_squares = (np.asarray(a.mean(axis=0)).ravel() for a in (x, x.multiply(x)))
        variances = np.maximum(mean_squares - means**2, 0.0)
        scale = float(np.sqrt(variances.mean())) or 1.0
        used = np.unique(x.indices)
        x = hstack([x[:, used] / scale, np.ones((n, 1))], format="csr")
        squares = torch.from_numpy(np.asarray(x.multiply(x).sum(axis=1)).ravel() - 1.0).to(device)
        spread = torch.from_numpy(np.append(variances[used] / scale**2, 1.0)).to(device)
        return Design(_csr(x, device), _csr(csr_matrix(x.T), device), spread), squares

    dense = torch.as_tensor(np.asarray(vectors, dtype=np.float64), device=device)
    dense = dense - dense.mean(0)
    n = len(dense)
    scale = float(dense.square().mean().sqrt()) or 1.0
    dense = dense / scale
    spread, axes = torch.linalg.eigh(dense.T @ dense / n)
    dense = dense @ axes
    one = torch.ones(n, 1, dtype=torch.float64, device=device)
    matrix = torch.cat([dense, one], dim=1)
    spread = torch.cat([spread.clamp_min(0.0), one[0]])
    return Design(matrix, matrix.T, spread), (matrix[:, :-1] ** 2).sum(1)


def _csr(matrix: Any, device: str) -> torch.Tensor:
    import torch

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            torch.from_numpy(matrix.indptr.astype(np.int64)),
            torch.from_numpy(matrix.indices.astype(np.int64)),
            torch.from_numpy(matrix.data),
            size=matrix.shape,
            device=device,
            check_invariants=True,
        )
