"""What is an index: its tables, and the one Parquet file that holds them?

The file has a row per run, per score and per damaged file, told apart by `kind`; columns that a kind does not have are
empty and cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cache import atomic_path, content_key
from harness.errors import DataError
from harness.index.rows import BROKEN_COLUMNS, RUN_COLUMNS, SCORE_COLUMNS

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

#: raised with every change of the columns: an index of another version is built again
VERSION = "1"
KINDS: dict[str, dict[str, str]] = {"run": RUN_COLUMNS, "score": SCORE_COLUMNS, "broken": BROKEN_COLUMNS}
_COLUMNS = {name: kind for columns in KINDS.values() for name, kind in columns.items()}
_MARK = b"augbench-index"


@dataclass(frozen=True, eq=False)
class Index:
    """The runs and scores of some results folders.

    folders  absolute paths of the results folders, in the order given
    table    all rows, as stored

    Frames are made once and shared: do not change them.
    """

    folders: tuple[str, ...]
    table: pa.Table

    @cached_property
    def stamp(self) -> str:
        """A name of this very content, for caches: which run folders, in which state."""
        runs = self.rows("run")
        return content_key([runs[name].tolist() for name in ("folder", "place", "signature")])

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per run and listing, with what it may be compared with: see `grouping.listed`."""
        from harness.index.grouping import listed

        return listed(self.rows("run"))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row per run, listing and score: the columns of a score behind those of `runs`, joined by run."""
        from harness.index.grouping import scored

        return scored(self.runs, self.rows("score"))

    @cached_property
    def broken(self) -> pd.DataFrame:
        """One row per file that could not be read: folder, place, file, reason."""
        return self.rows("broken")

    def rows(self, kind: str) -> pd.DataFrame:
        """Return the rows of a kind (`run`, `score`, `broken`) as they are stored."""
        import pyarrow.compute as pc

        chosen = self.table.filter(pc.equal(self.table["kind"], kind)).select(list(KINDS[kind]))
        frame: pd.DataFrame = chosen.to_pandas(strings_to_categorical=False)
        return frame


def table(kinds: Mapping[str, Sequence[Mapping[str, Any]]]) -> pa.Table:
    """Return rows by kind as one Arrow table."""
    import pyarrow as pa

    parts = []
    for kind, rows in kinds.items():
        columns = KINDS[kind]
        arrays: dict[str, Any] = {"kind": pa.array([kind] * len(rows), pa.string())}
        for name, dtype in _COLUMNS.items():
            values = [row[name] for row in rows] if name in columns else [None] * len(rows)
            arrays[name] = pa.array(values, pa.type_for_alias(dtype))
        parts.append(pa.table(arrays))
    return pa.concat_tables(parts)


def write_index(index: Index, path: Path) -> None:
    """Write an index as one Parquet file. Raises DataError if it cannot be written."""
    import pyarrow.parquet as pq

    metadata = {_MARK: VERSION.encode(), b"folders": "\n".join(index.folders).encode()}
    with atomic_path(path, hint="Choose another file with --out FILE.") as temporary:
        pq.write_table(index.table.replace_schema_metadata(metadata), temporary, compression="zstd")


def read_index(path: Path) -> Index:
    """Read an index that `write_index` wrote. Raises DataError if the file is missing, damaged or of another version."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_table(path, memory_map=False)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise DataError(
            f"the index {path} cannot be read: {error}. Make it again: augbench index --out {path}"
        ) from error
    metadata = found.schema.metadata or {}
    if metadata.get(_MARK) != VERSION.encode() or not set(found.column_names) >= {"kind", *_COLUMNS}:
        raise DataError(f"{path} is no index of this version. Make it again: augbench index --out {path}")
    folders = tuple(filter(None, metadata.get(b"folders", b"").decode().split("\n")))
    return Index(folders, found.select(["kind", *_COLUMNS]))


def empty(folders: Iterable[str] = ()) -> Index:
    """Return an index of nothing."""
    return Index(tuple(folders), table({kind: [] for kind in KINDS}))
