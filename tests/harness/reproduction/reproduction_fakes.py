"""A suite with printed values, and runs of it whose noise is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from harness.published import Published
from harness.records.schema import EmbedderInfo, RunRecord, ScoreRecord, ScoreValue, pack
from harness.records.store import Store
from harness.reproduction.reports import Reproduction, reproduce
from harness.statistics import spearman
from harness.suite import Suite

SUITE = """[suite]
name = "mine"
title = "Mine"
default_scale = "paper"
average = "Mean"
published_average = "Avg"
columns = [
    { title = "A", task = "A", published = "A" },
    { title = "B", task = "B" },
]
[paper_settings]
sentences = 1000
pooler = "cls"
text = "original"
aggregation = "all"
seeds = 1
[scales.paper]
sentences = 1000
[scales.small]
[[rows]]
label = "None (SimCSE)"
method = "simcse"
published = { source = "P T1", method = "base", encoder = "bert-base-uncased" }
[[rows]]
label = "Better"
method = "simcse"
set = { temperature = 0.1 }
published = { source = "P T1", method = "better", encoder = "bert-base-uncased" }
[[rows]]
label = "Best"
method = "simcse"
set = { temperature = 0.2 }
published = { source = "P T1", method = "best", encoder = "bert-base-uncased" }
[[rows]]
label = "Ours"
method = "simcse"
set = { temperature = 0.3 }
"""
PRINTED = {"base": 60.0, "better": 80.0, "best": 90.0}
REFERENCES = [
    Published(
        method, "bert-base-uncased", task, "spearman", value + (task == "Avg"), "P T1", 0.2 if task == "A" else None
    )
    for method, value in PRINTED.items()
    for task in ("A", "Avg")
]
NOISE = {"None (SimCSE)": 1.2, "Better": 0.8, "Best": 0.4, "Ours": 0.6}
GOLD = {task: np.random.default_rng(n).normal(size=300).astype("f4") for n, task in enumerate("AB")}


def predicted(row: str, seed: int, task: str) -> np.ndarray:
    shared = np.random.default_rng(99).normal(size=300)
    own = np.random.default_rng([seed, len(row)]).normal(size=300)
    return (GOLD[task] + NOISE[row] * (shared + 0.3 * own)).astype("f4")


def write(store: Store, row: str, seed: int, **more: Any) -> None:
    train_id = f"{list(NOISE).index(row)}{seed}".ljust(16, "0")
    spec = {
        "suite": "mine",
        "scale": more.get("scale", "paper"),
        "row": row,
        "method": "simcse",
        "config": {},
        "language": "english",
        "corpus": {"name": "wiki.txt", "sha": "c", "rows": more.get("sentences", 1000)},
        "encoder": {"name": more.get("encoder", "models/bert-base-uncased"), "sha": "s" * 64},
        "seed": seed,
    }
    store.write_run(
        RunRecord(
            train_id=train_id,
            identity={},
            spec=spec,  # type: ignore[arg-type]
            status=more.get("status", "ok"),
            reason=more.get("reason"),
            plumbing=more.get("plumbing"),
            embedder=EmbedderInfo(sha="x", describe={"pooler": more.get("pooler", "cls")}),
            started="t",
            finished="t",
        )
    )
    for task in more.get("tasks", "AB"):
        values = predicted(row, seed, task)
        store.write_score(
            ScoreRecord(
                train_id=train_id,
                eval_id="1",
                task=task,
                split="test",
                language="en",
                protocol="p@1",
                protocol_fingerprint={},
                data_sha="d",
                embedder_sha="x",
                main=("spearman", "all"),
                scores=(
                    ScoreValue(metric="spearman", aggregation="all", value=spearman(GOLD[task], values), items=300),
                ),
                groups={"all": 300},
                finished="t",
                predictions_dtype="<f4",
                packed_predictions=pack(values, "<f4"),
                packed_gold=pack(GOLD[task], "<f4") if more.get("gold", True) else None,
            )
        )


def fill(path: Path, *, seeds: int = 3, rows: tuple[str, ...] = tuple(NOISE), **more: Any) -> Store:
    store = Store(path)
    for row in rows:
        for seed in range(seeds):
            write(store, row, seed, **more)
    return store


def reports(suite: Suite, store: Store) -> list[Reproduction]:
    found, broken = reproduce(suite, store, resamples=300)
    assert broken == []
    return found
