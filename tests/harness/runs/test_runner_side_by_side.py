"""Several processes, and several folders, of one plan."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import runner_fakes
from runner_fakes import FakeBench, Trainer, run, spec

from harness.records.store import Store
from harness.runs.runner import Event, prepare, run_plan


def test_busy_cells_come_last_and_are_waited_for(
    bench: FakeBench, store: Store, trainer: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = prepare([spec("x"), spec("y")], bench, store)
    held = store.lock(plan[0].cell.train_id)
    held.__enter__()
    events: list[tuple[str, str]] = []

    def on_event(event: Event) -> None:
        events.append((event.kind, event.cell.spec.row))
        if event.kind == "wait":
            held.__exit__(None, None, None)  # the other process is done

    assert run_plan(plan, bench, store, on_event=on_event).ok
    assert events == [
        ("start", "x"),
        ("start", "y"),
        ("finish", "y"),
        ("wait", "x"),
        ("start", "x"),
        ("finish", "x"),
    ]


SCRIPT = """
    import sys, time
    sys.path.insert(0, {here!r})
    from pathlib import Path
    from runner_fakes import FakeBench, Trainer, install, spec
    from harness.records.store import Store
    from harness.runs.runner import prepare, run_plan

    trainer, log = Trainer(), Path({log!r})

    def execute(method, **given):
        with log.open("a") as file:
            file.write(f"{{given['seed']}}\\n")
        time.sleep(0.05)
        return trainer(method, **given)

    install(execute)
    bench, store = FakeBench(), Store({results!r})
    Path({log!r} + "." + sys.argv[1]).touch()
    while len(list(Path({log!r}).parent.glob("log.*"))) < 2:
        time.sleep(0.01)
    summary = run_plan(prepare([spec("x", s) for s in range(6)], bench, store), bench, store, keep="all")
    sys.exit(0 if summary.ok else 1)
"""


def test_two_processes_share_one_folder(tmp_path: Path, bench: FakeBench) -> None:
    log, results = tmp_path / "log", tmp_path / "results"
    script = textwrap.dedent(SCRIPT).format(here=str(Path(__file__).parent), log=str(log), results=str(results))
    both = [subprocess.Popen([sys.executable, "-c", script, name]) for name in ("1", "2")]
    assert [process.wait(60) for process in both] == [0, 0]
    assert sorted(log.read_text().split()) == list("012345")  # each cell was trained by exactly one
    assert len(list(Store(results).iter_runs())) == 6


def test_merging_two_folders_is_copying(bench: FakeBench, store: Store, trainer: Trainer, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    run([spec("x", 0)], bench, store)
    run([spec("x", 1)], bench, other)
    shutil.copytree(other.path, store.path, dirs_exist_ok=True)
    assert [p.todo.step for p in prepare([spec("x", 0), spec("x", 1)], bench, store)] == ["nothing"] * 2


def test_processes_side_by_side(
    bench: FakeBench, store: Store, trainer: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.runs.runner._work", runner_fakes.work)
    run([spec("w")], bench, store)
    summary = run([spec("w"), spec("dies"), spec("x"), spec("x", 1)], bench, store, jobs=2)
    assert [d.status for d in summary.done] == ["done", "failed", "finished", "finished"]
    assert len(trainer.calls) == 1  # the others ran elsewhere
    dead = store.get(summary.cells[1].train_id)
    assert dead is not None
    assert dead.record.status == "failed"
    assert "SIGKILL" in (dead.record.reason or "")
    kept = [store.get(c.train_id).embedder_folder is not None for c in summary.cells[2:]]  # type: ignore[union-attr]
    assert kept == [False, True]
