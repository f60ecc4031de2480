"""How is an archive from a stranger read without harm? As a stream of plain files, each checked before anything is made of it.

Refused, with the member's name: absolute names and `..`, links, devices, two members of one name, what belongs to no data folder,
too many or too large members, and data that unpacks to far more than it is. Nothing is extracted by tarfile: names are checked
here, and the caller writes the bytes.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, cast

from harness.data.folder import PARTS
from harness.errors import DataError, UsageError

#: files beside the parts of a data folder: in a bundle, and in a folder made of one
SUMS, LICENCES = "SHA256SUMS", "LICENCES.txt"
#: ends of the files a data folder holds; anything else in it is left alone
SUFFIXES = (".tsv", ".txt", ".conllu")
#: ends of an archive's name
ENDINGS = (".tar.gz", ".tgz", ".tar.zst")
TOP = (SUMS, LICENCES, "README.md")
_HEADER = 1 << 20  # what the headers of one member may take
_ZSTD = b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True)
class Limits:
    """What an archive may hold: members, bytes in one and in all, and unpacked bytes per byte read (text packs 3 to 10 times)."""

    members: int = 20_000
    member_bytes: int = 4 * 1024**3
    bytes: int = 16 * 1024**3
    ratio: float = 200.0


@dataclass(frozen=True)
class Member:
    """One file of an archive: its place in a data folder, its size, and its bytes, to be read before the next member."""

    place: str
    size: int
    stream: _Stream


def is_archive(path: Path) -> bool:
    """Return whether the first bytes of a file are those of gzip, Zstandard or tar."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        start = stream.read(262)
    return start[:2] == b"\x1f\x8b" or start[:4] == _ZSTD or start[257:262] == b"ustar"


