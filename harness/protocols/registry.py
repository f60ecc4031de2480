"""Names of everything pluggable, found through entry points, loaded when asked for.

Groups: `augbench.languages`, `augbench.methods`, `augbench.operators`, `augbench.tasks`, `augbench.published`. A name that
two distributions claim is refused; an unknown name gets the close ones suggested.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

GROUPS = ("languages", "methods", "operators", "tasks", "published")


class UnknownName(LookupError):
    """A name nobody registered; the message lists close and known ones."""


class DuplicateName(LookupError):
    """A name that two distributions register."""


def suggest(name: str, known: Iterable[str]) -> str:
    """Return ` Did you mean …?` with the close names, or the list of all known ones."""
    names = sorted(set(known))
    folded = {known_name.lower(): known_name for known_name in names}
    close = difflib.get_close_matches(name.lower(), folded, n=3, cutoff=0.5)
    if close:
        return "Did you mean " + " or ".join(repr(folded[c]) for c in close) + "?"
    return "Known: " + (", ".join(names) if names else "none") + "."


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=f"augbench.{group}"):
        other = found.get(entry.name)
        if other is not None and other.value != entry.value:
            raise DuplicateName(
                f"two packages register the {group.rstrip('s')} {entry.name!r}: {other.value} and {entry.value}. "
                "Uninstall one of them."
            )
        found[entry.name] = entry
    return found


def names(group: str) -> list[str]:
    """Return the registered names of a group, sorted, without loading anything."""
    return sorted(_entries(group))


def origin(group: str, name: str) -> str:
    """Return the `module:attribute` behind a name (for listings)."""
    return _entries(group)[name].value


def distribution(group: str, name: str) -> str | None:
    """Return `name version` of the installed distribution that registers a name; None for an unknown name.

    An entry point that no distribution stands behind gives "an unknown package".
    """
    entry = _entries(group).get(name)
    if entry is None:
        return None
    return "an unknown package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def load(group: str, name: str) -> Any:
    """Return the registered object. Raises UnknownName with suggestions."""
    entry = _entries(group).get(name)
    if entry is None:
        raise UnknownName(f"unknown {group.rstrip('s')} {name!r}. {suggest(name, _entries(group))}")
    return entry.load()
