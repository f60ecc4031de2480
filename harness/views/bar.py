"""How far are the views? A bar over sentences on stderr, on terminals only."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def sentence_bar(shown: bool, total: int | None) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes the number of sentences just done; `total` is None where nobody knows it."""
    if not shown:
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    # Console knows when stderr is no terminal
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("views (sentences)", total=total)
        yield lambda count: bar.advance(task, count)
