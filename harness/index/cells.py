"""What are a system's mean and spread over its seeds, per column of a board?

Everything is computed over unrounded values, for all systems at once. An average of several columns is taken per run, and
only where the run has every one of them; the spread over one seed is unknown, never 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

#: a column of a board: the (task, measure) pairs it is the mean of - one, or several for an average
Parts = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Summary:
    """A system's runs in a column: their mean, sample standard deviation (None for one run) and number."""

    mean: float
    std: float | None
    n: int


def cells_of(scores: pd.DataFrame, columns: Sequence[Parts]) -> list[dict[str, Summary]]:
    """Return, per column, the summary of every system that has a score in it. `scores`: rows of `Index.scores`."""
    import numpy as np

    runs: dict[tuple[str, str], int] = {}
    parts = {part: at for at, part in enumerate(dict.fromkeys(part for column in columns for part in column))}
    fields = (scores[name].tolist() for name in ("system", "train_id", "task", "measure", "value"))
    found = [
        (runs.setdefault((system, train_id), len(runs)), parts[task, measure], value)
        for system, train_id, task, measure, value in zip(*fields, strict=True)
        if (task, measure) in parts
    ]
    wide = np.full((len(runs), len(parts)), np.nan)
    for row, column, value in found:
        wide[row, column] = value
    systems = {name: at for at, name in enumerate(dict.fromkeys(system for system, _ in runs))}
    owner = np.array([systems[system] for system, _ in runs], dtype=np.int64)
    return [
        _summaries(wide[:, [parts[part] for part in column]].mean(axis=1), owner, list(systems)) for column in columns
    ]


def _summaries(values: np.ndarray, owner: np.ndarray, systems: Sequence[str]) -> dict[str, Summary]:
    """Mean and spread of the defined values by owner, in two passes: squares of unrounded scores would cancel."""
    import numpy as np

    defined = ~np.isnan(values)
    values, owner = values[defined], owner[defined]
    n = np.bincount(owner, minlength=len(systems))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(owner, values, minlength=len(systems)) / n
        stds = np.sqrt(np.bincount(owner, (values - means[owner]) ** 2, minlength=len(systems)) / (n - 1))
    return {
        name: Summary(float(means[at]), float(stds[at]) if n[at] > 1 else None, int(n[at]))
        for at, name in enumerate(systems)
        if n[at]
    }
