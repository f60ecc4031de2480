"""What are the lines of this text file, every one of them? Coverage is a share of lines, so none may be dropped.

`harness.corpus.read_corpus` leaves out blank lines, because nothing can be learned from them; a table of coverage has to
count them, as the papers do that divide by the number of lines of the file.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from harness.corpus import open_text, read_lines, rows_sha
from harness.data import open_data
from harness.errors import DataError
from harness.protocols import LanguagePack
from harness.seeds import numpy_rng
from harness.words import is_word


@dataclass(frozen=True)
class Lines:
    """Lines of a file without blanks at their ends, in its order; `""` is a blank line.

    of   number of lines in the file, of which `texts` are a sample or all;  sha: sha256 of the lines taken
    """

    name: str
    texts: list[str]
    of: int
    sha: str

    @property
    def blank(self) -> int:
        """The number of blank lines."""
        return self.texts.count("")

    @property
    def wordless(self) -> int:
        """The number of lines that are not blank and hold no letter or digit."""
        return sum(not is_word(text) for text in self.texts) - self.blank

    @property
    def repeated(self) -> int:
        """The number of lines that repeat an earlier one (blank lines apart)."""
        counts = Counter(text for text in self.texts if text)
        return sum(counts.values()) - len(counts)


def read_all_lines(path: Path, *, limit: int | None = None) -> Lines:
    """Return every line of a UTF-8 text file, or `limit` of them drawn without replacement, the same ones every time.

    Raises DataError if the file is missing, not UTF-8 or has nothing but blank lines.
    """
    with open_text(path) as stream:
        texts = [line.strip() for line in read_lines(stream, str(path))]
    if not any(texts):
        raise DataError(f"{path} holds no sentence. Give a UTF-8 text file with one sentence per line.")
    total = len(texts)
    if limit is not None and limit < total:
        kept = numpy_rng(0, "lines").permutation(total)[:limit]
        texts = [texts[i] for i in sorted(kept.tolist())]
    return Lines(path.name, texts, total, rows_sha(texts))


def corpus_file(name: str, data: Path | None, pack: LanguagePack) -> Path:
    """Return where a scale's corpus lies: `sample` is the pack's own, another name a file of the data folder.

    Raises DataError if it is not there.
    """
    if name == "sample":
        folder = pack.samples / "corpus" / pack.code
        found = sorted(folder.glob("*.txt"))
        if not found:
            raise DataError(
                f"the language pack {pack.name!r} has no sample corpus ({folder}/*.txt); give one with --corpus FILE."
            )
        return found[0]
    path = open_data(data).path / "corpus" / pack.code / name
    if not path.is_file():
        raise DataError(
            f"the data folder has no corpus/{pack.code}/{name} (looked for {path}); give a text file, one sentence per "
            "line, with --corpus FILE, or use --scale smoke, which needs no data."
        )
    return path
