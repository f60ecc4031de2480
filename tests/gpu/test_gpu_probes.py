from __future__ import annotations

import numpy as np
import pytest
import torch

from harness.probes import LogisticRegression, SentEvalMLP
from harness.probes.folds import stratified
from harness.probes.regressor import regress

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")]


def made(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 16)).astype(np.float32)
    return x, (x @ rng.normal(size=(16, 3)) + rng.gumbel(size=(n, 3))).argmax(1)


@pytest.mark.parametrize("kind", [LogisticRegression, SentEvalMLP])
def test_probes_give_on_a_gpu_what_they_give_on_a_processor(kind):
    x, y = made()
    splits = stratified(y, 6, seed=1111)
    grid = np.tile(kind.penalties, (6, 1))
    here, there = kind(x, y).fit(splits, grid), kind(x, y, device="cuda").fit(splits, grid)
    for f, split in enumerate(splits):
        assert (here.predict(f, 2, split.test) == there.predict(f, 2, split.test)).mean() >= 0.98


def test_the_regressor_does_too():
    x, y = made()
    rows = np.arange(300)
    here, there = (regress(x, y + 1.0, rows[:200], rows[200:250], rows[250:], device=d) for d in ("cpu", "cuda"))
    np.testing.assert_allclose(here.predictions, there.predictions, atol=0.05)
