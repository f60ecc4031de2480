"""The fast number format is tried before it is used."""

from __future__ import annotations

import numpy as np
import pytest

from harness.encoder import open_embedder
from harness.encoder.settle import TOLERANCE, settle_precision

TEXTS = [
    "the cat sits on the mat",
    "a dog runs",
    "red house",
    "the blue bird sits under a house",
    "man",
    "a man runs on",
]


@pytest.fixture
def fast(tiny_encoder):
    embedder = open_embedder(str(tiny_encoder), precision="bf16")
    embedder.precision_reason = "the CPU multiplies bf16 natively"  # as an automatic choice would say
    return embedder


def test_what_the_user_chose_stays(tiny_encoder):
    embedder = open_embedder(str(tiny_encoder), precision="bf16")
    assert settle_precision(embedder, TEXTS) is embedder


def test_a_format_that_ranks_alike_is_kept_with_the_number(fast, monkeypatch):
    monkeypatch.setattr(type(fast), "encode", lambda self, texts: np.arange(len(texts) * 4.0).reshape(-1, 4) ** 1.5)
    assert settle_precision(fast, TEXTS) is fast
    assert "agree with fp32 by 100.000" in fast.precision_reason


def test_a_format_that_ranks_otherwise_is_dropped_with_the_reason(fast, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(type(fast), "encode", lambda self, texts: rng.normal(size=(len(texts), 8)))
    settled = settle_precision(fast, TEXTS)
    assert settled.precision == "fp32"
    assert "bf16 was tried and dropped" in settled.precision_reason
    assert f"wanted {100 - TOLERANCE:.2f}" in settled.precision_reason
