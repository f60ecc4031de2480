"""Vectors on disk: the same numbers, fewer encodings, and nothing taken from another embedder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.adapters import CallableEmbedder
from harness.errors import UsageError
from harness.evaluation.vectorcache import CachedEmbedder


class Counting:
    """Vectors made of a text's characters; remembers what it was asked for."""

    def __init__(self, name: str = "one") -> None:
        self.name = name
        self.asked: list[str] = []

    def encode(self, texts, *, progress=False):
        self.asked += texts
        rows = [[len(text), sum(map(ord, text)) % 97, 1.0] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), 3)

    def fingerprint(self):
        return self.name

    def describe(self):
        return {"embedder": self.name}


@given(st.lists(st.lists(st.text(max_size=5), max_size=6), min_size=1, max_size=4))
def test_the_vectors_are_the_embedders_and_no_text_is_encoded_twice(tmp_path_factory, calls):
    folder, plain, counting = tmp_path_factory.mktemp("vectors"), Counting(), Counting()
    for texts in calls:
        cached = CachedEmbedder(counting, folder)  # a new process each time
        assert np.array_equal(cached.encode(texts), plain.encode(texts))
    assert sorted(counting.asked) == sorted({text for texts in calls for text in texts})


def test_another_embedder_has_its_own(tmp_path):
    first, second = Counting("one"), Counting("two")
    CachedEmbedder(first, tmp_path).encode(["a"])
    cached = CachedEmbedder(second, tmp_path)
    cached.encode(["a", "b", "b"])
    assert second.asked == ["a", "b"]
    assert (cached.hits, cached.misses) == (0, 2)


def test_a_damaged_part_is_named_and_encoded_again(tmp_path, caplog):
    CachedEmbedder(Counting(), tmp_path).encode(["a", "b"])
    (part,) = tmp_path.rglob("*.safetensors")
    part.write_bytes(part.read_bytes()[:20])
    counting = Counting()
    assert np.array_equal(CachedEmbedder(counting, tmp_path).encode(["a"]), Counting().encode(["a"]))
    assert counting.asked == ["a"]
    assert str(part) in caplog.text


def test_it_stands_in_the_users_cache_unless_told_otherwise(tmp_path, monkeypatch):
    monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path))
    CachedEmbedder(Counting()).encode(["a"])
    assert [Path(path).parent.parent for path in tmp_path.rglob("*.safetensors")] == [tmp_path / "vectors"]


def test_a_function_cannot_be_told_from_another():
    with pytest.raises(UsageError, match="leave out the cache"):
        CachedEmbedder(CallableEmbedder(lambda texts: np.zeros((len(texts), 2))))
