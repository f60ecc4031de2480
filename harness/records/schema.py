"""What does a result record say? The schema of `run.json` and of the score files beside it.

Records are strict JSON (no NaN) and plain data: reading one never runs code. A field that is added later gets a default,
so old records stay readable; a change of meaning raises `SCHEMA`.
"""

from __future__ import annotations

import base64
import math
import zlib
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator

from harness.provenance import digest

if TYPE_CHECKING:
    import numpy as np

SCHEMA = 1
# A packed array may not claim to be larger than this; no task comes near it (STS14, the largest STS set, has 3,750).
_MAX_ITEMS = 20_000_000

Status = Literal["ok", "failed", "skipped"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="null")


class CorpusInfo(_Record):
    """The training text: its name, the sha256 of the rows used, and how many they were.

    removed  lines of the file left out because a test set holds them, None if nobody looked
    """

    name: str
    sha: str
    rows: int
    removed: int | None = None


class EncoderInfo(_Record):
    """The base encoder: folder name or id, and the sha256 of weights, configuration and tokenizer."""

    name: str
    sha: str | None = None


class RunInfo(_Record):
    """What was asked for: everything needed to do this run again."""

    suite: str
    scale: str
    row: str
    method: str
    config: dict[str, Any]
    language: str
    corpus: CorpusInfo
    encoder: EncoderInfo
    seed: int
    settings: dict[str, Any] = Field(default_factory=dict)
    overrides: dict[str, Any] = Field(default_factory=dict)
    text: str = "original"
    probe: str = "logreg"


class Listing(_Record):
    """Another place this very run stands in: a row of a suite at a scale."""

    suite: str
    scale: str
    row: str


class EmbedderInfo(_Record):
    """The trained artefact: its fingerprint and its own description (pooler, max_length, precision …)."""

    sha: str
    describe: dict[str, Any] = Field(default_factory=dict)


class TaskProblem(_Record):
    """Why a task of a trained run has no score."""

    status: Literal["failed", "skipped"]
    reason: str


class RunRecord(_Record):
    """One cell of a suite: `<results>/<train_id>/run.json`.

    identity      what decides the result; `train_id` is the first 16 hex digits of its digest
    seconds       wall-clock per phase, `total` of training, `score` of the tasks;  peak_memory_mib: `host` and, on a GPU, `device`
    energy        of training: `kwh` and its parts, with the `tool` that measured it; empty where there was none
    notes         automatic choices with their reasons, and what the method reports about itself
    plumbing      why this run must not be published (stand-in encoder, sample data), else None
    problems      task id -> why it could not be scored
    also          other suites' rows that are this same run (it is trained once);  keep: what was to become of its weights
    """

    schema_version: int = SCHEMA
    train_id: str = Field(pattern=r"^[0-9a-f]{16}$")
    identity: dict[str, Any]
    spec: RunInfo
    status: Status
    reason: str | None = None
    traceback: str | None = None
    seconds: dict[str, float] = Field(default_factory=dict)
    peak_memory_mib: dict[str, float] = Field(default_factory=dict)
    energy: dict[str, Any] = Field(default_factory=dict)
    hardware: dict[str, Any] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    code_revision: str = "unknown"
    notes: dict[str, Any] = Field(default_factory=dict)
    embedder: EmbedderInfo | None = None
    started: str
    finished: str
    plumbing: str | None = None
    problems: dict[str, TaskProblem] = Field(default_factory=dict)
    also: tuple[Listing, ...] = ()
    keep: Literal["none", "best", "all"] = "all"

    @field_validator("schema_version")
    @classmethod
    def _known_schema(cls, value: int) -> int:
        return _check_schema(value)

    @property
    def listings(self) -> tuple[Listing, ...]:
        """Every row this run stands in, the one it was first run for in front."""
        return (Listing(suite=self.spec.suite, scale=self.spec.scale, row=self.spec.row), *self.also)


class ScoreValue(_Record):
    """One number on the paper's scale; `value` is None where the score is undefined (constant vectors)."""

    metric: str
    aggregation: str
    value: float | None
    items: int


class SliceValue(_Record):
    """The task's main metric on a part of its items."""

    kind: str
    part: str
    metric: str
    value: float | None
    items: int


