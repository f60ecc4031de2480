"""How wide may results be? As the terminal, and in a file or a pipe as wide as they are."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

#: no line of ours comes near; a number, because rich has no word for "do not break"
_ENDLESS = 100_000


def results_console(stream: IO[str] | None = None) -> Console:
    """Return a console for results on `stream` (standard output): nothing is broken or cut where nobody's screen ends.

    The environment variable COLUMNS decides where it is set.
    """
    from rich.console import Console

    target = sys.stdout if stream is None else stream
    known = target.isatty() or "COLUMNS" in os.environ
    return Console(file=stream, width=None if known else _ENDLESS)
