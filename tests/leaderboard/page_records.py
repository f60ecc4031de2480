"""Results folders for the tests of pages: a few methods, tasks with predictions, a sweep, analyses, and hostile records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness.analyses.records import AnalysisRecord, write_record
from harness.provenance import digest
from harness.records.schema import (
    CorpusInfo,
    EmbedderInfo,
    EncoderInfo,
    RunInfo,
    RunRecord,
    ScoreRecord,
    ScoreValue,
    SliceValue,
    pack,
)
from harness.records.store import Store
from harness.statistics import spearman

ITEMS = 60
WHEN = "2026-01-02T03:04:05+00:00"
HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>=cmd|"/C calc"!A0 **bold** [link](javascript:alert(3)) $x$ :red[r]'
SLICES = (("overlap", "lowest quartile"), ("negation", "in one sentence"), ("length", "highest quartile"))


def gold() -> np.ndarray:
    """The gold scores of every task here."""
    return np.linspace(0.0, 5.0, ITEMS).astype(np.float32)


def add_run(
    folder: Path,
    *,
    row: str = "SimCSE",
    method: str = "simcse",
    seed: int = 0,
    quality: float = 0.5,
    config: dict[str, Any] | None = None,
    suite: str = "sda-table8",
    language: str = "english",
    tasks: Sequence[str] = ("STS-B", "SICK-R"),
    curves: bool = True,
    attention: bool = False,
    encoder: str = "mini",
    **changed: Any,
) -> RunRecord:
    """Write a run and its scores; `quality` from 0 to 1 says how close its predictions come to the gold scores."""
    config = {"learning_rate": 0.001, **(config or {})}
    identity = {"method": method, "config": config, "row": row, "core": "c0re" * 8, "encoder": encoder, "seed": seed}
    train_id = digest([identity, suite, language])[:16]
    record = RunRecord(
        train_id=train_id,
        identity=identity,
        spec=RunInfo(
            suite=suite,
            scale="small",
            row=row,
            method=method,
            config=config,
            language=language,
            corpus=CorpusInfo(name="wiki.txt", sha="c" * 64, rows=1000),
            encoder=EncoderInfo(name=encoder, sha="e" * 64),
            seed=seed,
            settings={"device": "auto", "precision": "auto", "checkpoint_every": 100},
        ),
        **{
            "status": "ok",
            "seconds": {"train": 12.0, "total": 125.0},
            "peak_memory_mib": {"host": 900.0},
            "hardware": {"cpu": "a processor", "cores": 2},
            "versions": {"python": "3.11", "augbench": "0.1.0"},
            "code_revision": "abc123",
            "notes": {"preset": "mini", "views": {"positive": {"changed": 0.5}}},
            "embedder": EmbedderInfo(sha=digest([train_id, "weights"]), describe={"pooler": "cls"}),
            "started": WHEN,
            "finished": WHEN,
            **changed,
        },
    )
    store = Store(folder)
    points = [{"step": step, "name": name, "value": 1.0 / (step + 1)} for name in ("loss", "dev") for step in range(20)]
    store.write_run(record, curves=points if curves else None)
    if record.status == "ok":
        for number, task in enumerate(tasks):
            store.write_score(score(record, task, quality=quality, seed=1000 * number + seed))
        if attention:
            store.write_score(attention_score(record, 1.0 + quality))
    return record


def score(record: RunRecord, task_id: str, *, quality: float, seed: int) -> ScoreRecord:
    """The scores of one task, computed from predictions as a run would."""
    task, _, split = task_id.partition(":")
    rng = np.random.default_rng(seed)
    predictions = (quality * gold() / 5 + (1 - quality) * rng.random(ITEMS)).astype(np.float32)
    value = spearman(gold(), predictions)
    parts = tuple(SliceValue(kind=k, part=p, metric="spearman", value=value, items=ITEMS // 4) for k, p in SLICES)
    assert record.embedder is not None
    return ScoreRecord(
        train_id=record.train_id,
        eval_id=digest([record.train_id, task_id])[:16],
        task=task,
        split=split or "test",
        language="zh" if record.spec.language == "chinese" else "en",
        protocol="sts-original@1",
        protocol_fingerprint={"name": "sts-original", "version": 1, "text": "original"},
        data_sha=digest(["data", task_id]),
        embedder_sha=record.embedder.sha,
        main=("spearman", "all"),
        scores=(ScoreValue(metric="spearman", aggregation="all", value=value, items=ITEMS),),
        groups={"test": ITEMS},
        slices=parts,
        facts={"edge": 0.5},
        finished=WHEN,
        predictions_dtype="<f4",
        packed_predictions=pack(predictions, "<f4"),
        packed_gold=pack(gold(), "<f4"),
    )


def attention_score(record: RunRecord, ratio: float) -> ScoreRecord:
    """The attention to negation words of one run."""
    base = score(record, "SICK-R", quality=0.5, seed=0)
    return base.model_copy(
        update={
            "task": "SICK-R-attention",
            "protocol": "negation-attention@1",
            "main": ("attention-ratio", "all"),
            "scores": (ScoreValue(metric="attention-ratio", aggregation="all", value=ratio, items=ITEMS),),
            "slices": (),
            "packed_gold": None,
        }
    )


def add_sweep(folder: Path) -> None:
    """Write the two sweeps of the paper's Figure 5, with three seeds."""
    for seed in range(3):
        add_run(folder, suite="sda-figure5a", row="None (SimCSE)", seed=seed, quality=0.4)
        for share in (0.0, 0.5, 1.0):
            for operator in ("pi", "mv") if share else ("pi",):
                config = {"operator": operator, "proportion": share, "negation": "negation", "margin": 0.5}
                row = f"{operator.upper()}, {share:.0%}" if share else "0 % (negation alone)"
                add_run(
                    folder,
                    suite="sda-figure5a",
                    method="sda",
                    row=row,
                    config=config,
                    seed=seed,
                    quality=0.4 + share / 4,
                )
        for margin in (0.1, 0.5):
            config = {"operator": "dn", "proportion": 1.0, "negation": "negation", "margin": margin}
            add_run(
                folder, suite="sda-figure5b", method="sda", row=f"DN, δ {margin}", config=config, seed=seed, quality=0.5
            )
        config = {"operator": "dn", "proportion": 1.0, "negation": None, "margin": 0.5}
        add_run(folder, suite="sda-figure5b", method="sda", row="DN, without negation", config=config, seed=seed)


