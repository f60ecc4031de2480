"""Which words must be guessed? Whole-word masking over packed rows (Devlin et al. 2019 and the note of May 2019)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.pretraining.packing import Rows

IGNORED = -100


@dataclass(frozen=True)
class Masked:
    """A batch of masked rows.

    ids       int64 (rows, width): what the encoder sees
    where     int64 (rows, most): places to guess, ascending, filled up with 0
    targets   int64 (rows, most): the pieces that stood there, -100 where `where` is filled up
    """

    ids: np.ndarray
    where: np.ndarray
    targets: np.ndarray


def mask_words(
    rows: Rows,
    rate: float,
    rng: np.random.Generator,
    *,
    mask: int,
    size: int,
    special: int,
    hidden: float = 0.8,
    swapped: float = 0.1,
    weights: np.ndarray | None = None,
) -> Masked:
    """Choose whole words at random until about `rate` of a row's pieces are taken, all of which must be guessed.

    Of these, the share `hidden` becomes [MASK], `swapped` any piece, the rest stays (BERT: 0.8, 0.1, 0.1). A row takes words in
    random order until the next does not fit into its budget (rounded up or down at random); the mean is a little below `rate`
    where words have several pieces. A row with text always has one.

    mask: id of [MASK];  size: vocabulary;  special: ids below this are never drawn as random pieces
    weights  (size,), above 0: words are drawn with a chance proportional to the mean weight of their pieces, one after the other
             without putting back (Efraimidis and Spirakis 2006); None: all words alike
    """
    chosen = np.zeros(rows.ids.shape, dtype=bool)
    for row, word in enumerate(rows.word):
        chosen[row] = _choose(word, rate, rng, None if weights is None else weights[rows.ids[row]])
    most = int(chosen.sum(axis=1).max(initial=1))
    where = np.argsort(~chosen, axis=1, kind="stable")[:, :most]
    real = np.take_along_axis(chosen, where, axis=1)
    targets = np.where(real, np.take_along_axis(rows.ids, where, axis=1), IGNORED)
    lot = rng.random(rows.ids.shape)
    ids = np.where(chosen & (lot < hidden), mask, rows.ids)
    drawn = rng.integers(special, size, rows.ids.shape)
    ids = np.where(chosen & (lot >= hidden) & (lot < hidden + swapped), drawn, ids)
    return Masked(ids, np.where(real, where, 0), targets)


def _choose(word: np.ndarray, rate: float, rng: np.random.Generator, weights: np.ndarray | None) -> np.ndarray:
    """Return which places of one row are to be guessed. word, weights: (width,); word is -1 where nothing may be masked."""
    free = word >= 0
    pieces = int(free.sum())
    if not pieces:
        return free & False
    lengths = np.bincount(word[free])
    budget = max(1, int(rate * pieces + rng.random()))
    if weights is None:
        order = rng.permutation(len(lengths))
    else:
        means = np.bincount(word[free], weights=weights[free]) / np.maximum(lengths, 1)
        order = np.argsort(rng.exponential(size=len(lengths)) / np.maximum(means, np.finfo(float).tiny), kind="stable")
    total = np.cumsum(lengths[order])
    taken = order[total <= budget]
    if not len(taken):
        taken = order[:1]
    return free & np.isin(word, taken)
