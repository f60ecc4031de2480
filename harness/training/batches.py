"""Which rows a step sees: a permutation per epoch, derived from the seed alone, so any step can be found again."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from harness.seeds import numpy_rng

_SMALLEST = 2  # a contrastive batch of one row has no negatives


class BatchOrder:
    """Random batches without replacement within an epoch; a last batch of fewer than two rows is left out."""

    def __init__(self, rows: int, batch_size: int, epochs: int, seed: int, max_steps: int = 0) -> None:
        full, rest = divmod(rows, batch_size)
        self.per_epoch = full + (rest >= _SMALLEST)
        if self.per_epoch == 0:
            raise ValueError(f"{rows} rows make no batch; at least {_SMALLEST} are needed")
        self.rows, self.batch_size, self.seed = rows, batch_size, seed
        self.total = self.per_epoch * epochs
        if max_steps:
            self.total = min(self.total, max_steps)
        self._permutation = lru_cache(maxsize=2)(self._permute)

    def _permute(self, epoch: int) -> np.ndarray:
        return numpy_rng(self.seed, "order", epoch).permutation(self.rows)

    def epoch(self, step: int) -> int:
        """The epoch (from 0) that `step` belongs to."""
        return step // self.per_epoch

    def __getitem__(self, step: int) -> np.ndarray:
        start = step % self.per_epoch * self.batch_size
        return self._permutation(self.epoch(step))[start : start + self.batch_size]
