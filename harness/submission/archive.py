"""How do records travel as one small file? A tar of a results folder, compressed as a whole (.tar.xz), unpacked into the cache.

Records repeat each other: the gold scores of a test set stand in every run, the settings in every score. Compressed together,
that costs nothing. Only `augbench submit pack` writes such files; reading one takes nothing but regular files of bounded size.
"""

from __future__ import annotations

import contextlib
import hashlib
import lzma
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness.cache import atomic_path, cache_dir
from harness.errors import DataError

ENDING = ".tar.xz"
#: of all files together, unpacked, and their number
MOST_BYTES, MOST_FILES = 500_000_000, 100_000


def is_archive(path: Path) -> bool:
    """Whether a path is named like an archive of records."""
    return path.name.endswith(ENDING)


def write_archive(folder: Path, path: Path) -> int:
    """Write all files of a folder to an archive and return its size in bytes; equal folders give equal bytes."""
    with atomic_path(path) as target, tarfile.open(target, "w:xz", preset=9) as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()):
            member = tarfile.TarInfo(file.relative_to(folder).as_posix())
            member.size, member.mode = file.stat().st_size, 0o644
            with file.open("rb") as content:
                archive.addfile(member, content)
    return path.stat().st_size


def results_folder(path: Path) -> Path:
    """Return a results folder as it is, and the folder that an archive of one was unpacked to.

    Raises DataError if an archive is not there or cannot be read.
    """
    path = path.expanduser()
    return unpacked(path) if is_archive(path) else path


def unpacked(path: Path) -> Path:
    """Return the folder in the cache with the files of an archive; it is unpacked once.

    Raises DataError if it is not there, damaged, too large, or holds anything but files inside its own folder.
    """
    try:
        name = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise DataError(f"the records {path} cannot be read: {error.strerror}.") from None
    target = cache_dir() / "records" / name
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=target.parent))
    try:
        with tarfile.open(path, "r:xz") as archive:
            for member in _checked(archive, path):
                archive.extract(member, fresh, filter="data")
        # another process may have been faster
        with contextlib.suppress(OSError):
            fresh.replace(target)
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise DataError(f"{path} is damaged, or no archive of `augbench submit pack`: {error}.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be unpacked to {target}: {error.strerror}.") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return target


def _checked(archive: tarfile.TarFile, path: Path) -> Iterator[tarfile.TarInfo]:
    total = 0
    for count, member in enumerate(archive, start=1):
        total += member.size
        if not member.isfile():
            raise DataError(f"{path} holds {member.name!r}, which is no regular file.")
        if count > MOST_FILES or total > MOST_BYTES:
            raise DataError(f"{path} holds more than {MOST_FILES:,} files or {MOST_BYTES // 1_000_000:,} MB.")
        yield member
