"""How do sets get into a data folder? From a mirror or an archive, checked before they take their names."""

from __future__ import annotations

import filecmp
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit, urlunsplit

from harness.data.archive import ENDINGS, SUMS, TOP, Limits, Member, is_archive, read_members
from harness.data.catalog import Catalog, CatalogFile, Entry
from harness.data.download import NotThereError, Source, fetch, open_source
from harness.data.pins import Pins
from harness.data.verify import PARTIAL, Found, check_file
from harness.errors import DataError

Outcome = Literal["there", "new", "replaced", "kept", "refused", "absent"]
#: place, bytes there, bytes in all (None: not told)
Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Pulled:
    """What became of one file.

    outcome  there: was already right; new, replaced: came in and is right; kept: another content was there and stays;
             refused: what came is not what the catalog says, and was thrown away; absent: the source has no such file
    note     why
    """

    place: str
    outcome: Outcome
    note: str = ""

    @property
    def good(self) -> bool:
        """Return whether the file is now there and right."""
        return self.outcome in ("there", "new", "replaced")


@dataclass(frozen=True)
class Options:
    """replace: files of another content give way;  limits: what an archive may hold;  attempts: at each file of a mirror."""

    replace: bool = False
    limits: Limits = field(default_factory=Limits)
    attempts: int = 5
    progress: Progress = lambda place, there, total: None


def pull(
    base: str, root: Path, catalog: Catalog, names: Iterable[str] = (), *, pins: Pins, options: Options | None = None
) -> Iterator[Pulled]:
    """Bring sets (see `Catalog.choose`; none: all) from `base` into the data folder `root` and yield what became of each file.

    base  address or folder that holds the layout of a data folder, or (the address of) an archive made by `bundle`, which may
          hold own files too

    A file takes its name only when its content is what the catalog says (or was never seen: then it is pinned). What came of a
    file that broke off stays as NAME.part; the next call goes on from there. Raises DataError if the source cannot be read or
    another pull works in the folder, UsageError on unknown names and addresses.
    """
    asked = list(names)
    entries, named = catalog.choose(asked), bool(asked)
    options = options or Options()
    address = urlsplit(base)
    far = address.scheme in ("http", "https")
    path = Path(unquote(address.path) if address.scheme == "file" else base).expanduser()
    if not far and path.is_file() and not is_archive(path):
        raise DataError(f"{path} is no archive; expected a .tar.gz or .tar.zst made by `augbench data bundle`.")
    archive = address.path.endswith(ENDINGS) if far else path.is_file()
    source = None if archive else open_source(base)
    with _alone(root):
        if source is not None:
            yield from _from_source(source, root, entries, pins, options)
        else:
            path = _fetch_archive(base, root, options) if far else path
            yield from _from_archive(path, root, entries, catalog, pins, options, named=named)
            if far:
                path.unlink()
        pins.write()


def _fetch_archive(base: str, root: Path, options: Options) -> Path:
    """Fetch an archive into a hidden file of the data folder, where the next call finds it if this one breaks off."""
    folder, _, name = urlsplit(base).path.rpartition("/")
    source = open_source(urlunsplit(urlsplit(base)._replace(path=folder)))
    part = root / f".{unquote(name)}{PARTIAL}"
    for _ in range(2):
        kept = fetch(
            source,
            unquote(name),
            part,
            attempts=options.attempts,
            progress=lambda there, total: options.progress(name, there, total),
        )
        try:
            for _member in read_members(part, options.limits):
                pass
        except DataError:
            part.unlink()
            if not kept:
                raise
        else:
            break
    return part


def _from_source(source: Source, root: Path, entries: list[Entry], pins: Pins, options: Options) -> Iterator[Pulled]:
    for entry in entries:
        for file in entry.files.values():
            target = root / file.place
            before = check_file(target, entry, file, pins)
            if before.good:
                yield Pulled(file.place, "there")
            elif before.state != "missing" and not options.replace:
                yield Pulled(file.place, "kept", f"{before.state}: {before.note}")
            else:
                yield _fetch(source, root, entry, file, pins, options, again=before.state != "missing")


def _fetch(
    source: Source, root: Path, entry: Entry, file: CatalogFile, pins: Pins, options: Options, *, again: bool
) -> Pulled:
    target = root / file.place
    part = target.with_name(target.name + PARTIAL)
    if file.sha256 is None and file.place not in pins.hashes:
        part.unlink(missing_ok=True)  # no hash would tell whether two halves belong together
    made = _make_folders(target.parent, root)
    for _ in range(2):
        try:
            kept = fetch(
                source,
                file.place,
                part,
                attempts=options.attempts,
                progress=lambda there, total: options.progress(file.place, there, total),
            )
        except NotThereError as error:
            part.unlink(missing_ok=True)
            _remove_empty(made)
            return Pulled(file.place, "absent", str(error))
        found = check_file(part, entry, file, pins)
        if found.good:
            part.replace(target)
            return Pulled(file.place, "replaced" if again else "new", found.note)
        part.unlink()
        if not kept:
            break  # else the first half may have been of another version: once more, from the start
    _remove_empty(made)
    return _refused(found)


