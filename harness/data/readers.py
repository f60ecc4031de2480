"""How is a data file read, and what exactly is wrong with it when it cannot be?

Files are UTF-8, tab-separated, without header and without quoting: a quotation mark is a character like any
other. Only "\\n" and "\\r\\n" end a line. `str.splitlines` is never used, because it also splits at U+2028,
U+0085 and others, which do occur inside sentences.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.errors import DataError

# float() alone would also take "1_000", " 3 " and digits of other scripts
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NON_FINITE = {"nan", "inf", "infinity"}


@dataclass(frozen=True)
class ScoredPairs:
    """Sentence pairs with a graded score: `gold` has shape (n,), float64; `pairs` has n entries."""

    gold: np.ndarray
    pairs: tuple[tuple[str, str], ...]

    def __len__(self) -> int:
        return len(self.pairs)

    def sha256(self) -> str:
        """Hash of the normalised content:

        scores as numbers and texts, not the file's name, line ends or digits.
        """
        return hash_rows([score, *pair] for score, pair in zip(self.gold.tolist(), self.pairs, strict=True))


def hash_rows(rows: Iterable[list[str | float]]) -> str:
    """Return the sha256 of `rows`, one JSON array per line, so that no field can run into the next."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(row, ensure_ascii=True, separators=(",", ":")).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file; a byte order mark at its start is dropped.

    Raises DataError if the file is missing, is not a file, cannot be read, or is not UTF-8 (naming the line).
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{path} does not exist; check the path with `ls {path.parent}`.") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a folder, expected a file.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}, line {line}: not UTF-8 (byte 0x{raw[error.start]:02x}). Convert the file first, for example with "
            f"`iconv -f LATIN1 -t UTF-8` or `iconv -f GB18030 -t UTF-8`."
        ) from None


def read_rows(path: Path, columns: tuple[str, ...]) -> list[list[str]]:
    """Return the fields of every line of a tab-separated file.

    Raises DataError, naming the line, if a line does not have exactly `columns`, or if there is no line at
    all.
    """
    lines = read_text(path).split("\n")
    if lines[-1] == "":  # what follows the last line end
        lines.pop()
    if not lines:
        raise DataError(f"{path} is empty, expected lines of {_layout(columns)}.")
    rows = []
    for number, line in enumerate(lines, start=1):
        fields = line.removesuffix("\r").split("\t")
        if len(fields) != len(columns):
            found = "an empty line" if fields == [""] else f"{len(fields)} column{'s' * (len(fields) != 1)}"
            raise DataError(
                f"{path}, line {number}: found {found}, expected {len(columns)} columns: {_layout(columns)}."
            )
        rows.append(fields)
    return rows


def read_scored_pairs(path: Path, *, low: float = 0.0, high: float = 5.0) -> ScoredPairs:
    """Read `score<TAB>sentence1<TAB>sentence2`, scores between `low` and `high`.

    Raises DataError naming file, line and what was expected: wrong number of columns, a score that is no
    number, NaN or out of range, a blank sentence, an empty file, another encoding than UTF-8, a missing file.
    """
    gold: list[float] = []
    pairs: list[tuple[str, str]] = []
    for number, (text, first, second) in enumerate(read_rows(path, ("score", "sentence1", "sentence2")), start=1):
        where = f"{path}, line {number}"
        if text.strip().lstrip("+-").lower() in _NON_FINITE:
            raise DataError(f"{where}: the score is {text.strip()}, expected a number from {low:g} to {high:g}.")
        if not _NUMBER.fullmatch(text):
            hint = " Files have no header line; remove it." if number == 1 and text.strip().isalpha() else ""
            raise DataError(f"{where}: the score is {_short(text)}, expected a number from {low:g} to {high:g}.{hint}")
        score = float(text)
        if not (math.isfinite(score) and low <= score <= high):
            raise DataError(f"{where}: the score {text} is out of range, expected {low:g} to {high:g}.")
        for name, sentence in (("sentence1", first), ("sentence2", second)):
            if not sentence.strip():
                raise DataError(f"{where}: {name} is blank, expected a sentence.")
        gold.append(score)
        pairs.append((first, second))
    return ScoredPairs(np.array(gold, dtype=np.float64), tuple(pairs))


def _layout(columns: tuple[str, ...]) -> str:
    return "<TAB>".join(columns)


def _short(text: str, limit: int = 40) -> str:
    return repr(text if len(text) <= limit else text[:limit] + "…")
