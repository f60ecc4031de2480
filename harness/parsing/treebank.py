"""What does a Universal Dependencies treebank say? A strict reader and a writer of CoNLL-U.

Format: https://universaldependencies.org/format.html (ten columns, a blank line behind each sentence).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.errors import DataError

_COLUMNS = 10
_RANGE = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
_EMPTY_NODE = re.compile(r"[0-9]+\.[1-9][0-9]*")
_NUMBER = re.compile(r"0|[1-9][0-9]*")


@dataclass(frozen=True)
class Sentence:
    """One parsed sentence: columns of equal length, one entry per syntactic word.

    spaces  whether a blank stands behind the word
    heads   index of each word's head, -1 for the root; exactly one root, no cycles
    labels  dependency relations, the root's is `root`
    upos, xpos  universal and treebank part of speech; "" where the treebank has none
    """

    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def text(self) -> str:
        """The running text, without the blank behind the last word."""
        pieces = zip(self.words, self.spaces, strict=True)
        return "".join(word + " " * blank for word, blank in pieces).rstrip(" ")


def read(path: Path) -> list[Sentence]:
    """Return the sentences of a file, in order.

    Comments, multi-word ranges (`3-4`) and empty nodes (`3.1`) carry no words of their own; a range says which blanks its
    words have. Raises DataError with file and line if the file is missing, is not UTF-8, has a wrong number of columns, an id out
    of sequence, a head that is no number or outside of its sentence, a cycle, no root or two, or no sentence at all.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, IsADirectoryError):
        raise DataError(f"there is no treebank file {path}; expected a CoNLL-U file.") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 ({error}); convert it first.") from None
    # not `splitlines`, which breaks at characters that may stand inside a column
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    sentences = [_sentence(path, block) for block in _blocks(lines)]
    if not sentences:
        raise DataError(f"{path} holds no sentence; expected CoNLL-U with ten tab-separated columns.")
    return sentences


def write(path: Path, sentences: Iterable[Sentence]) -> None:
    """Write sentences as CoNLL-U; `read` gives them back as they are. Lemmas, features and enhanced graphs are `_`."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for sentence in sentences:
            rows = zip(*(getattr(sentence, name) for name in _FIELDS), strict=True)
            for number, (word, blank, upos, xpos, head, label) in enumerate(rows, 1):
                misc = "_" if blank else "SpaceAfter=No"
                columns = (str(number), word, "_", upos or "_", xpos or "_", "_", str(head + 1), label, "_", misc)
                out.write("\t".join(columns) + "\n")
            out.write("\n")


_FIELDS = ("words", "spaces", "upos", "xpos", "heads", "labels")


def _blocks(lines: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    """Group numbered lines into sentences."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            if not line.startswith("#"):
                block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _sentence(path: Path, block: list[tuple[int, str]]) -> Sentence:
    rows: list[list[str]] = []
    places: list[int] = []
    ranges: list[tuple[int, int, bool]] = []
    for place, line in block:
        columns = line.split("\t")
        if len(columns) != _COLUMNS:
            raise DataError(f"{path}, line {place}: {len(columns)} columns; CoNLL-U has {_COLUMNS}, divided by tabs.")
        if empty := [i for i, column in enumerate(columns, 1) if not column]:
            raise DataError(f"{path}, line {place}: column {empty[0]} is empty; CoNLL-U writes `_` for nothing.")
        if match := _RANGE.fullmatch(columns[0]):
            ranges.append((int(match[1]) - 1, int(match[2]), "SpaceAfter=No" not in columns[9].split("|")))
        elif not _EMPTY_NODE.fullmatch(columns[0]):
            if columns[0] != str(len(rows) + 1):
                raise DataError(f"{path}, line {place}: id {columns[0]!r}; expected {len(rows) + 1}.")
            rows.append(columns)
            places.append(place)
    first = block[0][0]
    if not rows:
        raise DataError(f"{path}, line {first}: a sentence without words.")
    heads = [_head(path, place, columns[6], len(rows)) for place, columns in zip(places, rows, strict=True)]
    _check_tree(path, places, heads)
    spaces = ["SpaceAfter=No" not in columns[9].split("|") for columns in rows]
    for start, end, blank in ranges:
        if not start + 1 < end <= len(rows):
            raise DataError(
                f"{path}, line {first}: the range {start + 1}-{end} leaves the sentence of {len(rows)} words."
            )
        spaces[start:end] = [*[False] * (end - start - 1), blank]
    return Sentence(
        words=tuple(columns[1] for columns in rows),
        spaces=tuple(spaces),
        upos=tuple(_plain(columns[3]) for columns in rows),
        xpos=tuple(_plain(columns[4]) for columns in rows),
        heads=tuple(heads),
        labels=tuple(columns[7] for columns in rows),
    )


def _plain(value: str) -> str:
    return "" if value == "_" else value


def _head(path: Path, place: int, value: str, count: int) -> int:
    if not _NUMBER.fullmatch(value):
        raise DataError(f"{path}, line {place}: head {value!r} is not a number.")
    head = int(value)
    if head > count:
        raise DataError(f"{path}, line {place}: head {head} in a sentence of {count} words.")
    return head - 1


def _check_tree(path: Path, places: list[int], heads: list[int]) -> None:
    roots = [i for i, head in enumerate(heads) if head < 0]
    if len(roots) > 1:
        raise DataError(f"{path}, line {places[roots[1]]}: a second root; a sentence has one word with head 0.")
    safe: set[int] = set()
    for start in range(len(heads)):
        chain: list[int] = []
        seen: set[int] = set()
        node = start
        while node >= 0 and node not in safe:
            if node in seen:
                raise DataError(f"{path}, line {places[node]}: the heads form a cycle through word {node + 1}.")
            seen.add(node)
            chain.append(node)
            node = heads[node]
        safe.update(chain)
