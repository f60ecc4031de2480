"""How do several processes share one long piece of work? Each is set up once, then answers calls until it is told to stop.

Unlike `harness.pool`, which gives every run a process of its own, these live on: opening a parser takes longer than using it
on a hundred sentences. They are fresh interpreters (never forks, so threads and GPU contexts of this process do not matter)
and do not import the caller's main script, so a script without `if __name__ == "__main__"` is safe.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Generic, TypeVar

from harness.errors import AugBenchError
from harness.foreign import WORKER
from harness.pool import THREAD_VARIABLES, obituary

Call = TypeVar("Call")
Answer = TypeVar("Answer")

_START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from harness.views.workers import serve; serve()"
)
# seconds a process may take to clean up behind itself
_PATIENCE = 10.0


class Workers(Generic[Call, Answer]):
    """Up to `jobs` processes that each do `function = setup(argument)` and answer calls with `function(call)`.

    `setup` is a function of an importable module; argument, calls and answers can be pickled. Every process computes with
    one thread. Use as a context manager: leaving it, by an interrupt too, ends the processes.
    """

    def __init__(self, setup: Callable[[Any], Callable[[Call], Answer]], argument: Any, *, jobs: int) -> None:
        self._hello = (setup, argument)
        self._jobs = jobs
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="worker")
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._all: list[_Worker] = []

    def map(self, calls: Iterable[Call]) -> Generator[Answer, None, None]:
        """Yield the answers in the order of the calls, which are taken a few ahead.

        Raises what `setup` or the function raised, and AugBenchError if a process died.
        """
        pending: deque[Future[Answer]] = deque()
        failure: Exception | None = None
        given = iter(calls)
        while True:
            try:
                call = next(given)
            except StopIteration:
                break
            except Exception as error:
                failure = error  # what was asked for before is answered first, as it would be without processes
                break
            if len(self._all) < self._jobs:
                self._start()
            pending.append(self._threads.submit(self._ask, call))
            while pending and (pending[0].done() or len(pending) > 4 * self._jobs):
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
        if failure is not None:
            raise failure

    def close(self) -> None:
        """End the processes."""
        for worker in self._all:
            worker.stop()
        for worker in self._all:
            worker.wait()
        self._threads.shutdown(cancel_futures=True)

    def __enter__(self) -> Workers[Call, Answer]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> None:
        worker = _Worker(self._hello)
        self._all.append(worker)
        self._idle.put(worker)

    def _ask(self, call: Call) -> Any:
        worker = self._idle.get()
        try:
            return worker.ask(call)
        finally:
            self._idle.put(worker)


class _Worker:
    """One process, as seen from here."""

    def __init__(self, hello: Any) -> None:
        environment = {
            **os.environ,
            **dict.fromkeys(THREAD_VARIABLES, "1"),
            "TOKENIZERS_PARALLELISM": "false",
            WORKER: "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the others
        )
        self.hello: Any = hello

    def ask(self, call: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            if self.hello is not None:
                pickle.dump(sys.path, self.process.stdin)
                pickle.dump(self.hello, self.process.stdin)
                self.hello = None
            pickle.dump(call, self.process.stdin)
            self.process.stdin.flush()
            fine, answer = pickle.load(self.process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            self.stop()
            raise AugBenchError(f"work was shared among processes, and one is gone: {self._fate()}.") from None
        if not fine:
            raise answer
        return answer

    def _fate(self) -> str:
        return obituary(self.wait(), "try fewer --jobs")

    def stop(self) -> None:
        # a process that waits for a call sees the end of its input, one that works gets the signal
        with contextlib.suppress(OSError):
            self.process.terminate()

    def wait(self) -> int:
        try:
            return self.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


# -- in the other process ---------------------------------------------------------------------------------------------
def serve() -> None:
    """Answer calls on standard input until it ends."""
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    calls = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no answer
    function: Callable[[Any], Any] | None = None
    with contextlib.suppress(EOFError, BrokenPipeError):
        setup, argument = pickle.load(calls)
        while True:
            call = pickle.load(calls)
            try:
                if function is None:
                    function = setup(argument)
                answer: tuple[bool, Any] = (True, function(call))
            except Exception as error:
                answer = (False, _portable(error))
            pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()


def _leave(*_: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # an exception, so that half-written files are removed
    sys.exit(0)


def _portable(error: Exception) -> Exception:
    """The exception if it survives pickling, else one that says the same; its notes travel along."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        plain = RuntimeError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            plain.add_note(note)
        return plain
    return error
