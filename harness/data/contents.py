"""What is in a data file, whatever its line ends? Its number of rows and the sha256 of its normalised content.

A byte order mark, `\\r\\n` and a missing last line end make no difference; for scored pairs neither do the digits of a score.
The hash of a file of scored or labelled pairs is that of the object it is read into (`ScoredPairs.sha256`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.corpus import open_text, read_lines
from harness.data.readers import hash_rows, read_scored_pairs
from harness.errors import DataError


@dataclass(frozen=True)
class Content:
    """What a file holds: `rows` pairs, texts, non-blank lines or sentences of a treebank, and the hash of all of it."""

    rows: int
    sha256: str


def measure(path: Path, place: str) -> Content:
    """Return the content of a file that stands at `place` in a data folder, e.g. `sts/en/STS-B/dev.tsv`.

    Raises DataError if the file is missing, empty or not UTF-8, or if it is of `sts/` and no file of scored pairs.
    """
    if place.startswith("sts/"):
        pairs = read_scored_pairs(path)
        return Content(len(pairs), pairs.sha256())
    count = 0

    def rows() -> Iterator[list[str | float]]:
        nonlocal count
        treebank, inside, blank = place.endswith(".conllu"), False, 0
        with open_text(path) as stream:
            for line in read_lines(stream, str(path)):
                if not line:  # a border of documents or sentences; at the end of a file it parts nothing
                    blank, inside = blank + 1, False
                    continue
                for _ in range(blank):
                    yield [""]
                blank = 0
                count += not inside if treebank else 1
                inside = True
                yield list(line.split("\t"))

    sha = hash_rows(rows())
    if not count:
        raise DataError(f"{path} is empty, expected one row a line.")
    return Content(count, sha)
