"""Which runs of a results folder make up the tables of a suite?

Only runs that share everything but row and seed stand in one table: scale, language, corpus, encoder, overrides, settings.
A run belongs to its row if the method's code, the core's code and the config are what the suite would run today.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from harness.errors import AugBenchError
from harness.languages import open_pack
from harness.mini import NAME as MINI
from harness.operators import resolve
from harness.protocols import OperatorTools
from harness.provenance import code_digest, digest
from harness.records.schema import Listing, RunRecord
from harness.records.store import Broken, Run, Store
from harness.reports.table import Table, build_table
from harness.runs.plan import Options, expand, method_class
from harness.runs.workbench import Cell
from harness.suite import Suite

_Listed = list[tuple[Listing, Run]]


@dataclass(frozen=True)
class _Frame:
    """What the runs of one table share."""

    scale: str
    language: str
    corpus: str
    rows: int
    encoder: str
    settings: str
    # for people only: a folder that was renamed is the same encoder, a file that was renamed the same corpus
    facts: tuple[tuple[str, str], ...] = field(compare=False)


def plan_table(suite: Suite, cells: Sequence[Cell], store: Store) -> Table:
    """Return the table of exactly these cells (what `augbench run` shows at its end)."""
    rows: dict[str, list[Run]] = defaultdict(list)
    for cell in cells:
        run = store.get(cell.train_id)
        if run is not None:
            rows[cell.spec.row].append(run)
    first = next((run.record for found in rows.values() for run in found), None)
    facts = dict(_facts(first, cells[0].spec.scale)) if first else {}
    facts |= _encoder_fact([run.record for found in rows.values() for run in found])
    return build_table(suite, cells[0].spec.scale, rows, facts=facts)


def suite_tables(
    suite: Suite, store: Store, *, older: bool = False, aggregation: str | None = None
) -> tuple[list[Table], list[Broken]]:
    """Return one table per frame found in a results folder, and the records that could not be read.

    older        show runs of other code or settings too, marked, where a row has no current one
    aggregation  over the subsets of a task, instead of each task's own (see `build_table`)
    """
    broken: list[Broken] = []
    frames: dict[_Frame, _Listed] = defaultdict(list)
    anchors: _Listed = []
    for run in store.iter_runs(broken.append):
        for listing in run.record.listings:
            if listing.suite == suite.name and listing.scale in suite.scales:
                # a method without an encoder (TF-IDF) belongs into the tables of every encoder
                if run.record.spec.encoder.sha is None and run.record.status == "ok":
                    anchors.append((listing, run))
                else:
                    frames[_frame(run.record, listing)].append((listing, run))
    if not frames and anchors:
        frames[_frame(anchors[0][1].record, anchors[0][0])] = []
    tables = []
    for frame, listed in sorted(frames.items(), key=lambda item: item[0].facts):
        listed = listed + [(at, run) for at, run in anchors if _fits(run.record, at, frame)]
        current, old = _rows(suite, listed)
        rows, stale = (_filled(current, old), ()) if older else (current, [run for _, run in old])
        marked = {run.train_id for _, run in old} if older else set()
        if any(rows.values()) or stale:
            facts = dict(frame.facts)
            tables.append(
                build_table(suite, frame.scale, rows, facts=facts, older=stale, marked=marked, aggregation=aggregation)
            )
    return tables, broken


def _rows(suite: Suite, listed: _Listed) -> tuple[dict[str, list[Run]], _Listed]:
    """Sort runs into rows: the current ones (a finished one before others), and the older ones with their rows."""
    labels = {row.label for row in suite.rows}
    chosen: dict[tuple[str, int], Run] = {}
    older: _Listed = []
    today = Today(suite)
    for listing, run in sorted(listed, key=lambda item: item[1].record.finished):
        if listing.row not in labels or not today.is_current(listing, run.record):
            older.append((listing, run))
            continue
        place = (listing.row, run.record.spec.seed)
        before = chosen.get(place)
        if before is None or before.record.status != "ok" or run.record.status == "ok":
            chosen[place] = run
    rows: dict[str, list[Run]] = defaultdict(list)
    for (label, _), run in chosen.items():
        rows[label].append(run)
    return rows, older


def _filled(rows: dict[str, list[Run]], older: _Listed) -> dict[str, list[Run]]:
    """Fill empty rows with their older runs, the last one of each seed."""
    last = {(listing.row, run.record.spec.seed): run for listing, run in older}
    filled = {label: list(found) for label, found in rows.items()}
    for (label, _), run in last.items():
        if not rows.get(label):
            filled.setdefault(label, []).append(run)
    return filled


class Today:
    """What a suite would run today; tells runs that are current from older ones."""

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._expected = cache(self._expand)

    def is_current(self, listing: Listing, record: RunRecord) -> bool:
        """Whether the row, run today, would be this run: the same method, config and code."""
        spec = record.spec
        try:
            expected = self._expected(listing.scale, spec.language, spec.encoder.name, _plain(spec.overrides))
        except AugBenchError:
            return False  # the scale, the method or a setting is gone
        if expected.get(listing.row) != (spec.method, digest(spec.config)):
            return False
        if record.status != "ok":
            return True
        operators = record.identity.get("operators") or {}
        then = {**record.identity, **{f"operator {name}": parts[-1] for name, parts in operators.items()}}
        now = current_code(spec.method, tuple(operators), spec.language)
        return all(then.get(part) == code for part, code in now.items())

    def _expand(self, scale: str, language: str, encoder: str, overrides: str) -> dict[str, tuple[str, str]]:
        options = Options(scale=scale, language=language, encoder=encoder, seeds=(0,), overrides=json.loads(overrides))
        return {spec.row: (spec.method, digest(spec.config)) for spec in expand(self.suite, options)}


@cache
def current_code(method: str, operators: tuple[str, ...], language: str) -> dict[str, Any]:
    """Return the parts of a run's identity that are today's code: of the method, the core and its operators."""
    from harness import stages

    code = {"method_code": code_digest(method_class(method)), "core": stages.core_digest()}
    if operators:
        pack = open_pack(language)
        tools = OperatorTools(pack=pack, encoder=MINI)
        found = zip(operators, resolve(operators, pack, tools), strict=True)
        code |= {f"operator {name}": code_digest(operator) for name, operator in found}
    return code


def _frame(record: RunRecord, listing: Listing) -> _Frame:
    spec = record.spec
    return _Frame(
        scale=listing.scale,
        language=spec.language,
        corpus=spec.corpus.sha,
        rows=spec.corpus.rows,
        encoder=spec.encoder.sha or spec.encoder.name,
        settings=_plain([record.identity.get("settings"), spec.overrides]),
        facts=tuple({**dict(_facts(record, listing.scale)), **_encoder_fact([record])}.items()),
    )


def _fits(record: RunRecord, listing: Listing, frame: _Frame) -> bool:
    spec = record.spec
    return (listing.scale, spec.language, spec.corpus.sha) == (frame.scale, frame.language, frame.corpus)


def _facts(record: RunRecord, scale: str) -> tuple[tuple[str, str], ...]:
    spec = record.spec
    facts = {
        "scale": scale,
        "language": spec.language,
        "corpus": f"{spec.corpus.name} ({spec.corpus.rows:,} sentences)",
    }
    if spec.overrides:
        facts["set"] = ", ".join(f"{key}={value}" for key, value in sorted(spec.overrides.items()))
    return tuple(facts.items())


def _encoder_fact(records: Sequence[RunRecord]) -> dict[str, str]:
    for record in records:
        if record.spec.encoder.sha:
            return {"encoder": f"{record.spec.encoder.name} ({record.spec.encoder.sha[:8]})"}
    return {}


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
