"""Is a data folder what the catalog says? Which sets are there at a glance, and file by file what they hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.data.catalog import Catalog, CatalogFile, Entry
from harness.data.contents import Content, measure
from harness.data.folder import PARTS
from harness.data.pins import Pins
from harness.errors import DataError

Presence = Literal["there", "incomplete", "missing", "unverified"]
State = Literal["ok", "pinned", "changed", "damaged", "missing"]
PARTIAL = ".part"


@dataclass(frozen=True)
class Found:
    """What became of one file of the catalog.

    state  ok: the content of the catalog (or the pinned one); pinned: seen first, now pinned; changed: another content;
           damaged: cannot be read as what it should be; missing
    note   what differs, in words;  rows: those of the file, None if it is missing or damaged
    """

    entry: Entry
    file: CatalogFile
    state: State
    note: str = ""
    rows: int | None = None

    @property
    def good(self) -> bool:
        """Return whether the file may be used."""
        return self.state in ("ok", "pinned")


def presence(root: Path, entry: Entry) -> Presence:
    """Return how much of a set is there; nothing is read. `unverified`: there, but the catalog has no hash to compare with."""
    there = [(root / place).is_file() for place in entry.files]
    if not any(there):
        return "missing"
    if not all(there):
        return "incomplete"
    return "there" if entry.verified else "unverified"


def check_file(path: Path, entry: Entry, file: CatalogFile, pins: Pins) -> Found:
    """Compare one file, wherever it lies, with what the catalog says of its place. New pins are not yet written."""
    if not path.is_file():
        return Found(entry, file, "missing", "there is no such file")
    try:
        content = measure(path, file.place)
    except DataError as error:
        return Found(entry, file, "damaged", str(error))
    return _compare(entry, file, content, pins)


def _compare(entry: Entry, file: CatalogFile, content: Content, pins: Pins) -> Found:
    rows = ""
    if file.rows is not None and content.rows != file.rows:
        rows = f"{content.rows:,} rows, the original has {file.rows:,}"
    if file.sha256 is not None:
        if content.sha256 == file.sha256:
            return Found(entry, file, "ok", rows=content.rows)
        return Found(entry, file, "changed", rows or "as many rows, but other content", content.rows)
    new = file.place not in pins.hashes
    if not pins.pin(file.place, content):
        return Found(entry, file, "changed", f"not what it was when {pins.path} was written", content.rows)
    return Found(entry, file, "pinned" if new else "ok", rows, content.rows)


def verify(
    root: Path,
    entries: Iterable[Entry],
    pins: Pins,
    *,
    named: Collection[str] = (),
    step: Callable[[str], None] = lambda place: None,
) -> Iterator[Found]:
    """Yield what became of every file of `entries`, and keep new pins.

    A set of which nothing is there is passed over unless it is `named`. `step` is called with each place before it is read.
    """
    for entry in entries:
        if entry.name not in named and presence(root, entry) == "missing":
            continue
        for file in entry.files.values():
            step(file.place)
            yield check_file(root / file.place, entry, file, pins)
    pins.write()


def extras(root: Path, catalog: Catalog) -> list[str]:
    """Return the places of files in the parts of a data folder that the catalog does not know, sorted. Hidden ones are no data."""
    known = catalog.files()
    found = []
    for part in PARTS:
        for path in (root / part).rglob("*"):
            place = path.relative_to(root)
            if path.is_file() and place.as_posix() not in known and not any(p.startswith(".") for p in place.parts):
                found.append(place.as_posix())
    return sorted(found)
