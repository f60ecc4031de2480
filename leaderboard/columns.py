"""Which columns does a board have, and in which order?

A column is a task under one protocol, or the average of all shown tasks of one protocol. Scores of two protocols, or of two
versions of a task's data, never share a column.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.index import Parts

if TYPE_CHECKING:
    import pandas as pd

#: the order papers print tasks in; others follow by name
_ORDER = [
    "STS12",
    "STS13",
    "STS14",
    "STS15",
    "STS16",
    "STS-B",
    "SICK-R",
    "MR",
    "CR",
    "SUBJ",
    "MPQA",
    "SST2",
    "TREC",
    "MRPC",
]
#: an average that papers print too -> its tasks
PRINTED_AVERAGES = {
    "Avg": frozenset(_ORDER[:7]),
    "Transfer avg": frozenset(_ORDER[7:]),
}


@dataclass(frozen=True)
class Column:
    """A column of a board: its title, the (task, measure) pairs it is the mean of, their metric, and its published name."""

    title: str
    parts: Parts
    metric: str
    published: str | None = None

    @property
    def average(self) -> bool:
        """Whether this is an average of tasks."""
        return len(self.parts) > 1


def task_order(task: str) -> tuple[int, str, tuple[str | int, ...]]:
    """Return what tasks are sorted by: the papers' order, then by name with numbers as numbers; dev splits at the end."""
    name, _, split = task.partition(":")
    place = _ORDER.index(name) if name in _ORDER else len(_ORDER)
    return (
        place if not split else len(_ORDER) + 1,
        split,
        tuple(int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)),
    )


def columns_of(scores: pd.DataFrame, tasks: Collection[str] = ()) -> list[Column]:
    """Return the columns of the scores of one setting, averages behind the tasks they are formed of.

    tasks  the ones that are shown (default: all but dev splits, or the dev splits where there is nothing else)
    """
    kinds = scores[["task", "measure", "metric", "task_language"]].drop_duplicates(["task", "measure"])
    if tasks:
        kinds = kinds[kinds["task"].isin(list(tasks))]
    elif (~kinds["task"].str.contains(":", regex=False)).any():
        kinds = kinds[~kinds["task"].str.contains(":", regex=False)]
    found: list[Column] = []
    repeated = kinds["task"].value_counts()
    by_measure: dict[str, list[tuple[str, str, str]]] = {}
    fields = (kinds[name].tolist() for name in ("task", "measure", "metric", "task_language"))
    for task, measure, metric, language in zip(*fields, strict=True):
        by_measure.setdefault(measure, []).append((task, metric, language))
    for measure, listed in sorted(
        by_measure.items(), key=lambda item: (min(task_order(t) for t, *_ in item[1]), item[0])
    ):
        listed.sort(key=lambda one: task_order(one[0]))
        for task, metric, language in listed:
            title = task if repeated[task] < 2 else f"{task} ({measure})"
            found.append(Column(title, ((task, measure),), metric, printed_name(task, language)))
        average = _average(measure, listed, several=len(by_measure) > 1)
        if average:
            found.append(average)
    return found


def printed_name(task: str, language: str) -> str:
    """Return what published tables call a task: `STS-B`, `STS-B dev`, in other languages than English `ZH STS-B`."""
    plain = task.replace(":", " ")
    return {"en": plain, "zh": f"CN {plain} test"}.get(language, f"{language.upper()} {plain}")


def _average(measure: str, listed: Sequence[tuple[str, str, str]], *, several: bool) -> Column | None:
    tests = [one for one in listed if ":" not in one[0]]
    metrics = {metric for _, metric, _ in tests}
    if len(tests) < 2 or len(metrics) > 1:
        return None
    tasks, languages = frozenset(task for task, _, _ in tests), {language for _, _, language in tests}
    printed = next((name for name, of in PRINTED_AVERAGES.items() if of == tasks and languages == {"en"}), None)
    title = f"Avg of {len(tests)}" + (f" ({measure})" if several else "")
    return Column(title, tuple((task, measure) for task, _, _ in tests), metrics.pop(), printed)
