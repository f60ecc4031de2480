"""What a task is: sentences to encode once, and a score computed from their vectors under a named protocol."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Protocol:
    """A named, versioned way to score a task. Scores of different protocols never share a column silently.

    text        which text variant is read: `original` (as published) or `senteval` (tokenised, lower-cased)
    similarity  how two vectors are compared
    truncation  maximum tokens, or None for the embedder's own limit
    details     everything else that decides the score, as JSON values: probe, grid, folds, seeds, threshold rule
    """

    name: str
    version: int
    text: str
    similarity: str = "cosine"
    truncation: int | None = None
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The name that is printed with every score, e.g. `sts-original@1`."""
        return f"{self.name}@{self.version}"

    def fingerprint(self) -> dict[str, Any]:
        """Everything that decides the score (not the note)."""
        facts = {key: value for key, value in asdict(self).items() if key != "note"}
        if not facts["details"]:
            del facts["details"]  # protocols without details keep the identity they had before there were any
        return facts


@dataclass(frozen=True)
class TaskOptions:
    """What a user may choose about tasks; a family reads the options that concern it.

    text         text variant: `original` or `senteval`
    probe        classifier on frozen vectors: `logreg` or `senteval-mlp`
    relatedness  STS-B and SICK-R: `cosine` or `regressor` (upstream SentEval trains one)
    aggregation  which aggregation over the subsets of an STS year tables show: `all`, `mean` or `wmean`
    """

    text: str = "original"
    probe: str = "logreg"
    relatedness: str = "cosine"
    aggregation: str = "all"


@dataclass(frozen=True)
class Score:
    """One number. `value` is on the paper's scale (correlations × 100), `None` where undefined (constant vectors)."""

    metric: str
    aggregation: str
    value: float | None
    items: int


@dataclass(frozen=True)
class Slice:
    """The main metric on a part of a task's items, e.g. kind `overlap`, part `lowest quartile`."""

    kind: str
    part: str
    metric: str
    value: float | None
    items: int


@dataclass(frozen=True)
class TaskResult:
    """All scores of one task, with the per-item predictions they were computed from.

    predictions  shape (items,), the model's output per item (similarity, predicted class number, cluster), in the order
                 of the task's data
    groups       subset name per contiguous block of items -> number of items
    slices       the same metric on parts of the items
    facts        side results that are no score of the test items: dev accuracy, chosen penalty, floors; None if undefined
    """

    scores: tuple[Score, ...]
    predictions: np.ndarray
    groups: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    slices: tuple[Slice, ...] = ()
    facts: dict[str, float | None] = field(default_factory=dict)


class Task(ABC):
    """One task on one split, bound to its data.

    `name` is what users type (`STS12`, `STS-B`), `split` is `train`, `dev` or `test`; `main` names the (metric,
    aggregation) that tables show. `unavailable` says why nothing can be measured here, whatever the encoder (no data).
    """

    name: str
    language: str
    split: str
    protocol: Protocol
    main: tuple[str, str]
    data_sha: str
    unavailable: str | None = None

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


class EncoderTask(Task):
    """A task that looks into an encoder instead of at its vectors (attention, hidden layers)."""

    def sentences(self) -> Sequence[str]:
        """Nothing is encoded for it."""
        return ()

    def score(self, vectors: Any) -> TaskResult:
        """Raises TypeError: vectors are not enough for this task; the evaluator calls `inspect`."""
        raise TypeError(f"{self.id} looks into the encoder; call inspect(embedder)")

    @abstractmethod
    def inspect(self, embedder: Any) -> TaskResult:
        """Measure `embedder`. Raises Skipped, saying why, if it has nothing to look into (bag of words, a callable)."""
