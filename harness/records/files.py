"""Files that are there whole or not at all, and the system's errors in one sentence with the next step."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.cache import atomic_write
from harness.errors import AugBenchError, DataError


class StoreError(AugBenchError):
    """The results folder cannot be written or read; going on would lose results."""


def write_atomic(path: Path, content: bytes) -> None:
    """Write a file such that it has the old or the new content, whatever happens. Raises StoreError."""
    try:
        atomic_write(path, content)
    except DataError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise StoreError(_explain(path, error.__cause__)) from error


def remove(*paths: Path) -> None:
    """Delete files and folders that may not exist. Raises StoreError."""
    for path in paths:
        with saving(path):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


@contextmanager
def saving(path: Path) -> Iterator[None]:
    """Raise the system's errors as StoreError."""
    try:
        yield
    except OSError as error:
        raise StoreError(_explain(path, error)) from error


def stop_if_full(error: BaseException, path: Path) -> None:
    """Raise StoreError if `error` says that the disk is full, whichever library noticed: the next run would fail too."""
    full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    if full or "No space left on device" in str(error) or "Disk quota exceeded" in str(error):
        raise StoreError(_explain(path, OSError(errno.ENOSPC, "No space left on device"))) from error


def _explain(path: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"the disk (or quota) under {path} is full; what is written so far is complete. Free some space, or use "
            "--keep none, then give the same command again."
        )
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return f"{path} cannot be written ({error.strerror}); choose a writable folder with --results DIR."
    if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR):
        return (
            f"{path} cannot be written: a part of this path is a file, expected folders. Choose another --results DIR."
        )
    return f"{path} cannot be written or read ({error.strerror or error}); check the disk, or choose another --results DIR."
