from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import accuracy_score, average_precision_score, f1_score

from harness.data import DataFolder
from harness.data.labelled import Labelled
from harness.errors import DataError
from harness.evaluation.evaluator import evaluate
from harness.protocols import Protocol, TaskOptions
from harness.tasks.pairs import PairsTask, family

PROTOCOL = Protocol("pairs-own", 1, text="original")


def part(name: str, labels: list[int]) -> Labelled:
    return Labelled(tuple(map(str, labels)), tuple((f"{name} {i} a", f"{name} {i} b") for i in range(len(labels))))


def task(dev: list[int], test: list[int]) -> PairsTask:
    return PairsTask("Own", part("dev", dev), part("test", test), protocol=PROTOCOL, main=("f1", "all"), language="en")


def own_and_vectors(seed: int = 0) -> tuple[PairsTask, np.ndarray]:
    rng = np.random.default_rng(seed)
    dev, test = rng.integers(0, 2, 30).tolist(), rng.integers(0, 2, 50).tolist()
    first = rng.normal(size=(80, 5))
    second = first * np.array(dev + test)[:, None] * 0.6 + rng.normal(size=(80, 5))
    return task(dev, test), np.concatenate([first, second]).astype(np.float32)


def test_scores_and_facts():
    own, v = own_and_vectors()
    result = own.score(v)
    unit = v / np.linalg.norm(v, axis=1, keepdims=True)
    cosines = (unit[:80] * unit[80:]).sum(axis=1)
    np.testing.assert_allclose(result.predictions, cosines[30:], atol=1e-6)
    values = {s.metric: s.value for s in result.scores}
    test = result.predictions
    by_accuracy = (test > result.facts["threshold_accuracy"]).astype(int)
    by_f1 = (test > result.facts["threshold_f1"]).astype(int)
    assert values["accuracy"] == pytest.approx(100 * accuracy_score(own.gold, by_accuracy))
    assert values["f1"] == pytest.approx(100 * f1_score(own.gold, by_f1))
    assert values["ap"] == pytest.approx(100 * average_precision_score(own.gold, test))
    assert result.facts["all_positive_f1"] == pytest.approx(100 * f1_score(own.gold, np.ones(50)))
    share = 100 * own.gold.mean()
    assert result.facts["larger_class"] == pytest.approx(max(share, 100 - share))
    dev = (cosines[:30] > result.facts["threshold_f1"]).astype(int)
    assert result.facts["dev_f1"] == pytest.approx(100 * f1_score(own.dev_gold, dev))


def test_test_labels_do_not_move_the_thresholds():
    own, v = own_and_vectors()
    other = task(own.dev_gold.tolist(), (1 - own.gold).tolist())
    for key in ("threshold_accuracy", "threshold_f1", "dev_accuracy", "dev_f1"):
        assert own.score(v).facts[key] == other.score(v).facts[key]


def test_sparse_vectors_score_like_dense_ones():
    own, v = own_and_vectors()
    np.testing.assert_allclose(own.score(v).predictions, own.score(sparse.csr_matrix(v)).predictions, atol=1e-6)


def test_constant_vectors_are_undefined_and_zero_ones_mentioned():
    own, v = own_and_vectors()
    result = own.score(np.ones_like(v))
    assert [s.value for s in result.scores] == [None] * 3
    assert "there is no threshold" in result.notes[0]
    v[40] = 0
    assert "1 of 80 similarities were undefined" in own.score(v).notes[0]


def test_wrong_number_of_vectors():
    own, v = own_and_vectors()
    with pytest.raises(ValueError, match="160 sentences, got 159"):
        own.score(v[:-1])


@pytest.mark.parametrize(("dev", "test", "which"), [([1, 1], [0, 1], "dev"), ([0, 1], [0, 0], "test")])
def test_a_part_with_one_class_is_refused(dev, test, which):
    with pytest.raises(DataError, match=f"the {which} part has 2 pairs, all of class"):
        task(dev, test)


# -- files ---------------------------------------------------------------------------------------------------
def write(path: Path, labels: list[int], name: str = "row") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{label}\t{name} {i} a\t{name} {i} b\n" for i, label in enumerate(labels)]
    path.write_text("".join(lines), encoding="utf-8")


