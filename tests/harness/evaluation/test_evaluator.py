from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import sparse

from harness.adapters import CallableEmbedder, as_embedder, check_vectors
from harness.data import ScoredPairs
from harness.errors import EncoderError, Skipped, UsageError
from harness.evaluation.evaluator import evaluate
from harness.protocols import Embedder, EncoderTask, Protocol, Score, Task, TaskResult
from harness.tasks.sts import STSTask


def task(name: str, pairs: list[tuple[str, str]], split: str = "test") -> STSTask:
    gold = np.linspace(0, 5, len(pairs))
    return STSTask(name, {split: ScoredPairs(gold, tuple(pairs))}, language="en", split=split)


def letters(texts: list[str]) -> np.ndarray:
    """How often each letter occurs."""
    return np.array([[text.count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for text in texts], dtype=np.float32)


PAIRS = [("a cat", "a car"), ("the dog", "a cat"), ("birds fly", "the dog"), ("no more", "birds fly high")]
TASKS = (task("One", PAIRS), task("Two", [("a cat", "no more"), ("the dog", "a car"), ("new one", "old one")], "dev"))


class Recorder:
    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, texts: list[str]) -> np.ndarray:
        self.calls.append(texts)
        return letters(texts)


def test_every_unique_sentence_is_encoded_once():
    recorder = Recorder()
    result = evaluate(recorder, TASKS)
    (texts,) = recorder.calls
    assert max(Counter(texts).values()) == 1
    assert set(texts) == {s for t in TASKS for s in t.sentences()}
    assert (result.requested, result.unique) == (14, len(texts))


def test_results_are_those_of_each_task_on_its_own():
    result = evaluate(letters, TASKS)
    assert list(result.results) == ["One", "Two:dev"]
    for one in TASKS:
        alone = one.score(letters(one.sentences()))
        assert result.results[one.id].scores == alone.scores
        np.testing.assert_array_equal(result.results[one.id].predictions, alone.predictions)
    assert {"encode", "score", "score:One", "score:Two:dev"} == set(result.seconds)


def test_values_and_averages():
    result = evaluate(letters, TASKS)
    one, two = result.value("One"), result.value("Two:dev")
    assert result.value("One", "pearson") != one
    assert result.value("One", "spearman", "mean") is None
    assert result.average() == pytest.approx((one + two) / 2)
    assert result.average(["One"]) == one
    assert result.average(["One", "Absent"]) is None
    assert result.average([]) is None
    with pytest.raises(KeyError, match="Absent was not evaluated"):
        result.value("Absent")


def test_an_undefined_score_leaves_no_average():
    result = evaluate(lambda texts: np.ones((len(texts), 2)), TASKS)
    assert result.value("One") is None
    assert result.average() is None


def test_no_tasks_and_two_of_one_name():
    with pytest.raises(UsageError, match="no tasks were given"):
        evaluate(letters, [])
    with pytest.raises(UsageError, match="several tasks are called One"):
        evaluate(letters, [TASKS[0], TASKS[0]])


# -- what can be evaluated -----------------------------------------------------------------------------------
def test_a_callable_is_named_and_marked():
    embedder = as_embedder(letters)
    assert isinstance(embedder, CallableEmbedder)
    assert isinstance(embedder, Embedder)
    assert "letters" in embedder.fingerprint()
    assert embedder.describe()["note"] == "not fingerprinted"
    assert "Recorder" in as_embedder(Recorder()).fingerprint()


def test_an_embedder_stays_what_it_is():
    embedder = CallableEmbedder(letters)
    assert as_embedder(embedder) is embedder


@pytest.mark.parametrize(
    "convert", [sparse.csr_matrix, sparse.coo_array, np.ndarray.tolist, lambda a: a.astype(np.float64)]
)
def test_any_kind_of_array_gives_the_same_scores(convert):
    expected = evaluate(letters, TASKS)
    found = evaluate(lambda texts: convert(letters(texts)), TASKS)
    for task_id in expected.results:
        assert found.value(task_id) == pytest.approx(expected.value(task_id))


def test_torch_tensors():
    import torch

    def encode(texts: list[str]) -> torch.Tensor:
        return torch.from_numpy(letters(texts)).to(torch.bfloat16).requires_grad_()

    assert evaluate(encode, TASKS).value("One") == pytest.approx(evaluate(letters, TASKS).value("One"))


