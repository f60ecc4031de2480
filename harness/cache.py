"""Where does AugBench keep what it can compute again, and how is a file written so that nobody ever sees half of it?"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.errors import DataError
from harness.provenance import digest

_HINT = "Free some space or choose another folder."


def cache_dir() -> Path:
    """Return the cache folder: AUGBENCH_CACHE if set, else ~/.cache/augbench. It may not exist; it is safe to delete.

    Raises DataError if the variable is unset and this user has no home folder.
    """
    chosen = os.environ.get("AUGBENCH_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    try:
        return Path.home() / ".cache" / "augbench"
    except RuntimeError:
        raise DataError(
            "there is no home folder to put the cache into. Name a folder: export AUGBENCH_CACHE=DIR"
        ) from None


def content_key(value: Any) -> str:
    """Return 32 hex digits that stand for a JSON value: equal content, equal key. Raises TypeError for others."""
    return digest(value)[:32]


@contextmanager
def atomic_path(path: Path, *, hint: str = _HINT) -> Iterator[Path]:
    """Yield a temporary path beside `path` that replaces it when the block ends well and vanishes when it does not.

    Readers see the old file or the new one, never a part. Missing parent folders are made; a link keeps pointing where
    it did; what is no regular file (/dev/null, a named pipe) is written to directly. A system error (full disk,
    read-only folder) becomes a DataError that names `path` and ends in `hint`, the next step.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            yield path
            return
        target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.parent / f".{target.name[:80]}.{os.getpid()}-{secrets.token_hex(4)}.tmp"
        temporary.touch(exist_ok=False)
        try:
            yield temporary
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        if error.errno is None:
            raise  # not the system's word, but that of a library called inside the block
        raise DataError(f"cannot write {path}: {error.strerror or error}. {hint}") from error


def atomic_write(path: Path, content: bytes, *, hint: str = _HINT) -> None:
    """Write `content` to `path` in one step (see `atomic_path`)."""
    with atomic_path(path, hint=hint) as temporary:
        temporary.write_bytes(content)
