"""Which numbers do the papers report? Reference rows, shown beside measured ones and never mixed with them."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from harness.errors import DataError
from harness.published import Published

_COLUMNS = ("method", "encoder", "task", "metric", "value", "std", "source")


@cache
def rows() -> tuple[Published, ...]:
    """Return every published number of `published.csv`, in file order (values × 100, see `published.md`)."""
    table = Path(__file__).with_name("published.csv")
    with table.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != _COLUMNS:
            raise DataError(f"{table}: expected the columns {', '.join(_COLUMNS)}, found {reader.fieldnames}.")
        return tuple(_row(row, f"{table}, line {reader.line_num}") for row in reader)


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
