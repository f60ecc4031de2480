"""Self-debiasing, top-k and top-p against slow implementations of their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.synthetic.debiasing import debiased, drawn, likely


def softmax(scores):
    top = max(scores)
    parts = [math.exp(s - top) for s in scores]
    return [p / sum(parts) for p in parts]


def slow_debiased(own, counter, decay, floor):
    p = softmax(own)
    others = [softmax(scores) for scores in counter]
    out = []
    for word, mine in enumerate(p):
        gap = mine - max(other[word] for other in others)
        out.append(mine * (1.0 if gap >= 0 else max(floor, math.exp(decay * gap))))
    return [value / sum(out) for value in out]


def slow_likely(p, top_k, top_p):
    order = sorted(range(len(p)), key=lambda w: (-p[w], w))
    stays = order[:top_k] if top_k else order
    total = sum(p[w] for w in stays)
    chosen, reached = [], 0.0
    for word in stays:
        if chosen and reached >= top_p:
            break
        chosen.append(word)
        reached += p[word] / total
    return [p[w] / sum(p[c] for c in chosen) if w in chosen else 0.0 for w in range(len(p))]


@settings(max_examples=40)
@given(
    st.integers(0, 10_000),
    st.integers(1, 4),
    st.integers(0, 3),
    st.sampled_from([(100.0, 0.01), (5.0, 0.2), (0.0, 1.0)]),
)
def test_debiasing_is_the_formula(seed, rows, levels, strength):
    decay, floor = strength
    rng = np.random.default_rng(seed)
    own, counter = rng.normal(size=(rows, 7)) * 3, rng.normal(size=(levels, rows, 7)) * 3
    found = debiased(torch.tensor(own), torch.tensor(counter), decay=decay, floor=floor).numpy()
    for row in range(rows):
        plain = softmax(own[row])
        wanted = slow_debiased(own[row], counter[:, row], decay, floor) if levels else plain
        # exp(decay · Δp) makes the single-precision error of Δp (some 1e-7) `decay` times as large
        np.testing.assert_allclose(found[row], wanted, atol=2e-6, rtol=1e-6 + decay * 5e-7)


def test_words_of_a_higher_level_become_rare():
    own = torch.log(torch.tensor([[0.5, 0.3, 0.2]]))
    counter = torch.log(torch.tensor([[[0.8, 0.1, 0.1]]]))
    found = debiased(own, counter)[0]
    assert float(found[0]) == pytest.approx(0.005 / 0.505, rel=1e-3)  # ε = 0.01 of what it was
    assert float(found[1] / found[2]) == pytest.approx(1.5, rel=1e-5)
    assert torch.equal(debiased(own, None), own.softmax(-1))


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(0, 9), st.floats(0.05, 1.0))
def test_likely_words_are_those_of_the_definition(seed, top_k, top_p):
    p = np.random.default_rng(seed).dirichlet(np.ones(8))
    found = likely(torch.tensor(p)[None], top_k=top_k, top_p=top_p)[0].numpy()
    np.testing.assert_allclose(found, slow_likely(list(p), top_k, top_p), atol=1e-9)


def test_draws_follow_the_distribution_and_never_take_what_is_out():
    p = torch.tensor([[0.0, 0.25, 0.0, 0.75, 0.0]])
    numbers = torch.linspace(0, 0.999999, 1000)
    words = drawn(p.expand(1000, 5), numbers)
    assert torch.bincount(words, minlength=5).tolist() == [0, 250, 0, 750, 0]
    assert drawn(p, torch.tensor([1.0 - 1e-17])).tolist() == [3]
