"""What does one run of a results folder look like as flat rows?

One row for the run (`run_row`), one per score (`score_rows`). What a board filters or shows has a column; the rest stays in
the record. Texts are cut at `MAX_TEXT`: a record of a stranger may hold anything.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from harness.provenance import digest
from harness.records.schema import RunRecord, ScoreRecord
from harness.records.store import Broken

MAX_TEXT = 2000

#: columns of a run's row, with their Parquet types
RUN_COLUMNS: dict[str, str] = {
    "folder": "string",
    "place": "string",
    "signature": "string",
    "train_id": "string",
    "status": "string",
    "reason": "string",
    "suite": "string",
    "scale": "string",
    "row": "string",
    "also": "string",
    "method": "string",
    "config": "string",
    "language": "string",
    "corpus": "string",
    "corpus_sha": "string",
    "sentences": "int64",
    "encoder": "string",
    "encoder_sha": "string",
    "pooler": "string",
    "seed": "int64",
    "seconds": "double",
    "memory_mib": "double",
    "device": "string",
    "plumbing": "string",
    "problems": "string",
    "revision": "string",
    "core": "string",
    "frame": "string",
    "code": "string",
    "finished": "string",
}
#: columns of a score's row, with their Parquet types
SCORE_COLUMNS: dict[str, str] = {
    "folder": "string",
    "place": "string",
    "train_id": "string",
    "task": "string",
    "split": "string",
    "task_language": "string",
    "protocol": "string",
    "metric": "string",
    "aggregation": "string",
    "value": "double",
    "items": "int64",
    "data_sha": "string",
    "eval_id": "string",
    "file": "string",
}
#: columns of a damaged file's row
BROKEN_COLUMNS: dict[str, str] = {"folder": "string", "place": "string", "file": "string", "reason": "string"}


def run_row(record: RunRecord, *, folder: str, place: str, signature: str) -> dict[str, Any]:
    """Return a run's row. `folder` is the results folder, `place` the run's folder inside it.

    frame  names what runs must share to be compared at all: language, corpus, encoder, scale, settings. A method without an
           encoder (TF-IDF) has none in its frame, and belongs beside every encoder (see `grouping`)
    code   names everything that decides a run's result except its seed
    """
    spec, identity = record.spec, record.identity
    describe = record.embedder.describe if record.embedder else {}
    settings = [identity.get("settings"), spec.overrides]
    shared = [spec.scale, spec.language, spec.corpus.sha, spec.corpus.rows]
    encoder = spec.encoder.sha or ("" if record.status == "ok" else spec.encoder.name)
    return {
        "folder": folder,
        "place": place,
        "signature": signature,
        "train_id": record.train_id,
        "status": record.status,
        "reason": _text(record.reason),
        "suite": _text(spec.suite),
        "scale": _text(spec.scale),
        "row": _text(spec.row),
        "also": json.dumps(
            [[_text(x) for x in (at.suite, at.scale, at.row)] for at in record.also], ensure_ascii=False
        ),
        "method": _text(spec.method),
        "config": _text(json.dumps(spec.config, sort_keys=True, ensure_ascii=False)),
        "language": _text(spec.language),
        "corpus": _text(spec.corpus.name),
        "corpus_sha": _text(spec.corpus.sha),
        "sentences": _whole(spec.corpus.rows),
        "encoder": _text(spec.encoder.name),
        "encoder_sha": _text(spec.encoder.sha),
        "pooler": _text(_string(describe.get("pooler"))),
        "seed": _whole(spec.seed),
        "seconds": _number(record.seconds.get("total")),
        "memory_mib": _number(max(record.peak_memory_mib.values(), default=None)),
        "device": _text(_string(record.hardware.get("gpu")) or _string(record.hardware.get("cpu"))),
        "plumbing": _text(record.plumbing),
        "problems": _text(
            json.dumps({task: [p.status, p.reason] for task, p in record.problems.items()}, ensure_ascii=False)
        ),
        "revision": _text(record.code_revision),
        "core": _text(_string(identity.get("core"))),
        "frame": digest([*shared, encoder, settings if encoder else None])[:12],
        "code": digest({key: value for key, value in identity.items() if key != "seed"})[:12],
        "finished": _text(record.finished),
    }


def score_row(record: ScoreRecord, *, folder: str, place: str, file: str) -> dict[str, Any]:
    """Return the row of a score: the task's main metric under its own aggregation."""
    metric, aggregation = record.main
    items = next((s.items for s in record.scores if (s.metric, s.aggregation) == record.main), 0)
    return {
        "folder": folder,
        "place": place,
        "train_id": record.train_id,
        "task": _text(record.task_id),
        "split": _text(record.split),
        "task_language": _text(record.language),
        "protocol": _text(record.protocol),
        "metric": _text(metric),
        "aggregation": _text(aggregation),
        "value": _number(record.value),
        "items": _whole(items),
        "data_sha": _text(record.data_sha),
        "eval_id": _text(record.eval_id),
        "file": file,
    }


def broken_row(broken: Broken, *, folder: str, place: str) -> dict[str, Any]:
    """Return the row of a file that cannot be read."""
    return {
        "folder": folder,
        "place": place,
        "file": _text(Path(broken.path).name),
        "reason": _text(broken.reason),
    }


def _text(value: str | None) -> str | None:
    if value is None:
        return None
    clean = value.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be stored
    return clean if len(clean) <= MAX_TEXT else clean[: MAX_TEXT - 1] + "…"


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _whole(value: int) -> int | None:
    return value if -(2**63) <= value < 2**63 else None
