"""VaSCL's losses against loops in NumPy, and what the ascent leaves alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from baselines.vascl import VaSCLHead
from baselines.vascl_losses import adversarial_shift, nearest, neighbourhood_loss, nt_xent

N, D, K, TAU = 6, 16, 2, 0.3


def cosine(u, v):
    return float(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)))


def minus_log_share(right, wrong):
    """−log exp(right/τ) / (exp(right/τ) + Σ exp(wrong/τ))."""
    top = np.exp(right / TAU)
    return -np.log(top / (top + sum(np.exp(w / TAU) for w in wrong)))


def slow_contrast(first, second):
    total = 0.0
    for i in range(len(first)):
        others = [w[j] for j in range(len(first)) if j != i for w in (first, second)]
        for u, v in ((first[i], second[i]), (second[i], first[i])):
            total += minus_log_share(cosine(u, v), [cosine(u, w) for w in others])
    return total / (2 * len(first))


def slow_neighbours(vectors, count):
    found = []
    for i, own in enumerate(vectors):
        others = sorted((j for j in range(len(vectors)) if j != i), key=lambda j: -float(own @ vectors[j]))
        found.append(others[:count])
    return found


def slow_shift(vectors, clean, neighbours, project, start, radius):
    """One step of ascent per sentence, the gradient by central differences."""
    shifts = []
    for i in range(len(vectors)):

        def loss(delta, i=i):
            u = project(vectors[i] + delta)
            return minus_log_share(cosine(u, clean[i]), [cosine(u, clean[k]) for k in neighbours[i]])

        basis = np.eye(vectors.shape[1]) * 1e-5
        gradient = np.array([(loss(start[i] + b) - loss(start[i] - b)) / 2e-5 for b in basis])
        shifts.append(radius * gradient / np.linalg.norm(gradient))
    return np.array(shifts)


def slow_near(clean, virtual, neighbours):
    total = 0.0
    for i in range(len(clean)):
        near = [w[k] for k in neighbours[i] for w in (clean, virtual)]
        for u, v in ((clean[i], virtual[i]), (virtual[i], clean[i])):
            total += minus_log_share(cosine(u, v), [cosine(u, w) for w in near])
    return total / (2 * len(clean))


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def unit(rng, *shape):
    return F.normalize(torch.from_numpy(rng.normal(size=shape)), dim=-1)


def test_the_contrast_is_symmetric_and_has_2n_minus_2_negatives(rng):
    first, second = unit(rng, N, D), unit(rng, N, D)
    found = nt_xent(first, second, temperature=TAU)
    assert found.dtype == torch.float32
    assert float(found) == pytest.approx(slow_contrast(first.numpy(), second.numpy()), rel=1e-5)
    assert float(found) == pytest.approx(float(nt_xent(second, first, temperature=TAU)), rel=1e-6)


@pytest.mark.parametrize("count", [1, 3, N - 1])
def test_neighbours_are_by_raw_products_without_oneself(rng, count):
    # lengths differ, so that cosines would choose others
    vectors = rng.normal(size=(N, D)) * 10 ** rng.uniform(-1.5, 1.5, size=(N, 1))
    found = nearest(torch.from_numpy(vectors), count).tolist()
    assert found == slow_neighbours(vectors, count)
    if count == 1:
        directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        assert found != slow_neighbours(directions, count)


@pytest.mark.parametrize("count", [0, N])
def test_too_many_neighbours_are_refused(count):
    with pytest.raises(ValueError, match=f"{count} neighbours were asked for among 6 rows; expected 1 to 5"):
        nearest(torch.randn(N, D), count)


def test_the_neighbourhood_loss_has_2k_negatives(rng):
    clean, virtual = unit(rng, N, D), unit(rng, N, D)
    neighbours = nearest(torch.from_numpy(rng.normal(size=(N, D))), K)
    found = neighbourhood_loss(clean, virtual, neighbours, temperature=TAU)
    assert float(found) == pytest.approx(slow_near(clean.numpy(), virtual.numpy(), neighbours.tolist()), rel=1e-5)


def test_views_of_different_sizes_are_refused(rng):
    for loss in (nt_xent, lambda a, b, temperature: neighbourhood_loss(a, b, nearest(a, 1), temperature=temperature)):
        with pytest.raises(ValueError, match=r"one shape \(n, d\), got \(6, 16\) and \(4, 16\)"):
            loss(unit(rng, N, D), unit(rng, 4, D), temperature=TAU)


@pytest.fixture
def problem(rng):
    """A head and what the ascent needs, all in float32."""
    torch.manual_seed(0)
    head = VaSCLHead(D)
    vectors = torch.from_numpy(rng.normal(size=(N, D))).float()
    start = 0.7 * unit(rng, N, D).float()
    return head, vectors, nearest(vectors, K), start


@pytest.mark.parametrize("radius", [0.5, 4.0])
def test_the_shift_is_one_step_of_ascent_as_long_as_the_radius(problem, radius):
    head, vectors, neighbours, start = problem
    clean = head(vectors)
    found = adversarial_shift(
        vectors, clean, neighbours, project=head, start=start, radius=radius, temperature=TAU
    ).numpy()
    weights = [layer.weight.detach().double().numpy() for layer in head.layers if hasattr(layer, "weight")]

    def project(e):
        return weights[1] @ np.maximum(weights[0] @ e, 0)

    fixed, lists = clean.detach().double().numpy(), neighbours.tolist()
    expected = slow_shift(vectors.double().numpy(), fixed, lists, project, start.double().numpy(), radius)
    assert np.linalg.norm(found, axis=1) == pytest.approx(radius, rel=1e-5)
    assert found == pytest.approx(expected, abs=1e-3 * radius)


def test_the_ascent_makes_the_sentence_harder_to_tell(problem):
    head, vectors, neighbours, start = problem
    clean = head(vectors).detach()

    def loss(shift):
        u = head(vectors + shift)
        logits = torch.cat([(u * clean).sum(1, keepdim=True), (u @ clean.T).gather(1, neighbours)], 1) / TAU
        return F.cross_entropy(logits, torch.zeros(N, dtype=torch.long), reduction="none").detach()

    small = adversarial_shift(vectors, clean, neighbours, project=head, start=start, radius=1e-2, temperature=TAU)
    assert (loss(start + small) > loss(start)).all()
    assert (loss(start - small) < loss(start)).all()


def test_the_ascent_leaves_accumulated_gradients_alone(problem):
    head, vectors, neighbours, start = problem
    vectors.requires_grad_()
    for tensor in (*head.parameters(), vectors):
        tensor.grad = torch.randn_like(tensor)
    before = [tensor.grad.clone() for tensor in (*head.parameters(), vectors)]
    given = {"project": head, "start": start, "radius": 1.0, "temperature": TAU}
    shift = adversarial_shift(vectors, head(vectors), neighbours, **given)
    assert not shift.requires_grad
    assert not start.requires_grad
    for tensor, held in zip((*head.parameters(), vectors), before, strict=True):
        assert torch.equal(tensor.grad, held)
    with torch.no_grad():
        assert torch.equal(adversarial_shift(vectors, head(vectors), neighbours, **given), shift)


def test_no_direction_is_no_shift(problem):
    head, vectors, neighbours, start = problem
    for layer in head.parameters():
        torch.nn.init.zeros_(layer)
    shift = adversarial_shift(
        vectors, head(vectors), neighbours, project=head, start=start, radius=3.0, temperature=TAU
    )
    assert torch.equal(shift, torch.zeros_like(vectors))
