from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import f1_score

from harness.data import DataFolder
from harness.data.labelled import Labelled
from harness.errors import DataError, Skipped, UsageError
from harness.probes import LogisticRegression, SentEvalMLP
from harness.probes.folds import sentence_order
from harness.probes.schemes import nested
from harness.protocols import TaskOptions
from harness.tasks.absent import AbsentTask
from harness.tasks.transfer import SEVEN, TransferTask, f1, family, protocol


def labelled(n: int, *, classes: int = 2, pairs: bool = False, start: int = 0) -> Labelled:
    """Texts of different lengths whose classes take turns irregularly."""
    rng = np.random.default_rng(start + n)
    labels = [f"c{c}" for c in rng.permutation(np.arange(n) % classes)]
    texts = [("word " * int(rng.integers(1, 6)) + str(start + i),) * (1 + pairs) for i in range(n)]
    return Labelled(tuple(labels), tuple(texts))


def vectors(task: TransferTask, *, d: int = 4, noise: float = 1.0) -> np.ndarray:
    """One vector per sentence, with the class in it."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(len(task.classes), d)) * 2
    sides = len(task.sentences()) // len(task.labels)
    labels = np.tile(task.labels, sides)
    return (means[labels] + noise * rng.normal(size=(len(labels), d))).astype(np.float32)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Two penalties and few passes: which scheme does what is tested here, the probes have tests of their own."""
    monkeypatch.setattr(LogisticRegression, "penalties", (1e-3, 1e-1))
    monkeypatch.setattr(SentEvalMLP, "penalties", (1e-4, 1e-2))
    monkeypatch.setattr("harness.probes.senteval_mlp.LONGEST", 8)


@pytest.mark.parametrize("probe", ["logreg", "senteval-mlp"])
def test_nested_cross_validation_predicts_every_item_in_the_order_of_the_file(probe):
    task = TransferTask("Own", {"all": labelled(150)}, language="en", probe=probe)
    assert task.protocol.id == f"transfer-{probe}@1"
    assert task.protocol.details["scheme"] == "nested"
    assert len(task.sentences()) == len(task.gold) == 150
    v = vectors(task)
    result = task.score(v)
    order = sentence_order(task.texts, task.labels)
    assert order.tolist() != list(range(150))
    kind = {"logreg": LogisticRegression, "senteval-mlp": SentEvalMLP}[probe]
    # the original works on sorted samples
    outcome = nested(kind(v[order], task.labels[order]), task.labels[order], np.arange(150))
    expected = np.empty(150)
    expected[order] = outcome.predictions
    np.testing.assert_array_equal(result.predictions, expected)
    scores = {(s.metric, s.aggregation): s for s in result.scores}
    assert set(scores) == {("accuracy", "all"), ("accuracy", "folds")}
    assert scores["accuracy", "all"].value == pytest.approx(100 * np.mean(expected == task.gold))
    assert scores["accuracy", "folds"].value == pytest.approx(np.mean(outcome.folds))
    assert scores[task.main].items == 150
    assert result.groups == {"test": 150}
    assert result.facts["dev_accuracy"] == outcome.dev
    assert [result.facts[f"penalty_fold_{i}"] for i in range(1, 11)] == list(outcome.penalties)
    assert result.facts["majority_accuracy"] == 50.0
    assert result.notes == ()


def test_pairs_get_f1_and_its_floor():
    parts = {"train": labelled(80, pairs=True), "test": labelled(33, pairs=True, start=100)}
    task = TransferTask("MRPC", parts, language="en")
    assert task.protocol.details["scheme"] == "folds"
    assert task.protocol.details["features"] == "|u - v|, u * v"
    sentences = task.sentences()
    assert len(sentences) == 2 * 113
    assert sentences[80] == parts["test"].texts[0][0]
    result = task.score(vectors(task, noise=3.0))
    scores = {s.metric: s.value for s in result.scores}
    assert scores["f1"] == pytest.approx(100 * f1_score(task.gold, result.predictions))
    assert result.facts["all_positive_f1"] == pytest.approx(100 * f1_score(task.gold, np.ones(33)))
    assert len(result.predictions) == 33
    assert result.facts["penalty"] in LogisticRegression.penalties


def test_f1_by_hand():
    assert f1(np.array([1, 1, 0, 0]), np.array([1, 0, 1, 0])) == 50.0
    assert f1(np.array([1, 0]), np.array([0, 1])) == 0.0
    assert f1(np.zeros(3), np.zeros(3)) is None


@pytest.mark.parametrize("probe", ["logreg", "senteval-mlp"])
def test_a_fixed_split_and_test_texts_that_are_in_train(probe):
    train, dev, test = labelled(60, classes=3), labelled(20, classes=3, start=60), labelled(30, classes=3, start=80)
    test = Labelled(test.labels, (*train.texts[:5], *test.texts[5:]))
    task = TransferTask("Own", {"train": train, "dev": dev, "test": test}, language="zh", probe=probe)
    assert task.protocol.details["scheme"] == "fixed"
    result = task.score(vectors(task))
    right = result.predictions == task.gold
    scores = {(s.metric, s.aggregation): s for s in result.scores}
    assert scores["accuracy", "all"].value == pytest.approx(100 * right.mean())
    assert scores["accuracy", "unseen"].value == pytest.approx(100 * right[5:].mean())
    assert scores["accuracy", "unseen"].items == 25
    assert [(s.part, s.items) for s in result.slices] == [("no", 25), ("yes", 5)]
    assert result.slices[1].value == pytest.approx(100 * right[:5].mean())
    assert "5 of 30 test texts are in the training file too" in result.notes