def test_a_folder_is_opened(tiny_encoder):
    for given in (tiny_encoder, str(tiny_encoder)):
        result = evaluate(given, TASKS)
        assert result.embedder["pooler"] == "avg"
        assert len(result.fingerprint) == 64


def test_what_cannot_be_evaluated():
    class Model:
        def encode(self, texts): ...

    with pytest.raises(UsageError, match=r"Pass its encode method"):
        evaluate(Model(), TASKS)
    with pytest.raises(UsageError, match="expected a folder or model id"):
        evaluate(42, TASKS)


@pytest.mark.slow
def test_a_sentence_transformer(tiny_encoder):
    transformers = pytest.importorskip("sentence_transformers")
    model = transformers.SentenceTransformer(str(tiny_encoder), device="cpu")  # adds mean pooling itself
    model.max_seq_length = 64
    theirs, ours = evaluate(model, TASKS), evaluate(tiny_encoder, TASKS)
    np.testing.assert_allclose(
        theirs.results["One"].predictions, ours.results["One"].predictions, atol=0.02
    )  # ours may run in bf16
    assert theirs.embedder["modules"] == ["Transformer", "Pooling"]
    before = theirs.fingerprint
    assert evaluate(model, TASKS).fingerprint == before
    next(model.parameters()).data[0, 0] += 1
    assert evaluate(model, TASKS).fingerprint != before


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda v: v[:-1], "9 vectors for 10 sentences"),
        (lambda v: v[0], "shape"),
        (lambda v: v[:, :0], "0 dimensions"),
        (lambda v: np.where(np.arange(10)[:, None] == 4, np.nan, v), r"sentence 4 \('text 4'\)"),
        (lambda v: sparse.csr_matrix(np.where(np.arange(10)[:, None] >= 7, np.inf, v)), "sentence 7"),
        (lambda v: sparse.csr_matrix(v)[:-1], "9 vectors"),
        (lambda v: v.astype(np.float64) * 1e300, "sentence 0"),
        (lambda v: [["x"]] * 10, "no array of numbers"),
        (lambda v: [[1.0], [1.0, 2.0]], "no array of numbers"),
        (lambda v: None, "no array of numbers|shape"),
    ],
)
def test_wrong_vectors_are_refused(spoil, message):
    good = np.ones((10, 3), dtype=np.float32)
    texts = [f"text {i}" for i in range(10)]
    assert check_vectors(good, texts).shape == (10, 3)
    with pytest.raises(EncoderError, match=message):
        check_vectors(spoil(good), texts)


class Reluctant(Task):
    """A task that cannot be measured, and says so where it is asked for sentences or for a score."""

    name, language, split, main, data_sha = "Reluctant", "en", "test", ("spearman", "all"), "x"
    protocol = Protocol("p", 1, text="original")

    def __init__(self, where: str) -> None:
        self.where = where

    def sentences(self):
        if self.where == "sentences":
            raise Skipped("no operator")
        return ["a", "b"]

    def score(self, vectors):
        raise Skipped("no words")


class Inside(EncoderTask):
    """Looks into the embedder."""

    name, language, split, main, data_sha = "Inside", "en", "test", ("ratio", "all"), "y"
    protocol = Protocol("q", 1, text="original")

    def inspect(self, embedder):
        return TaskResult((Score("ratio", "all", float(embedder.dimensions), 1),), np.zeros(1, dtype=np.float32))


class Known:
    dimensions = 7

    def encode(self, texts, *, progress=False):
        return np.ones((len(texts), self.dimensions), dtype=np.float32)

    def fingerprint(self):
        return "f"

    def describe(self):
        return {}


@pytest.mark.parametrize(("where", "reason"), [("sentences", "no operator"), ("score", "no words")])
def test_what_cannot_be_measured_is_skipped_with_its_reason_and_takes_nothing_along(where, reason):
    found = evaluate(Known(), [Reluctant(where), Inside()])
    assert found.skipped == {"Reluctant": reason}
    assert found.value("Inside") == 7.0
    assert found.value("Reluctant") is None
    assert list(found.results) == ["Inside"]


def test_a_task_of_the_encoder_needs_no_sentences():
    found = evaluate(Known(), [Inside()])
    assert (found.requested, found.unique) == (0, 0)
