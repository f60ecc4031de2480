from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from harness.tasks.few_shot import Recipe, fit_splits


def data(seed: int = 0, *, n: int = 60, d: int = 7, classes: int = 4, splits: int = 3, rows: int = 21):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, classes, n)
    v = (rng.normal(size=(classes, d))[gold] + rng.normal(size=(n, d))).astype(np.float32)
    train = np.stack([rng.choice(n, rows, replace=False) for _ in range(splits)])
    dev = np.stack([rng.choice(n, 9, replace=False) for _ in range(splits)])
    return v, gold, {"classes": classes, "train": train, "dev": dev}


def rngs(splits: int = 3):
    return [np.random.default_rng(100 + s) for s in range(splits)]


def test_every_split_is_trained_as_torch_trains_a_linear_layer():
    import torch

    v, gold, parts = data()
    recipe = Recipe(learning_rate=1e-2, batch=8, iterations=60, every=20)
    fit = fit_splits(v, gold, **parts, rngs=rngs(), recipe=recipe)
    for split, rng in enumerate(rngs()):
        layer = torch.nn.Linear(v.shape[1], 4)
        torch.nn.init.zeros_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
        optimiser = torch.optim.Adam(layer.parameters(), lr=recipe.learning_rate)
        train, dev = parts["train"][split], parts["dev"][split]
        done, best, kept, at = 0, -1.0, None, 0
        while done < recipe.iterations:
            order = train[rng.permutation(len(train))]
            for start in range(0, len(order), recipe.batch):
                if done == recipe.iterations:
                    break
                rows = order[start : start + recipe.batch]
                optimiser.zero_grad()
                torch.nn.functional.cross_entropy(
                    layer(torch.from_numpy(v[rows])), torch.from_numpy(gold[rows])
                ).backward()
                optimiser.step()
                done += 1
                if done % recipe.every == 0:
                    found = layer(torch.from_numpy(v[dev])).argmax(1).numpy()
                    if np.mean(found == gold[dev]) > best:
                        best, at = float(np.mean(found == gold[dev])), done
                        kept = layer.weight.detach().numpy().T.copy()
        np.testing.assert_allclose(fit.weights[split], kept, atol=2e-5)
        assert (fit.dev_accuracy[split], fit.iteration[split]) == (pytest.approx(best), at)


def test_splits_do_not_touch_each_other():
    v, gold, parts = data()
    recipe = Recipe(learning_rate=1e-2, iterations=40, every=10)
    together = fit_splits(v, gold, **parts, rngs=rngs(), recipe=recipe)
    for split in range(3):
        alone = fit_splits(
            v,
            gold,
            classes=4,
            train=parts["train"][split : split + 1],
            dev=parts["dev"][split : split + 1],
            rngs=rngs()[split : split + 1],
            recipe=recipe,
        )
        np.testing.assert_allclose(alone.weights[0], together.weights[split], atol=1e-6)
        np.testing.assert_array_equal(alone.predict(v)[0], together.predict(v)[split])


def test_sparse_vectors_are_trained_like_dense_ones():
    v, gold, parts = data(d=12)
    v[np.random.default_rng(1).random(v.shape) < 0.6] = 0
    v[np.unique(parts["train"]), 5] = 0  # a column no training row has
    v[~np.isin(np.arange(len(v)), parts["train"]), 5] = 1
    recipe = Recipe(learning_rate=1e-2, iterations=30, every=10)
    dense = fit_splits(v, gold, **parts, rngs=rngs(), recipe=recipe)
    csr = fit_splits(sparse.csr_matrix(v), gold, **parts, rngs=rngs(), recipe=recipe)
    np.testing.assert_allclose(csr.weights, dense.weights, atol=1e-6)
    assert (csr.weights[:, 5] == 0).all()
    np.testing.assert_array_equal(csr.predict(sparse.csr_matrix(v)), dense.predict(v))


def test_predictions_are_those_of_the_layer_and_separable_classes_are_learnt():
    gold = np.arange(40) % 4
    v = (4 * np.eye(4)[gold] + 0.01 * np.random.default_rng(0).normal(size=(40, 4))).astype(np.float32)
    rows = np.arange(40)[None]
    fit = fit_splits(v, gold, classes=4, train=rows, dev=rows, rngs=rngs(1), recipe=Recipe(learning_rate=1e-2))
    np.testing.assert_array_equal(fit.predict(v)[0], (v @ fit.weights[0] + fit.bias[0]).argmax(1))
    np.testing.assert_array_equal(fit.predict(v)[0], gold)
    assert (fit.dev_accuracy[0], fit.iteration[0]) == (1.0, 100)  # the first of equal ones is kept


def test_very_large_vectors_do_not_overflow():
    v, gold, parts = data()
    fit = fit_splits(v * 1e6, gold, **parts, rngs=rngs(), recipe=Recipe(iterations=20, every=10))
    assert np.isfinite(fit.weights).all()
