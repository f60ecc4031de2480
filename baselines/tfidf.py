"""How far does counting words get? Bag of words with inverse document frequencies from the training corpus.

The second anchor of every table: a trained encoder that does not beat it has learned nothing for similarity
tasks.

    weight of word w in a text = (how often it occurs) · (ln((1 + n) / (1 + df(w))) + 1)

with n sentences in the corpus, df(w) of which contain w (smooth idf, raw counts); rows have length 1. A word
the corpus does not have is as rare as can be (df = 0) and still counts: it is hashed to one of 2^20 columns
behind the vocabulary, so that vectors of different calls fit together.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from harness.errors import DataError
from harness.protocols import FittedConfig, FittedMethod, LanguagePack
from harness.words import is_word

UNKNOWN_COLUMNS = 1 << 20
_FILE = "tfidf.json"


class TfIdfConfig(FittedConfig):
    """min_count: words in fewer sentences of the corpus than this are treated as unknown."""

    min_count: int = 1


class TfIdf(FittedMethod):
    """Bag of words, weighted by inverse document frequency (Spärck Jones 1972)."""

    name: ClassVar[str] = "tfidf"
    uses_encoder: ClassVar[bool] = False
    Config = TfIdfConfig
    citation: ClassVar[str] = "Spärck Jones (1972), A statistical interpretation of term specificity"

    def fit(self, context: Any) -> TfIdfEmbedder:
        """Count words in `context.sentences`, split by `context.pack`.

        Raises DataError if there is no sentence.
        """
        sentences = list(context.sentences)
        if not sentences:
            raise DataError("tfidf needs a corpus to count words in, got no sentences; give one with --corpus FILE.")
        counts: Counter[str] = Counter()
        for found in words_of(context.pack, sentences):
            counts.update(set(found))
        kept = {word: df for word, df in sorted(counts.items()) if df >= self.config.min_count}
        return TfIdfEmbedder(kept, len(sentences), context.pack)


def words_of(pack: LanguagePack, texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield `pack.words(text)` of every text, parsed in one stream unless the pack has its own idea of words."""
    if type(pack).words is not LanguagePack.words:
        yield from map(pack.words, texts)
        return
    for doc in pack.parse(texts):
        yield [token.text.lower() for token in doc if is_word(token.text)]


class TfIdfEmbedder:
    """Texts to sparse vectors of words (see `harness.protocols.Embedder`).

    frequencies  word -> number of sentences with it, in the order of the columns;  sentences: size of the corpus
    """

    def __init__(self, frequencies: dict[str, int], sentences: int, pack: LanguagePack) -> None:
        self.frequencies, self.sentences, self.pack = frequencies, sentences, pack
        self._column = {word: column for column, word in enumerate(frequencies)}
        self._idf = [_idf(df, sentences) for df in frequencies.values()]
        self._unknown_idf = _idf(0, sentences)

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Any:
        """Return a CSR matrix, float32, (len(texts), vocabulary + 2^20), rows of length 1.

        A text without a single word gets a zero row. `progress` is accepted and ignored: this takes seconds.
        """
        from scipy.sparse import csr_matrix

        starts: list[int] = [0]
        columns: list[int] = []
        values: list[float] = []
        for found in words_of(self.pack, texts):
            row: dict[int, float] = {}
            for word, count in Counter(found).items():
                column, idf = self._place(word)
                row[column] = row.get(column, 0.0) + count * idf
            length = math.sqrt(sum(value * value for value in row.values()))
            columns.extend(sorted(row))
            values.extend(row[column] / length for column in sorted(row))
            starts.append(len(columns))
        shape = (len(texts), len(self.frequencies) + UNKNOWN_COLUMNS)
        data = (
            np.array(values, dtype=np.float32),
            np.array(columns, dtype=np.int64),
            np.array(starts, dtype=np.int64),
        )
        return csr_matrix(data, shape=shape)

    def _place(self, word: str) -> tuple[int, float]:
        column = self._column.get(word)
        if column is not None:
            return column, self._idf[column]
        bucket = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big") % UNKNOWN_COLUMNS
        return len(self.frequencies) + bucket, self._unknown_idf

    def fingerprint(self) -> str:
        """Return the sha256 of the counts, the formula and the pack's way to split words."""
        content = [self._settings(), self.frequencies, self.pack.fingerprint()]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def describe(self) -> dict[str, Any]:
        """Return the settings and sizes a record keeps."""
        return {**self._settings(), "words": len(self.frequencies), "language": self.pack.name}

    def _settings(self) -> dict[str, Any]:
        return {
            "embedder": "tfidf",
            "idf": "ln((1 + n) / (1 + df)) + 1",
            "unknown_words": f"df = 0, hashed to {UNKNOWN_COLUMNS} columns",
            "sentences": self.sentences,
        }

    def save(self, folder: Path) -> None:
        """Write the counts to `folder` as JSON."""
        folder.mkdir(parents=True, exist_ok=True)
        content = {**self.describe(), "format": 1, "frequencies": self.frequencies}
        (folder / _FILE).write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path, *, pack: LanguagePack | None = None) -> TfIdfEmbedder:
        """Open a folder written by `save`; without `pack` the language named in it is opened.

        Raises DataError if the folder is not one.
        """
        path = Path(folder) / _FILE
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            frequencies, sentences = content["frequencies"], content["sentences"]
        except FileNotFoundError:
            raise DataError(f"{folder} has no {_FILE}; expected a folder saved by the method tfidf.") from None
        except (ValueError, KeyError) as error:
            raise DataError(f"{path} is damaged ({error}); run the method tfidf again.") from None
        if pack is None:
            from harness.languages import open_pack

            pack = open_pack(content["language"])
        return cls(frequencies, sentences, pack)


def _idf(df: int, sentences: int) -> float:
    return math.log((1 + sentences) / (1 + df)) + 1.0
