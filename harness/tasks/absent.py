"""What becomes of a well-known set that this data folder does not hold? A recorded skip that says where it is expected.

A group of tasks (`clustering`, `pairs` …) always stands for all its sets, so that two tables of it have the same rows: what
is not at hand is a row with its reason, never a row left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from harness.data import DataFolder
from harness.data.readers import hash_rows
from harness.errors import Skipped
from harness.protocols import EncoderTask, Protocol, Task, TaskOptions, TaskResult
from harness.tasks.resolve import Splits, families, resolve_tasks


class AbsentTask(EncoderTask):
    """A task without data: it encodes nothing, and measuring it raises Skipped with the reason."""

    def __init__(
        self, name: str, split: str, protocol: Protocol, main: tuple[str, str], *, language: str, reason: str
    ) -> None:
        self.name, self.language, self.split = name, language, split
        self.protocol, self.main, self.unavailable = protocol, main, reason
        self.data_sha = hash_rows([])

    def __repr__(self) -> str:
        return f"AbsentTask({self.id!r}, {self.unavailable!r})"

    def inspect(self, embedder: Any) -> TaskResult:
        """Raises Skipped."""
        raise Skipped(self.unavailable)


def with_absent(
    present: Mapping[str, Splits],
    known: Sequence[str],
    *,
    expected: Callable[[str], str],
    protocol: Callable[[str], Protocol],
    main: Callable[[str], tuple[str, str]],
    language: str,
    data: DataFolder | None = None,
) -> dict[str, Splits]:
    """Return `present`, and an absent task for each of the `known` names that is not in it.

    known     task names, `NAME` or `NAME:split`;  expected: name -> files it is read from, relative to the data folder
    protocol, main  name -> what a score of it would have been
    data      its name is part of the reason, its path is not: records travel

    Where nothing is present nothing is added: a folder without any of these tasks does not list them.
    """
    tasks = dict(present)
    if not present:
        return tasks
    folder = "the data folder" + (f" {data.path.resolve().name!r}" if data is not None else "")
    for task_id in known:
        name, _, split = task_id.partition(":")
        if name in present:
            continue
        make: Callable[[], Task] = partial(
            AbsentTask,
            name,
            split or "test",
            protocol(name),
            main(name),
            language=language,
            reason=f"{name} is not at hand: {folder} has no {expected(name)}; put it there and evaluate again.",
        )
        tasks[name] = {**tasks.get(name, {}), split or "test": make}
    return tasks


def without_samples(
    names: Sequence[str], samples: DataFolder, *, language: str, options: TaskOptions
) -> tuple[Task, ...]:
    """Return the tasks called `names` from a pack's samples; one that is known but has none is a recorded skip.

    Raises UsageError on a name nobody knows, and DataError if sample files are malformed.
    """
    known = families(samples, language, options)
    there = {name for family in known.values() for name in family.tasks}
    elsewhere = {name for family in known.values() for name in family.known} - there
    found: dict[str, Task] = {}
    for given in names:
        base, _, split = given.partition(":")
        if base in elsewhere:
            reason = f"the pack's samples hold no {base}; give --data DIR and --scale small."
            protocol = Protocol("absent", 1, text=options.text, similarity="none")
            absent = AbsentTask(base, split or "test", protocol, ("none", "all"), language=language, reason=reason)
            found.setdefault(absent.id, absent)
        else:
            tasks = resolve_tasks([given], data=samples, language=language, options=options)
            found |= {task.id: task for task in tasks if task.id not in found}
    return tuple(found.values())
