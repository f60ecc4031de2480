from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from harness.data import DataFolder
from harness.data.labelled import Labelled
from harness.errors import DataError
from harness.protocols import TaskOptions
from harness.tasks.clustering import OFFICIAL, ClusteringTask, family, kmeans, match_clusters

CLASSES = ("x", "y", "z")


def task(items: int = 60, classes: tuple[str, ...] = CLASSES) -> ClusteringTask:
    labels = tuple(classes[i % len(classes)] for i in range(items))
    return ClusteringTask("Own", Labelled(labels, tuple((f"text {i}",) for i in range(items))), language="en")


def blobs(own: ClusteringTask, *, spread: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(len(own.classes), 5))
    return (centres[own.gold] + spread * rng.normal(size=(len(own.gold), 5))).astype(np.float32)


def score(result, metric: str) -> float | None:
    return next(s.value for s in result.scores if s.metric == metric)


# -- matching ------------------------------------------------------------------------------------------------
@st.composite
def assignments(draw, most: int = 5):
    k = draw(st.integers(1, most))
    n = draw(st.integers(1, 30))
    numbers = st.lists(st.integers(0, k - 1), min_size=n, max_size=n)
    return k, np.array(draw(numbers)), np.array(draw(numbers)), draw(st.permutations(range(k)))


@given(assignments())
def test_accuracy_does_not_depend_on_the_names_of_clusters(case):
    k, found, gold, permutation = case
    renamed = np.array(permutation)[found]
    agree = (match_clusters(found, gold, k) == gold).sum()
    assert (match_clusters(renamed, gold, k) == gold).sum() == agree
    # renaming the classes themselves changes nothing either, and a perfect clustering under other names is perfect
    other = np.array(permutation)[gold]
    assert (match_clusters(found, other, k) == other).sum() == agree
    assert (match_clusters(other, gold, k) == gold).all()


@settings(max_examples=40)
@given(assignments(most=4))
def test_no_other_matching_agrees_more(case):
    from itertools import permutations

    k, found, gold, _ = case
    best = max((np.array(p)[found] == gold).sum() for p in permutations(range(k)))
    assert (match_clusters(found, gold, k) == gold).sum() == best


# -- the task ------------------------------------------------------------------------------------------------
def test_scores_are_the_means_of_ten_scikit_learn_runs():
    own = task()
    v = blobs(own, spread=0.9)
    result = own.score(v)
    accuracies, nmi = [], []
    for state in range(10):
        found = KMeans(3, n_init=10, random_state=state).fit_predict(v)
        accuracies.append(100 * np.mean(match_clusters(found, own.gold, 3) == own.gold))
        nmi.append(100 * normalized_mutual_info_score(own.gold, found))
    assert score(result, "accuracy") == pytest.approx(np.mean(accuracies), abs=1e-9)
    assert score(result, "nmi") == pytest.approx(np.mean(nmi), abs=1e-9)
    assert result.facts["accuracy_std"] == pytest.approx(np.std(accuracies, ddof=1), abs=1e-9)
    assert [result.facts[f"accuracy_state_{s}"] for s in range(10)] == pytest.approx(accuracies)
    assert 100 * np.mean(result.predictions == own.gold) == pytest.approx(accuracies[0])


def test_well_separated_classes_are_found():
    own = task()
    result = own.score(blobs(own, spread=0.01))
    assert (score(result, "accuracy"), score(result, "nmi")) == (100.0, pytest.approx(100.0))
    np.testing.assert_array_equal(result.predictions, own.gold)
    assert result.facts["largest_class"] == pytest.approx(100 / 3)


def test_the_same_vectors_give_the_same_result_and_sparse_ones_too():
    own = task()
    v = blobs(own, spread=0.7)
    first, again, csr = own.score(v), own.score(v), own.score(sparse.csr_matrix(v))
    assert first.facts == again.facts
    np.testing.assert_array_equal(first.predictions, again.predictions)
    assert score(csr, "accuracy") == pytest.approx(score(first, "accuracy"), abs=5)


def test_vectors_are_not_normalised():
    own = task()
    rng = np.random.default_rng(1)
    v = (rng.normal(size=(60, 4)) * 0.01 + 1) * (1 + own.gold[:, None])  # classes differ in length only
    assert score(own.score(v.astype(np.float32)), "accuracy") == 100.0


def test_fewer_different_vectors_than_clusters_are_undefined():
    own = task()
    v = np.tile(np.eye(2, dtype=np.float32), (30, 1))
    result = own.score(v)
    assert [s.value for s in result.scores] == [None, None]
    assert "fewer than 3 different vectors" in result.notes[0]


@pytest.mark.parametrize("value", [1.0, np.nan])
def test_constant_and_nan_vectors_are_undefined(value):
    result = task().score(np.full((60, 4), value, dtype=np.float32))
    assert [s.value for s in result.scores] == [None, None]
    assert result.notes[0].startswith("undefined: ")


def test_wrong_number_of_vectors():
    with pytest.raises(ValueError, match="60 sentences, got 59"):
        task().score(np.zeros((59, 2)))


def test_kmeans_gives_one_run_per_state():
    runs = kmeans(blobs(task(), spread=1.0), 3)
    assert [run.shape for run in runs] == [(60,)] * 10


# -- files ---------------------------------------------------------------------------------------------------
def write(folder: Path, name: str, lines: list[str], language: str = "en") -> Path:
    path = folder / "clustering" / language / f"{name}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_sets_of_a_folder_and_absent_ones(tmp_path):
    write(tmp_path, "Tweet", ["1\ta", "2\tb", "1\tc"])
    write(tmp_path, "Mine", ["1\ta", "2\tb"])
    found = family(DataFolder(tmp_path), "en", TaskOptions())
    assert list(found.default) == list(OFFICIAL)
    tweet, agnews = found.tasks["Tweet"]["test"](), found.tasks["AgNews"]["test"]()
    assert tweet.notes == ("3 texts in 2 classes, the official set 2472 in 89: not comparable",)
    assert "clustering/en/AgNews.tsv" in agnews.unavailable
    assert found.tasks["Mine"]["test"]().notes == ()
    assert tweet.data_sha != found.tasks["Mine"]["test"]().data_sha


def test_other_languages_and_own_sets_stand_for_themselves(tmp_path):
    write(tmp_path, "Tweet", ["1\ta", "2\tb"], "zh")
    found = family(DataFolder(tmp_path), "zh", TaskOptions())
    assert (list(found.default), list(found.tasks), list(found.known)) == (["Tweet"], ["Tweet"], [])
    assert found.tasks["Tweet"]["test"]().notes == ()


def test_a_file_with_one_class_and_a_folder_of_splits_are_refused(tmp_path):
    write(tmp_path, "One", ["1\ta", "1\tb"])
    write(tmp_path, "Split/train", ["1\ta", "2\tb"])
    tasks = family(DataFolder(tmp_path), "en", TaskOptions()).tasks
    with pytest.raises(DataError, match=r"One\.tsv has one class only, '1'"):
        tasks["One"]["test"]()
    with pytest.raises(DataError, match=r"Split is a folder with train\.tsv"):
        tasks["Split"]["test"]()


def test_a_malformed_line_is_named(tmp_path):
    write(tmp_path, "Bad", ["1\ta", "2 b"])
    with pytest.raises(DataError, match=r"Bad\.tsv, line 2"):
        family(DataFolder(tmp_path), "en", TaskOptions()).tasks["Bad"]["test"]()
