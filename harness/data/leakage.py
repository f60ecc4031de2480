"""Does a training text hold sentences an encoder will be tested on? They are found and counted, set by set.

A line goes if its letters and digits are those of a test text, or if it shares a run of 13 words with one (26 where words are
single Chinese characters): long enough that chance and set phrases do not reach it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from harness.data.folder import DataFolder
from harness.errors import DataError

RUN = 13
#: shorter texts ("yes, it is") occur anywhere and give nothing away
SHORTEST = 13
_PARTS = ("sts", "transfer", "clustering", "intent", "other")
_WORD = re.compile(r"[㐀-鿿豈-﫿]|[^\W_㐀-鿿豈-﫿]+")
_HAN = re.compile(r"[㐀-鿿豈-﫿]")


@dataclass(frozen=True)
class SetOverlap:
    """One test set: its distinct texts, and the lines taken out because they equal one or share a run with one.

    A line that meets several sets is counted for each.
    """

    name: str
    texts: int
    equal: int
    runs: int


def find_overlap(
    lines: Sequence[str], data: DataFolder, language: str, *, shortest: int = SHORTEST
) -> tuple[np.ndarray, list[SetOverlap]]:
    """Return which lines may stay (bool, lines) and what was found for each set of `language` in the data folder.

    Looked at are all splits of `sts`, `transfer`, `clustering`, `intent` and `other`. Texts with fewer than `shortest` letters and
    digits are compared with nothing. Raises DataError if the folder has no set in this language: nothing would be checked.
    """
    sets = dict(_sets(data.path, language))
    if not sets:
        raise DataError(
            f"{data.path} has no {language} test sets to compare with; give another --data DIR "
            "(or, where nothing is to be compared, `augbench pretrain --no-overlap-check`)."
        )
    names = list(sets)
    texts: dict[str, int] = {}
    runs: dict[int, int] = {}
    for bit, found in enumerate(sets.values()):
        for text in found:
            words, key = _words(text)
            if len(key) >= max(1, shortest):
                texts[key] = texts.get(key, 0) | 1 << bit
            for run in _runs(words):
                runs[run] = runs.get(run, 0) | 1 << bit
    stay = np.ones(len(lines), dtype=bool)
    equal, shared = [0] * len(names), [0] * len(names)
    for index, line in enumerate(lines):
        words, key = _words(line)
        same = texts.get(key, 0)
        near = 0
        for run in _runs(words):
            near |= runs.get(run, 0)
        if same or near:
            stay[index] = False
            for bit in range(len(names)):
                equal[bit] += same >> bit & 1
                shared[bit] += (near & ~same) >> bit & 1
    return stay, [SetOverlap(n, len(sets[n]), equal[i], shared[i]) for i, n in enumerate(names)]


def sets_digest(data: DataFolder, language: str) -> str:
    """Return the sha256 of all texts that `find_overlap` would compare with."""
    total = hashlib.sha256()
    for file in _files(data.path, language):
        total.update(file.read_bytes())
    return total.hexdigest()


def _files(root: Path, language: str) -> list[Path]:
    folders = [root / part / name for part in _PARTS for name in (language, f"{language}-senteval")]
    return [file for folder in folders if folder.is_dir() for file in sorted(folder.rglob("*.tsv"), key=_place)]


def _place(file: Path) -> tuple[Path, str]:
    """Keep the files of a folder together, whatever lies in folders below."""
    return file.parent, file.name


def _sets(root: Path, language: str) -> Iterator[tuple[str, set[str]]]:
    """Yield name and texts of each set; every column but the first (label or score) is text."""
    for folder, files in groupby(_files(root, language), key=lambda file: file.parent):
        texts: set[str] = set()
        for file in files:
            for row in file.read_text(encoding="utf-8").split("\n"):
                texts.update(column for column in row.split("\t")[1:] if column)
        yield folder.relative_to(root).as_posix(), texts


def _words(text: str) -> tuple[list[str], str]:
    words = _WORD.findall(text.casefold())
    return words, "".join(words)


def _runs(words: list[str]) -> Iterator[int]:
    han = sum(1 for word in words if _HAN.match(word))
    length = 2 * RUN if 2 * han > len(words) else RUN
    for first in range(len(words) - length + 1):
        yield hash(" ".join(words[first : first + length]))
