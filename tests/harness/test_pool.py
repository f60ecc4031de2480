from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from harness.errors import DataError
from harness.pool import Crash, run_jobs


def work(call: str) -> str | int:
    if call == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if call == "leave":
        os._exit(3)
    if call == "ours":
        raise DataError("no such file")
    if call == "theirs":
        raise ZeroDivisionError("oops")
    if call == "threads":
        return int(os.environ["OMP_NUM_THREADS"])
    if call.startswith("/"):
        Path(call).touch()
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            Path(call + ".interrupted").touch()
            raise
    return call.upper()


def test_every_call_gets_its_answer_whatever_happens_to_the_others() -> None:
    calls = ["a", "die", "ours", "theirs", "leave", "threads"]
    answers = dict(run_jobs(calls, work, jobs=3))
    assert answers["a"] == "A"
    assert answers["threads"] >= 1
    assert isinstance(answers["die"], Crash)
    assert "SIGKILL" in answers["die"].reason
    assert isinstance(answers["ours"], DataError)
    assert str(answers["ours"]) == "no such file"
    assert "ZeroDivisionError: oops" in answers["theirs"].reason
    assert "status 3" in answers["leave"].reason


def test_closing_interrupts_what_runs(tmp_path: Path) -> None:
    marker = tmp_path / "started"
    answers = run_jobs(["quick", str(marker)], work, jobs=2)
    assert next(answers) == ("quick", "QUICK")
    assert appears(marker)
    answers.close()
    assert (tmp_path / "started.interrupted").exists()


def parent(marker: str) -> None:
    list(run_jobs([marker], work, jobs=1))


def appears(path: Path) -> bool:
    for _ in range(3000):
        if path.exists():
            return True
        time.sleep(0.01)
    return False


def test_nothing_goes_on_when_the_parent_is_killed(tmp_path: Path) -> None:
    marker = tmp_path / "started"
    process = multiprocessing.get_context("spawn").Process(target=parent, args=(str(marker),))
    process.start()
    assert appears(marker)
    process.kill()
    process.join()
    assert appears(tmp_path / "started.interrupted")


def test_starts_are_told_in_order() -> None:
    started: list[str] = []
    assert [c for c, _ in run_jobs(["a", "b"], work, jobs=1, on_start=started.append)] == ["a", "b"]
    assert started == ["a", "b"]


@pytest.mark.parametrize("calls", [[], ()])
def test_no_calls(calls: list[str]) -> None:
    assert list(run_jobs(calls, work, jobs=2)) == []
