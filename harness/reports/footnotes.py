"""What must a reader know about a row of a table?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.records.store import Run
from harness.suite import Column, Row

if TYPE_CHECKING:
    from harness.reports.table import Heading


@dataclass
class Footnotes:
    """The footnotes of a table, numbered as they come up; each text once."""

    texts: list[str] = field(default_factory=list)

    def number(self, text: str) -> int:
        """Return the number of a text."""
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1


def row_remarks(
    row: Row,
    found: Sequence[Run],
    done: Sequence[Run],
    values: Mapping[str, Mapping[Heading, float | None]],
    parts: Sequence[tuple[Heading, Column]],
    marked: Collection[str],
    notes: Footnotes,
) -> list[int]:
    """Return the numbers of a row's footnotes: transductive, plumbing, older code, stand-ins, cuts, collapses, what is missing."""
    texts = ["transductive: trained on the texts of the tests"] if row.transductive else []
    texts += [f"plumbing only, not a result: {run.record.plumbing}" for run in done if run.record.plumbing]
    for run in done:
        if run.train_id in marked:
            texts.append(f"older code or settings (revision {run.record.code_revision})")
        wanted = row.published.encoder if row.published else None
        name = run.record.spec.encoder.name
        # papers write `hub-organisation/name` or the name alone
        if wanted and wanted.rsplit("/", 1)[-1] != name.rsplit("/", 1)[-1]:
            texts.append(f"stand-in: measured with {name}, the published value is for {wanted}")
        texts += _cut(run)
        texts += [f"{a['reason']}" for a in run.record.notes.get("collapse_alarms") or [] if "reason" in a][:1]
    texts += _missing(done, {column.task for _, column in parts})
    for heading, _ in parts:
        have = [run.record.spec.seed for run in done if values[run.train_id].get(heading) is not None]
        if heading.kind == "task" and 0 < len(have) < len(done):
            texts.append(f"{heading.title}: only seeds {', '.join(map(str, have))}")
    for run in found:
        if run.record.status != "ok":
            texts.append(f"seed {run.record.spec.seed} {run.record.status}: {run.record.reason}")
    return sorted(notes.number(text) for text in dict.fromkeys(texts))


def _missing(done: Sequence[Run], shown: Collection[str | None]) -> list[str]:
    """Why tasks of the table have no score; seeds are named unless it holds for all of them."""
    seeds: dict[tuple[str, str], list[int]] = defaultdict(list)
    for run in done:
        for task, problem in run.record.problems.items():
            if task in shown:
                seeds[task, problem.reason].append(run.record.spec.seed)
    texts = []
    for (task, reason), found in seeds.items():
        named = f", seed{'s' if len(found) > 1 else ''} {', '.join(map(str, sorted(found)))}"
        texts.append(f"{task}{'' if len(found) == len(done) else named}: {reason}")
    return texts


def _cut(run: Run) -> list[str]:
    """That most sentences were longer than what is trained on, where a method edits them: edits fall away or push words out."""
    views = run.record.notes.get("views") or {}
    edited = [view["tried"] for view in views.values() if view.get("applied")]
    limited = (views.get("anchor") or {}).get("at_length_limit", 0)
    if not edited or limited <= max(edited) / 2:
        return []
    limit = run.record.spec.config.get("max_length")
    return [
        f"most sentences were cut at {limit} word pieces in training: edits behind the cut are lost, others push words out"
    ]
