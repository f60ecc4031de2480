"""How does a command that trains show how it gets on? One bar per part of the work; a line a minute where there is no terminal."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console
from rich.text import Text

from harness.cli.progress import step_bar

_LINE_SECONDS = 60.0


class WorkBar:
    """A progress bar on stderr that starts anew for each part of the work."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        self.bar = step_bar(self.console)
        self.task: Any = None
        self.what = ""
        self._told = time.monotonic()

    def __enter__(self) -> WorkBar:
        self.bar.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.bar.stop()

    def say(self, what: str) -> None:
        """Announce a part of the work that has no steps."""
        self.console.print(Text(f"{what} …"), soft_wrap=True)

    def update(self, what: str, step: int, steps: int, scalars: dict[str, float]) -> None:
        """Show one step of `steps`; a new `what` begins a new bar."""
        if what != self.what:
            if self.task is not None:
                self.bar.remove_task(self.task)
            self.what = what
            self.say(what)
            self.task = self.bar.add_task(what, total=steps, scalars="")
        shown = "  ".join(f"{name} {value:.4g}" for name, value in scalars.items())
        self.bar.update(self.task, completed=step, total=steps, scalars=shown)
        if self.bar.disable and time.monotonic() - self._told > _LINE_SECONDS:
            self._told = time.monotonic()
            self.console.print(Text(f"{what}: {step:,} of {steps:,}  {shown}"), soft_wrap=True)
