"""How does a data folder get to a machine without network? As one archive with its checksums and licences inside."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from harness.cache import atomic_path
from harness.data.archive import LICENCES, SUFFIXES, SUMS, add, add_text, compression_of, write_tar
from harness.data.catalog import Catalog
from harness.data.folder import DataFolder
from harness.data.pins import Pins
from harness.data.verify import check_file, extras
from harness.errors import DataError, UsageError


@dataclass(frozen=True)
class Bundled:
    """What went into an archive: places, and the bytes of all of them before packing."""

    places: tuple[str, ...]
    size: int


def bundle(
    data: DataFolder,
    out: Path,
    catalog: Catalog,
    names: Iterable[str] = (),
    *,
    pins: Pins,
    as_is: bool = False,
    step: Callable[[str, int, int], None] = lambda place, done, total: None,
) -> Bundled:
    """Write the sets called `names` (see `Catalog.choose`; none: the whole data folder, own files too) into an archive.

    Its bytes depend on the files and the packing library alone: sorted names, no times, no owners. Inside lie SHA256SUMS (of the
    bytes as they are) and LICENCES.txt. `as_is` takes files of another content than the catalog's.

    Raises UsageError on an ending that is no archive's and on unknown names, DataError if nothing is there to be taken, and if a
    file is not what the catalog says; nothing is written then.
    """
    compression, root = compression_of(out), data.path
    places = chosen_places(root, catalog, names)
    if not places:
        raise DataError(f"{root} has nothing of that; see what is there: augbench data ls --data {root}")
    known = {place: entry for entry in catalog for place in entry.files}
    sums: dict[str, tuple[int, str]] = {}
    for index, place in enumerate(places):
        step(place, index, 2 * len(places))
        if place in known and not as_is:
            found = check_file(root / place, known[place], known[place].files[place], pins)
            if not found.good:
                raise DataError(
                    f"{root / place} is {found.state} ({found.note}); get it again with `augbench data pull --replace`, or take "
                    "it along as it is with --as-is."
                )
        sums[place] = _sum(root / place)
    pins.write()
    lines = licence_lines(catalog, places)
    sums[LICENCES] = len(lines.encode()), hashlib.sha256(lines.encode()).hexdigest()
    with atomic_path(out) as temporary, write_tar(temporary, compression) as tar:
        add_text(tar, LICENCES, lines)
        add_text(tar, SUMS, "".join(f"{sha}  {place}\n" for place, (_, sha) in sorted(sums.items())))
        for index, place in enumerate(places):
            step(place, len(places) + index, 2 * len(places))
            try:
                with (root / place).open("rb") as stream:
                    add(tar, place, sums[place][0], stream)
            except OSError as error:
                if error.errno is None:
                    raise DataError(f"{root / place} changed while it was read; try again.") from None
                raise
    return Bundled(tuple(places), sum(size for size, _ in sums.values()))


def chosen_places(root: Path, catalog: Catalog, names: Iterable[str]) -> list[str]:
    """Return the places of the files that are there and meant by `names`, sorted; a name may also be a folder of own files."""
    own = [place for place in extras(root, catalog) if place.endswith(SUFFIXES)]
    asked, places = [name.strip("/") for name in names], set()
    for name in asked:
        mine = [place for place in own if place == name or place.startswith(f"{name}/")]
        places.update(mine)
        try:
            entries = catalog.choose([name])
        except UsageError:
            if not mine:
                raise
            entries = []
        places.update(place for entry in entries for place in entry.files)
    if not asked:
        places = {*own, *catalog.files()}
    return sorted(place for place in places if (root / place).is_file())


def licence_lines(catalog: Catalog, places: Iterable[str]) -> str:
    """Return what a bundle says about where its sets come from and what may be done with them."""
    taken = set(places)
    lines = ["Sets in this archive: origin, licence, citation. Scores and texts stay under their own licences.\n"]
    for entry in catalog:
        if taken & set(entry.files):
            lines.append(
                f"{entry.name}: {entry.title}\n  {entry.source}\n  licence: {entry.licence}\n  {entry.citation}\n"
            )
    own = sorted(taken - set(catalog.files()))
    if own:
        lines.append("Own files, licence not known to AugBench:\n" + "".join(f"  {place}\n" for place in own))
    return "\n".join(lines)


def _sum(path: Path) -> tuple[int, str]:
    total, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as stream:
            while piece := stream.read(1 << 20):
                total.update(piece)
                size += len(piece)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}.") from None
    return size, total.hexdigest()
