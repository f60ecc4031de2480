"""What is stored of an analysis, and where: `<results>/analyses/<suite>-<id>.json`, one file, complete or not at all.

Like the records of runs these are strict JSON and plain data, and merging two results folders is copying files.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from harness.records.files import write_atomic
from harness.records.schema import strict
from harness.records.store import Broken

log = logging.getLogger(__name__)

SCHEMA = 1
FOLDER = "analyses"


class AnalysisRecord(BaseModel):
    """One analysis.

    identity   what decides the result, in two parts: `code` (operators, pack, counting) and `data` (texts, seeds);
               `analysis_id` is the first 16 hex digits of its digest
    pack       the language pack's own fingerprint (parser, word lists, versions)
    facts      what the tables are headed with;  plumbing: why the numbers must not be published, else None
    result     what was counted; each kind has its own model of it
    """

    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="null")

    schema_version: int = SCHEMA
    analysis_id: str = Field(pattern=r"^[0-9a-f]{16}$")
    kind: str
    suite: str
    scale: str
    language: str
    identity: dict[str, Any]
    pack: dict[str, Any] = Field(default_factory=dict)
    facts: dict[str, str]
    result: dict[str, Any]
    plumbing: str | None = None
    seconds: float | None = None
    versions: dict[str, str] = Field(default_factory=dict)
    code_revision: str = "unknown"
    started: str
    finished: str

    @field_validator("schema_version")
    @classmethod
    def _known_schema(cls, value: int) -> int:
        if value > SCHEMA:
            raise ValueError(f"analysis of schema {value}, this version reads up to {SCHEMA}; update augbench")
        return value


def record_path(results: Path, suite: str, analysis_id: str) -> Path:
    """Return where the record of an analysis lies (it need not exist)."""
    return results.expanduser() / FOLDER / f"{quote(suite, safe=' ')}-{analysis_id}.json"


def write_record(results: Path, record: AnalysisRecord) -> Path:
    """Write a record. Raises StoreError where the folder cannot be written."""
    path = record_path(results, record.suite, record.analysis_id)
    text = json.dumps(strict(record), ensure_ascii=False, indent=1, allow_nan=False)
    write_atomic(path, (text + "\n").encode())
    return path


def read_record(path: Path, on_broken: Callable[[Broken], None] | None = None) -> AnalysisRecord | None:
    """Return the record in a file, None if there is none; a damaged one goes to `on_broken` (default: a warning)."""
    if not path.is_file():
        return None
    try:
        return AnalysisRecord.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        broken = Broken(path, f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}")
    except OSError as error:
        broken = Broken(path, error.strerror or str(error))
    (on_broken or _warn)(broken)
    return None


def iter_records(
    results: Path, suite: str, on_broken: Callable[[Broken], None] | None = None
) -> Iterator[AnalysisRecord]:
    """Yield the readable records of a suite, the oldest first."""
    paths = (results.expanduser() / FOLDER).glob("*.json")
    found = [record for path in sorted(paths) if (record := read_record(path, on_broken)) is not None]
    yield from sorted((r for r in found if r.suite == suite), key=lambda r: (r.finished, r.analysis_id))


def _warn(broken: Broken) -> None:
    log.warning("%s is passed over: %s. Delete it, or run its suite again.", broken.path, broken.reason)
