"""How does a suite that trains nothing become a record, and a record its tables again?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from harness.analyses.job import Job, Request
from harness.analyses.records import AnalysisRecord, iter_records, read_record, record_path, write_record
from harness.analyses.suites import AnalysisSuite
from harness.errors import AugBenchError, UsageError
from harness.languages import open_pack
from harness.protocols.registry import suggest
from harness.provenance import code_revision, versions
from harness.records.schema import strict
from harness.records.store import Broken
from harness.reports.table import Table
from harness.runs.scoring import now


@dataclass(frozen=True)
class _Kind:
    job: type[Job]
    tables: Callable[..., list[Table]]


@cache
def _kind(name: str) -> _Kind:
    # one kind must not import what only the other needs
    if name == "coverage":
        from harness.analyses.coverage import CoverageJob
        from harness.analyses.coverage_tables import coverage_tables

        return _Kind(CoverageJob, coverage_tables)
    if name == "quality":
        from harness.analyses.quality import QualityJob
        from harness.analyses.quality_tables import quality_tables

        return _Kind(QualityJob, quality_tables)
    if name == "advice":
        from harness.analyses.advice import AdviceJob
        from harness.analyses.advice_tables import advice_tables

        return _Kind(AdviceJob, advice_tables)
    from harness.analyses.overlap import OverlapJob
    from harness.analyses.overlap_tables import overlap_tables

    return _Kind(OverlapJob, overlap_tables)


def open_job(suite: AnalysisSuite, request: Request) -> Job:
    """Open everything an analysis reads. Raises UsageError on a scale the suite has not, and the errors of what is opened."""
    scale = request.scale or suite.default_scale
    if scale not in suite.scales:
        raise UsageError(f"suite {suite.name!r} has no scale {scale!r}. {suggest(scale, suite.scales)}")
    return _kind(suite.kind).job(suite, scale, request)


def find_record(job: Job, results: Path) -> AnalysisRecord | None:
    """Return the record of exactly this analysis, None if it is still to be done."""
    record = read_record(record_path(results, job.suite.name, job.id))
    return record if record is not None and record.analysis_id == job.id else None


def run_job(job: Job, results: Path, *, progress: bool = False) -> AnalysisRecord:
    """Do an analysis and write its record. Raises StoreError where results cannot be written."""
    began, clock, identity = now(), time.perf_counter(), job.identity
    result = job.measure(progress=progress)
    record = AnalysisRecord(
        analysis_id=job.id,
        kind=job.suite.kind,
        suite=job.suite.name,
        scale=job.scale,
        language=job.pack.name,
        identity=strict(identity),
        pack=strict(job.pack.fingerprint()),
        facts=job.facts(),
        result=strict(result),
        plumbing=job.plumbing,
        seconds=time.perf_counter() - clock,
        versions=versions(),
        code_revision=code_revision(),
        started=began,
        finished=now(),
    )
    write_record(results, record)
    return record


def tables_of(suite: AnalysisSuite, record: AnalysisRecord, *, remarks: Sequence[str] = ()) -> list[Table]:
    """Return the tables of a record; `remarks` are said below the first."""
    return _kind(suite.kind).tables(suite, record, remarks=remarks)


def report_tables(
    suite: AnalysisSuite, results: Path, *, older: bool = False
) -> tuple[list[Table], list[AnalysisRecord], list[Broken]]:
    """Return the tables of every record of a suite, the records of other code than today's, and the unreadable ones.

    older  show records of other code or settings too, marked
    """
    broken: list[Broken] = []
    tables: list[Table] = []
    stale: list[AnalysisRecord] = []
    for record in iter_records(results, suite.name, broken.append):
        here = record.kind == suite.kind and record.scale in suite.scales
        current = here and _is_current(suite, record)
        if not current:
            stale.append(record)
        if not (current or (here and older)):
            continue
        remarks = [] if current else [f"older code or settings (revision {record.code_revision})"]
        try:
            tables += tables_of(suite, record, remarks=remarks)
        except ValidationError as error:
            path = record_path(results, record.suite, record.analysis_id)
            broken.append(Broken(path, f"its result is of another version ({error.error_count()} fields differ)"))
    return tables, stale, broken


def _is_current(suite: AnalysisSuite, record: AnalysisRecord) -> bool:
    """Whether the suite, run today on the same texts, would be this analysis."""
    try:
        code = _kind(suite.kind).job.code(suite, record.scale, open_pack(record.language))
    except AugBenchError:
        return False  # the pack or an operator is gone
    return bool(strict(code) == record.identity.get("code"))
