"""What does each operator make of each sentence? Every text is parsed once for all operators, and views can be cached.

The random numbers of a sentence come from (seed, operator as written, text) alone: neither batch size nor order nor
other operators change a view, and equal texts have equal views.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.cache import atomic_path, content_key
from harness.corpus import rows_sha
from harness.errors import AugBenchError, DataError
from harness.protocols import Change, Edit, LanguagePack, Operator
from harness.provenance import code_digest
from harness.seeds import python_rng
from harness.words import word_positions

log = logging.getLogger(__name__)

_CHUNK = 512
_FORMAT = 1


@dataclass(frozen=True)
class ViewColumn:
    """One operator's view of every row: the new text and the changes that made it, None where it did not apply."""

    spec: str
    texts: list[str | None]
    edits: list[tuple[Change, ...] | None]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def coverage(self) -> float:
        """The share of rows the operator applied to (0 for no rows)."""
        return sum(text is not None for text in self.texts) / len(self.texts) if self.texts else 0.0


def build_views(
    texts: Sequence[str],
    operators: Sequence[Operator],
    *,
    pack: LanguagePack,
    seed: int,
    cache: Path | None = None,
    progress: bool = False,
) -> dict[str, ViewColumn]:
    """Return spec -> view column, rows in the order of `texts`.

    `cache` is the folder for finished views (`cache_dir() / "views"`), or None for none: one Parquet file per operator,
    pack, seed and texts. A damaged file is rebuilt, and a folder that cannot be written costs a warning.
    Raises ValueError for token-level operators, which work on an encoder's word pieces and not on text.
    """
    for operator in operators:
        if not isinstance(operator, Operator):
            raise ValueError(f"{operator.spec} works on word pieces after tokenisation; it has no text view.")
    wanted = {operator.spec: operator for operator in operators}
    files = _files(wanted, texts, pack, seed, cache) if cache is not None else {}
    columns: dict[str, ViewColumn] = {}
    for spec, file in files.items():
        column = _read(file, spec, len(texts))
        if column is not None:
            columns[spec] = column
    missing = [operator for spec, operator in wanted.items() if spec not in columns]
    if missing:
        for column in _compute(texts, missing, pack, seed, progress):
            columns[column.spec] = column
            if column.spec in files:
                _write(files[column.spec], column)
    return {spec: columns[spec] for spec in wanted}


def _compute(
    texts: Sequence[str], operators: Sequence[Operator], pack: LanguagePack, seed: int, progress: bool
) -> list[ViewColumn]:
    unique = list(dict.fromkeys(texts))
    made: dict[str, dict[str, Edit | None]] = {operator.spec: {} for operator in operators}
    chunks: Any = [unique[start : start + _CHUNK] for start in range(0, len(unique), _CHUNK)]
    if progress:
        from rich.console import Console
        from rich.progress import track

        # shown on a terminal only: Console knows when stderr is a file
        chunks = track(chunks, description="views", console=Console(stderr=True), transient=True)
    for chunk in chunks:
        docs = list(pack.parse(chunk))
        for operator in operators:
            rngs = [python_rng(seed, operator.spec, text) for text in chunk]
            try:
                edits = operator.apply_batch(docs, rngs)
            except AugBenchError:
                raise
            except Exception as error:
                error.add_note(f"in operator {operator.spec}, among the sentences from {chunk[0][:80]!r} on")
                raise
            made[operator.spec].update(zip(chunk, edits, strict=True))
    columns = []
    for spec, by_text in made.items():
        edits = [by_text[text] for text in texts]
        columns.append(
            ViewColumn(spec, [e.text if e else None for e in edits], [e.changes if e else None for e in edits])
        )
    return columns


# -- cache ------------------------------------------------------------------------------------------------------------
def _files(
    operators: dict[str, Operator], texts: Sequence[str], pack: LanguagePack, seed: int, cache: Path
) -> dict[str, Path]:
    shared = {
        "format": _FORMAT,
        # Edit stands for the module that renders edits, which code_digest does not count among base classes
        "code": [code_digest(Edit), code_digest(word_positions), code_digest(pack)],
        "pack": pack.fingerprint(),
        "seed": seed,
        "rows": rows_sha(texts),
    }
    keys = {
        spec: content_key({**shared, "operator": operator.fingerprint(), "operator code": code_digest(operator)})
        for spec, operator in operators.items()
    }
    return {spec: cache / f"{key}.parquet" for spec, key in keys.items()}


def _read(file: Path, spec: str, rows: int) -> ViewColumn | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not file.is_file():
        return None
    try:
        table = pq.read_table(file, columns=["row", "text", "edits"], memory_map=False)
        if table["row"].to_pylist() != list(range(rows)):
            raise ValueError("its rows are not those of the corpus")
        edits = [None if e is None else tuple(Change(**c) for c in json.loads(e)) for e in table["edits"].to_pylist()]
        return ViewColumn(spec, table["text"].to_pylist(), edits)
    except (OSError, ValueError, TypeError, KeyError, pa.ArrowException) as error:
        reason = str(error).partition("\n")[0]
        log.warning("the cached view %s of %s is damaged (%s); it is made anew", file, spec, reason)
        return None


def _write(file: Path, column: ViewColumn) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "row": pa.array(range(len(column)), pa.int64()),
            "text": pa.array(column.texts, pa.string()),
            "edits": pa.array([None if e is None else changes_json(e) for e in column.edits], pa.string()),
        }
    )
    try:
        with atomic_path(file) as temporary:
            pq.write_table(table, temporary, compression="zstd")
    except DataError as error:
        log.warning("views of %s are not cached: %s", column.spec, error)


def changes_json(changes: Sequence[Change]) -> str:
    """Return changes as a JSON list of {"kind", "start", "end", "text"}."""
    return json.dumps([asdict(change) for change in changes], ensure_ascii=False)