def read_members(path: Path, limits: Limits | None = None) -> Iterator[Member]:
    """Yield the files of a .tar, .tar.gz or .tar.zst.

    Raises DataError naming the archive and the member for everything that is refused (see the module), and if the archive is cut
    off or damaged where that can be told from the stream: whether all members are there only its list of files can tell.
    """
    limits = limits or Limits()
    seen: set[str] = set()
    total = 0
    with _told(path), path.open("rb") as raw, _unpacked(raw) as unpacked:
        counted = _Counted(raw, unpacked, path, limits.ratio)
        counted.allow(_HEADER)
        with tarfile.open(fileobj=cast("Any", counted), mode="r|", errorlevel=2) as tar:
            while (info := tar.next()) is not None:
                tar.members = []  # type: ignore[attr-defined]  # or every header stays in memory
                if info.isdir():
                    _place(info, path)
                    counted.allow(_HEADER)
                    continue
                place = _place(info, path)
                total += info.size
                if place in seen:
                    raise _refused(path, info, "stands in it twice")
                seen.add(place)
                if len(seen) > limits.members:
                    raise DataError(f"{path} holds more than {limits.members:,} files and is not unpacked.")
                if info.size > limits.member_bytes or total > limits.bytes:
                    raise _refused(path, info, f"is too large ({info.size:,} bytes, {total:,} so far)")
                counted.allow(info.size + _HEADER)
                stream = tar.extractfile(info)
                if stream is None:
                    raise _refused(path, info, "cannot be read")
                yield Member(place, info.size, _Stream(stream, path))
                while stream.read(1 << 20):  # what the caller left unread
                    pass
                counted.allow(_HEADER)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what the unpackers raise into a DataError that names the archive."""
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is damaged or cut off ({error}); get it again.") from None
    except OSError as error:
        if error.errno is None:  # the word of an unpacker, not of the system
            raise DataError(f"{path} is damaged or cut off ({error}); get it again.") from None
        raise DataError(f"cannot read {path}: {error.strerror or error}.") from None


def _place(info: tarfile.TarInfo, path: Path) -> str:
    """Return the place a member has in a data folder. Raises DataError if it must not be unpacked."""
    name = info.name
    if info.issym() or info.islnk():
        raise _refused(path, info, f"is a link (to {info.linkname!r})")
    if not (info.isreg() or info.isdir()) or info.issparse():
        raise _refused(path, info, "is no plain file (a device, pipe or sparse file)")
    parts = name.rstrip("/").split("/")
    if parts[0] == "." and len(parts) > 1:
        parts = parts[1:]
    if name.startswith("/") or ".." in parts:
        raise _refused(path, info, "leads out of the folder")
    if "" in parts or "." in parts[1:] or any(c in name for c in "\\:\0") or not name.isprintable():
        raise _refused(path, info, "has a name that is no plain path")
    if any(part.startswith(".") for part in parts) and name not in (".", "./"):
        raise _refused(path, info, "is hidden")
    inside = parts[0] in PARTS and (info.isdir() or (len(parts) > 1 and name.endswith(SUFFIXES)))
    if not (inside or name in (".", "./") or (len(parts) == 1 and parts[0] in TOP)):
        raise _refused(
            path,
            info,
            f"belongs to no data folder (expected {', '.join(SUFFIXES)} in {', '.join(f'{p}/' for p in PARTS)})",
        )
    return "/".join(parts)


def _refused(path: Path, info: tarfile.TarInfo, why: str) -> DataError:
    return DataError(
        f"{path} is not unpacked: its member {info.name!r} {why}. Get an archive made by `augbench data bundle`."
    )


class _Stream:
    """The bytes of a member; damage is told as everywhere else."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream, self._path = stream, path

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes, all that are left if it is negative."""
        with _told(self._path):
            return self._stream.read(size)


class _Counted:
    """The unpacked stream, for as many bytes as were allowed, and not many times as many as were read from the file."""

    def __init__(self, raw: BinaryIO, unpacked: IO[bytes], path: Path, ratio: float) -> None:
        self.raw, self.unpacked, self.path, self.ratio = raw, unpacked, path, ratio
        self.left, self.given = 0, 0

    def allow(self, count: int) -> None:
        self.left = count

    def read(self, size: int) -> bytes:
        data = self.unpacked.read(size)
        self.given += len(data)
        self.left -= len(data)
        if self.given > _HEADER + self.ratio * self.raw.tell():
            raise DataError(f"{self.path} is not unpacked: it unpacks to more than {self.ratio:g} times what it is.")
        if self.left < -_HEADER:
            raise DataError(f"{self.path} is not unpacked: the header of a member is too large.")
        return data


@contextmanager
def _unpacked(raw: BinaryIO) -> Iterator[IO[bytes]]:
    start = raw.read(4)
    raw.seek(0)
    if start[:2] == b"\x1f\x8b":
        with gzip.GzipFile(fileobj=raw) as stream:
            yield cast("IO[bytes]", stream)
    elif start == _ZSTD:
        with _zstd_reader(raw) as stream:
            yield stream
    else:
        yield raw


@contextmanager
def _zstd_reader(raw: BinaryIO) -> Iterator[IO[bytes]]:
    import pyarrow as pa  # the one Zstandard among what AugBench needs anyway

    with pa.PythonFile(raw, mode="r") as source, pa.CompressedInputStream(source, "zstd") as stream:
        yield stream


Compression = Literal["gz", "zst"]


def compression_of(path: Path) -> Compression:
    """Return how an archive of this name is packed. Raises UsageError on another ending than .tar.gz, .tgz and .tar.zst."""
    if path.name.endswith((".tar.gz", ".tgz")):
        return "gz"
    if path.name.endswith(".tar.zst"):
        return "zst"
    raise UsageError(f"{path.name} is no name of an archive; expected for example augbench-data.tar.gz or .tar.zst.")


@contextmanager
def write_tar(path: Path, compression: Compression) -> Iterator[tarfile.TarFile]:
    """Yield a tar whose bytes depend on what is put into it alone: no time, no name of the archive in its head."""
    with path.open("wb") as raw:
        if compression == "gz":
            with (
                gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0) as packed,
                tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
            ):
                yield tar
        else:
            import pyarrow as pa

            with (
                pa.PythonFile(raw, mode="w") as sink,
                pa.CompressedOutputStream(sink, "zstd") as stream,
                tarfile.open(fileobj=cast("Any", stream), mode="w|", format=tarfile.PAX_FORMAT) as tar,
            ):
                yield tar


def add(tar: tarfile.TarFile, place: str, size: int, stream: BinaryIO) -> None:
    """Add a file as nobody's, of 1970, readable by all."""
    info = tarfile.TarInfo(place)
    info.size, info.mode, info.mtime = size, 0o644, 0
    tar.addfile(info, stream)


def add_text(tar: tarfile.TarFile, place: str, text: str) -> None:
    """Add a text as a file."""
    data = text.encode()
    add(tar, place, len(data), io.BytesIO(data))