def tasks(folder: Path):
    return family(DataFolder(folder), "en", TaskOptions()).tasks


def test_mrpc_takes_408_fixed_rows_of_the_train_file(tmp_path):
    place = tmp_path / "transfer" / "en" / "MRPC"
    write(place / "train.tsv", [i % 2 for i in range(600)], "train")
    write(place / "test.tsv", [0, 1, 1], "test")
    own, again = tasks(tmp_path)["MRPC-pairs"]["test"](), tasks(tmp_path)["MRPC-pairs"]["test"]()
    assert (len(own.dev_gold), len(own.gold)) == (408, 3)
    assert own.data_sha == again.data_sha
    rows = [int(s.split()[1]) for s in own.sentences()[:408]]
    assert rows == sorted(set(rows))
    assert rows != list(range(408))
    assert rows[-1] > 500
    assert own.protocol.id == "pairs-mrpc-train408@1"
    write(place / "train.tsv", [i % 2 for i in range(408)], "train")
    with pytest.raises(DataError, match="has 408 pairs, expected more than the 408"):
        tasks(tmp_path)["MRPC-pairs"]["test"]()


def test_paws_is_halved_per_class_as_rise_does(tmp_path):
    labels = [int(i % 3 == 0) for i in range(41)]
    write(tmp_path / "other" / "en" / "PAWS-QQP" / "dev_and_test.tsv", labels)
    own = tasks(tmp_path)["PAWS-pairs"]["test"]()
    # the script of the paper, on rows instead of dicts
    generator = random.Random(42)
    shuffled = [{"label": label, "row": row} for row, label in enumerate(labels)]
    generator.shuffle(shuffled)
    dev = []
    for label in (0, 1):
        of = [item["row"] for item in shuffled if item["label"] == label]
        dev += of[: len(of) // 2]
    assert sorted(int(s.split()[1]) for s in own.sentences()[: len(own.dev_gold)]) == sorted(dev)
    assert len(own.dev_gold) + len(own.gold) == 41
    assert own.dev_gold.sum() == 7
    assert own.gold.sum() == 7
    assert {tuple(pair) for pair in own.pairs} == {(f"row {i} a", f"row {i} b") for i in range(41) if i not in dev}


def test_paws_with_too_few_pairs(tmp_path):
    write(tmp_path / "other" / "en" / "PAWS-QQP" / "dev_and_test.tsv", [0, 0, 0, 1])
    with pytest.raises(DataError, match="at least two pairs of each class"):
        tasks(tmp_path)["PAWS-pairs"]["test"]()


def test_qqp_is_read_where_it_is_and_a_skip_where_not(tmp_path):
    write(tmp_path / "other" / "en" / "PAWS-QQP" / "dev_and_test.tsv", [0, 1] * 4)
    absent = tasks(tmp_path)["QQP-pairs"]["test"]()
    result = evaluate(lambda texts: np.random.default_rng(0).normal(size=(len(texts), 3)), [absent])
    assert "other/en/QQP/dev.tsv and other/en/QQP/test.tsv (label<TAB>sentence1" in result.skipped["QQP-pairs"]
    write(tmp_path / "other" / "en" / "QQP" / "dev.tsv", [0, 1, 0], "dev")
    assert tasks(tmp_path)["QQP-pairs"]["test"]().sentences() == ()
    write(tmp_path / "other" / "en" / "QQP" / "test.tsv", [1, 0], "test")
    own = tasks(tmp_path)["QQP-pairs"]["test"]()
    assert own.sentences() == [f"dev {i} a" for i in range(3)] + ["test 0 a", "test 1 a"] + [
        f"dev {i} b" for i in range(3)
    ] + ["test 0 b", "test 1 b"]
    assert own.protocol.id == "pairs-qqp@1"


def test_a_bad_label_is_named_with_its_line(tmp_path):
    path = tmp_path / "other" / "en" / "PAWS-QQP" / "dev_and_test.tsv"
    write(path, [0, 1, 0, 1])
    path.write_text(path.read_text() + "2\ta\tb\n")
    with pytest.raises(DataError, match=r"dev_and_test\.tsv, line 5: the label is '2', expected one of 0, 1"):
        tasks(tmp_path)["PAWS-pairs"]["test"]()
