"""How does a family look at STS sets in another way? A task beside each set of the data folder: `STS-B-geometry` for `STS-B`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from harness.data import DataFolder
from harness.errors import UsageError
from harness.protocols import LanguagePack, Task, TaskOptions
from harness.tasks import sts
from harness.tasks.absent import AbsentTask
from harness.tasks.resolve import Family


def beside_sts(
    data: DataFolder,
    language: str,
    options: TaskOptions,
    *,
    suffix: str,
    make: Callable[[Any], Task],
    preferred: tuple[str, ...] = ("STS-B",),
    shown: tuple[str, ...] = ("test",),
) -> Family:
    """Return a family of `SET-suffix` with the splits of every STS set.

    make       STS task -> the task beside it
    preferred  the set the family's own name stands for: the first of these that is there, else the first set with a test split
    shown      which of its splits
    """
    # the pairs are what is read; how relatedness is scored does not matter
    base = sts.family(data, language, replace(options, relatedness="cosine"))
    tasks = {
        f"{name}-{suffix}": {split: partial(_make, factory, make) for split, factory in splits.items()}
        for name, splits in base.tasks.items()
    }
    with_test = [name for name, splits in base.tasks.items() if "test" in splits]
    first = next((name for name in (*preferred, *with_test) if name in with_test), None)
    there = [split for split in shown if first is not None and split in base.tasks[first]]
    default = [f"{first}-{suffix}" if split == "test" else f"{first}-{suffix}:{split}" for split in there]
    return Family(tasks, default, tuple(f"{name}-{suffix}" for name in base.known), base.where)


def with_pack(
    base: Task, language: str, make: Callable[[LanguagePack], Task], *, suffix: str, main: tuple[str, str]
) -> Task:
    """Return `make(pack)` for the pack that answers to `language`; without one, a task whose measuring is a recorded skip."""
    from harness.languages import open_pack

    try:
        pack = open_pack(language)
    except UsageError as error:
        return AbsentTask(
            f"{base.name}-{suffix}",
            base.split,
            base.protocol,
            main,
            language=language,
            reason=f"it needs a language pack: {error}",
        )
    return make(pack)


def _make(factory: Callable[[], Any], make: Callable[[Any], Task]) -> Task:
    return make(factory())
