"""SentEval's classifier against a slow one written from its description: one problem at a time, autograd, torch's Adam."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from harness.errors import Skipped
from harness.probes import SentEvalMLP, TooFewError, senteval_mlp
from harness.probes.folds import Split, stratified
from harness.probes.schemes import fixed, folds, nested

GRID = [1e-4, 1e-2]


@pytest.fixture(autouse=True)
def two_penalties(monkeypatch):
    assert SentEvalMLP.penalties == (1e-5, 1e-4, 1e-3, 1e-2)
    monkeypatch.setattr(SentEvalMLP, "penalties", tuple(GRID))


class Slow:
    """The classifier, one at a time."""

    def __init__(self, d: int, classes: int, decay: float) -> None:
        np.random.seed(1111)
        torch.manual_seed(1111)
        self.model = torch.nn.Linear(d, classes)
        self.adam = torch.optim.Adam(self.model.parameters(), lr=1e-3, weight_decay=decay)

    def fit(self, x, y, dev=None) -> float:
        if dev is None:
            order = np.random.permutation(len(x))
            held = int(0.05 * len(x))
            dev = x[order[:held]], y[order[:held]]
            x, y = x[order[held:]], y[order[held:]]
        x, y = torch.FloatTensor(x), torch.LongTensor(y)
        passes, best, failures, going = 0, -1.0, 0, True
        while going and passes <= 200:
            for _ in range(4):
                order = np.random.permutation(len(x))
                for start in range(0, len(x), 64):
                    batch = torch.from_numpy(order[start : start + 64])
                    loss = torch.nn.functional.cross_entropy(self.model(x[batch]), y[batch])
                    self.adam.zero_grad()
                    loss.backward()
                    self.adam.step()
            passes += 4
            score = self.score(*dev)
            if score > best:
                best, kept = score, copy.deepcopy(self.model)
            else:
                going = failures < 5
                failures += 1
        self.model, self.passes = kept, passes
        return best

    def predict(self, x) -> np.ndarray:
        with torch.no_grad():
            return self.model(torch.FloatTensor(x)).argmax(1).numpy()

    def score(self, x, y) -> float:
        return float((self.predict(x) == y).mean())


def made(classes: int = 2, n: int = 180, d: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)).astype(np.float32)
    y = (2 * x @ rng.normal(size=(d, classes)) + rng.gumbel(size=(n, classes))).argmax(1)
    return x, y


def slow_splits(x, y, k: int):
    return list(StratifiedKFold(k, shuffle=True, random_state=1111).split(x, y))


@pytest.mark.parametrize("classes", [2, 4])
def test_all_folds_and_penalties_at_once_are_those_one_at_a_time(classes):
    x, y = made(classes, n=150)
    splits = stratified(y, 2, seed=1111)
    # one fold more, of another size
    splits.append(Split(np.arange(70), np.arange(70, 150)))
    grid = np.tile(GRID, (3, 1))
    trained = SentEvalMLP(x, y).fit(splits, grid)
    for f, split in enumerate(splits):
        for k, decay in enumerate(GRID):
            slow = Slow(6, classes, decay)
            best = slow.fit(x[split.train], y[split.train], (x[split.test], y[split.test]))
            assert trained.correct[f, k] == round(best * len(split.test))
            weights = torch.cat([slow.model.weight.detach(), slow.model.bias.detach()[:, None]], 1)
            np.testing.assert_allclose(trained.weights[f, k], weights, atol=1e-5)
            np.testing.assert_array_equal(trained.predict(f, k, split.test), slow.predict(x[split.test]))


def test_classifiers_stop_by_themselves(monkeypatch):
    x, y = made(n=150)
    splits = stratified(y, 4, seed=1111)
    passes = []
    for split in splits:
        slow = Slow(6, 2, 1e-3)
        slow.fit(x[split.train], y[split.train], (x[split.test], y[split.test]))
        passes.append(slow.passes)
    assert len(set(passes)) > 1  # else this test would show nothing
    counted = []
    original = SentEvalMLP._pass
    monkeypatch.setattr(
        SentEvalMLP, "_pass", lambda self, adam, rows, *a: (counted.append(len(rows)), original(self, adam, rows, *a))
    )
    sizes = {len(split.train) for split in splits}
    SentEvalMLP(x, y).fit(splits, np.full((4, 1), 1e-3))
    assert sum(counted) == sum(passes)
    assert len(counted) == sum(max(p for p, s in zip(passes, splits, strict=True) if len(s.train) == n) for n in sizes)


def test_how_many_go_side_by_side_changes_nothing(monkeypatch):
    x, y = made(n=120)
    splits = stratified(y, 5, seed=1111)
    grid = np.tile(GRID, (5, 1))
    together = SentEvalMLP(x, y).fit(splits, grid)
    monkeypatch.setitem(senteval_mlp._FOLDS, "cpu", 1)
    alone = SentEvalMLP(x, y).fit(splits, grid)
    np.testing.assert_array_equal(together.correct, alone.correct)
    np.testing.assert_allclose(together.weights, alone.weights, atol=1e-5)


def test_nested_cross_validation():
    x, y = made(n=100)
    expected, devs, accuracies = np.empty(100, dtype=int), [], []
    for train, test in slow_splits(x, y, 2):
        scores = []
        for decay in GRID:
            found = [
                Slow(6, 2, decay).fit(x[train][a], y[train][a], (x[train][b], y[train][b]))
                for a, b in slow_splits(x[train], y[train], 2)
            ]
            scores.append(round(100 * np.mean(found), 2))
        devs.append(max(scores))
        slow = Slow(6, 2, GRID[int(np.argmax(scores))])
        slow.fit(x[train], y[train])
        expected[test] = slow.predict(x[test])
        accuracies.append(round(100 * slow.score(x[test], y[test]), 2))
    outcome = nested(SentEvalMLP(x, y), y, np.arange(100), k=2)
    np.testing.assert_array_equal(outcome.predictions, expected)
    assert outcome.dev == pytest.approx(round(np.mean(devs), 2), abs=1e-9)
    assert outcome.folds == tuple(accuracies)


def test_folds_of_the_training_rows():
    x, y = made(3, n=140)
    train = np.random.default_rng(2).permutation(140)[:100]
    test = np.setdiff1d(np.arange(140), train)
    scores = []
    for decay in GRID:
        found = [
            Slow(6, 3, decay).fit(x[train][a], y[train][a], (x[train][b], y[train][b]))
            for a, b in slow_splits(x[train], y[train], 3)
        ]
        scores.append(round(100 * np.mean(found), 2))
    slow = Slow(6, 3, GRID[int(np.argmax(scores))])
    slow.fit(x[train], y[train])
    outcome = folds(SentEvalMLP(x, y), y, train, test, k=3)
    np.testing.assert_array_equal(outcome.predictions, slow.predict(x[test]))
    assert outcome.dev == max(scores)


def test_fixed_split():
    x, y = made(n=150)
    train, dev, test = np.arange(80), np.arange(80, 110), np.arange(110, 150)
    scores = [round(100 * Slow(6, 2, decay).fit(x[train], y[train], (x[dev], y[dev])), 2) for decay in GRID]
    slow = Slow(6, 2, GRID[int(np.argmax(scores))])
    slow.fit(x[train], y[train], (x[dev], y[dev]))
    outcome = fixed(SentEvalMLP(x, y), y, train, dev, test)
    np.testing.assert_array_equal(outcome.predictions, slow.predict(x[test]))
    assert outcome.dev == max(scores)
    with pytest.raises(TooFewError, match="one class"):
        fixed(SentEvalMLP(x, y), y, train[y[train] == 0], dev, test)


def test_a_choice_is_by_rounded_means_and_the_first_of_the_best():
    probe = SentEvalMLP(*made())
    sizes = np.array([30_000, 30_000])
    # 66.6667, 66.67 and 66.6667 per cent: the same when rounded
    assert probe.choose(np.array([[20_000, 20_001, 25_000], [20_000, 20_001, 15_000]]), sizes) == (0, 66.67)


def test_the_global_generators_are_left_alone():
    x, y = made(n=60)
    torch.manual_seed(5)
    np.random.seed(5)
    before = torch.get_rng_state().clone(), np.random.get_state()[1].copy()
    SentEvalMLP(x, y).fit(stratified(y, 2, seed=0), np.full((2, 1), 1e-3))
    assert torch.equal(torch.get_rng_state(), before[0])
    np.testing.assert_array_equal(np.random.get_state()[1], before[1])


def test_bad_input_is_refused():
    x, y = made()
    with pytest.raises(ValueError, match="NaN"):
        SentEvalMLP(np.where(x > 1, np.nan, x), y)
    with pytest.raises(ValueError, match="labels"):
        SentEvalMLP(x, y[:-1])
    with pytest.raises(Skipped, match="dense"):
        SentEvalMLP(sparse.csr_matrix(x), y)
    with pytest.raises(TooFewError, match="19 training items"):
        SentEvalMLP(x, y).refit([np.arange(19)], np.array([1e-3]))
