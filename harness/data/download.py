"""How is a file fetched over a bad line? In pieces that are kept, from where it broke off, never half under its name.

A source is a base address that holds the layout of a data folder: `https://…`, `http://…`, `file://…` or a folder. While a file
comes in it is `NAME.part`; whoever calls checks it and gives it its name.
"""

from __future__ import annotations

import base64
import http.client
import io
import re
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from harness.errors import DataError, UsageError

ATTEMPTS = 5
TIMEOUT = 60.0
#: no file of sentences is larger; a server that never ends is cut off here
LARGEST = 8 * 1024**3
_PIECE = 1 << 18
_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_RANGE = re.compile(r"bytes (?P<first>\d+)-\d+/(?P<total>\d+|\*)")

#: called with the bytes there are and the bytes there will be (None: not told)
Progress = Callable[[int, int | None], None]


class NotThereError(DataError):
    """The source has no such file."""


class BrokenOff(Exception):
    """The line broke: worth another attempt."""


@dataclass
class Answer:
    """A stream of a file's bytes from `first` on, `total` bytes in all (None: not told); `tag` names the file's version."""

    stream: BinaryIO
    first: int
    total: int | None
    tag: str | None = None


class Source(Protocol):
    """Something that has files by place."""

    shown: str

    def open(self, place: str, first: int, tag: str | None) -> Answer:
        """Return the file from byte `first` on, or from 0 if that cannot be done or the version is no longer `tag`.

        Raises NotThereError, BrokenOff, or DataError where another attempt would not help.
        """


def open_source(base: str) -> Source:
    """Return the source a user named. Raises UsageError on an address nothing can be read from."""
    parts = urlsplit(base)
    if parts.scheme in ("http", "https"):
        if not parts.hostname:
            raise UsageError(f"{base!r} names no host; expected for example https://example.org/augbench-data.")
        return HttpSource(parts)
    folder = Path(base).expanduser()
    if parts.scheme == "file" and not folder.is_dir():
        if parts.netloc not in ("", "localhost"):
            raise UsageError(
                f"{base!r} names the host {parts.netloc!r}; a file address has three strokes: file:///DIR."
            )
        folder = Path(unquote(parts.path))
    elif "://" in base and not folder.is_dir():
        raise UsageError(
            f"{base!r}: {parts.scheme or 'this'} addresses cannot be read; expected http, https, file or a folder."
        )
    if not folder.is_dir():
        raise DataError(
            f"{folder} is no folder and no archive; name a mirror, a data folder or a file made by `augbench data bundle`."
        )
    return FolderSource(folder)


