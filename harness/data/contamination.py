"""Which items of a test set has an encoder seen already? Looked at from the set: its items that stand in a training text.

An item is *exact* if a line of the corpus has the letters and digits of one of its texts, case folded, and *shared* if a line has
a run of 8 of its words (13 characters where words are single characters, as in Chinese). A pair is touched if one of its texts
is. The other direction, lines to leave out of a corpus, is `harness.data.leakage`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.data.folder import DataFolder
from harness.data.grams import Table, batches, grams
from harness.data.leakage import files_of_tests
from harness.data.readers import read_text
from harness.errors import DataError

WORDS = 8
CHARACTERS = 13

#: the texts of one item: one, or the two of a pair
Item = Sequence[str]


@dataclass(frozen=True)
class Contamination:
    """Which items of a set are in a corpus: `exact` and `shared`, bool (items,)."""

    exact: np.ndarray
    shared: np.ndarray

    @property
    def touched(self) -> np.ndarray:
        """Either of the two, bool (items,)."""
        touched: np.ndarray = self.exact | self.shared
        return touched

    def __len__(self) -> int:
        return len(self.exact)


def find_contamination(
    sets: Mapping[str, Sequence[Item]],
    corpus: Iterable[str],
    *,
    words: int = WORDS,
    characters: int = CHARACTERS,
    shortest: int = 1,
    step: Callable[[int], None] = lambda lines: None,
) -> dict[str, Contamination]:
    """Return for each set which of its items are in the corpus, which is read once, line by line.

    shortest  texts with fewer letters and digits are never exact: short ones occur anywhere
    step      is called with the number of lines read so far
    """
    texts, owners = _flat(sets)
    keys, key_owners, runs, run_owners = _keys(texts, words, characters, shortest)
    key_table, run_table = Table(keys), Table(runs)
    key_hit, run_hit = (np.zeros(len(table.keys), dtype=bool) for table in (key_table, run_table))
    read = 0
    for batch in batches(corpus):
        found = grams(batch, words=words, characters=characters)
        for table, hit, values in ((key_table, key_hit, found.keys), (run_table, run_hit, found.runs)):
            place = table.find(values)
            hit[place[place >= 0]] = True
        read += len(batch)
        step(read)
    sizes = [len(items) for items in sets.values()]
    exact, shared = (np.zeros(sum(sizes), dtype=bool) for _ in range(2))
    exact[owners[key_owners[_hits(key_table, key_hit, keys)]]] = True
    shared[owners[run_owners[_hits(run_table, run_hit, runs)]]] = True
    borders = np.cumsum(sizes)[:-1]
    return {
        name: Contamination(e, s)
        for name, e, s in zip(sets, np.split(exact, borders), np.split(shared, borders), strict=True)
    }


def contaminated_items(
    task: Any, corpus: Iterable[str], *, words: int = WORDS, characters: int = CHARACTERS, shortest: int = 1
) -> np.ndarray:
    """Return which items of a task are in a corpus, bool (items,), in the order of its predictions.

    task    a task, or its items themselves (see `task_items`);  corpus: sentences
    """
    found = find_contamination(
        {"task": task_items(task)}, corpus, words=words, characters=characters, shortest=shortest
    )
    return found["task"].touched


def task_items(task: Any) -> list[Item]:
    """Return the texts of each item of a task: `item_texts()` if it has that, else its `pairs`, else each of its sentences.

    A sequence of texts or of tuples of texts is taken as it is.
    """
    if hasattr(task, "item_texts"):
        return list(task.item_texts())
    items: Iterable[Any] = (
        task.pairs if hasattr(task, "pairs") else task.sentences() if hasattr(task, "sentences") else task
    )
    return [(item,) if isinstance(item, str) else tuple(item) for item in items]


def folder_items(data: DataFolder, language: str) -> dict[str, list[Item]]:
    """Return the items of every file with test data of a language by its place; every column but the first is text.

    SentEval's variant of a set is left out where the original is there: it has the same letters and digits. Raises DataError if
    there is no file of the language, or one is not UTF-8.
    """
    files = {file.relative_to(data.path).as_posix(): file for file in files_of_tests(data.path, language)}
    chosen = {
        place: file
        for place, file in files.items()
        if place.replace("-senteval/", "/", 1) not in files or "-senteval/" not in place
    }
    if not chosen:
        raise DataError(
            f"{data.path} has no {language} test sets to compare with; see what is there: augbench data ls --data {data.path}"
        )
    return {
        place: [row.removesuffix("\r").split("\t")[1:] for row in _rows(read_text(file))]
        for place, file in chosen.items()
    }


def _rows(text: str) -> list[str]:
    rows = text.split("\n")
    return rows[:-1] if rows[-1] == "" else rows


def _flat(sets: Mapping[str, Sequence[Item]]) -> tuple[list[str], np.ndarray]:
    """Return all texts, and which item (counted through all sets) each is of."""
    texts: list[str] = []
    counts: list[int] = []
    for items in sets.values():
        for item in items:
            texts.extend(item)
            counts.append(len(item))
    return texts, np.repeat(np.arange(len(counts)), counts)


def _keys(texts: list[str], words: int, characters: int, shortest: int) -> tuple[np.ndarray, ...]:
    """Return keys and runs of texts, and which text each is of."""
    keys, key_owners, runs, run_owners = [], [], [], []
    start = 0
    for batch in batches(texts):
        found = grams(batch, words=words, characters=characters)
        long = np.flatnonzero(found.letters >= max(1, shortest))
        keys.append(found.keys[long])
        key_owners.append(start + long)
        runs.append(found.runs)
        run_owners.append(start + found.owners)
        start += len(batch)
    none, nobody = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    return tuple(
        np.concatenate([empty, *parts])
        for empty, parts in ((none, keys), (nobody, key_owners), (none, runs), (nobody, run_owners))
    )


def _hits(table: Table, hit: np.ndarray, keys: np.ndarray) -> np.ndarray:
    if not len(keys):
        return np.zeros(0, dtype=bool)
    hits: np.ndarray = hit[table.find(keys)]
    return hits
