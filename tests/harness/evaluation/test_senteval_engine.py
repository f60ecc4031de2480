"""The adapter to the real toolkit, against a stand-in with its interface and its two shapes of results."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from harness.errors import UsageError
from harness.evaluation.senteval_engine import read_result, run, toolkit


class Lengths:
    """Vectors that count words and characters."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, texts, *, progress=False):
        self.seen += texts
        return np.array([[len(t.split()), len(t)] for t in texts], dtype=np.float32)

    def fingerprint(self):
        return "lengths"

    def describe(self):
        return {}


@pytest.fixture
def engine(monkeypatch, tmp_path):
    (tmp_path / "downstream").mkdir()
    module, package, calls = ModuleType("senteval.engine"), ModuleType("senteval"), []

    class SE:
        def __init__(self, params, batcher, prepare):
            self.params, self.batcher, self.prepare = params, batcher, prepare

        def eval(self, name):
            calls.append((name, self.params))
            self.prepare(self.params, [])
            vectors = self.batcher(self.params, [[b"a", b"cat"], ["no", "bytes", "here"], []])
            assert vectors.shape == (3, 2)
            return {"devacc": 82.36, "acc": float(vectors[0, 0]), "f1": 80.0, "ndev": 3, "ntest": 3}

    module.SE, package.engine = SE, module
    monkeypatch.setitem(sys.modules, "senteval", package)
    monkeypatch.setitem(sys.modules, "senteval.engine", module)
    return tmp_path, calls


def test_the_toolkit_gets_our_vectors_and_simcses_settings(engine):
    folder, calls = engine
    embedder = Lengths()
    (outcome,) = run(embedder, ["STS-B"], folder=folder)
    assert outcome.values == {("accuracy", "all"): 2.0, ("f1", "all"): 80.0, ("accuracy", "dev"): 82.36}
    assert embedder.seen == ["a cat", "no bytes here", "."]
    name, params = calls[0]
    assert name == "STSBenchmark"
    assert (params["task_path"], params["kfold"], params["classifier"]["tenacity"]) == (str(folder), 10, 5)


def test_both_shapes_of_correlations_are_read():
    fork = {"all": {"spearman": {"all": 0.7, "mean": 0.6}, "pearson": {"all": 0.8}}, "MSRpar": {"spearman": (0.5, 0.1)}}
    assert read_result(fork) == pytest.approx(
        {("spearman", "all"): 70.0, ("spearman", "mean"): 60.0, ("pearson", "all"): 80.0}
    )
    fork_benchmark = {"dev": {"spearman": (0.9, 0.0)}, "test": {"spearman": (0.75, 1e-9), "pearson": (0.7, 0.0)}}
    assert read_result(fork_benchmark) == pytest.approx({("spearman", "all"): 75.0, ("pearson", "all"): 70.0})
    upstream = {"devpearson": 0.8, "pearson": 0.77, "spearman": 0.76, "mse": 1.2, "ndev": 1, "ntest": 2}
    assert read_result(upstream) == pytest.approx({("pearson", "all"): 77.0, ("spearman", "all"): 76.0})
    with pytest.raises(UsageError, match="unknown form"):
        read_result({"ndev": 3})


def test_without_the_toolkit_one_sentence_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "senteval", None)
    with pytest.raises(UsageError, match="not on the package index: clone"):
        toolkit()
    with pytest.raises(UsageError, match="no downstream/"):
        run(Lengths(), ["CR"], folder=tmp_path)
    with pytest.raises(UsageError, match="SentEval has no AgNews"):
        run(Lengths(), ["AgNews"], folder=tmp_path)


def test_its_failures_are_told_as_its_own(engine, monkeypatch):
    folder, _ = engine

    def fail(self, name):
        raise AssertionError("Torch not compiled with CUDA enabled")

    monkeypatch.setattr(sys.modules["senteval.engine"].SE, "eval", fail)
    with pytest.raises(UsageError, match=r"SentEval failed on TREC .*CUDA"):
        run(Lengths(), ["TREC"], folder=folder)
