"""SentEval's relatedness regressor against a slow one written from its description, with autograd and torch's Adam."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.stats import pearsonr

from harness.probes import regressor
from harness.probes.regressor import regress, shares


def test_shares_put_the_weight_on_the_two_neighbours():
    np.testing.assert_allclose(
        shares(np.array([1.0, 3.6, 5.0])), [[1, 0, 0, 0, 0], [0, 0, 0.4, 0.6, 0], [0, 0, 0, 0, 1]], atol=1e-6
    )
    # below 1 a part is lost, as in the original
    np.testing.assert_allclose(shares(np.array([0.0, 0.25])), [[0] * 5, [0.25, 0, 0, 0, 0]], atol=1e-6)
    scores = np.linspace(1, 5, 41)
    np.testing.assert_allclose(shares(scores) @ np.arange(1, 6), scores, atol=1e-5)


def slow(x, y, train, dev, test, *, look, longest):
    np.random.seed(1111)
    torch.manual_seed(1111)
    model = torch.nn.Sequential(torch.nn.Linear(x.shape[1], 5), torch.nn.Softmax(dim=1))
    adam = torch.optim.Adam(model.parameters())
    targets = np.zeros((len(train), 5), dtype=np.float32)
    for row, score in enumerate(y[train]):
        low = math.floor(score)
        for number in range(1, 6):
            if number == low + 1:
                targets[row, number - 1] = score - low
            if number == low:
                targets[row, number - 1] = low - score + 1

    def predict(rows):
        with torch.no_grad():
            return model(torch.from_numpy(x[rows])).numpy().astype(np.float64) @ np.arange(1, 6)

    passes, best, failures, kept = 0, -1.0, 0, None
    while passes <= longest:
        for _ in range(look):
            order = np.random.permutation(len(train))
            for start in range(0, len(train), 64):
                batch = order[start : start + 64]
                loss = torch.nn.functional.mse_loss(
                    model(torch.from_numpy(x[train[batch]])), torch.from_numpy(targets[batch])
                )
                adam.zero_grad()
                loss.backward()
                adam.step()
        passes += look
        r = pearsonr(y[dev], predict(dev))[0]
        if r > best:
            best, kept = r, predict(test)
        else:
            if failures >= 3:
                break
            failures += 1
    return 100 * best, kept, passes


@pytest.mark.parametrize("seed", [0, 1])
def test_predictions_are_those_of_the_original_procedure(seed, monkeypatch):
    monkeypatch.setattr(regressor, "LONGEST", 60)
    monkeypatch.setattr(regressor, "PASSES", 5)
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(130, 8)).astype(np.float32)
    y = np.clip(2.5 + x @ rng.normal(size=8) / 2 + rng.normal(size=130), 0, 5)
    order = rng.permutation(130)
    train, dev, test = order[:80], order[80:100], order[100:]
    best, expected, passes = slow(x, y, train, dev, test, look=5, longest=60)
    found = regress(x, y, train, dev, test)
    np.testing.assert_allclose(found.predictions, expected, atol=1e-4)
    assert found.dev == pytest.approx(best, abs=1e-3)
    assert found.passes == passes


def test_constant_predictions_are_undefined(monkeypatch):
    monkeypatch.setattr(regressor, "LONGEST", 50)
    found = regress(np.ones((30, 2)), np.linspace(0, 5, 30), np.arange(20), np.arange(20, 25), np.arange(25, 30))
    assert found.dev is None
    assert np.isnan(found.predictions).all()


def test_nan_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        regress(np.full((5, 2), np.nan), np.zeros(5), np.arange(3), np.arange(1), np.arange(1))
