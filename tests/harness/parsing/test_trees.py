"""The best tree is the best of all trees with one root."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.parsing.trees import best_tree


def is_tree(heads):
    if sum(head < 0 for head in heads) != 1:
        return False
    for start in range(len(heads)):
        node, steps = start, 0
        while node >= 0:
            node, steps = heads[node], steps + 1
            if steps > len(heads):
                return False
    return True


def value(scores, heads):
    return sum(scores[i, head + 1] for i, head in enumerate(heads))


def all_trees(n):
    return filter(is_tree, product(range(-1, n), repeat=n))


@given(st.integers(1, 5), st.integers(0, 10**9), st.booleans())
def test_it_is_the_best_of_all_trees(n, seed, whole):
    rng = np.random.default_rng(seed)
    # whole numbers make ties
    scores = rng.integers(-3, 4, (n, n + 1)).astype(float) if whole else rng.normal(size=(n, n + 1)) * 5
    heads = best_tree(scores)
    assert is_tree(heads)
    best = max(value(scores, tree) for tree in all_trees(n))
    assert value(scores, heads) == pytest.approx(best)


@given(st.integers(1, 40), st.integers(0, 10**9))
def test_large_ones_are_trees(n, seed):
    rng = np.random.default_rng(seed)
    scores = np.log(rng.dirichlet([0.05] * (n + 1), size=n) + 1e-30)
    assert is_tree(best_tree(scores))


def test_several_words_that_want_to_be_the_root():
    scores = np.array([[9.0, 0, 1, 0], [9.0, 2, 0, 0], [10.0, 1, 0, 0]])
    heads = best_tree(scores)
    assert is_tree(heads)
    assert value(scores, heads) == max(value(scores, tree) for tree in all_trees(3)) == 12


def test_the_scores_are_left_as_they_are():
    scores = np.ones((4, 5))
    before = scores.copy()
    best_tree(scores)
    assert (scores == before).all()