def _from_archive(
    path: Path, root: Path, entries: list[Entry], catalog: Catalog, pins: Pins, options: Options, *, named: bool
) -> Iterator[Pulled]:
    """Unpack all of an archive beside the folder, compare with its list of checksums, then move what is wanted."""
    known = {place: entry for entry in catalog for place in entry.files}
    wanted = {place for entry in entries for place in entry.files}
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root, prefix=".pull-") as folder:
        staging = Path(folder)
        places = list(_unpack(path, staging, options))
        for place in sorted({*places, *(wanted if named else ())} - set(TOP)):
            own = place not in known
            if named and place not in wanted:
                continue
            if place not in places:
                yield Pulled(place, "absent", f"{path.name} has no such file")
            elif own:
                yield _move_own(staging / place, root / place, place, options)
            else:
                yield _move(staging / place, root / place, known[place], place, pins, options)


def _unpack(path: Path, staging: Path, options: Options) -> Iterator[str]:
    """Write the members into `staging` and yield their places. Raises DataError if the archive is not what its list says."""
    sums: dict[str, str] = {}
    found: dict[str, str] = {}
    size = path.stat().st_size
    done = 0
    for member in read_members(path, options.limits):
        sha = _write(member, staging / member.place)
        done += member.size
        options.progress(member.place, done, None)
        if member.place == SUMS:
            sums = _sums(staging / SUMS, path)
        else:
            found[member.place] = sha
    if not sums:
        raise DataError(f"{path} has no {SUMS} ({size:,} bytes); get an archive made by `augbench data bundle`.")
    for place in sorted({*sums, *found}):
        if sums.get(place) != found.get(place):
            what = "lacks" if place not in found else "does not list" if place not in sums else "has another content of"
            raise DataError(f"{path} is damaged: it {what} {place}; get it again.")
    yield from found


def _write(member: Member, target: Path) -> str:
    total = hashlib.sha256()
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with target.open("xb") as out:
            while piece := member.stream.read(1 << 20):
                total.update(piece)
                out.write(piece)
    except OSError as error:
        if error.errno is None:
            raise
        raise DataError(f"cannot write {target}: {error.strerror or error}. Choose another --data DIR.") from None
    return total.hexdigest()


def _sums(file: Path, path: Path) -> dict[str, str]:
    sums = {}
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        sha, _, place = line.partition("  ")
        if len(sha) != 64 or not place:
            raise DataError(f"{path}: {SUMS} has a line that is no checksum ({line[:40]!r}); get the archive again.")
        sums[place] = sha
    return sums


def _move(staged: Path, target: Path, entry: Entry, place: str, pins: Pins, options: Options) -> Pulled:
    file = entry.files[place]
    before = check_file(target, entry, file, pins)
    if before.good:
        return Pulled(place, "there")
    found = check_file(staged, entry, file, pins)
    if not found.good:
        return _refused(found)
    if before.state != "missing" and not options.replace:
        return Pulled(place, "kept", f"{before.state}: {before.note}")
    target.parent.mkdir(parents=True, exist_ok=True)
    staged.replace(target)
    return Pulled(place, "new" if before.state == "missing" else "replaced", found.note)


def _move_own(staged: Path, target: Path, place: str, options: Options) -> Pulled:
    """Move a file the catalog does not know: nothing but the archive's own checksum speaks for it."""
    there = target.is_file()
    if there and filecmp.cmp(target, staged, shallow=False):
        return Pulled(place, "there")
    if there and not options.replace:
        return Pulled(place, "kept", "another own file is there")
    target.parent.mkdir(parents=True, exist_ok=True)
    staged.replace(target)
    return Pulled(place, "replaced" if there else "new", "not in the catalog")


def _refused(found: Found) -> Pulled:
    return Pulled(found.file.place, "refused", f"what came is {found.state}: {found.note}")


def _make_folders(folder: Path, root: Path) -> list[Path]:
    """Make a folder and return those that were not there, deepest first."""
    new = [path for path in (folder, *folder.parents) if path.is_relative_to(root) and not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make {folder}: {error.strerror or error}. Choose another --data DIR.") from None
    return new


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        if not any(folder.iterdir()):
            folder.rmdir()


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Keep a second pull out of the folder."""
    from filelock import FileLock, Timeout

    if root.is_file():
        raise DataError(f"{root} is a file, expected a folder to put the data into.")
    try:
        root.mkdir(parents=True, exist_ok=True)
        with FileLock(root / ".pull.lock", timeout=0):
            for left in root.glob(".pull-*"):
                shutil.rmtree(left, ignore_errors=True)  # of a pull that was killed
            yield
    except Timeout:
        raise DataError(f"another pull works in {root}; wait for it, or choose another --data DIR.") from None
    except OSError as error:
        raise DataError(f"cannot write into {root}: {error.strerror or error}. Choose another --data DIR.") from None
