"""Which tasks does a user mean by `sts`, `STS12` or `STS-B:dev`? Families of tasks, merged over all installed packages.

A family is registered under the entry-point group `augbench.tasks` as a callable `(data, language, options) ->
Family`. It only looks at what is there; a task's files are read when the task is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from harness.data import DataFolder
from harness.errors import DataError, UsageError
from harness.protocols import Task, TaskOptions
from harness.protocols.registry import load, names, suggest

#: split name -> reads the files and returns the task
Splits = Mapping[str, Callable[[], Task]]


@dataclass(frozen=True)
class Family:
    """The tasks of one kind in one data folder and language.

    tasks    task name -> split -> factory (raises DataError if the files are malformed or incomplete)
    default  the tasks that the family's own name stands for: `NAME` (its test split) or `NAME:split`
    known    names that exist in the world; asking for one that is not in the folder is a data problem, not a typo
    where    the place in the data folder where the tasks are expected, e.g. `sts/en`
    """

    tasks: Mapping[str, Splits]
    default: Sequence[str] = ()
    known: Sequence[str] = ()
    where: str = ""


#: names of other tasks that a message lists
_SHOWN = 12

FamilyFactory = Callable[[DataFolder, str, TaskOptions], Family]


def families(data: DataFolder, language: str, options: TaskOptions | None = None) -> dict[str, Family]:
    """Return every registered family by name. Raises UsageError if two of them claim one task name."""
    found: dict[str, Family] = {}
    owner: dict[str, str] = {}
    for name in names("tasks"):
        family: Family = load("tasks", name)(data, language, options or TaskOptions())
        for task in {*family.tasks, *family.known}:
            if task in owner:
                raise UsageError(
                    f"the task families {owner[task]!r} and {name!r} both provide {task!r}; uninstall one of them."
                )
            owner[task] = name
        found[name] = family
    return found


def resolve_tasks(
    names: Sequence[str],
    *,
    data: DataFolder,
    language: str,
    text: str = "original",
    options: TaskOptions | None = None,
) -> list[Task]:
    """Return the tasks called `names`, read and checked, in the order asked for, each once.

    names     `NAME` (its test split), `NAME:split`, or the name of a family (`sts`) for the tasks it stands for
    language  ISO code, as in the folder names;  text: `original` or `senteval`, used where no `options` are given

    Raises UsageError on a name nobody knows (with the close ones) or a split the task never has, and
    DataError if the data folder lacks the task (listing what it has) or its files are incomplete or
    malformed.
    """
    if not names:
        raise UsageError("no tasks were named; try --tasks sts, or STS12,STS-B:dev.")
    options = options or TaskOptions(text=text)
    text = options.text
    found = families(data, language, options)
    wanted: dict[tuple[str, str], None] = {}
    for name in names:
        base, _, split = name.partition(":")
        if base in found:
            if split:
                raise UsageError(f"{base!r} is a group of tasks and takes no split; write for example STS-B:{split}.")
            if not found[base].default:
                raise DataError(
                    _missing(f"no {base} tasks", [found[base]], data=data, language=language, text=text, found=found)
                )
            parts = (task.partition(":") for task in found[base].default)
            wanted.update(dict.fromkeys((task, of or "test") for task, _, of in parts))
        else:
            wanted[base, split or "test"] = None
    return [_factory(base, split, found=found, data=data, language=language, text=text)() for base, split in wanted]


def families_of(
    tasks: Sequence[Task], *, data: DataFolder, language: str, options: TaskOptions | None = None
) -> list[str]:
    """Return the names of the families that tasks come from, each once, in the order of the tasks."""
    found = families(data, language, options)
    owners = (next((name for name, f in found.items() if task.name in f.tasks), None) for task in tasks)
    return list(dict.fromkeys(owner for owner in owners if owner is not None))


def _factory(
    name: str, split: str, *, found: Mapping[str, Family], data: DataFolder, language: str, text: str
) -> Callable[[], Task]:
    family = next((f for f in found.values() if name in f.tasks), None)
    if family is None:
        knowing = [f for f in found.values() if name in f.known]
        if knowing:
            raise DataError(_missing(f"no {name}", knowing, data=data, language=language, text=text, found=found))
        every = [task for f in found.values() for task in (*f.tasks, *f.known)]
        raise UsageError(f"unknown task {name!r}. {suggest(name, [*every, *found])}")
    splits = family.tasks[name]
    if split not in splits:
        have = ", ".join(f"{name}:{s}" for s in splits)
        raise DataError(f"{name} has no {split} split in {data.path / family.where}; there is {have}.")
    return splits[split]


def _missing(
    what: str, concerned: Sequence[Family], *, data: DataFolder, language: str, text: str, found: Mapping[str, Family]
) -> str:
    """What is missing, where the families concerned expect it, and what there is instead (theirs in front)."""
    have = list(dict.fromkeys(task for family in (*concerned, *found.values()) for task in sorted(family.tasks)))
    wheres = dict.fromkeys(family.where for family in concerned if family.where)
    places = " or ".join(str(data.path / where) for where in wheres)
    shown = ", ".join(have[:_SHOWN]) + (
        f" and {len(have) - _SHOWN} more (augbench ls tasks)" if len(have) > _SHOWN else ""
    )
    exists = f"There is {shown}." if have else "There is no task of this language and text variant."
    return f"{data.path} has {what} for language {language!r}, text {text!r} (expected in {places}). {exists}"
