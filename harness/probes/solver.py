"""How are many L2-regularised logistic regressions on the same vectors solved at once?

All problems share the matrix X; they differ in which rows they weigh and in their penalty. One iteration of L-BFGS for
all of them is two products, X @ [directions] and X.T @ [residuals], however many problems there are; the line search
needs none, because the scores along a direction are known. Problems that have converged leave the batch.

L-BFGS starts from a model of the inverse Hessian, and the better the model, the fewer the iterations. For a few problems it is
diagonal: X comes in the axes of its own covariance, where the Hessian nearly is. Many folds share the exact inverse (class
by class) of one problem on the rows of them all, and start from its solution: `Guide`. Neither moves the minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

#: pairs of steps and gradient changes that L-BFGS remembers (Nocedal 1980)
_MEMORY = 10
_ARMIJO = 1e-4


@dataclass(frozen=True)
class Design:
    """The matrix that all problems share.

    matrix      X with a last column of ones, shape (n, D), float64, dense or CSR
    transposed  X.T, shape (D, n), of the same layout
    spread      the mean square of each column about its mean, shape (D,); 1 for the column of ones
    """

    matrix: torch.Tensor
    transposed: torch.Tensor
    spread: torch.Tensor


@dataclass(frozen=True)
class Solution:
    """Where the problems ended.

    weights     shape (D, P, m): the last row is the intercept
    iterations  shape (P,);  converged: shape (P,), bool
    """

    weights: torch.Tensor
    iterations: torch.Tensor
    converged: torch.Tensor


@dataclass(frozen=True)
class Guide:
    """Where problems start, and the metric they move in: one for each of several penalties.

    weights  shape (D, k, m);  inverses: shape (k, m, D, D), the inverse Hessian of each class's weights there
    """

    weights: torch.Tensor
    inverses: torch.Tensor


def guide(design: Design, labels: torch.Tensor, share: torch.Tensor, penalties: torch.Tensor, *, classes: int) -> Guide:
    """Return a guide for problems much like the one with the row shares `share`, shape (n,); `penalties` of shape (k,).

    The design is dense.
    """
    import torch

    k = len(penalties)
    shares = share[:, None].expand(-1, k).contiguous()
    rough = solve(design, labels, shares, penalties, classes=classes, tolerance=1e-6, max_iterations=200).weights
    z = _times(design, rough)
    p = torch.sigmoid(z) if rough.shape[2] == 1 else torch.softmax(z, dim=2)
    bend = shares[:, :, None] * p * (1 - p)
    identity = torch.eye(len(design.spread), dtype=torch.float64, device=share.device)
    identity[-1, -1] = 1e-9  # the intercept is free; where no row bends the loss its Hessian is 0
    inverses = [
        [
            torch.cholesky_inverse(
                torch.linalg.cholesky(design.transposed @ (bend[:, j, c, None] * design.matrix) + lam * identity)
            )
            for c in range(rough.shape[2])
        ]
        for j, lam in enumerate(penalties)
    ]
    return Guide(rough, torch.stack([torch.stack(row) for row in inverses]))


def solve(
    design: Design,
    labels: torch.Tensor,
    shares: torch.Tensor,
    penalties: torch.Tensor,
    *,
    classes: int,
    tolerance: float,
    max_iterations: int,
    guided: Guide | None = None,
) -> Solution:
    """Minimise sum_i share_i loss_i(w) + penalty / 2 * |w|^2 for every problem, without penalty on the intercept.

    labels     class numbers, shape (n,), 0 to classes - 1
    shares     how much each row counts in each problem, shape (n, P), columns sum to 1, 0 where it is no training row
    penalties  shape (P,), positive
    tolerance  a problem has converged when its loss is at most about this far above the minimum
    guided     for problems that come in runs, one of each of the guide's penalties

    With two classes there is one vector of weights (m = 1, loss = log(1 + exp(-z))), else one per class (m = classes,
    softmax): scikit-learn's two forms.
    """
    import torch

    n, problems = shares.shape
    m = 1 if classes == 2 else classes
    loss = _Loss(labels, m)
    device, width = shares.device, len(design.spread)
    penalised = torch.ones(width, 1, 1, dtype=torch.float64, device=device)
    penalised[-1] = 0.0

    result = torch.zeros(width, problems, m, dtype=torch.float64, device=device)
    iterations = torch.zeros(problems, dtype=torch.int64, device=device)
    converged = torch.zeros(problems, dtype=torch.bool, device=device)

    active = torch.arange(problems, device=device)
    lam = penalties.clone()
    which = torch.arange(problems, device=device)
    if guided is None:
        w, z = torch.zeros_like(result), torch.zeros(n, problems, m, dtype=torch.float64, device=device)
    else:
        which = which % guided.weights.shape[1]
        w = guided.weights[:, which]
        z = _times(design, w)
    value, residual, curvature = loss(z, shares)
    value = value + lam / 2 * _dot(w * penalised, w)
    gradient = _transposed(design, residual) + lam[:, None] * penalised * w
    steps: list[torch.Tensor] = []
    changes: list[torch.Tensor] = []

    for iteration in range(max_iterations + 1):
        if guided is None:
            # the inverse of a nearly diagonal Hessian: mean p (1 - p) times the spread, plus the penalty
            metric = _diagonal(1.0 / (curvature * design.spread[:, None, None] + lam[:, None] * penalised))
        else:
            metric = _blocks(guided.inverses, which)
        direction = -_recursion(gradient, metric, steps, changes)
        slope = _dot(gradient, direction)
        # -slope / 2 estimates how far the loss is above its minimum
        done = -slope <= 2 * tolerance
        if iteration == max_iterations or bool(done.any()):
            finished = torch.ones_like(done) if iteration == max_iterations else done
            where = active[finished]
            result[:, where], iterations[where], converged[where] = w[:, finished], iteration, done[finished]
            keep = (~finished).nonzero().squeeze(1)
            if len(keep) == 0:
                break
            active, which, lam, value, slope = active[keep], which[keep], lam[keep], value[keep], slope[keep]
            shares = shares[:, keep]
            w, z, gradient, direction = w[:, keep], z[:, keep], gradient[:, keep], direction[:, keep]
            steps, changes = [s[:, keep] for s in steps], [c[:, keep] for c in changes]

        along = _times(design, direction)
        squares = [_dot(a * penalised, b) for a, b in ((w, w), (w, direction), (direction, direction))]
        t = torch.ones_like(value)
        while True:
            trial = z + t[None, :, None] * along
            new_value, residual, curvature = loss(trial, shares)
            new_value = new_value + lam / 2 * (squares[0] + 2 * t * squares[1] + t * t * squares[2])
            # the last term: what float64 cannot resolve
            enough = new_value <= value + _ARMIJO * t * slope + 1e-13 * value.abs()
            if bool(enough.all()):
                break
            t = torch.where(enough, t, t / 2)
            t = torch.where(t < 1e-12, 0.0, t)  # nothing lowers this loss any more: stay, and end as not converged
        step = t[None, :, None] * direction
        w, z, value = w + step, trial, new_value
        new_gradient = _transposed(design, residual) + lam[:, None] * penalised * w
        steps, changes = [*steps[1 - _MEMORY :], step], [*changes[1 - _MEMORY :], new_gradient - gradient]
        gradient = new_gradient
    if m > 1:  # a number added to all classes changes no softmax
        result -= result.mean(2, keepdim=True)
    return Solution(result, iterations, converged)


class _Loss:
    """Value, residual and mean curvature of the logistic loss of all problems; scores have shape (n, P, m)."""

    def __init__(self, labels: torch.Tensor, m: int) -> None:
        import torch

        one_hot = torch.nn.functional.one_hot(labels, max(m, 2)).to(torch.float64)
        self.target = (one_hot[:, 1:] if m == 1 else one_hot)[:, None]

    def __call__(self, z: torch.Tensor, shares: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        import torch

        weight = shares[:, :, None]
        if z.shape[2] == 1:
            p = torch.sigmoid(z)
            losses = torch.nn.functional.softplus(z) - self.target * z
        else:
            highest = torch.logsumexp(z, dim=2, keepdim=True)
            p = torch.exp(z - highest)
            losses = highest - (self.target * z).sum(2, keepdim=True)
        value = (weight * losses).sum((0, 2))
        weighted = weight * p
        curvature = (weighted - weighted * p).sum(0).clamp_min(1e-12)
        return value, weighted - weight * self.target, curvature


def _recursion(
    gradient: torch.Tensor,
    metric: Callable[[torch.Tensor], torch.Tensor],
    steps: list[torch.Tensor],
    changes: list[torch.Tensor],
) -> torch.Tensor:
    """The two loops of L-BFGS (Nocedal 1980): an approximate inverse Hessian times the gradient, problem by problem."""
    import torch

    q, kept = gradient, []
    for s, y in zip(reversed(steps), reversed(changes), strict=True):
        product = _dot(s, y)
        rho = torch.where(product > 0, 1.0 / product, torch.zeros_like(product))
        alpha = rho * _dot(s, q)
        q = q - alpha[None, :, None] * y
        kept.append((s, y, rho, alpha))
    q = metric(q)
    for s, y, rho, alpha in reversed(kept):
        q = q + (alpha - rho * _dot(y, q))[None, :, None] * s
    return q


def _diagonal(scale: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda q: scale * q


def _blocks(inverses: torch.Tensor, which: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
    """Apply the guide's inverse Hessians to (D, P, m), problem p with the penalty which[p]."""
    import torch

    def apply(q: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(q)
        for j, blocks in enumerate(inverses):
            chosen = (which == j).nonzero().squeeze(1)
            if len(chosen):
                out[:, chosen] = torch.bmm(blocks, q[:, chosen].permute(2, 0, 1)).permute(1, 2, 0)
        return out

    return apply


def _dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a * b).sum((0, 2))


def _times(design: Design, v: torch.Tensor) -> torch.Tensor:
    """X @ V, shape (n, P, m)."""
    return (design.matrix @ v.flatten(1)).unflatten(1, v.shape[1:])


def _transposed(design: Design, r: torch.Tensor) -> torch.Tensor:
    """X.T @ R, shape (D, P, m)."""
    return (design.transposed @ r.flatten(1)).unflatten(1, r.shape[1:])
