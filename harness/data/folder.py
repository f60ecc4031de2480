"""Where does the data of a task lie? The layout of a data folder, and the one place that finds the folder.

    sts/<language>/<SET>/*.tsv            score<TAB>sentence1<TAB>sentence2, text as the organisers published it
    sts/<language>-senteval/<SET>/*.tsv   the same rows as SentEval's loaders see them (tokenised, lower-cased)
    transfer/<language>/<TASK>/*.tsv      label<TAB>text (MRPC: label<TAB>sentence1<TAB>sentence2); all.tsv, or train, dev, test
    clustering/<language>/<SET>.tsv       label<TAB>text
    intent/<language>/<SET>/*.tsv         label<TAB>text
    other/<language>/<SET>/*.tsv          label<TAB>text, or label<TAB>sentence1<TAB>sentence2

A language pack's own samples have the same layout, so `DataFolder(pack.samples)` works wherever a data folder
does.
"""

from __future__ import annotations

import os
from pathlib import Path

from harness.errors import DataError, UsageError

ENVIRONMENT = "AUGBENCH_DATA"
#: top-level folders that make a folder a data folder
PARTS = ("sts", "transfer", "clustering", "intent", "other", "corpus", "treebank", "lexicon")
TEXTS = ("original", "senteval")


class DataFolder:
    """A folder of task data. Raises DataError if `path` is missing or holds none of the known parts."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser()
        if not self.path.exists():
            raise DataError(
                f"the data folder {self.path} does not exist; give another with --data DIR or the environment "
                f"variable {ENVIRONMENT}."
            )
        if not self.path.is_dir():
            raise DataError(f"{self.path} is a file, expected a data folder (with sts/<language>/<SET>/*.tsv in it).")
        if not any((self.path / part).is_dir() for part in PARTS):
            raise DataError(
                f"{self.path} is not a data folder: expected one of {', '.join(f'{p}/' for p in PARTS)} in it, "
                f"for example sts/en/STS-B/dev.tsv."
            )

    def __repr__(self) -> str:
        return f"DataFolder({str(self.path)!r})"

    def sts(self, language: str, text: str = "original") -> Path:
        """Return the folder of a language's STS sets (it need not exist).

        Raises UsageError on an unknown text variant.
        """
        if text not in TEXTS:
            raise UsageError(f"unknown text variant {text!r}; expected one of {', '.join(TEXTS)}.")
        return self.path / "sts" / (language if text == "original" else f"{language}-{text}")

    def sts_sets(self, language: str, text: str = "original") -> list[str]:
        """Return the names of the sets that are there, sorted; empty if the language has none."""
        folder = self.sts(language, text)
        if not folder.is_dir():
            return []
        return sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and any(entry.glob("*.tsv")))

    def sts_files(self, language: str, name: str, text: str = "original") -> dict[str, Path]:
        """Return the files of one set by name without suffix, sorted; empty if the set is not there."""
        return {path.stem: path for path in sorted((self.sts(language, text) / name).glob("*.tsv"))}

    def sets(self, part: str, language: str) -> dict[str, dict[str, Path]]:
        """Return set name -> file name without suffix -> path, for `transfer`, `clustering`, `intent` or `other`.

        A file that lies directly in the language's folder is a set of one file, called `all`. Empty if there is nothing.
        """
        folder = self.path / part / language
        found: dict[str, dict[str, Path]] = {}
        for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
            if entry.is_dir():
                files = {path.stem: path for path in sorted(entry.glob("*.tsv"))}
                if files:
                    found[entry.name] = files
            elif entry.suffix == ".tsv":
                found[entry.stem] = {"all": entry}
        return found

    def sts_languages(self) -> list[str]:
        """Return the languages (and text variants) there are STS sets for, as folder names."""
        folder = self.path / "sts"
        return sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []


def open_data(path: str | os.PathLike[str] | None = None) -> DataFolder:
    """Return the data folder named by `path`, else by the environment variable AUGBENCH_DATA.

    Raises DataError, saying how to name one, if neither does or if the folder is not usable.
    """
    if path is not None:
        return DataFolder(path)
    named = os.environ.get(ENVIRONMENT)
    if not named:
        raise DataError(
            f"no data folder is known: give one with --data DIR, or `export {ENVIRONMENT}=DIR`, where DIR holds "
            f"sts/<language>/<SET>/*.tsv."
        )
    return DataFolder(named)
