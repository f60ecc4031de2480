"""A bench, a store and a trainer without work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runner_fakes import FakeBench, FakeEmbedder, Trainer

from harness import stages
from harness.records.store import Store
from harness.runs import cells


@pytest.fixture
def bench() -> FakeBench:
    return FakeBench()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


@pytest.fixture
def trainer(monkeypatch: pytest.MonkeyPatch) -> Trainer:
    trainer = Trainer()
    real = cells._train

    def train(cell: Any, *args: Any, **more: Any) -> Any:
        trainer.row = cell.spec.row
        return real(cell, *args, **more)

    monkeypatch.setattr(cells, "_train", train)
    monkeypatch.setattr(stages, "execute", trainer)
    monkeypatch.setattr("harness.encoder.TextEmbedder", FakeEmbedder)
    monkeypatch.setattr("harness.provenance.hardware", lambda: {"cpu": "fake"})
    return trainer
