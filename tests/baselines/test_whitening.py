from __future__ import annotations

import json
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines import whitening
from baselines.untrained import Untrained
from baselines.whitening import WhitenedEmbedder, Whitening, moments, principal_axes
from harness.encoder import TextEmbedder
from harness.errors import DataError, EncoderError, UsageError
from harness.protocols import Embedder
from harness.protocols.registry import load

TEXTS = ["the cat sits on the mat", "a dog runs near the old house", "fish", ""]


def context(encoder: Path, corpus: list[str]) -> SimpleNamespace:
    run = SimpleNamespace(precision="fp32", device="cpu", layout="auto")
    return SimpleNamespace(encoder=encoder, settings=run, sentences=corpus)


def fit(encoder: Path, corpus: list[str], **config: Any) -> WhitenedEmbedder:
    return Whitening(**config).fit(context(encoder, corpus))


@pytest.fixture(scope="module")
def whitened(tiny_encoder: Path, sentences: list[str]) -> WhitenedEmbedder:
    return fit(tiny_encoder, sentences)


class Table:
    """An embedder that looks vectors up; its texts are row numbers."""

    encoder = SimpleNamespace(hidden_size=0)

    def __init__(self, vectors: np.ndarray) -> None:
        self.vectors = vectors.astype(np.float32)

    def encode(self, texts: Any, *, progress: bool = False) -> np.ndarray:
        return self.vectors[[int(text) for text in texts]]

    def fingerprint(self) -> str:
        return "table"


def names(vectors: np.ndarray) -> list[str]:
    return [str(i) for i in range(len(vectors))]


def slow(corpus: np.ndarray, queries: np.ndarray, k: int | None) -> np.ndarray:
    """By the singular values of the centred vectors, row by row, without ever forming a covariance."""
    corpus, queries = corpus.astype(np.float64), queries.astype(np.float64)
    mean = sum(corpus) / len(corpus)
    _, singular, axes = np.linalg.svd(corpus - mean, full_matrices=False)
    rows = []
    for query in queries:
        row = [(query - mean) @ axis / (s / np.sqrt(len(corpus) - 1)) for s, axis in zip(singular, axes, strict=True)]
        rows.append(row[:k])
    return np.array(rows)


def cosines(vectors: np.ndarray) -> np.ndarray:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


# -- the map ----------------------------------------------------------------------------------------------------------
def test_the_corpus_comes_out_white(whitened, sentences):
    vectors = whitened.encode(sentences).astype(np.float64)
    # one direction of layer-normalised states is constant: 31 of 32 are left
    assert vectors.shape == (120, 31)
    np.testing.assert_allclose(vectors.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(np.cov(vectors.T), np.eye(31), atol=1e-4)


@pytest.mark.parametrize("k", [None, 1, 5])
def test_the_formula_on_the_encoders_own_vectors(tiny_encoder, sentences, k):
    plain = Untrained().fit(context(tiny_encoder, sentences))
    expected = slow(plain.encode(sentences), plain.encode(TEXTS), 31 if k is None else k)
    found = fit(tiny_encoder, sentences, dimensions=k).encode(TEXTS)
    assert found.shape == expected.shape
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=1e-3, atol=1e-3)  # the sign of an axis is free
    np.testing.assert_allclose(cosines(found), cosines(expected), atol=1e-4)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 40), st.floats(-1e3, 1e3))
