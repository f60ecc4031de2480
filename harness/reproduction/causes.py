"""What did a run do otherwise than the paper? The ladder of known causes, and whether the paper's ordering may be judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.records.schema import RunInfo, ScoreRecord
from harness.records.store import Run
from harness.reports.table import Table
from harness.suite import Suite

#: a corpus of this share more or less than the paper's is the paper's size (blank lines, lines of test sets left out)
_SIZE = 0.01


@dataclass(frozen=True)
class Cause:
    """A setting that is known to move scores, as the paper and as the runs have it.

    paper, ours  in words, None where the suite file does not state it, or no run is there
    differs      None where it cannot be said
    """

    setting: str
    paper: str | None
    ours: str | None
    differs: bool | None


def ladder(suite: Suite, table: Table, runs: Sequence[Run], scores: Sequence[ScoreRecord]) -> tuple[Cause, ...]:
    """Return the settings that move scores, the cheapest to change first.

    runs, scores  those of the rows that have published values, in this table
    """
    said, specs = suite.paper_settings, [run.record.spec for run in runs]
    # not the runs' own: a run that several suites share was first scored for another one
    scale = table.facts.get("scale") or suite.default_scale
    described = [run.record.embedder.describe if run.record.embedder else {} for run in runs]
    # by the lines of this table: a shared run bears the name of the row it was first trained for
    seed_of = {run.train_id: run.record.spec.seed for run in runs}
    seeds = {len({seed_of[i] for i in line.runs if i in seed_of}) for line in table.lines} - {0}
    return (
        _named("pooler", said.pooler, {str(d["pooler"]) for d in described if d.get("pooler")}),
        _named("text variant", said.text, {suite.text_at(scale)} if runs else set()),
        _named("aggregation", said.aggregation, {score.main[1] for score in scores if score.groups}),
        *([_named("probe", said.probe, {suite.probe_at(scale)} if runs else set())] if said.probe else []),
        _named("seeds", _text(said.seeds), {str(count) for count in seeds}),
        _corpus(suite, specs),
        _encoder(suite, {spec.encoder.name.rsplit("/", 1)[-1] for spec in specs}),
        _named("scale", "paper", {scale} if runs else set()),
    )


def no_verdict(causes: Sequence[Cause]) -> tuple[str, ...]:
    """Return why the paper's ordering must not be judged by these runs; empty if nothing stands against it."""
    reasons = []
    for cause in causes:
        if cause.setting not in ("corpus size", "encoder", "scale"):
            continue
        if cause.paper is None:
            reasons.append(f"the suite does not state the paper's {cause.setting}")
        elif cause.ours is not None and cause.differs:
            reasons.append(f"{cause.setting}: ours {cause.ours}, the paper's {cause.paper}")
    return tuple(reasons)


def _named(setting: str, paper: str | None, ours: set[str]) -> Cause:
    differs = None if paper is None or not ours else ours != {paper}
    return Cause(setting, paper, ", ".join(sorted(ours)) or None, differs)


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)


def _corpus(suite: Suite, specs: Sequence[RunInfo]) -> Cause:
    paper = suite.paper_settings.sentences
    if paper is None and "paper" in suite.scales:
        paper = suite.scales["paper"].sentences
    sizes = {spec.corpus.rows + (spec.corpus.removed or 0) for spec in specs}
    ours = ", ".join(f"{size:,} sentences" for size in sorted(sizes)) or None
    if paper is None or not sizes:
        return Cause("corpus size", None if paper is None else f"{paper:,} sentences", ours, None)
    differs = any(abs(size - paper) > _SIZE * paper for size in sizes)
    return Cause("corpus size", f"{paper:,} sentences", ours, differs)


def _encoder(suite: Suite, ours: set[str]) -> Cause:
    """The family is enough: `bert-base-uncased` is one, `bert-base-uncased-v2` is of it."""
    stated = {suite.paper_settings.encoder_family} - {None}
    stated = stated or {row.published.encoder for row in suite.rows if row.published and row.published.encoder}
    families = sorted(family.rsplit("/", 1)[-1].lower() for family in stated if family)
    names = ", ".join(sorted(ours)) or None
    if not families or not ours:
        return Cause("encoder", ", ".join(families) or None, names, None)
    differs = not all(name.lower().startswith(tuple(families)) for name in ours)
    return Cause("encoder", ", ".join(families), names, differs)
