"""Stand-ins for packs, corpora, methods and tasks: a plan of cells that train in microseconds."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from harness.protocols import Protocol, Score, Task, TaskResult
from harness.provenance import digest
from harness.records.store import Store
from harness.runs.plan import CorpusSpec, RunSpec
from harness.runs.runner import prepare, run_plan
from harness.runs.workbench import Cell, Workbench

PROTOCOL = Protocol("fake", 1, text="original")


class FakeTask(Task):
    language = "en"
    main = ("spearman", "all")
    protocol = PROTOCOL

    def __init__(self, name: str, split: str = "test", data: str = "d1") -> None:
        self.name, self.split, self.data_sha = name, split, data
        self.gold = np.array([0.0, 2.5, 5.0])

    def sentences(self) -> list[str]:
        return [f"{self.name} {i}" for i in range(3)]

    def score(self, vectors: Any) -> TaskResult:
        if self.name == "Broken":
            raise RuntimeError("no score today")
        value = float(vectors[0, 0])
        return TaskResult((Score("spearman", "all", value, 3),), np.array([0.1, 0.2, 0.3]), {"all": 3})


class FakeEmbedder:
    """Knows one number; saves and opens like the real one."""

    def __init__(self, value: float) -> None:
        self.value = value

    def encode(self, texts: Any, *, progress: bool = False) -> np.ndarray:
        return np.full((len(texts), 2), self.value, dtype=np.float32)

    def fingerprint(self) -> str:
        return hashlib.sha256(str(self.value).encode()).hexdigest()

    def describe(self) -> dict[str, Any]:
        return {"pooler": "cls", "precision": "fp32"}

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "augbench.json").write_text(json.dumps({"value": self.value}))

    @classmethod
    def load(cls, folder: Path, **_: Any) -> FakeEmbedder:
        return cls(json.loads((folder / "augbench.json").read_text())["value"])


@dataclass
class FakeOutcome:
    """Has the fields of `stages.Outcome`."""

    embedder: FakeEmbedder
    curves: list[dict[str, Any]]
    notes: dict[str, Any]
    seconds: dict[str, float]


class FakeMethod:
    trained = True
    name = "fake"

    def fingerprint(self) -> dict[str, Any]:
        return {"method": "fake"}


class FakePack:
    name, code = "english", "en"


class FakeCorpus:
    name, sha, sentences, removed = "fake.txt", "c0ffee", ["a", "b"], None

    def __len__(self) -> int:
        return 2


class FakeBench(Workbench):
    def method(self, spec: RunSpec) -> Any:
        return FakeMethod()

    def corpus(self, spec: RunSpec) -> Any:
        return FakeCorpus()

    @staticmethod
    def _pack(language: str) -> Any:
        return FakePack()

    def tasks(self, spec: RunSpec) -> list[Task]:
        return [FakeTask(*name.split(":")) for name in spec.tasks]

    def dev(self, spec: RunSpec) -> Task | None:
        return FakeTask("Dev", "dev")

    def settings(self, spec: RunSpec) -> Any:
        return None

    def cell(self, spec: RunSpec) -> Cell:
        identity = {"row": spec.row, "seed": spec.seed, "encoder": "e" * 64, "config": spec.config}
        skipped = "needs what is not here" if spec.row == "skipping" else None
        return Cell(spec, digest(identity)[:16], identity, skipped)


def spec(row: str = "row", seed: int = 0, tasks: tuple[str, ...] = ("A", "Dev:dev"), **more: Any) -> RunSpec:
    given: dict[str, Any] = {
        "suite": "fake",
        "scale": "smoke",
        "row": row,
        "method": "untrained",  # the one that is cheap to import
        "config": {"row": row},
        "language": "english",
        "encoder": "base",
        "corpus": CorpusSpec(source="sample", name="sample"),
        "data": "user",
        "data_path": None,
        "tasks": tasks,
        "dev": "Dev:dev",
        "text": "original",
        "seed": seed,
    }
    return RunSpec(**(given | more))


class Trainer:
    """A fake `stages.execute`: counts its calls; its plan says what goes wrong."""

    def __init__(self, **values: Any) -> None:
        """values: row -> score base (a number), or an exception to raise."""
        self.values = values
        self.calls: list[tuple[str, int]] = []

    def __call__(self, method: Any, *, workdir: Path, seed: int, **given: Any) -> FakeOutcome:
        row = self.row
        self.calls.append((row, seed))
        workdir.mkdir(parents=True, exist_ok=True)
        (workdir / "state").write_text(str(os.getpid()))
        value = self.values.get(row, 50.0)
        if isinstance(value, BaseException):
            raise value
        value += seed
        selection = {"rule": "dev", "best_score": value, "last_score": value - 1, "best_step": 2}
        curves = [{"step": 1, "name": "loss", "value": 0.5}, {"step": 2, "name": "loss", "value": float("nan")}]
        return FakeOutcome(FakeEmbedder(value), curves, {"selection": selection}, {"train": 0.1})

    row = "row"


def install(execute: Any) -> None:
    """In a process of its own: put a fake in place of the training core, which then need not be imported."""
    from harness import provenance

    fake = ModuleType("harness.stages")
    fake.execute = execute  # type: ignore[attr-defined]
    sys.modules["harness.stages"] = fake
    provenance.hardware = dict  # type: ignore[assignment]


def work(cell: Cell, *, store: Any, keep: Any, wait: bool) -> Any:
    """What a process of a pool does in tests: everything is fake, one row dies."""
    import signal

    from harness.runs import cells

    install(Trainer())
    if cell.spec.row == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    return cells.do_cell(cell, FakeBench(), store, keep=keep, wait=wait)


def run(specs: list[Any], bench: FakeBench, store: Store, **more: Any) -> Any:
    return run_plan(prepare(specs, bench, store), bench, store, **more)
