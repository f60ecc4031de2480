"""Is a run's record what it claims to be: within all ranges, and named after what it is a run of?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime

from harness.provenance import digest
from harness.records.schema import RunRecord
from harness.submission.reading import names


def problems(record: RunRecord) -> Iterator[str]:
    """Yield what is wrong with a run's record."""
    spec = record.spec
    listed = [
        ("spec.suite", spec.suite),
        ("spec.scale", spec.scale),
        ("spec.row", spec.row),
        ("spec.method", spec.method),
    ]
    listed += [("spec.language", spec.language), ("spec.corpus.name", spec.corpus.name)]
    for number, also in enumerate(record.also):
        listed += [(f"also[{number}].{field}", getattr(also, field)) for field in ("suite", "scale", "row")]
    yield from names(listed)
    yield from names([("spec.encoder.name", spec.encoder.name.lstrip("/~"))])
    if digest(record.identity)[:16] != record.train_id:
        yield "train_id is not the digest of identity: the record was changed after the run"
    if not 0 <= spec.seed < 2**32:
        yield f"spec.seed is {spec.seed}, expected 0 to 2³²-1"
    if spec.corpus.rows < 0 or (spec.corpus.removed or 0) < 0:
        yield "spec.corpus: a negative number of rows"
    for field, numbers in (("seconds", record.seconds), ("peak_memory_mib", record.peak_memory_mib)):
        wrong = [key for key, value in numbers.items() if not math.isfinite(value) or value < 0 or value > 1e9]
        if wrong:
            yield f"{field}.{wrong[0]} is {numbers[wrong[0]]}, expected a number of 0 or more"
    if record.status == "ok" and record.embedder is None:
        yield "status is ok, but there is no embedder"
    if record.status != "ok" and not record.reason:
        yield f"status is {record.status}, but there is no reason"
    if record.plumbing:
        yield f"a plumbing run is no result: {record.plumbing}"
    try:
        if datetime.fromisoformat(record.finished) < datetime.fromisoformat(record.started):
            yield "it was finished before it was started"
    except (ValueError, TypeError):
        yield "started and finished: expected times as in 2026-11-22T00:41:50+00:00"