def test_any_vectors_in_any_blocks(seed, size, block, shift):
    rng = np.random.default_rng(seed)
    vectors = (rng.normal(size=(40, size)) @ rng.normal(size=(size, size)) + shift).astype(np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whitening, "_BLOCK", block)
        mean, covariance = moments(Table(vectors), names(vectors))
    np.testing.assert_allclose(mean, vectors.astype(np.float64).mean(axis=0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(covariance, np.cov(vectors.astype(np.float64).T), rtol=1e-7, atol=1e-9)
    variances, axes = principal_axes(mean, covariance)
    assert np.all(np.diff(variances) <= 0)
    np.testing.assert_allclose(axes.T @ covariance @ axes, np.diag(variances), atol=1e-9 * (1 + variances.max()))


def test_directions_without_variance_are_left_out_and_small_ones_are_not():
    rng = np.random.default_rng(3)
    factors = rng.normal(size=(200, 3)) * [1.0, 1.0, 1e-4]
    turned, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    vectors = (factors @ turned[:3] + 2.0).astype(np.float32)  # rounding is all there is in two directions
    mean, covariance = moments(Table(vectors), names(vectors))
    variances, axes = principal_axes(mean, covariance)
    assert axes.shape == (5, 3)
    assert np.sqrt(variances[-1]) == pytest.approx(1e-4, rel=0.2)
    embedder = WhitenedEmbedder(Table(vectors), mean, axes, variances, sentences=200, vanishing=2)
    np.testing.assert_allclose(np.cov(embedder.encode(names(vectors)).T), np.eye(3), atol=1e-4)


def test_nothing_depends_on_the_length_of_a_block(whitened, sentences, monkeypatch):
    before = whitened.encode([*TEXTS, *sentences])
    monkeypatch.setattr(whitening, "_BLOCK", 7)
    np.testing.assert_allclose(whitened.encode([*TEXTS, *sentences]), before, rtol=1e-6)
    assert whitened.encode([]).shape == (0, 31)


# -- settings and what is recorded ------------------------------------------------------------------------------------
def test_statistics_of_a_part_of_the_corpus(tiny_encoder, sentences, whitened, caplog):
    part = fit(tiny_encoder, sentences, sentences=50)
    assert part.describe()["sentences"] == 50
    assert part.fingerprint() == fit(tiny_encoder, sentences, sentences=50).fingerprint()
    assert not np.array_equal(part.mean, fit(tiny_encoder, sentences[:50]).mean)  # a sample, not the beginning
    with caplog.at_level(logging.WARNING):
        every = fit(tiny_encoder, sentences, sentences=500)
    assert "120 sentences, fewer than the 500" in caplog.text
    assert every.fingerprint() == whitened.fingerprint()


def test_the_description_is_that_of_the_encoder_and_the_map(tiny_encoder, sentences):
    described = fit(tiny_encoder, sentences, pooler="cls", eval_length=8, dimensions=4).describe()
    assert (described["pooler"], described["max_length"], described["precision"]) == ("cls", 8, "fp32")
    assert (described["embedder"], described["dimensions"], described["sentences"]) == ("whitening", 4, 120)
    assert described["vanishing_directions"] == 1
    assert "inductive" in described["statistics"]
    json.dumps(described, allow_nan=False)


def test_the_fingerprint_changes_with_the_statistics(tiny_encoder, sentences, whitened):
    assert isinstance(whitened, Embedder)
    assert whitened.fingerprint() == fit(tiny_encoder, sentences).fingerprint()
    others = [
        fit(tiny_encoder, sentences[:-1]),
        fit(tiny_encoder, sentences, dimensions=8),
        fit(tiny_encoder, sentences, pooler="cls"),
        fit(tiny_encoder, sentences, eval_length=8),
    ]
    moved = WhitenedEmbedder(
        whitened.embedder, whitened.mean + 1e-9, whitened.directions, whitened.variances, sentences=120, vanishing=1
    )
    assert len({e.fingerprint() for e in [whitened, moved, whitened.embedder, *others]}) == 7


def test_registered_under_its_name_with_settings_of_its_own():
    assert load("methods", "whitening") is Whitening
    assert not Whitening.trained
    given = {"pooler": "avg", "eval_length": None, "dimensions": None, "sentences": None}
    assert Whitening().fingerprint() == {"method": "whitening", "config": given}
    for wrong in ({"dimensions": 0}, {"sentences": 1}, {"learning_rate": 1e-5}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Whitening(**wrong)


# -- what cannot be done ----------------------------------------------------------------------------------------------
def test_too_little_text(tiny_encoder, sentences):
    with pytest.raises(DataError, match="got no sentences; give one with --corpus FILE"):
        fit(tiny_encoder, [])
    with pytest.raises(DataError, match="to 32 dimensions needs more than 32 different sentences, got 32"):
        fit(tiny_encoder, sentences[:32] * 3)
    with pytest.raises(DataError, match=r"got 4; .*--set dimensions=K"):
        fit(tiny_encoder, sentences[:4], dimensions=4)
    assert fit(tiny_encoder, sentences[:5], dimensions=4).encode(TEXTS).shape == (4, 4)


def test_more_dimensions_than_there_are(tiny_encoder, sentences):
    with pytest.raises(UsageError, match="33 dimensions, the encoder has 32"):
        fit(tiny_encoder, sentences, dimensions=33)
    with pytest.raises(UsageError, match="32 dimensions, but the vectors of the corpus vary in 31 of 32"):
        fit(tiny_encoder, sentences, dimensions=32)


def test_vectors_that_are_no_numbers_name_their_sentence():
    vectors = np.ones((4, 2))
    vectors[2, 1] = np.nan
    with pytest.raises(EncoderError, match="'2'"):
        moments(Table(vectors), names(vectors))


# -- folders ----------------------------------------------------------------------------------------------------------
def test_round_trip(whitened, tmp_path):
    whitened.save(tmp_path / "saved")
    again = WhitenedEmbedder.load(tmp_path / "saved", precision="fp32", device="cpu")
    assert again.fingerprint() == whitened.fingerprint()
    assert again.describe() == {**whitened.describe(), "precision_reason": again.describe()["precision_reason"]}
    np.testing.assert_array_equal(again.encode(TEXTS), whitened.encode(TEXTS))
    weights = {p.suffix for p in (tmp_path / "saved").rglob("*") if p.is_file()}
    assert weights == {".json", ".safetensors"}


def test_a_saved_folder_is_not_taken_for_the_encoder_without_the_map(whitened, tmp_path):
    whitened.save(tmp_path)
    with pytest.raises(EncoderError):
        TextEmbedder.load(tmp_path)
    plain = TextEmbedder.load(tmp_path / "encoder", precision="fp32", device="cpu")
    np.testing.assert_array_equal(plain.encode(TEXTS), whitened.embedder.encode(TEXTS))


@pytest.mark.slow
@pytest.mark.parametrize("config", [{}, {"pooler": "avg_first_last", "dimensions": 8}], ids=["avg", "avg_first_last"])
def test_sentence_transformers_gives_the_same_vectors(tiny_encoder, sentences, tmp_path, config):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    ours = fit(tiny_encoder, sentences, **config)
    ours.save(tmp_path)
    theirs = sentence_transformers.SentenceTransformer(str(tmp_path), device="cpu").encode(TEXTS)
    np.testing.assert_allclose(theirs, ours.encode(TEXTS), rtol=1e-3, atol=1e-3)


def test_damaged_folders(whitened, tmp_path):
    with pytest.raises(EncoderError, match=r"no whitening\.json"):
        WhitenedEmbedder.load(tmp_path)
    whitened.save(tmp_path)
    (tmp_path / "whitening.safetensors").write_bytes(b"no tensors")
    with pytest.raises(EncoderError, match="damaged"):
        WhitenedEmbedder.load(tmp_path)
    (tmp_path / "whitening.safetensors").unlink()
    with pytest.raises(EncoderError, match="damaged"):
        WhitenedEmbedder.load(tmp_path)


# -- the whole way ----------------------------------------------------------------------------------------------------
SUITE = b"""[suite]
name = "tiny"
title = "Tiny"
default_scale = "smoke"
columns = [{ title = "test", task = "SampleSTS" }]
[scales.smoke]
data = "sample"
corpus = "sample"
sentences = 100
seeds = [0, 1]
[[rows]]
label = "Untrained"
method = "untrained"
[[rows]]
label = "Whitened"
method = "whitening"
[[rows]]
label = "Whitened to 8"
method = "whitening"
set = { dimensions = 8 }
[[rows]]
label = "Too little text"
method = "whitening"
set = { sentences = 20 }
"""


@pytest.mark.slow
def test_rows_of_a_suite(tiny_encoder, tmp_path):
    from harness.records.store import Store
    from harness.runs.plan import Options, expand
    from harness.runs.runner import prepare, run_plan
    from harness.runs.workbench import Workbench
    from harness.suite import Suite, parse_suite

    suite, bench, store = parse_suite(SUITE, "tiny.toml"), Workbench(), Store(tmp_path)
    assert isinstance(suite, Suite)
    specs = expand(suite, Options(encoder=str(tiny_encoder), settings={"device": "cpu", "precision": "fp32"}))
    assert [s.seed for s in specs] == [0] * 4  # nothing is drawn: one run a row
    summary = run_plan(prepare(specs, bench, store), bench, store, keep="all")
    assert [done.status for done in summary.done] == ["finished"] * 3 + ["failed"]
    assert "needs more than 32 different sentences, got 20" in (summary.done[3].reason or "")
    runs = [store.get(done.train_id) for done in summary.done[:3]]
    values = {run.score("SampleSTS").value for run in runs}
    assert len(values) == 3
    kept = WhitenedEmbedder.load(runs[1].embedder_folder, precision="fp32", device="cpu")
    assert kept.fingerprint() == runs[1].record.embedder.sha
    assert runs[2].record.embedder.describe["dimensions"] == 8
    again = run_plan(prepare(specs[:3], bench, store), bench, store, keep="all")
    assert [done.status for done in again.done] == ["done"] * 3
