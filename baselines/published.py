"""Which numbers do the papers report? Reference rows, shown beside measured ones and never mixed with them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from harness.published import Published, read_published


@cache
def rows() -> tuple[Published, ...]:
    """Return every published number of `published.csv`, in file order (values × 100, see `published.md`)."""
    return tuple(read_published(Path(__file__).with_name("published.csv")))
