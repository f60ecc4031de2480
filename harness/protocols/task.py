"""What a task is: sentences to encode once, and a score computed from their vectors under a named protocol."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Protocol:
    """A named, versioned way to score a task. Scores of different protocols never share a column silently.

    text        which text variant is read: `original` (as published) or `senteval` (tokenised, lower-cased)
    similarity  how two vectors are compared
    truncation  maximum tokens, or None for the embedder's own limit
    """

    name: str
    version: int
    text: str
    similarity: str = "cosine"
    truncation: int | None = None
    note: str = ""

    @property
    def id(self) -> str:
        """The name that is printed with every score, e.g. `sts-original@1`."""
        return f"{self.name}@{self.version}"

    def fingerprint(self) -> dict[str, Any]:
        """Everything that decides the score (not the note)."""
        return {key: value for key, value in asdict(self).items() if key != "note"}


@dataclass(frozen=True)
class Score:
    """One number. `value` is on the paper's scale (correlations × 100), `None` where undefined (constant vectors)."""

    metric: str
    aggregation: str
    value: float | None
    items: int


@dataclass(frozen=True)
class TaskResult:
    """All scores of one task, with the per-item predictions they were computed from.

    predictions  shape (items,), the model's similarity per item, in the order of the task's data
    groups       subset name per contiguous block of items -> number of items
    """

    scores: tuple[Score, ...]
    predictions: np.ndarray
    groups: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Task(ABC):
    """One task on one split, bound to its data.

    `name` is what users type (`STS12`, `STS-B`), `split` is `train`, `dev` or `test`; `main` names the (metric,
    aggregation) that tables show.
    """

    name: str
    language: str
    split: str
    protocol: Protocol
    main: tuple[str, str]
    data_sha: str

    @property
    def id(self) -> str:
        """`NAME` for the test split, else `NAME:split`: what the command line accepts."""
        return self.name if self.split == "test" else f"{self.name}:{self.split}"

    @abstractmethod
    def sentences(self) -> Sequence[str]:
        """The sentences to encode, repeats allowed; the evaluator encodes the union of all tasks once."""

    @abstractmethod
    def score(self, vectors: Any) -> TaskResult:
        """Score `vectors`, shape (len(sentences()), d), row i for sentence i; dense float32 or SciPy CSR."""
