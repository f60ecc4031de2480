"""What are the sentences of this text file? UTF-8, one sentence per line; blank lines may part documents."""

from __future__ import annotations

import codecs
import difflib
import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TypeVar

from harness.errors import DataError, UsageError
from harness.seeds import numpy_rng

log = logging.getLogger(__name__)
_Row = TypeVar("_Row")

_BINARY_STARTS = {
    b"\x1f\x8b": "gzip data; unpack it with `gunzip`",
    b"PK\x03\x04": "a zip archive; unpack it with `unzip`",
    codecs.BOM_UTF16_LE: "UTF-16 text; convert it with `iconv -f UTF-16 -t UTF-8`",
    codecs.BOM_UTF16_BE: "UTF-16 text; convert it with `iconv -f UTF-16 -t UTF-8`",
}


@dataclass(frozen=True)
class Corpus:
    """The sentences a run is trained on.

    name       file name, for people;  sentences: the rows, in the order of the file
    sha        sha256 of the rows used (and of the document borders, where they were asked for), not of the file
    documents  the sentences by document, or None if they were read as single sentences
    removed    lines of the file that `without` took out, None if there was no `without`
    """

    name: str
    sentences: list[str]
    sha: str = field(default="")
    documents: list[list[str]] | None = None
    removed: int | None = None

    def __post_init__(self) -> None:
        if not self.sha:
            rows = self.sentences if self.documents is None else ["\n".join(d) for d in self.documents]
            object.__setattr__(self, "sha", rows_sha(rows))

    def __len__(self) -> int:
        return len(self.sentences)


def rows_sha(rows: Iterable[str]) -> str:
    """Return the sha256 of a sequence of texts; each is hashed behind its length, so borders count."""
    total = hashlib.sha256()
    for row in rows:
        data = row.encode("utf-8", errors="surrogatepass")
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()


def read_lines(stream: BinaryIO, name: str) -> Iterator[str]:
    r"""Yield the lines of a binary stream without their ends; only \n and \r\n end a line, a leading BOM is dropped.

    U+2028, U+0085 and form feeds stay inside their line, so that line numbers are those of every editor. Raises
    DataError naming `name` and the line where the bytes are not UTF-8 text.
    """
    for number, raw in enumerate(stream, start=1):
        if number == 1:
            for start, what in _BINARY_STARTS.items():
                if raw.startswith(start):
                    raise DataError(f"{name} is not UTF-8 text but {what}.")
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if b"\0" in raw:
            raise DataError(f"{name}, line {number}: a NUL byte; expected UTF-8 text, one sentence per line.")
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{name}, line {number}: byte {error.start + 1} (0x{raw[error.start]:02x}) is not UTF-8. "
                "Convert the file: iconv -f ENCODING -t UTF-8 FILE > NEWFILE"
            ) from None
        yield line.removesuffix("\n").removesuffix("\r")


def read_corpus(
    path: Path | str,
    *,
    limit: int | None = None,
    seed: int = 0,
    documents: bool = False,
    without: Callable[[Sequence[str]], Sequence[bool]] | None = None,
) -> Corpus:
    """Return the sentences of a text file, without blank lines and without blanks at the ends of lines.

    `limit` keeps that many rows (documents, with `documents=True`): a sample without replacement drawn from `seed`
    alone, in the order of the file; smaller samples of one seed lie inside larger ones. With `documents=True` blank
    lines part documents. `without` says of each line whether it is left out, before anything is drawn. Raises DataError
    (missing, empty or not UTF-8, with file and line; nothing left) and UsageError (`limit` below 1).
    """
    path = Path(path)
    if limit is not None and limit < 1:
        raise UsageError(f"a corpus limit of {limit} leaves nothing to train on; give at least 1.")
    groups: list[list[str]] = [[]]
    with open_text(path) as stream:
        for line in read_lines(stream, str(path)):
            text = line.strip()
            if text:
                groups[-1].append(text)
            elif groups[-1] and documents:
                groups.append([])
    if not groups[-1]:
        groups.pop()
    if not groups:
        raise DataError(f"{path} holds no sentence. Give a UTF-8 text file with one sentence per line.")
    removed = None
    if without is not None:
        groups, removed = _without(groups, without)
        log.info("%s: %s lines left out, which test sets hold", path.name, f"{removed:,}")
        if not groups:
            raise DataError(f"{path} holds nothing but sentences of test sets; give another text with --corpus FILE.")
    if documents:
        chosen = _sample(groups, limit, seed, f"{path} ({len(groups):,} documents)")
        return Corpus(path.name, [s for document in chosen for s in document], documents=chosen, removed=removed)
    rows = _sample(groups[0], limit, seed, f"{path} ({len(groups[0]):,} sentences)")
    return Corpus(path.name, rows, removed=removed)


def _without(
    groups: list[list[str]], without: Callable[[Sequence[str]], Sequence[bool]]
) -> tuple[list[list[str]], int]:
    """Return the documents without the lines to be left out, and how many these were."""
    out = iter(without([line for group in groups for line in group]))
    kept = [[line for line in group if not next(out)] for group in groups]
    left = [group for group in kept if group]
    return left, sum(map(len, groups)) - sum(map(len, left))


def open_text(path: Path) -> BinaryIO:
    """Open a file for `read_lines`. Raises DataError, with close names, if that is not a readable file."""
    try:
        if path.is_dir():
            inside = ", ".join(sorted(p.name for p in path.glob("*.txt"))[:5])
            raise DataError(
                f"{path} is a folder; name one text file" + (f" in it: {inside}." if inside else " (UTF-8).")
            )
        return path.open("rb")
    except FileNotFoundError:
        raise DataError(f"there is no file {path}. {_nearby(path)}") from None
    except OSError as error:
        raise DataError(
            f"cannot read {path}: {error.strerror or error}. Name a UTF-8 text file you may read."
        ) from None


def _nearby(path: Path) -> str:
    folder = path.parent
    if folder.is_dir():
        names = [p.name for p in folder.iterdir() if p.is_file()]
        close = difflib.get_close_matches(path.name, names, n=3, cutoff=0.6)
        if close:
            return "Did you mean " + " or ".join(str(folder / c) for c in close) + "?"
        return f"List what is there: ls {folder}"
    return f"The folder {folder} does not exist either; check the path."


def _sample(rows: list[_Row], limit: int | None, seed: int, what: str) -> list[_Row]:
    if limit is None or limit >= len(rows):
        if limit is not None and limit > len(rows):
            log.warning("%s is smaller than the limit of %s; all of it is used", what, f"{limit:,}")
        return rows
    kept = numpy_rng(seed, "corpus").permutation(len(rows))[:limit]
    return [rows[i] for i in sorted(kept.tolist())]
