"""Results folders for tests: whole records, written by the store that writes real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from harness.provenance import digest
from harness.records.schema import RunRecord, ScoreRecord, eval_id, pack
from harness.records.store import Store
from harness.statistics import correlation

ITEMS = 80
_RNG = np.random.default_rng(3)
GOLD = {task: _RNG.integers(0, 6, ITEMS).astype(np.float32) for task in ("STS12", "STS13", "STS-B", "STS-B:dev")}


def run_record(row: str = "SimCSE", seed: int = 0, **changes: Any) -> RunRecord:
    """A finished run; `changes` replace fields of the spec or of the record, `code` the digest of its code."""
    code = changes.pop("code", "c0de")
    spec: dict[str, Any] = {
        "suite": "mini",
        "scale": "small",
        "row": row,
        "method": row.split()[0].lower(),
        "config": {"temperature": 0.05},
        "language": "english",
        "corpus": {"name": "wiki.txt", "sha": "a" * 64, "rows": 1000},
        "encoder": {"name": "mini", "sha": "b" * 64},
        "seed": seed,
    }
    for key in [key for key in changes if key in spec]:
        spec[key] = changes.pop(key)
    identity = {
        "row": row,
        "seed": seed,
        "core": code,
        "spec": {key: spec[key] for key in ("language", "encoder", "corpus")},
    }
    train_id = digest(identity)[:16]
    values: dict[str, Any] = {
        "train_id": train_id,
        "identity": identity,
        "spec": spec,
        "status": "ok",
        "seconds": {"total": 10.0 + seed},
        "peak_memory_mib": {"host": 500.0 + seed},
        "hardware": {"cpu": "test", "cores": 2},
        "embedder": {"sha": digest(["weights", train_id]), "describe": {"pooler": "cls"}},
        "started": "2026-01-01T00:00:00+00:00",
        "finished": "2026-01-01T00:01:00+00:00",
    }
    return RunRecord.model_validate(values | changes)


def score_record(run: RunRecord, task: str, *, noise: float = 1.0, **changes: Any) -> ScoreRecord:
    """The score of a run at a task: gold plus noise, Spearman over all items."""
    assert run.embedder is not None
    name, _, split = task.partition(":")
    rng = np.random.default_rng([len(run.spec.row), run.spec.seed, len(task)])
    predictions = (GOLD[task] + noise * rng.normal(size=ITEMS)).astype(np.float32)
    language = {"english": "en", "chinese": "zh"}.get(run.spec.language, "en")
    named = {
        "task_id": task,
        "language": language,
        "data_sha": digest([task]),
        "embedder_sha": run.embedder.sha,
        "protocol": {"name": "sts-original", "version": 1},
    }
    values = {
        "train_id": run.train_id,
        "eval_id": eval_id(**named),
        "task": name,
        "split": split or "test",
        "language": language,
        "protocol": "sts-original@1",
        "protocol_fingerprint": named["protocol"],
        "data_sha": named["data_sha"],
        "embedder_sha": run.embedder.sha,
        "main": ["spearman", "all"],
        "scores": [
            {
                "metric": "spearman",
                "aggregation": "all",
                "value": correlation(GOLD[task], predictions),
                "items": ITEMS,
            }
        ],
        "finished": "2026-01-01T00:02:00+00:00",
        "predictions_dtype": "<f4",
        "packed_predictions": pack(predictions, "<f4"),
        "packed_gold": pack(GOLD[task], "<f4"),
    }
    return ScoreRecord.model_validate(values | changes)


def write_run(folder: Path, run: RunRecord, tasks: tuple[str, ...] = ("STS12", "STS-B"), *, noise: float = 1.0) -> Path:
    """Write a run and its scores; returns the run's folder."""
    store = Store(folder)
    store.write_run(run)
    if run.status == "ok":
        for task in tasks:
            store.write_score(score_record(run, task, noise=noise))
    return store.folder(run.train_id)


def write_board(folder: Path) -> Path:
    """Two methods with two seeds and a TF-IDF in English, one run in Chinese, one failed run, one damaged record."""
    for seed in (0, 1):
        write_run(folder, run_record("SimCSE", seed), noise=0.5)
        write_run(folder, run_record("SDA", seed, suite="other"), noise=2.5)
    write_run(folder, run_record("TF-IDF", encoder={"name": "mini", "sha": None}), noise=1.5)
    write_run(
        folder, run_record("SimCSE", 0, language="chinese", corpus={"name": "zh.txt", "sha": "d" * 64, "rows": 900})
    )
    failed = run_record("SDA", 2, suite="other", status="failed", reason="ran out of <b>memory</b>", embedder=None)
    write_run(folder, failed)
    damaged = folder / "0123456789abcdef"
    damaged.mkdir()
    (damaged / "run.json").write_text("{", encoding="utf-8")
    return folder


def change(path: Path, **fields: Any) -> Path:
    """Replace fields of a JSON record as somebody with an editor would."""
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | fields), encoding="utf-8")
    return path
