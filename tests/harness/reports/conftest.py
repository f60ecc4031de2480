"""A suite, and a function that writes runs of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from table_fakes import FIRST, SUITE, RunOf

from harness.provenance import digest
from harness.records.schema import EmbedderInfo, RunRecord, ScoreRecord, ScoreValue
from harness.records.store import Run, Store
from harness.suite import Suite, parse_suite


@pytest.fixture
def suite() -> Suite:
    return parse_suite(SUITE.encode(), "mine.toml")


@pytest.fixture
def run(tmp_path: Path, suite: Suite) -> RunOf:
    """Return a function that writes a run with its scores."""
    from harness.runs.plan import Options, expand

    configs = {s.row: s.config for s in expand(suite, Options(encoder="e"))}
    store = Store(tmp_path)

    def make(row: str = FIRST, seed: int = 0, scores: dict[str, float | None] | None = None, **more: Any) -> Run:
        train_id = digest([row, seed, more.get("salt")])[:16]
        spec = {
            "suite": "mine",
            "scale": "small",
            "row": row,
            "method": "simcse",
            "config": more.get("config", configs[row]),
            "language": "english",
            "corpus": {"name": "wiki.txt", "sha": more.get("corpus", "c"), "rows": 6400},
            "encoder": {"name": more.get("encoder", "bert-base-uncased"), "sha": "s" * 64},
            "seed": seed,
        }
        record = RunRecord(
            train_id=train_id,
            identity=more.get("identity", {}),
            spec=spec,  # type: ignore[arg-type]
            status=more.get("status", "ok"),
            reason=more.get("reason"),
            plumbing=more.get("plumbing"),
            notes={"selection": {"last_score": more.get("last")}, "views": more.get("views", {})},
            problems=more.get("problems", {}),
            embedder=EmbedderInfo(sha="x"),
            started="t",
            finished=more.get("finished", "t"),
        )
        written = store.write_run(record)
        for task, value in (scores or {}).items():
            name, protocol, text = [*task.split("/"), "", ""][:3]
            store.write_score(
                ScoreRecord(
                    train_id=train_id,
                    eval_id="1",
                    task=name,
                    split="test",
                    language="en",
                    protocol=protocol or "p@1",
                    protocol_fingerprint={"text": text} if text else {},
                    data_sha="d",
                    embedder_sha="x",
                    main=("spearman", "all"),
                    scores=(ScoreValue(metric="spearman", aggregation="all", value=value, items=3),),
                    finished="t",
                )
            )
        return written

    return make
