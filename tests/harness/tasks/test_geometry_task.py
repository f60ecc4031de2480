from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist

from harness.data import DataFolder, ScoredPairs
from harness.protocols import TaskOptions
from harness.tasks.geometry import GeometryTask, family
from harness.tasks.sts import STSTask

PAIRS = (("a", "b"), ("c", "d"), ("a", "e"), ("f", "c"))
GOLD = np.array([5.0, 4.0, 4.2, 1.0])


@pytest.fixture
def task():
    return GeometryTask(STSTask("Own", {"test": ScoredPairs(GOLD, PAIRS)}, language="en"))


def vectors(task, *, zero="", seed=0):
    """One vector per text, the same wherever it stands; that of `zero` is 0."""
    rng = np.random.default_rng(seed)
    of = {text: rng.normal(size=4) * (text != zero) for text in sorted(set(task.sentences()))}
    return np.array([of[text] for text in task.sentences()], dtype=np.float32)


def values(result):
    return {score.metric: (score.value, score.items) for score in result.scores}


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_measures_by_hand(task, kind):
    made = vectors(task)
    result = task.score(kind(made))
    of = dict(zip(task.sentences(), made.astype(np.float64), strict=True))
    unit = {text: vector / np.linalg.norm(vector) for text, vector in of.items()}
    found = values(result)
    # pairs above 4, not those at 4
    aligned = [np.sum((unit[a] - unit[b]) ** 2) for a, b in (PAIRS[0], PAIRS[2])]
    assert found["alignment"] == (pytest.approx(np.mean(aligned)), 2)
    # six different sentences, each once
    assert found["uniformity"] == (pytest.approx(np.log(np.exp(-2 * pdist(list(unit.values())) ** 2).mean())), 6)
    cosines = [unit[a] @ unit[b] for a in unit for b in unit if a < b]
    assert found["anisotropy"] == (pytest.approx(np.mean(cosines)), 6)
    assert 1 <= found["effective-rank"][0] <= 4
    assert result.notes == ()
    assert result.groups == {"test": 4}
    distances = [np.sum((unit[a] - unit[b]) ** 2) for a, b in PAIRS]
    np.testing.assert_allclose(result.predictions, distances, atol=1e-6)
    assert np.mean(result.predictions[task.gold > 4]) == pytest.approx(found["alignment"][0], rel=1e-6)


def test_vectors_of_zeros_are_left_out_and_mentioned(task):
    result = task.score(vectors(task, zero="b"))
    found = values(result)
    assert found["alignment"][1] == 1
    assert found["uniformity"][1] == 5
    assert result.notes == ("1 of 6 sentences have a vector of zeros and are left out, and with them 1 of 4 pairs",)


def test_no_vector_at_all_is_undefined_and_not_zero(task):
    result = task.score(np.zeros((8, 3), dtype=np.float32))
    assert [score.value for score in result.scores] == [None] * 4
    assert "alignment is undefined" in result.notes[1]


def test_a_set_without_close_pairs_has_no_alignment():
    binary = GeometryTask(STSTask("Own", {"test": ScoredPairs(np.array([0.0, 1.0]), PAIRS[:2])}, language="zh"))
    found = values(binary.score(vectors(binary)))
    assert found["alignment"] == (None, 0)
    assert found["uniformity"][0] is not None


def test_a_wrong_number_of_vectors_is_refused(task):
    with pytest.raises(ValueError, match="8 sentences, got 3 vectors"):
        task.score(np.ones((3, 2)))


def test_the_family_has_a_task_beside_every_set(tmp_path):
    for name, splits in {"STS-B": ("dev", "test"), "Other": ("test",)}.items():
        (tmp_path / "sts" / "de" / name).mkdir(parents=True)
        for split in splits:
            (tmp_path / "sts" / "de" / name / f"{split}.tsv").write_text("5\ta\tb\n1\tc\td\n")
    found = family(DataFolder(tmp_path), "de", TaskOptions(relatedness="regressor"))
    assert {name: list(splits) for name, splits in found.tasks.items()} == {
        "STS-B-geometry": ["dev", "test"],
        "Other-geometry": ["test"],
    }
    assert list(found.default) == ["STS-B-geometry", "STS-B-geometry:dev"]
    dev = found.tasks["STS-B-geometry"]["dev"]()
    assert (dev.id, dev.language, len(dev.pairs)) == ("STS-B-geometry:dev", "de", 2)
    assert dev.protocol.id == "geometry@1"
    assert family(DataFolder(tmp_path), "fr", TaskOptions()).default == []
    assert "STS-B-geometry" in family(DataFolder(tmp_path), "en", TaskOptions()).known
