"""Which words are above and below a noun? A reader of WordNet's own files, `index.noun` and `data.noun` (wndb(5WN)).

The files are those of Debian's package `wordnet-base`, or of any WordNet 2.1 to 3.1, in a folder that `AUGBENCH_WORDNET` names.
Lines are fetched by their byte offset when they are asked for; only the index is read as a whole.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from harness.errors import DataError, Skipped

VARIABLE = "AUGBENCH_WORDNET"
_DEBIAN = Path("/usr/share/wordnet")
_FILES = ("index.noun", "data.noun")
_HYPERNYM, _HYPONYM = "@", "~"


@dataclass(frozen=True)
class Synset:
    """One sense: its words (blanks for underscores), and where the senses above and below it stand in the file."""

    words: tuple[str, ...]
    above: tuple[int, ...]
    below: tuple[int, ...]


class WordNet:
    """The nouns of WordNet in a folder. Raises DataError, naming file and line, where a file is not WordNet's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def _index(self) -> dict[str, tuple[int, ...]]:
        path, found = self.folder / _FILES[0], {}
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.startswith("  ") or not line.strip():
                    continue  # the licence
                fields = line.split()
                try:
                    # lemma pos synset_cnt p_cnt [symbol …] sense_cnt tagsense_cnt offset …
                    count, pointers = int(fields[2]), int(fields[3])
                    offsets = tuple(int(field) for field in fields[6 + pointers :])
                except (IndexError, ValueError):
                    offsets, count = (), -1
                if len(offsets) != count:
                    raise DataError(f"{path}, line {number}: no line of a WordNet index; install wordnet-base again.")
                found[fields[0].replace("_", " ")] = offsets
        return found

    @cached_property
    def _data(self) -> bytes:
        return (self.folder / _FILES[1]).read_bytes()

    def senses(self, noun: str) -> tuple[int, ...]:
        """Return the senses of a noun, the most frequent first; none if WordNet has no such noun."""
        return self._index.get(noun.lower(), ())

    @lru_cache(maxsize=50_000)  # noqa: B019 (one object lives as long as the process)
    def synset(self, offset: int) -> Synset:
        """Return the sense that begins at a byte of `data.noun`. Raises DataError if none does."""
        end = self._data.find(b"\n", offset)
        line = self._data[offset : end if end >= 0 else None].decode("utf-8", "replace")
        fields = line.partition(" | ")[0].split()
        try:
            if int(fields[0]) != offset:
                raise ValueError(fields[0])
            words_end = 4 + 2 * int(fields[3], 16)
            words = tuple(word.replace("_", " ") for word in fields[4:words_end:2])
            pointers = [fields[i : i + 4] for i in range(words_end + 1, words_end + 1 + 4 * int(fields[words_end]), 4)]
            above = tuple(int(p[1]) for p in pointers if p[0] == _HYPERNYM)
            below = tuple(int(p[1]) for p in pointers if p[0] == _HYPONYM)
        except (IndexError, ValueError):
            place = f"{self.folder / _FILES[1]}, byte {offset}"
            raise DataError(f"{place}: no synset begins here; the two files are not of one WordNet.") from None
        return Synset(words, above, below)

    @cached_property
    def sha(self) -> str:
        """The hash of both files."""
        found = hashlib.sha256((self.folder / _FILES[0]).read_bytes())
        found.update(self._data)
        return found.hexdigest()[:16]


def open_wordnet(needed_by: str) -> WordNet:
    """Return the user's WordNet, or Debian's. Raises Skipped, with the next command to type, where there is none."""
    named = os.environ.get(VARIABLE)
    folder = Path(named).expanduser() if named else _DEBIAN
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if missing:
        what = (
            f"{VARIABLE} names {named}, which has no {' and no '.join(missing)}"
            if named
            else "there is no WordNet here"
        )
        raise Skipped(
            f"{needed_by} reads WordNet, and {what}; type sudo apt-get install wordnet-base, or export {VARIABLE}=FOLDER "
            f"with {' and '.join(_FILES)} in it."
        )
    return _open(folder)


@lru_cache(maxsize=4)
def _open(folder: Path) -> WordNet:
    return WordNet(folder)