def add_analysis(folder: Path, suite: str, kind: str, result: dict[str, Any], **changed: Any) -> AnalysisRecord:
    """Write the record of an analysis."""
    record = AnalysisRecord(
        analysis_id=digest([suite, result])[:16],
        kind=kind,
        suite=suite,
        scale="small",
        language="english",
        identity={"code": {}, "data": {}},
        facts={"scale": "small", "corpus": "wiki.txt (all 200 lines)"},
        result=result,
        started=WHEN,
        finished=WHEN,
        **changed,
    )
    write_record(folder, record)
    return record


def coverage_result(changed: int = 50) -> dict[str, Any]:
    """What a coverage analysis counts, for two operators on 200 lines."""
    group = {"name": "passive", "lines": 200, "changed": {"pi": [changed], "mv": [20]}}
    counts = {"lines": 200, "of": 200, "blank": 0, "wordless": 1, "repeated": 2}
    return {**counts, "seeds": [0], "groups": [group], "skipped": {"dn": "no parser"}, "named": True}


def plane_result() -> dict[str, Any]:
    """Where a quality analysis puts three operators, one of them badly written."""
    place = {"value": 95.0, "low": 94.0, "high": 96.0}
    other = {"value": 10.0, "low": 9.0, "high": 11.0}
    return {
        "operators": [
            {"operator": "pi", "consistency": place, "diversity": other, "more": [1, 2]},
            {"operator": "mv", "consistency": {"value": 90.0}, "diversity": 20.0},
            {"operator": HOSTILE, "consistency": place, "diversity": other},
            {"operator": "broken", "consistency": None, "diversity": "x"},
            "no operator",
        ]
    }
