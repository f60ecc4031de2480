"""Where do the published reference numbers come from, and which one belongs beside a row?"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.errors import DataError, UsageError
from harness.protocols import registry

#: CSV files of reference rows of one's own, divided as paths are (`:`)
ENVIRONMENT = "AUGBENCH_PUBLISHED"
#: the columns of a CSV file of reference rows
COLUMNS = ("method", "encoder", "task", "metric", "value", "std", "source")


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
    """Return the numbers of every installed collection (entry points `augbench.published`) and of AUGBENCH_PUBLISHED.

    Raises DataError, naming file and line, if a file named there is missing or malformed.
    """
    rows = [row for name in registry.names("published") for row in registry.load("published", name)()]
    for named in filter(None, os.environ.get(ENVIRONMENT, "").split(os.pathsep)):
        rows += read_published(Path(named).expanduser())
    return rows


def read_published(path: Path) -> list[Published]:
    """Read reference rows from a CSV file with the header `COLUMNS`, in file order. Raises DataError naming the line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the reference rows {path} cannot be read: {error}. Expected a UTF-8 CSV file.") from error
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise DataError(f"{path}: expected the columns {', '.join(COLUMNS)}, found {reader.fieldnames}.")
    return [_row(row, f"{path}, line {reader.line_num}") for row in reader]


def write_published(rows: Iterable[Published]) -> str:
    """Return reference rows as the text of a CSV file that `read_published` reads; values are not rounded."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return out.getvalue()


def _row(row: dict[str, str], where: str) -> Published:
    try:
        return Published(
            method=row["method"],
            encoder=row["encoder"],
            task=row["task"],
            metric=row["metric"],
            value=float(row["value"]),
            std=float(row["std"]) if row["std"] else None,
            source=row["source"],
        )
    except (ValueError, TypeError) as error:
        raise DataError(f"{where}: {error}.") from error


def lookup(rows: Iterable[Published], *, source: str, method: str, task: str, encoder: str | None = None) -> Published:
    """Return the one number of a method and task in a table. Raises UsageError, with close names, if it is not one.

    `source` matches the table's name (`SDA T4`) with or without its remark in brackets; `encoder` is needed only where the
    table has the method with several, and `task` says its metric (`QQP (f1)`) where the table prints it in several.
    """
    table = [r for r in rows if r.source == source or r.source.startswith((f"{source} (", f"{source} ["))]
    if not table:
        raise UsageError(
            f"no published table is called {source!r}. {registry.suggest(source, (r.source for r in rows))}"
        )
    named = [r for r in table if r.method == method]
    if not named:
        raise UsageError(f"{source} has no method {method!r}. {registry.suggest(method, (r.method for r in table))}")
    found = [
        r for r in named if task in (r.task, f"{r.task} ({r.metric})") and encoder in (None, r.encoder, r.encoder_name)
    ]
    if len(found) != 1:
        have = ", ".join(sorted({f"{r.task} ({r.encoder})" for r in named}))
        raise UsageError(
            f"{source} has {len(found)} numbers for {method!r} on {task!r}"
            f"{f' with {encoder}' if encoder else ''}, expected one. It has: {have}."
        )
    return found[0]
