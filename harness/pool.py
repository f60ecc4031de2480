"""How do several runs share one machine? One fresh process per run, `jobs` at a time, cores divided among them.

A process that dies (out of memory, killed) takes only its own run with it; the others and this process go on.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from harness.errors import AugBenchError
from harness.foreign import WORKER
from harness.provenance import usable_cores

Call = TypeVar("Call")
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
_PATIENCE = 60.0


@dataclass(frozen=True)
class Crash:
    """A process ended without an answer, or with an error that is not one of ours; `reason` says which."""

    reason: str


def run_jobs(
    calls: Iterable[Call], worker: Callable[[Call], Any], *, jobs: int, on_start: Callable[[Call], None] | None = None
) -> Generator[tuple[Call, Any], None, None]:
    """Yield (call, answer) as they come; an answer is what `worker` returned, the AugBenchError it raised, or a `Crash`.

    `worker` and its calls must be importable and picklable (processes are spawned). If this generator is closed or
    interrupted, the running processes are interrupted too, and waited for, so that they keep their checkpoints.
    """
    context = multiprocessing.get_context("spawn")
    threads = max(1, usable_cores() // jobs)
    todo = iter(calls)
    running: dict[Connection, tuple[Any, Call]] = {}

    def start() -> bool:
        for call in todo:
            if on_start is not None:
                on_start(call)
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_child, args=(theirs, worker, call, threads))
            process.start()
            theirs.close()
            running[ours] = (process, call)
            return True
        return False

    try:
        while len(running) < jobs and start():
            pass
        while running:
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                process, call = running.pop(ready)
                answer = _answer(ready, process)
                start()
                yield call, answer
    finally:
        _stop([process for process, _ in running.values()])


def _answer(connection: Connection, process: Any) -> Any:
    try:
        answer = connection.recv()
    except (EOFError, OSError):
        answer = None
    finally:
        connection.close()
    process.join()
    if isinstance(answer, tuple):
        return answer[0]
    return (
        answer
        if answer is not None
        else Crash(obituary(process.exitcode, "try fewer --jobs or a smaller --set batch_size"))
    )


def obituary(code: int | None, hint: str) -> str:
    """Say how a process ended, with a hint for the case that it was killed: most often there was not enough memory."""
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"its process was ended by {name}" + (f" (often: out of memory; {hint})" if name == "SIGKILL" else "")
    return f"its process ended with status {code} and no answer"


def _stop(processes: list[Any]) -> None:
    for process in processes:
        if process.is_alive() and process.pid:
            os.kill(process.pid, signal.SIGINT)
    for process in processes:
        process.join(_PATIENCE)
        if process.is_alive():
            process.terminate()
            process.join()


def _child(connection: Connection, worker: Callable[[Any], Any], call: Any, threads: int) -> None:
    # a job that a shell started in the background ignores SIGINT, and so would we; `_stop` relies on it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for variable in THREAD_VARIABLES:  # read when torch is imported, which the worker does
        os.environ[variable] = str(threads)
    os.environ[WORKER] = "1"
    threading.Thread(target=_follow_parent, daemon=True).start()
    try:
        answer: Any = (worker(call),)
    except KeyboardInterrupt:
        sys.exit(130)
    except AugBenchError as error:
        answer = error
    except Exception as error:
        answer = Crash(f"{type(error).__name__}: {error}\n{traceback.format_exc()}")
    connection.send(answer)
    connection.close()


def _follow_parent() -> None:
    """Interrupt this process when the one that started it is gone, however it went: nobody waits for the answer."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGINT)
