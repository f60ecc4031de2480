"""Does a training text hold sentences an encoder will be tested on? They are found and counted, set by set.

A line goes if its letters and digits are those of a test text, or if it shares a run of 13 words with one (26 where words are
single characters, as in Chinese): long enough that chance and set phrases do not reach it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from harness.data.folder import DataFolder
from harness.data.grams import Table, batches, grams
from harness.errors import DataError

RUN = 13
#: shorter texts ("yes, it is") occur anywhere and give nothing away
SHORTEST = 13
_PARTS = ("sts", "transfer", "clustering", "intent", "other")


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
    keys, runs = [], []
    for found in sets.values():
        test = grams(sorted(found), words=RUN, characters=2 * RUN)
        keys.append(Table(test.keys[test.letters >= max(1, shortest)]))
        runs.append(Table(test.runs))
    any_key, any_run = (Table(np.concatenate([table.keys for table in tables])) for tables in (keys, runs))
    stay = np.ones(len(lines), dtype=bool)
    equal, shared = np.zeros(len(names), dtype=np.int64), np.zeros(len(names), dtype=np.int64)
    start = 0
    for batch in batches(lines):
        found_in = grams(batch, words=RUN, characters=2 * RUN)
        # few lines meet any set: only these are looked up set by set
        same = np.flatnonzero(any_key.find(found_in.keys) >= 0)
        near = np.flatnonzero(any_run.find(found_in.runs) >= 0)
        stay[start + same] = stay[start + found_in.owners[near]] = False
        for index in range(len(names)):
            is_same = same[keys[index].find(found_in.keys[same]) >= 0]
            is_near = found_in.owners[near[runs[index].find(found_in.runs[near]) >= 0]]
            equal[index] += len(is_same)
            shared[index] += len(np.setdiff1d(is_near, is_same))
        start += len(batch)
    return stay, [SetOverlap(n, len(sets[n]), int(equal[i]), int(shared[i])) for i, n in enumerate(names)]


def sets_digest(data: DataFolder, language: str) -> str:
    """Return the sha256 of all texts that `find_overlap` would compare with."""
    total = hashlib.sha256()
    for file in files_of_tests(data.path, language):
        total.update(file.read_bytes())
    return total.hexdigest()


def files_of_tests(root: Path, language: str) -> list[Path]:
    """Return all files of test sets of a language, text variants too, in the order of their folders."""
    folders = [root / part / name for part in _PARTS for name in (language, f"{language}-senteval")]
    return [file for folder in folders if folder.is_dir() for file in sorted(folder.rglob("*.tsv"), key=_place)]


def _place(file: Path) -> tuple[Path, str]:
    """Keep the files of a folder together, whatever lies in folders below."""
    return file.parent, file.name


def _sets(root: Path, language: str) -> Iterator[tuple[str, set[str]]]:
    """Yield name and texts of each set; every column but the first (label or score) is text."""
    for folder, files in groupby(files_of_tests(root, language), key=lambda file: file.parent):
        texts: set[str] = set()
        for file in files:
            for row in file.read_text(encoding="utf-8").split("\n"):
                texts.update(column for column in row.split("\t")[1:] if column)
        yield folder.relative_to(root).as_posix(), texts
