"""What is an operator's view of a corpus, and how is it kept? One Parquet file per operator, seed, pack and texts."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from harness.cache import atomic_path, content_key
from harness.corpus import rows_sha
from harness.errors import DataError
from harness.protocols import Change, Edit, LanguagePack, Operator
from harness.provenance import code_digest
from harness.views import making
from harness.views.texts import Texts
from harness.words import word_positions

log = logging.getLogger(__name__)

_FORMAT = 2
# rows to a row group
_GROUP = 65_536


@dataclass(frozen=True)
class ViewColumn:
    """One operator's view of every row: the new text and the changes that made it, None where it did not apply.

    `changes` holds them as JSON (`changes_json`), which needs a fifth of the memory of the objects in `edits`.
    """

    spec: str
    texts: Texts
    changes: Texts

    @classmethod
    def of(cls, spec: str, edits: Iterable[Edit | None]) -> ViewColumn:
        """Return the column of an operator's answers, one per row."""
        answers = list(edits)
        changes = (making.changes_json(e.changes) if e else None for e in answers)
        return cls(spec, Texts.of(e.text if e else None for e in answers), Texts.of(changes))

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def edits(self) -> list[tuple[Change, ...] | None]:
        """The changes of every row."""
        return [None if row is None else tuple(Change(**change) for change in json.loads(row)) for row in self.changes]

    @property
    def coverage(self) -> float:
        """The share of rows the operator applied to (0 for no rows)."""
        return sum(text is not None for text in self.texts) / len(self.texts) if self.texts else 0.0


def column_files(
    operators: Iterable[Operator], texts: Sequence[str], *, pack: LanguagePack, seed: int, folder: Path
) -> dict[str, Path]:
    """Return spec -> the file of that operator's view; its name stands for everything the view depends on."""
    shared = {
        "format": _FORMAT,
        # Edit stands for the module that renders edits, which code_digest does not count among base classes
        "code": [code_digest(part) for part in (Edit, word_positions, making, pack)],
        "pack": pack.fingerprint(),
        "seed": seed,
        "rows": rows_sha(texts),
    }
    keys = {
        op.spec: content_key({**shared, "operator": op.fingerprint(), "operator code": code_digest(op)})
        for op in operators
    }
    return {spec: folder / f"{key}.parquet" for spec, key in keys.items()}


def read_column(file: Path, spec: str, rows: int) -> ViewColumn | None:
    """Return a stored column of `rows` rows, None if there is none; a damaged file is None too and costs a warning."""
    if not file.is_file():
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # not read_table, which loads pandas: that takes longer than reading a small corpus
        with pq.ParquetFile(file, page_checksum_verification=True) as stored:
            table = stored.read(columns=["row", "text", "edits"])
        if table["row"].to_pylist() != list(range(rows)):
            raise ValueError("its rows are not those of the corpus")
        return ViewColumn(spec, _from_arrow(table["text"]), _from_arrow(table["edits"]))
    except (OSError, ValueError, TypeError, KeyError, pa.ArrowException) as error:
        reason = str(error).partition("\n")[0]
        log.warning("the cached view %s of %s is damaged (%s); it is made anew", file, spec, reason)
        return None


def write_column(file: Path, column: ViewColumn) -> None:
    """Store a column: row (int64), text and edits (JSON), null where it did not apply. A failure costs a warning."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("row", pa.int64()), ("text", pa.large_string()), ("edits", pa.large_string())])
    try:
        with (
            atomic_path(file) as temporary,
            pq.ParquetWriter(temporary, schema, compression="zstd", write_page_checksum=True) as writer,
        ):
            for start in range(0, len(column), _GROUP):
                stop = min(start + _GROUP, len(column))
                rows = pa.py_buffer(np.arange(start, stop, dtype=np.int64))
                columns = [
                    pa.Array.from_buffers(pa.int64(), stop - start, [None, rows]),
                    _to_arrow(column.texts, start, stop),
                    _to_arrow(column.changes, start, stop),
                ]
                writer.write_table(pa.Table.from_arrays(columns, schema=schema))
    except DataError as error:
        log.warning("views of %s are not cached: %s", column.spec, error)


def _to_arrow(texts: Texts, start: int, stop: int) -> Any:
    # not by pa.array, which loads pandas: that takes longer than writing a small corpus
    import pyarrow as pa

    data, offsets, there = texts.block(start, stop)
    valid = np.packbits(there, bitorder="little")
    return pa.LargeStringArray.from_buffers(
        stop - start, pa.py_buffer(offsets), pa.py_buffer(data), pa.py_buffer(valid)
    )


def _from_arrow(column: Any) -> Texts:
    made = Texts.gaps(len(column))
    start = 0
    for part in column.chunks:
        made.put(np.arange(start, start + len(part)), part.to_pylist())
        start += len(part)
    return made