class FolderSource:
    """A data folder on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.shown = folder, str(folder)

    def open(self, place: str, first: int, tag: str | None) -> Answer:
        """Open a file at byte `first`."""
        path = self.folder / place
        try:
            if not path.is_file():
                raise NotThereError(f"{path} is not there.")
            stat = path.stat()
            now = f"{stat.st_mtime_ns}-{stat.st_size}"
            start = first if first <= stat.st_size and tag in (None, now) else 0
            stream = path.open("rb")
        except OSError as error:
            raise DataError(f"cannot read {path}: {error.strerror or error}.") from None
        stream.seek(start)
        return Answer(stream, start, stat.st_size, now)


class HttpSource:
    """A web server. User name, password and query of the address are sent but never shown."""

    def __init__(self, base: SplitResult) -> None:
        self.base = base
        host = base.hostname or ""
        self.headers = {"User-Agent": "augbench", "Accept-Encoding": "identity"}
        if base.username is not None:
            secret = f"{unquote(base.username)}:{unquote(base.password or '')}".encode()
            self.headers["Authorization"] = "Basic " + base64.b64encode(secret).decode()
        self.netloc = (f"[{host}]" if ":" in host else host) + (f":{base.port}" if base.port else "")
        self.shown = urlunsplit((base.scheme, self.netloc, base.path, "", ""))

    def open(self, place: str, first: int, tag: str | None) -> Answer:
        """Ask for a file from byte `first` on; a server that knows no ranges gives it from 0."""
        path = f"{self.base.path.rstrip('/')}/{quote(place)}"
        url = urlunsplit((self.base.scheme, self.netloc, path, self.base.query, ""))
        headers = dict(self.headers)
        if first:
            headers["Range"] = f"bytes={first}-"
            if tag:
                headers["If-Range"] = tag
        shown = f"{self.shown.rstrip('/')}/{place}"
        try:
            reply = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 416 and first:
                if error.headers.get("Content-Range", "").strip() == f"bytes */{first}":  # all of it is here
                    return Answer(io.BytesIO(), first, first, tag)
                return self.open(place, 0, None)
            if error.code in (404, 410):
                raise NotThereError(f"{shown} is not there ({error.code}).") from None
            if error.code in _AGAIN:
                raise BrokenOff(f"{error.code} {error.reason}") from None
            raise DataError(
                f"{shown}: the server says {error.code} {error.reason}; check the address in a browser."
            ) from None
        except (OSError, http.client.HTTPException) as error:
            if isinstance(getattr(error, "reason", None), ssl.SSLCertVerificationError):
                raise DataError(f"{self.shown}: the certificate is not trusted ({error}); check the address.") from None
            raise BrokenOff(str(getattr(error, "reason", error)) or type(error).__name__) from None
        length, found = reply.headers.get("Content-Length"), None
        size = int(length) if length and length.isdigit() else None
        if reply.status == 206:
            found = _RANGE.fullmatch(reply.headers.get("Content-Range", "").strip())
            if found is None or int(found["first"]) != first:
                reply.close()
                return self.open(place, 0, None)
        start = first if found else 0
        total = int(found["total"]) if found and found["total"] != "*" else None if size is None else start + size
        version = reply.headers.get("ETag")
        strong = version if version and not version.startswith("W/") else reply.headers.get("Last-Modified")
        return Answer(reply, start, total, strong)


def fetch(
    source: Source,
    place: str,
    part: Path,
    *,
    attempts: int = ATTEMPTS,
    largest: int = LARGEST,
    progress: Progress = lambda there, total: None,
    pause: Callable[[float], None] = time.sleep,
) -> bool:
    """Fetch a file into `part`, going on where an earlier call broke off; return whether anything of `part` was kept.

    Raises NotThereError, or DataError after `attempts` that brought nothing new, on a file larger than `largest` bytes and on
    what the system says about the disk; `part` then stays for the next call, as it does if the user interrupts.
    """
    kept, tag, failures = part.is_file() and part.stat().st_size > 0, None, 0
    while True:
        before = part.stat().st_size if part.is_file() else 0
        try:
            answer = source.open(place, before, tag)
            kept, tag = kept and answer.first > 0, answer.tag
            with answer.stream:
                _copy(answer, part, largest, progress, f"{source.shown.rstrip('/')}/{place}")
            return kept
        except BrokenOff as error:
            # an attempt that brought bytes is not counted: a line that breaks every minute still ends some day
            failures = 1 if part.is_file() and part.stat().st_size > before else failures + 1
            if failures >= attempts:
                raise DataError(
                    f"{source.shown.rstrip('/')}/{place} broke off {attempts} times ({error}); what came is kept, the same "
                    "command goes on from there."
                ) from None
            pause(min(30.0, 0.5 * 2**failures))


def _copy(answer: Answer, part: Path, largest: int, progress: Progress, shown: str) -> None:
    there = answer.first
    try:
        with part.open("r+b" if there else "wb") as out:
            out.seek(there)
            out.truncate()
            progress(there, answer.total)
            while True:
                try:
                    piece = answer.stream.read(_PIECE)
                except (OSError, http.client.HTTPException) as error:
                    raise BrokenOff(str(error) or type(error).__name__) from None
                if not piece:
                    break
                there += len(piece)
                if there > largest or (answer.total is not None and there > answer.total):
                    raise DataError(
                        f"{shown} is larger than it may be ({largest if there > largest else answer.total:,} bytes)."
                    )
                out.write(piece)
                progress(there, answer.total)
    except OSError as error:
        raise DataError(
            f"cannot write {part}: {error.strerror or error}. Free some space or choose another --data DIR."
        ) from None
    if answer.total is not None and there < answer.total:
        raise BrokenOff(f"{there:,} of {answer.total:,} bytes")
