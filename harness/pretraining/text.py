"""Plain text in: one sentence per line; a blank line ends a document."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path

import numpy as np

from harness.errors import DataError


@dataclass(frozen=True)
class TextFile:
    """One file: its name (never its path), what it held, and the sha256 of its bytes."""

    name: str
    lines: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Text:
    """Lines and the document each belongs to.

    documents  int64 (lines,), ascending;  files: where the lines came from
    """

    lines: list[str]
    documents: np.ndarray
    files: tuple[TextFile, ...]

    def keep(self, chosen: np.ndarray) -> Text:
        """Return the lines where `chosen` (bool, lines) holds."""
        return Text([self.lines[i] for i in np.flatnonzero(chosen)], self.documents[chosen], self.files)


def read_text(files: Sequence[Path]) -> Text:
    """Read UTF-8 files. A file without any blank line between its lines is a list of unrelated sentences: each is a document.

    Raises DataError for a file that is missing, a folder, empty or not UTF-8.
    """
    lines: list[str] = []
    documents: list[int] = []
    known: list[TextFile] = []
    document = 0
    for file in files:
        content = _bytes(file)
        try:
            # not splitlines(): a line ends at a line feed and nowhere else
            rows = [" ".join(row.split()) for row in content.decode("utf-8-sig").split("\n")]
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1  # not `content`: a byte-order mark is gone
            raise DataError(f"{file} is not UTF-8 (line {line}); convert it, e.g. with iconv -t UTF-8.") from None
        while rows and not rows[-1]:
            rows.pop()
        rows = list(dropwhile(lambda row: not row, rows))
        before = len(lines)
        unrelated = "" not in rows
        for row in rows:
            if row:
                lines.append(row)
                documents.append(document)
            if unrelated or not row:
                document += 1
        document += 1
        if len(lines) == before:
            raise DataError(f"{file} holds no text; expected one sentence per line.")
        known.append(TextFile(file.name, len(lines) - before, len(content), hashlib.sha256(content).hexdigest()))
    return Text(lines, np.asarray(documents, dtype=np.int64), tuple(known))


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {file}; give plain text with --text FILE, one sentence per line.") from None
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror or error}.") from None
