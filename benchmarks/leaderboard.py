"""How long does the leaderboard take to open and to filter, against reading the records each time and against JSON lines?

Generates a results folder (by hand-made records with the fields of real ones), then measures, each in a process of its own:
the first index, opening it again with nothing changed, opening it after one run was added, one page (Streamlit's own runner,
script start to end) and a changed filter. Peers: reading and checking every JSON record as `Store` does, and pandas reading
the same rows from JSON lines. Ratios of one run are comparable; seconds are this machine's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

TASKS = ("STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R")
#: runs of a setting: rows times seeds
ROWS, SEEDS = 25, 5


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this comparison."""
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument(
        "--items", type=int, default=60, help="test items per task (small: predictions are not measured)"
    )
    parser.add_argument("--folder", type=Path, default=None, help="keep the generated results here")
    parser.add_argument("--step", default=None, help=argparse.SUPPRESS)


def run(given: argparse.Namespace) -> None:
    """Generate, measure, print."""
    if given.step:
        print(json.dumps(STEPS[given.step](given.folder)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary) / "results"
        if not folder.is_dir():
            generate(folder, given.runs, given.items)
        environment = {
            **os.environ,
            "AUGBENCH_CACHE": str(Path(temporary) / "cache"),
            "AUGBENCH_LEADERBOARD": str(folder),
        }
        measured: dict[str, Any] = {}
        for step in STEPS:
            command = [sys.executable, "-m", "benchmarks", "leaderboard", "--step", step, "--folder", str(folder)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            measured |= json.loads(done.stdout.splitlines()[-1])
            print(measured, file=sys.stderr)
    for name, (wall, processor) in measured.items():
        print(f"{name:<36} {wall:8.3f} s   processor {processor:8.3f} s")
    opened = measured["open the index again"][1]
    for peer in ("peer: every JSON record (Store)", "peer: pandas JSON lines"):
        print(f"{peer} / open the index again: {measured[peer][1] / opened:.1f} (processor)")


def generate(folder: Path, runs: int, items: int) -> None:
    """Write `runs` runs of `TASKS` in as many settings as are needed (`ROWS` rows with `SEEDS` seeds each)."""
    import numpy as np

    from harness.provenance import digest
    from harness.records.schema import eval_id, pack
    from harness.records.store import score_name

    rng = np.random.default_rng(0)
    gold = {task: rng.integers(0, 6, items).astype(np.float32) for task in TASKS}
    packed = {task: pack(gold[task], "<f4") for task in TASKS}
    for number in range(runs):
        seed, rest = number % SEEDS, number // SEEDS
        row, setting = rest % ROWS, rest // ROWS
        language = ("english", "chinese", "german", "french")[setting % 4]
        encoder = f"encoder-{setting // 4 % 5}"
        corpus = {"name": f"corpus-{setting // 20}.txt", "sha": f"{setting // 20:064x}", "rows": 50_000}
        identity: dict[str, Any] = {
            "method": {"method": f"method-{row % 8}", "config": {"row": row}},
            "encoder": encoder,
            "seed": seed,
        }
        identity |= {"language": language, "corpus": corpus["sha"], "core": "c" * 64}
        train_id = digest(identity)[:16]
        place = folder / train_id
        (place / "scores").mkdir(parents=True)
        spec: dict[str, Any] = {
            "suite": f"suite-{row % 3}",
            "scale": "small",
            "row": f"Row {row}",
            "method": f"method-{row % 8}",
        }
        spec |= {"config": {"row": row}, "language": language, "corpus": corpus, "seed": seed}
        spec |= {"encoder": {"name": encoder, "sha": digest(encoder)}}
        record = {
            "train_id": train_id,
            "identity": identity,
            "spec": spec,
            "status": "ok",
            "seconds": {"total": 100.0 + row},
            "peak_memory_mib": {"host": 1000.0 + row},
            "hardware": {"cpu": "generated", "cores": 2},
            "versions": {"python": "3.11", "torch": "2.13.0"},
            "notes": {"selection": {"last_score": 60.0}},
            "embedder": {"sha": digest([train_id]), "describe": {"pooler": "cls"}},
            "started": "2026-01-01T00:00:00+00:00",
            "finished": "2026-01-01T00:10:00+00:00",
        }
        (place / "run.json").write_text(json.dumps(record))
        noise = rng.normal(size=(len(TASKS), items))
        for task, drawn in zip(TASKS, noise, strict=True):
            predictions = (gold[task] + (1.5 + row / 20) * drawn).astype(np.float32)
            value = 100 * float(np.corrcoef(gold[task], predictions)[0, 1])
            protocol = {"name": "sts-original", "version": 1}
            sha, code = digest([task]), language[:2]
            score = {
                "train_id": train_id,
                "eval_id": eval_id(
                    embedder_sha=digest([train_id]), task_id=task, language=code, data_sha=sha, protocol=protocol
                ),
                "task": task,
                "split": "test",
                "language": code,
                "protocol": "sts-original@1",
                "protocol_fingerprint": protocol,
                "data_sha": sha,
                "embedder_sha": digest([train_id]),
                "main": ["pearson", "all"],
                "scores": [{"metric": "pearson", "aggregation": "all", "value": value, "items": items}],
                "finished": "2026-01-01T00:10:00+00:00",
                "predictions_dtype": "<f4",
                "packed_predictions": pack(predictions, "<f4"),
                "packed_gold": packed[task],
            }
            (place / "scores" / score_name(task, "test", "sts-original@1")).write_text(json.dumps(score))


def _timed(name: str, work: Callable[[], object]) -> dict[str, tuple[float, float]]:
    """Wall and processor seconds: the latter can be compared on a machine that others use too."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return {name: (time.perf_counter() - wall, time.process_time() - processor)}


def _index(folder: Path) -> dict[str, tuple[float, float]]:
    from harness.index import open_index

    return _timed("first index", lambda: open_index([folder]))


def _again(folder: Path) -> dict[str, tuple[float, float]]:
    import pandas  # noqa: F401 - what is measured is reading, not importing
    import pyarrow.parquet  # noqa: F401

    from harness.index import open_index

    return _timed("open the index again", lambda: open_index([folder]).scores)


def _added(folder: Path) -> dict[str, tuple[float, float]]:
    import pandas  # noqa: F401
    import pyarrow.parquet  # noqa: F401

    from harness.index import open_index

    record = next(folder.glob("*/run.json"))
    record.write_bytes(record.read_bytes() + b"\n")
    return _timed("open after one run changed", lambda: open_index([folder]).scores)


def _page(folder: Path) -> dict[str, tuple[float, float]]:
    """The page with the tests of all it shows computed, as the first reader ever gets it."""
    return {"page, computing its tests": _opened()}


def _cold(folder: Path) -> dict[str, tuple[float, float]]:
    """A server that warmed up (as `python -m leaderboard` does), its first page, then filters. Tests are kept from before."""
    from leaderboard.__main__ import warm

    found = _timed("server start: read the results", warm)
    found["first page of a server"] = _opened()
    languages = ("german", "english", "french")
    for language in languages:  # the tests of these pages
        _opened(language)
    times = sorted(_opened(language) for language in languages * 2)
    return found | {"filter changed": times[len(times) // 2]}


def _opened(language: str | None = None) -> tuple[float, float]:
    """Open the board; wall and processor seconds of the page's own script (not of the test runner around it)."""
    from streamlit.testing.v1 import AppTest

    import leaderboard
    from leaderboard.views import board

    spent: list[tuple[float, float]] = []
    render = board.render

    def timed() -> None:
        wall, processor = time.perf_counter(), time.thread_time()
        try:
            render()
        finally:
            spent.append((time.perf_counter() - wall, time.thread_time() - processor))

    board.render = timed
    try:
        page = AppTest.from_file(str(Path(leaderboard.__file__).parent / "app.py"), default_timeout=900)
        if language:
            page.query_params["language"] = language
        page.run()
    finally:
        board.render = render
    if page.exception or not page.dataframe:
        raise SystemExit(f"the page failed: {page.exception}")
    return sum(wall for wall, _ in spent), sum(processor for _, processor in spent)


def _store(folder: Path) -> dict[str, tuple[float, float]]:
    from harness.records.store import Store

    def read() -> None:
        rows = [(run.train_id, score.task, score.value) for run in Store(folder).iter_runs() for score in run.scores()]
        if not rows:
            raise SystemExit(f"{folder} holds no scores")

    return _timed("peer: every JSON record (Store)", read)


def _lines(folder: Path) -> dict[str, tuple[float, float]]:
    import pandas as pd

    from harness.index import open_index

    path = folder.parent / "rows.jsonl"
    open_index([folder]).scores.to_json(path, orient="records", lines=True)
    return _timed("peer: pandas JSON lines", lambda: pd.read_json(path, orient="records", lines=True))


STEPS = {
    "index": _index,
    "again": _again,
    "added": _added,
    "page": _page,
    "cold": _cold,
    "store": _store,
    "lines": _lines,
}
