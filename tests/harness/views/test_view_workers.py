"""Worker processes: answers in order, errors as here, deaths and interrupts that leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.errors import AugBenchError, DataError
from harness.views.workers import Workers


def setup(argument):
    if argument == "broken":
        raise DataError("cannot open it")

    def work(call):
        if call == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if call == "leave":
            os._exit(7)
        if call == "boom":
            raise KeyError("boom")
        if call == "pid":
            return os.getpid(), os.environ["OMP_NUM_THREADS"]
        if isinstance(call, Path):
            (call / str(os.getpid())).touch()
            try:
                time.sleep(600)
            finally:
                (call / "left").touch()
        return argument, call

    return work


def test_answers_come_in_the_order_of_the_calls():
    with Workers(setup, "x", jobs=3) as workers:
        assert list(workers.map(range(50))) == [("x", i) for i in range(50)]
        # the same processes answer again
        pids = {pid for pid, threads in workers.map(["pid"] * 30) if threads == "1"}
        assert 1 <= len(pids) <= 3
        assert os.getpid() not in pids


def test_no_process_is_started_for_nothing():
    with Workers(setup, "x", jobs=2) as workers:
        assert list(workers.map([])) == []
        assert workers._all == []


def test_calls_are_taken_only_a_few_ahead():
    taken = []
    with Workers(setup, "x", jobs=2) as workers:
        answers = workers.map(taken.append(i) or i for i in range(1000))
        next(answers)
        assert len(taken) < 50


def test_errors_are_those_of_the_function_and_leave_the_rest_alone():
    with Workers(setup, "x", jobs=1) as workers:
        with pytest.raises(KeyError, match="boom"):
            list(workers.map([1, "boom", 2]))
        assert list(workers.map([3])) == [("x", 3)]
    with Workers(setup, "broken", jobs=2) as workers, pytest.raises(DataError, match="cannot open it"):
        list(workers.map([1, 2, 3]))


def test_a_failing_source_is_heard_behind_the_answers():
    def source():
        yield 1
        yield 2
        raise DataError("line 3 is not UTF-8")

    with Workers(setup, "x", jobs=2) as workers:
        answers = workers.map(source())
        assert [next(answers), next(answers)] == [("x", 1), ("x", 2)]
        with pytest.raises(DataError, match="line 3"):
            next(answers)


@pytest.mark.parametrize(
    ("call", "fate"), [("die", "SIGKILL .*out of memory; try fewer --jobs"), ("leave", "status 7")]
)
def test_a_dead_process_is_an_error_that_says_how_it_died(call, fate):
    with Workers(setup, "x", jobs=2) as workers, pytest.raises(AugBenchError, match=fate):
        list(workers.map([1, 2, call, 3, 4, 5, 6]))


def wait_for(condition):
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("waited in vain")


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    try:
        # an orphan in a container whose first process buries nobody
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def test_leaving_ends_processes_in_the_middle_of_their_work(tmp_path):
    def interrupted():
        with Workers(setup, "x", jobs=1) as workers:
            for _ in workers.map([1, tmp_path]):
                wait_for(lambda: list(tmp_path.iterdir()))
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (tmp_path / "left").exists()
    (pid,) = (int(path.name) for path in tmp_path.iterdir() if path.name != "left")
    assert gone(pid)


SCRIPT = """
import sys
from pathlib import Path
from test_view_workers import setup
from harness.views.workers import Workers
with Workers(setup, "x", jobs=2) as workers:
    print(*[pid for pid, threads in workers.map(["pid"] * 4)], flush=True)
    list(workers.map([Path(sys.argv[1])]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_unguarded_script_works_and_no_process_outlives_it(tmp_path, number):
    folder = tmp_path / "pids"
    folder.mkdir()
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with (tmp_path / "stderr").open("w+") as stderr:
        process = subprocess.Popen(
            [sys.executable, str(script), str(folder)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])},
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            start_new_session=True,
            # a shell's background job ignores SIGINT, and so would its children
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert process.stdout is not None
        pids = {int(pid) for pid in process.stdout.readline().split()}
        assert pids
        wait_for(lambda: list(folder.iterdir()))
        (busy,) = (int(path.name) for path in folder.iterdir())
        # what Ctrl-C in a terminal does: the whole group is told
        os.killpg(process.pid, number)
        process.wait(60)
        process.stdout.close()
        stderr.seek(0)
        complaints = stderr.read()
    if number == signal.SIGINT:
        assert complaints.rstrip().endswith("KeyboardInterrupt")
        assert complaints.count("Traceback") == 1
        assert gone(busy)
    else:
        os.kill(busy, signal.SIGTERM)  # it would end with its work, in ten minutes
    # an idle one sees the end of its input by itself
    wait_for(lambda: all(map(gone, {*pids, busy})))