def test_what_cannot_be_learned_is_undefined_never_0():
    def check(task, v, reason):
        result = task.score(v)
        assert [s.value for s in result.scores] == [None] * len(result.scores)
        assert any(reason in note for note in result.notes), result.notes
        assert len(result.predictions) == len(task.gold)
        assert np.isnan(result.predictions).all()

    task = TransferTask("Own", {"all": labelled(150)}, language="en")
    v = vectors(task)
    check(task, np.where(np.arange(150)[:, None] == 7, np.nan, v), "1 of 150 vectors hold NaN")
    check(task, np.ones_like(v), "the same")
    few = Labelled(("a",) * 40 + ("b",) * 11, labelled(51).texts)
    # ten outer folds are possible, ten inner ones are not
    task = TransferTask("Own", {"all": few}, language="en")
    check(task, vectors(task), "10 folds need at least 10 of each class")
    one = Labelled(("a",) * 30, labelled(30).texts)
    task = TransferTask("Own", {"all": one}, language="en")
    check(task, np.random.default_rng(0).normal(size=(30, 3)), "one class")
    task = TransferTask("Own", {"train": one, "dev": one, "test": one}, language="en")
    check(task, np.random.default_rng(0).normal(size=(90, 3)), "one class")
    with pytest.raises(ValueError, match="30 sentences, got 29"):
        TransferTask("Own", {"all": one}, language="en").score(np.ones((29, 3)))


def test_sparse_vectors_go_with_logreg_only():
    task = TransferTask("Own", {"all": labelled(150)}, language="en")
    v = vectors(task)
    dense, thin = task.score(v), task.score(sparse.csr_matrix(v))
    assert (dense.predictions == thin.predictions).mean() > 0.99
    with pytest.raises(Skipped, match="logreg"):
        TransferTask("Own", {"all": labelled(150)}, language="en", probe="senteval-mlp").score(sparse.csr_matrix(v))


def write(folder: Path, place: str, data: Labelled) -> None:
    path = folder / "transfer" / f"{place}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = zip(data.labels, data.texts, strict=True)
    path.write_text("".join("\t".join((label, *texts)) + "\n" for label, texts in rows), encoding="utf-8")


def test_the_family(tmp_path):
    write(tmp_path, "en/CR/all", labelled(30))
    for part in ("train", "test"):
        write(tmp_path, f"en/MRPC/{part}", labelled(12, pairs=True))
        write(tmp_path, f"en/Mine/{part}", labelled(12))
    write(tmp_path, "zh/EPRSTMT/train", labelled(12))
    data = DataFolder(tmp_path)
    english = family(data, "en", TaskOptions(probe="senteval-mlp"))
    assert tuple(english.default) == SEVEN == ("MR", "CR", "SUBJ", "MPQA", "SST2", "TREC", "MRPC")
    assert set(english.tasks) == {*SEVEN, "Mine"}
    task = english.tasks["CR"]["test"]()
    assert isinstance(task, TransferTask)
    assert task.notes == ("all.tsv has 30 items, the official set 3775: not comparable",)
    assert task.protocol == protocol("senteval-mlp", "nested")
    assert english.tasks["MRPC"]["test"]().protocol == protocol("senteval-mlp", "folds", pairs=True)
    assert english.tasks["Mine"]["test"]().notes == ()
    absent = english.tasks["TREC"]["test"]()
    assert isinstance(absent, AbsentTask)
    assert "transfer/en/TREC/{train,test}.tsv" in absent.unavailable
    chinese = family(data, "zh", TaskOptions())
    assert list(chinese.default) == ["EPRSTMT"]
    with pytest.raises(DataError, match=r"holds train.tsv, expected train.tsv and dev.tsv and test.tsv"):
        chinese.tasks["EPRSTMT"]["test"]()
    assert family(data, "de", TaskOptions()).tasks == {}
    write(tmp_path, "fr/Mine/all", labelled(12))
    assert list(family(data, "fr", TaskOptions()).default) == ["Mine"]
    with pytest.raises(UsageError, match="unknown probe 'svm'"):
        family(data, "en", TaskOptions(probe="svm"))


def test_a_class_that_is_not_in_train_is_an_error_with_its_line(tmp_path):
    write(tmp_path, "en/Own/train", labelled(12))
    write(tmp_path, "en/Own/test", Labelled(("c0", "c7"), (("a",), ("b",))))
    with pytest.raises(DataError, match=r"test.tsv, line 2: the label is 'c7', expected one of c0, c1"):
        family(DataFolder(tmp_path), "en", TaskOptions()).tasks["Own"]["test"]()


def test_files_that_are_no_scheme_are_refused(tmp_path):
    write(tmp_path, "en/Own/dev", labelled(12))
    with pytest.raises(
        DataError, match=r"holds dev.tsv, expected all.tsv; train.tsv and test.tsv; or these and dev.tsv"
    ):
        family(DataFolder(tmp_path), "en", TaskOptions()).tasks["Own"]["test"]()


def test_data_and_protocol_decide_the_identity():
    one, other = labelled(30), labelled(31)
    assert (
        TransferTask("A", {"all": one}, language="en").data_sha
        != TransferTask("A", {"all": other}, language="en").data_sha
    )
    swapped = {"train": one, "test": other}, {"train": other, "test": one}
    shas = [TransferTask("A", parts, language="en").data_sha for parts in swapped]
    assert shas[0] != shas[1]
    prints = [
        str(protocol(p, s).fingerprint()) for p in ("logreg", "senteval-mlp") for s in ("nested", "folds", "fixed")
    ]
    assert len(set(prints)) == 6
