"""Where do the published reference numbers come from, and which one belongs beside a row?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.errors import UsageError
from harness.protocols import registry


@dataclass(frozen=True)
class Published:
    """One number as a paper prints it: on the paper's scale (× 100), with the table it stands in as `source`."""

    method: str
    encoder: str
    task: str
    metric: str
    value: float
    source: str
    std: float | None = None

    @property
    def encoder_name(self) -> str:
        """The encoder without the remark that the table does not name it."""
        return self.encoder.removesuffix("(inferred)").strip()


def published() -> list[Published]:
    """Return the numbers of every installed collection (entry points `augbench.published`)."""
    return [row for name in registry.names("published") for row in registry.load("published", name)()]


def lookup(rows: Iterable[Published], *, source: str, method: str, task: str, encoder: str | None = None) -> Published:
    """Return the one number of a method and task in a table. Raises UsageError, with close names, if it is not one.

    `source` matches the table's name (`SDA T4`) with or without its remark in brackets; `encoder` is needed only where the
    table has the method with several.
    """
    table = [r for r in rows if r.source == source or r.source.startswith((f"{source} (", f"{source} ["))]
    if not table:
        raise UsageError(
            f"no published table is called {source!r}. {registry.suggest(source, (r.source for r in rows))}"
        )
    named = [r for r in table if r.method == method]
    if not named:
        raise UsageError(f"{source} has no method {method!r}. {registry.suggest(method, (r.method for r in table))}")
    found = [r for r in named if r.task == task and encoder in (None, r.encoder, r.encoder_name)]
    if len(found) != 1:
        have = ", ".join(sorted({f"{r.task} ({r.encoder})" for r in named}))
        raise UsageError(
            f"{source} has {len(found)} numbers for {method!r} on {task!r}"
            f"{f' with {encoder}' if encoder else ''}, expected one. It has: {have}."
        )
    return found[0]
