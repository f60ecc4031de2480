from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.tfidf import TfIdf, TfIdfEmbedder, words_of
from harness.errors import DataError
from harness.protocols import Embedder, LanguagePack
from harness.protocols.registry import load


class Blanks(LanguagePack):
    """Words between blanks; counts how often it was asked to parse."""

    name, code = "blanks", "xx"

    def __init__(self) -> None:
        self.streams = 0

    def parse(self, texts: Iterable[str]) -> Iterator[Any]:
        self.streams += 1
        for text in texts:
            yield [SimpleNamespace(text=word) for word in text.split()]

    def fingerprint(self) -> dict[str, Any]:
        return {"pack": "blanks"}


class Letters(Blanks):
    def words(self, text: str) -> list[str]:
        return [c for c in text if c.isalpha()]


CORPUS = ["The cat sat .", "the dog ran", "a cat and a dog", "the end"]


def fit(sentences: list[str] = CORPUS, pack: LanguagePack | None = None, **settings: Any) -> TfIdfEmbedder:
    return TfIdf(**settings).fit(SimpleNamespace(sentences=sentences, pack=pack or Blanks(), encoder="unused"))


def slow_cosine(first: str, second: str, corpus: list[str]) -> float:
    documents = [set(text.lower().split()) for text in corpus]

    def weigh(text: str) -> dict[str, float]:
        words = [w for w in text.lower().split() if any(c.isalnum() for c in w)]
        return {
            w: n * (math.log((1 + len(documents)) / (1 + sum(w in d for d in documents))) + 1)
            for w, n in Counter(words).items()
        }

    a, b = weigh(first), weigh(second)
    norm = math.sqrt(sum(v * v for v in a.values())) * math.sqrt(sum(v * v for v in b.values()))
    return sum(v * b.get(w, 0.0) for w, v in a.items()) / norm if norm else 0.0


TEXT = st.lists(st.sampled_from(["the", "cat", "dog", "The", "new", "word", "a", ".", "!", "end"]), max_size=8).map(
    " ".join
)


@given(first=TEXT, second=TEXT)
def test_cosines_are_those_of_the_formula(first, second):
    vectors = fit().encode([first, second])
    assert (vectors[[0]] @ vectors[[1]].T).toarray()[0, 0] == pytest.approx(
        slow_cosine(first, second, CORPUS), abs=1e-5
    )


def test_rows_have_length_one_or_zero():
    vectors = fit().encode(["the cat cat", "never seen", ". !", ""])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.sqrt(vectors.multiply(vectors).sum(axis=1)).ravel(), [[1, 1, 0, 0]], atol=1e-6)


def test_unknown_words_have_the_same_column_in_every_call():
    embedder = fit()
    together = embedder.encode(["zebra", "quagga", "zebra"])
    apart = embedder.encode(["zebra"])
    assert together.shape[1] == apart.shape[1]
    assert (together[[0]] @ apart.T).toarray()[0, 0] == pytest.approx(1)
    assert (together[[0]] @ together[[1]].T).toarray()[0, 0] == 0


def test_a_stream_is_parsed_once_and_a_packs_own_words_are_used():
    pack = Blanks()
    fit(pack=pack)
    assert pack.streams == 1
    assert list(words_of(Letters(), ["ab c", "d"])) == [["a", "b", "c"], ["d"]]


def test_rare_words_can_be_dropped():
    assert set(fit().frequencies) > set(fit(min_count=2).frequencies) == {"the", "cat", "dog"}


def test_no_sentences():
    with pytest.raises(DataError, match="--corpus FILE"):
        fit([])


def test_fingerprint_and_round_trip(tmp_path):
    embedder = fit()
    assert isinstance(embedder, Embedder)
    embedder.save(tmp_path / "saved")
    again = TfIdfEmbedder.load(tmp_path / "saved", pack=Blanks())
    assert again.fingerprint() == embedder.fingerprint() == fit(list(reversed(CORPUS))).fingerprint()
    assert again.describe() == embedder.describe()
    texts = ["the cat", "a zebra"]
    assert (again.encode(texts) != embedder.encode(texts)).nnz == 0
    assert fit([*CORPUS, "more"]).fingerprint() != embedder.fingerprint()
    assert {p.suffix for p in (tmp_path / "saved").iterdir()} == {".json"}


def test_damaged_folders(tmp_path):
    with pytest.raises(DataError, match=r"no tfidf\.json"):
        TfIdfEmbedder.load(tmp_path, pack=Blanks())
    (tmp_path / "tfidf.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="damaged"):
        TfIdfEmbedder.load(tmp_path, pack=Blanks())


def test_registered_under_its_name_with_only_its_own_settings():
    assert load("methods", "tfidf") is TfIdf
    assert set(TfIdf.Config.model_fields) == {"min_count"}
    with pytest.raises(ValueError, match="learning_rate"):
        TfIdf(learning_rate=1e-5)
