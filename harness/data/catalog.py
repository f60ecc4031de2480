"""Which sets are there in the world that a data folder may hold, under which licence, and what must be in their files?

The answers lie in catalog.toml beside this file; there is no sentence in it. A file without a hash there ("unverified") is
pinned when it is first seen: see `harness.data.pins`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.errors import UsageError
from harness.protocols.registry import suggest

CATALOG = Path(__file__).with_name("catalog.toml")
UNVERIFIED = "unverified"


@dataclass(frozen=True)
class CatalogFile:
    """A file of a set: its place in the data folder, the rows it must have, and the hash of its content (None: not known)."""

    place: str
    rows: int | None
    sha256: str | None


@dataclass(frozen=True)
class Entry:
    """One set: where it comes from, what may be done with it, how to cite it, and its files by place."""

    name: str
    title: str
    source: str
    licence: str
    citation: str
    note: str
    files: Mapping[str, CatalogFile]

    @property
    def rows(self) -> int | None:
        """Return the rows of all files together, None if one of them is not known."""
        known = [file.rows for file in self.files.values() if file.rows is not None]
        return sum(known) if len(known) == len(self.files) else None

    @property
    def verified(self) -> bool:
        """Return whether the hash of every file is known."""
        return all(file.sha256 for file in self.files.values())


@dataclass(frozen=True)
class Catalog:
    """All sets by name, in the order of the file."""

    sets: Mapping[str, Entry]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.sets.values())

    def files(self) -> dict[str, CatalogFile]:
        """Return the files of all sets by place."""
        return {place: file for entry in self for place, file in entry.files.items()}

    def choose(self, names: Iterable[str]) -> list[Entry]:
        """Return the sets a user means, in the order of the catalog; all of them if nothing is named.

        A name is a set (`sts/en/STS12`), a folder above it (`sts/en`, `transfer`), one of its files, or its last part
        (`STS12`: in every language and text variant). Raises UsageError on a name that fits nothing, with close ones.
        """
        wanted = [name.strip("/") for name in names]
        chosen: set[str] = set()
        for name in wanted:
            found = {entry.name for entry in self if _fits(entry, name)}
            if not found:
                known = [*self.sets, *(entry.name.rsplit("/", 1)[-1] for entry in self)]
                raise UsageError(f"the catalog has no set {name!r}. {suggest(name, known)} List them: augbench data ls")
            chosen |= found
        return [entry for entry in self if not wanted or entry.name in chosen]

    def named(self, names: Iterable[str]) -> set[str]:
        """Return the names of the sets that are called by name or last part, not through a folder above them."""
        wanted = {name.strip("/") for name in names}
        return {entry.name for entry in self if wanted & {entry.name, entry.name.rsplit("/", 1)[-1], *entry.files}}


def _fits(entry: Entry, name: str) -> bool:
    return (
        entry.name == name
        or entry.name.startswith(f"{name}/")
        or entry.name.rsplit("/", 1)[-1] == name
        or name in entry.files
    )


@cache
def load_catalog(path: Path = CATALOG) -> Catalog:
    """Return the catalog that comes with AugBench, or another one of the same shape.

    Raises ValueError if the file has no such shape: it is part of the program.
    """
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["sets"]
    return Catalog({name: _entry(name, table, tables) for name, table in tables.items()})


def _entry(name: str, table: dict[str, object], tables: Mapping[str, dict[str, object]]) -> Entry:
    told = tables[str(table["like"])] | table if "like" in table else table
    unknown = sorted(set(told) - {"like", "title", "source", "licence", "citation", "note", "files"})
    if unknown:
        raise ValueError(f"catalog.toml: {name} has unknown keys {', '.join(unknown)}")
    files = table["files"]
    if not isinstance(files, dict) or not files:
        raise ValueError(f"catalog.toml: {name} has no files")
    told_files = {
        place: CatalogFile(place, facts.get("rows"), None if facts["sha256"] == UNVERIFIED else facts["sha256"])
        for place, facts in files.items()
    }
    texts = {key: str(told[key]) for key in ("title", "source", "licence", "citation")}
    return Entry(name, files=told_files, note=str(table.get("note", "")), **texts)
