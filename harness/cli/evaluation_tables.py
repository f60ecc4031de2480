"""How are the scores of one encoder shown: as tables people read, as remarks beside them, and as JSON?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from harness.statistics import METRICS

if TYPE_CHECKING:
    from harness.evaluation.evaluator import Evaluation
    from harness.protocols import Score, Task
    from harness.reports.fitted import FittedTable

#: header and (metric, aggregation) of the columns of correlations
COLUMNS = {
    "Spearman": ("spearman", "all"),
    "Pearson": ("pearson", "all"),
    "ρ mean": ("spearman", "mean"),
    "ρ wmean": ("spearman", "wmean"),
}
#: facts of every fold, state and quartile, shown on demand only
_DETAIL = re.compile(r"quartile|[ _](fold|state|split)[ _]?\d+$")
_NAMES = {"accuracy": "Accuracy", "f1": "F1", "ap": "AP", "nmi": "NMI"}


def as_json(result: Evaluation, *, encoder: str) -> dict[str, Any]:
    """Return what `--json` writes; values are not rounded, undefined ones are null."""
    return {
        "encoder": encoder,
        "embedder": {**result.embedder, "fingerprint": result.fingerprint},
        "seconds": result.seconds,
        "scores": [
            {
                "task": task.name,
                "split": task.split,
                "metric": score.metric,
                "aggregation": score.aggregation,
                "value": score.value,
                "items": score.items,
                "protocol": task.protocol.id,
            }
            for task in result.tasks
            if task.id in result.results
            for score in result.results[task.id].scores
        ],
        "slices": [
            {"task": task.name, "split": task.split, **vars(part)}
            for task in result.tasks
            if task.id in result.results
            for part in result.results[task.id].slices
        ],
        "facts": {task_id: found.facts for task_id, found in result.results.items() if found.facts},
        "notes": {task_id: list(found.notes) for task_id, found in result.results.items() if found.notes},
        "skipped": result.skipped,
    }


def tables(result: Evaluation, *, title: str) -> list[FittedTable]:
    """Return one table per protocol and main metric (correlations together), with a column for every score of its tasks.

    What was measured differently shares no column and no average. Skipped tasks are in none.
    """
    kinds: dict[tuple[str, ...], list[Task]] = {}
    for task in result.tasks:
        if task.id in result.results:
            kinds.setdefault((task.protocol.id, *(METRICS if task.main[0] in METRICS else task.main)), []).append(task)
    return [_table(result, tasks, _columns(result, tasks), title=title) for tasks in kinds.values()]


def _columns(result: Evaluation, tasks: list[Task]) -> tuple[tuple[str, str], ...]:
    if tasks[0].main[0] in METRICS:
        return tuple(COLUMNS.values())
    return tuple(dict.fromkeys(_place(score) for task in tasks for score in result.results[task.id].scores))


def _place(score: Score) -> tuple[str, str]:
    return score.metric, score.aggregation


def _table(result: Evaluation, tasks: list[Task], kind: tuple[tuple[str, str], ...], *, title: str) -> FittedTable:
    from harness.reports.fitted import FittedTable

    headers = {place: name for name, place in COLUMNS.items()}
    out = FittedTable(title=title)
    out.add_column("Task")
    for place in kind:
        out.add_column(headers.get(place) or _header(*place))
    out.add_column("Items")
    out.add_column("Protocol", right=False)
    for task in tasks:
        scores = {_place(score): score for score in result.results[task.id].scores}
        cells = [number(result.value(task.id, *place)) if place in scores else "" for place in kind]
        items = scores[task.main].items if task.main in scores else next(iter(scores.values())).items
        out.add_row(task.id, *cells, f"{items:,}", task.protocol.id)
    tests = [task.id for task in tasks if task.split == "test"]
    mains = {task.main for task in tasks if task.split == "test"}
    average = result.average(tests)
    # only what is one metric under one aggregation has a mean
    if len(tests) > 1 and average is not None and len(mains) == 1 and next(iter(mains)) in kind:
        column = kind.index(next(iter(mains)))
        cells = ["" if i != column else number(average) for i in range(len(kind))]
        out.add_section()
        out.add_row(f"average of {len(tests)}", *cells, "", "", style="bold")
    return out


def slices(result: Evaluation) -> FittedTable:
    """Return the main metric on parts of the items, one row per task and part."""
    from harness.reports.fitted import FittedTable

    out = FittedTable(title="Parts of the items")
    for header in ("Task", "By", "Part", "Metric", "Value", "Items"):
        out.add_column(header, right=header in ("Value", "Items"))
    for task_id, found in result.results.items():
        for part in found.slices:
            out.add_row(task_id, part.kind, part.part, part.metric, number(part.value), f"{part.items:,}")
    return out


def remarks(result: Evaluation, *, edges: bool = False) -> list[str]:
    """Return what has to be said beside the tables: settings with reasons, counts, seconds, side results, notes, skips.

    edges  also facts of single folds and states, and where the quartiles of the parts end: of use beside `slices`
    """
    about = result.embedder
    reason = f" ({about['precision_reason']})" if about.get("precision_reason") else ""
    lines = [
        f"pooling {about.get('pooler', '?')}, at most {about.get('max_length', '?')} word pieces, "
        f"{about.get('precision', '?')}{reason}",
        f"{result.requested:,} sentences asked for, {result.unique:,} encoded in {result.seconds['encode']:.1f} s, "
        f"scored in {result.seconds['score']:.1f} s",
    ]
    for task_id, found in result.results.items():
        facts = {name: value for name, value in found.facts.items() if edges or not _DETAIL.search(name)}
        if facts:
            said = ", ".join(f"{name.replace('_', ' ')} {_fact(value)}" for name, value in facts.items())
            lines.append(f"{task_id}: {said}")
        lines += [f"{task_id}: {note}" for note in found.notes]
    lines += [f"{task_id} skipped: {reason}" for task_id, reason in result.skipped.items()]
    # only test sets are averaged: a dev score beside them is another number
    done = [task for task in result.tasks if task.split == "test" and task.id in result.results]
    undefined = [task.id for task in done if result.value(task.id) is None]
    if undefined and len(result.tasks) > 1:
        lines.append(f"no average: {', '.join(undefined)} undefined")
    return lines


def number(value: float | None) -> str:
    """Return a value as it is printed; undefined is said, never 0."""
    return "undefined" if value is None else f"{value:.2f}"


def _fact(value: float | None) -> str:
    """Facts are no scores: penalties and thresholds are small, counts are large."""
    return "undefined" if value is None else f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"


def _header(metric: str, aggregation: str) -> str:
    name = _NAMES.get(metric, metric.replace("_", " "))
    return name if aggregation == "all" else f"{name} {aggregation}"
