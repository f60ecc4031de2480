from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import roc_auc_score

from harness.data import DataFolder
from harness.errors import DataError
from harness.protocols import TaskOptions
from harness.tasks.nli import auc, family
from harness.tasks.nli_data import CLASSES, InferencePairs

LABELS = ["entailment", "neutral", "contradiction"]


def write(path: Path, labels: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{label}\tpremise {i}\thypothesis {i}\n" for i, label in enumerate(labels)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def snli(tmp_path: Path, rows: int = 30):
    write(tmp_path / "other" / "en" / "SNLI" / "test.tsv", [LABELS[i % 3] for i in range(rows)])
    return family(DataFolder(tmp_path), "en", TaskOptions())


values = st.lists(st.integers(-5, 5), min_size=1, max_size=20)


@settings(max_examples=30)
@given(values, values)
def test_auc_is_that_of_scikit_learn(first, second):
    gold = [1] * len(first) + [0] * len(second)
    assert auc(np.array(first), np.array(second)) == pytest.approx(roc_auc_score(gold, first + second), abs=1e-12)


def test_scores_and_distributions(tmp_path):
    own = snli(tmp_path).tasks["SNLI-distances"]["test"]()
    v = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    result = own.score(v)
    unit = v / np.linalg.norm(v, axis=1, keepdims=True)
    cosines = (unit[:30] * unit[30:]).sum(axis=1)
    np.testing.assert_allclose(result.predictions, cosines, atol=1e-6)
    of = {name: result.predictions[np.arange(30) % 3 == i].astype(float) for i, name in enumerate(LABELS)}
    for a, b in (("entailment", "contradiction"), ("entailment", "neutral"), ("neutral", "contradiction")):
        score = next(s for s in result.scores if s.metric == f"auc-{a}-{b}")
        expected = np.mean([(x > y) + 0.5 * (x == y) for x in of[a] for y in of[b]])
        assert score.value == pytest.approx(100 * expected)
        assert score.items == 20
    for name in LABELS:
        assert result.facts[f"mean_{name}"] == pytest.approx(of[name].mean())
        assert result.facts[f"median_{name}"] == pytest.approx(np.median(of[name]))
        assert result.facts[f"q25_{name}"] <= result.facts[f"q75_{name}"]
    assert own.main in {(s.metric, s.aggregation) for s in result.scores}
    np.testing.assert_allclose(own.score(sparse.csr_matrix(v)).predictions, result.predictions, atol=1e-6)


def test_undefined_similarities(tmp_path):
    own = snli(tmp_path).tasks["SNLI-distances"]["test"]()
    assert [s.value for s in own.score(np.ones((60, 3), dtype=np.float32)).scores] == [None] * 3
    v = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    v[7] = 0
    assert "1 of 30 similarities were undefined" in own.score(v).notes[0]
    with pytest.raises(ValueError, match="60 sentences, got 3"):
        own.score(v[:3])


def test_rows_without_a_label_are_left_out_and_counted(tmp_path):
    path = write(tmp_path / "other" / "en" / "MNLI" / "dev_matched.tsv", [*LABELS, "-", "neutral"])
    data = InferencePairs(path)
    assert (len(data), data.dropped) == (4, 1)
    assert data.premises == ["premise 0", "premise 1", "premise 2", "premise 4"]
    assert [CLASSES[g] for g in data.gold] == [*LABELS, "neutral"]
    found = family(DataFolder(tmp_path), "en", TaskOptions())
    own = found.tasks["MNLI-distances"]["dev_matched"]()
    assert (own.id, own.notes) == ("MNLI-distances:dev_matched", ("pairs without a label (`-`) are left out: 1",))


def test_what_is_wrong_with_a_file_is_said(tmp_path):
    with pytest.raises(DataError, match="line 2: the label is 'maybe'"):
        InferencePairs(write(tmp_path / "a.tsv", ["entailment", "maybe"]))
    with pytest.raises(DataError, match=r"b\.tsv has no pair of class neutral and contradiction"):
        InferencePairs(write(tmp_path / "b.tsv", ["entailment", "-"]))


def test_sets_that_are_not_there_are_skips_in_the_group(tmp_path):
    found = snli(tmp_path)
    assert list(found.default) == [
        "SNLI-distances",
        "MNLI-distances:dev_matched",
        "ANLI-distances:r1_dev",
        "ANLI-distances:r3_dev",
    ]
    assert "other/en/MNLI/*.tsv" in found.tasks["MNLI-distances"]["dev_matched"]().unavailable
    assert found.tasks["ANLI-distances"]["r3_dev"]().id == "ANLI-distances:r3_dev"