class ScoreRecord(_Record):
    """The scores of one task: `<results>/<train_id>/scores/<task>[.<split>]@<protocol>.json`.

    groups              subset name -> number of items, in the order of the predictions
    facts               side results that are no score of the test items (dev accuracy, floors), None if undefined
    packed_predictions  base64 of zlib of little-endian floats of `predictions_dtype`;  packed_gold: the same of float32

    We write predictions as float32: the cosines of an untrained encoder lie so close to 1 that half precision makes them
    all equal, and from float32 every score can be recomputed exactly.
    """

    schema_version: int = SCHEMA
    train_id: str
    eval_id: str
    task: str
    split: str
    language: str
    protocol: str
    protocol_fingerprint: dict[str, Any]
    data_sha: str
    embedder_sha: str
    main: tuple[str, str]
    scores: tuple[ScoreValue, ...]
    groups: dict[str, int] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    slices: tuple[SliceValue, ...] = ()
    facts: dict[str, float | None] = Field(default_factory=dict)
    seconds: float | None = None
    code_revision: str = "unknown"
    finished: str
    predictions_dtype: Literal["<f2", "<f4"] = "<f2"
    packed_predictions: str = ""
    packed_gold: str | None = None

    @field_validator("schema_version")
    @classmethod
    def _known_schema(cls, value: int) -> int:
        return _check_schema(value)

    @property
    def task_id(self) -> str:
        """`NAME` for the test split, else `NAME:split`."""
        return self.task if self.split == "test" else f"{self.task}:{self.split}"

    @property
    def value(self) -> float | None:
        """The number tables show: the score of the task's main metric and aggregation."""
        return self.find(*self.main)

    def find(self, metric: str, aggregation: str) -> float | None:
        """Return the score of a metric and aggregation, None if it is undefined or absent."""
        for score in self.scores:
            if (score.metric, score.aggregation) == (metric, aggregation):
                return score.value
        return None

    def under(self, aggregation: str) -> float | None:
        """Return the main metric under another aggregation over the subsets: as stored, else from the stored predictions.

        A task without subsets, or whose main metric is no correlation, has one value under all. None if undefined, or if a
        record without gold scores does not hold it.
        """
        from harness.statistics import AGGREGATIONS, METRICS, Aggregation, Metric, correlation

        metric = self.main[0]
        if metric not in METRICS or aggregation not in AGGREGATIONS or len(self.groups) < 2:
            return self.value
        if any((score.metric, score.aggregation) == (metric, aggregation) for score in self.scores):
            return self.find(metric, aggregation)
        if self.gold is None or len(self.gold) != len(self.predictions):
            return None
        return correlation(
            self.gold,
            self.predictions,
            metric=cast(Metric, metric),
            aggregation=cast(Aggregation, aggregation),
            groups=list(self.groups.values()),
        )

    @cached_property
    def predictions(self) -> np.ndarray:
        """Per-item predictions, shape (items,), float32."""
        import numpy as np

        return unpack(self.packed_predictions, self.predictions_dtype).astype(np.float32)

    @cached_property
    def gold(self) -> np.ndarray | None:
        """Per-item gold scores, shape (items,), float32; None where the task has none."""
        return None if self.packed_gold is None else unpack(self.packed_gold, "<f4")


def _check_schema(value: int) -> int:
    if value > SCHEMA:
        raise ValueError(f"record of schema {value}, this version reads up to {SCHEMA}; update augbench")
    return value


def eval_id(*, embedder_sha: str, task_id: str, language: str, data_sha: str, protocol: dict[str, Any]) -> str:
    """Return the name of one evaluation: which vectors, which items, which protocol (16 hex digits)."""
    return digest(
        {
            "embedder": embedder_sha,
            "task": task_id,
            "language": language,
            "data": data_sha,
            "protocol": protocol,
        }
    )[:16]


def pack(values: Any, dtype: str) -> str:
    """Return a 1-d array as text: `:` and base64 of its bytes. `dtype` is `<f2` or `<f4`.

    The lowest bytes of all numbers come first, then the next ones, each lot compressed by itself; mixed they hardly shrink.
    """
    import numpy as np

    array = np.ascontiguousarray(np.asarray(values).reshape(-1), dtype=np.dtype(dtype))
    lots = array.view(np.uint8).reshape(-1, array.dtype.itemsize).T
    return ":" + base64.b64encode(b"".join(zlib.compress(lot.tobytes(), 6) for lot in lots)).decode("ascii")


def unpack(text: str, dtype: str) -> np.ndarray:
    """Return the array that `pack` made text of (without `:` in front: all bytes in one). Raises ValueError if it is damaged."""
    import numpy as np

    width = np.dtype(dtype).itemsize
    apart = text.startswith(":")
    try:
        rest, parts = base64.b64decode(text.removeprefix(":"), validate=True), []
        for _ in range(width if apart else bool(text)):
            inflate = zlib.decompressobj()
            parts.append(inflate.decompress(rest, _MAX_ITEMS * (1 if apart else width)))
            if not inflate.eof:
                raise ValueError("it is cut off or too long")
            rest = inflate.unused_data
    except (zlib.error, ValueError) as error:
        raise ValueError(f"packed array is damaged: {error}") from error
    raw = b"".join(parts)
    if len(raw) % width or len({len(part) for part in parts}) > 1:
        raise ValueError("packed array is damaged: it is cut off or too long")
    if apart:
        raw = np.frombuffer(raw, np.uint8).reshape(width, -1).T.tobytes()
    return np.frombuffer(raw, dtype=np.dtype(dtype)).copy()


def strict(value: Any) -> Any:
    """Return `value` as strict JSON: NaN and infinities become None, tuples lists, NumPy scalars numbers.

    Raises TypeError for anything else that JSON lacks.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [strict(item) for item in value]
    if isinstance(value, BaseModel):
        return strict(value.model_dump(mode="json"))
    if hasattr(value, "tolist"):
        return strict(value.tolist())
    raise TypeError(f"{type(value).__name__} is not a JSON value: {value!r}")
