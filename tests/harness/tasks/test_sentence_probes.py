from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse
from sklearn.metrics import matthews_corrcoef

from harness.data import DataFolder
from harness.errors import DataError
from harness.protocols import TaskOptions
from harness.tasks import resolve
from harness.tasks.cola import C, matthews_correlation
from harness.tasks.sentence_probes import family


def write(path: Path, rows: list[tuple[str, ...]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def cola(folder: Path, **labels: list[int]):
    for stem, numbers in {"train": [0, 1] * 30, "dev": [1, 0] * 8, "dev_ood": [1, 1, 0, 1], **labels}.items():
        write(
            folder / "other" / "en" / "CoLA" / f"{stem}.tsv", [(str(n), f"{stem} {i}") for i, n in enumerate(numbers)]
        )
    return family(DataFolder(folder), "en", TaskOptions())


def cola_task(folder: Path, **labels: list[int]):
    return cola(folder, **labels).tasks["CoLA"]["dev"]()


def vectors(own, *, spread: float) -> np.ndarray:
    gold = np.concatenate([own.train_gold, own.gold])
    rng = np.random.default_rng(0)
    return (np.outer(gold, np.ones(4)) + spread * rng.normal(size=(len(gold), 4))).astype(np.float32)


# -- CoLA ----------------------------------------------------------------------------------------------------
@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=30))
def test_matthews_is_that_of_scikit_learn(rows):
    predicted, gold = np.array(rows).T
    found = matthews_correlation(predicted, gold)
    if found is None:
        assert len(set(predicted)) == 1 or len(set(gold)) == 1
    else:
        assert found == pytest.approx(100 * matthews_corrcoef(gold, predicted), abs=1e-9)


def test_the_classifier_is_a_softmax_over_two_classes_with_c_equal_to_1(tmp_path):
    """AugCSE's multinomial form, minimised by a general-purpose optimiser."""
    own = cola_task(tmp_path)
    v = vectors(own, spread=1.5)
    x, y = v[:60].astype(float), own.train_gold

    def loss(parameters: np.ndarray) -> float:
        w = parameters.reshape(2, 5)
        logits = x @ w[:, :4].T + w[:, 4]
        top = logits.max(axis=1)
        return float(
            (np.log(np.exp(logits - top[:, None]).sum(axis=1)) + top - logits[np.arange(60), y]).sum()
            + 0.5 * (w[:, :4] ** 2).sum()
        )

    w = optimize.minimize(loss, np.zeros(10), method="BFGS", options={"gtol": 1e-7}).x.reshape(2, 5)
    expected = (v[60:] @ w[:, :4].T + w[:, 4]).argmax(axis=1)
    margin = np.abs(np.diff(v[60:] @ w[:, :4].T + w[:, 4], axis=1)).ravel()
    result = own.score(v)
    clear = margin > 1e-3
    assert clear.sum() > 15
    np.testing.assert_array_equal(result.predictions[clear], expected[clear])
    assert C == 2.0


def test_scores_of_both_files_together_and_apart(tmp_path):
    own = cola_task(tmp_path)
    result = own.score(vectors(own, spread=1.0))
    right = result.predictions == own.gold
    values = {s.metric: s.value for s in result.scores}
    assert values["accuracy"] == pytest.approx(100 * right.mean())
    assert values["matthews"] == pytest.approx(100 * matthews_corrcoef(own.gold, result.predictions))
    assert [(s.part, s.items) for s in result.slices] == [("dev", 16), ("dev_ood", 4)]
    assert [s.value for s in result.slices] == pytest.approx([100 * right[:16].mean(), 100 * right[16:].mean()])
    assert result.groups == {"dev": 16, "dev_ood": 4}
    assert result.facts["larger_class"] == pytest.approx(55.0)
    np.testing.assert_array_equal(own.score(sparse.csr_matrix(vectors(own, spread=0.1))).predictions, own.gold)


def test_a_classifier_that_says_one_thing_only_has_no_matthews_correlation(tmp_path):
    own = cola_task(tmp_path, train=[1] * 59 + [0])
    v = np.random.default_rng(0).normal(size=(80, 2)).astype(np.float32) * 1e-4
    result = own.score(v)
    values = {s.metric: s.value for s in result.scores}
    assert values == {"accuracy": pytest.approx(55.0), "matthews": None}
    assert "Matthews' correlation is undefined" in result.notes[0]


@pytest.mark.parametrize("value", [1.0, np.nan])
def test_constant_and_nan_vectors(tmp_path, value):
    own = cola_task(tmp_path)
    assert [s.value for s in own.score(np.full((80, 3), value)).scores] == [None, None]
    with pytest.raises(ValueError, match="80 sentences, got 2"):
        own.score(np.ones((2, 3)))


def test_one_class_in_a_file_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"train\.tsv: all sentences have the label 1"):
        cola_task(tmp_path, train=[1, 1])
    with pytest.raises(DataError, match=r"dev\.tsv and dev_ood\.tsv of CoLA: all sentences have the label 0"):
        cola_task(tmp_path, dev=[0], dev_ood=[0, 0])


# -- ANLI ----------------------------------------------------------------------------------------------------
ROWS = [
    ("entailment", "p", "p e1"),
    ("entailment", "p", "p e2"),
    ("neutral", "p", "p n"),
    ("contradiction", "p", "p c"),
    ("entailment", "q", "q e"),
    ("neutral", "q", "q n"),
    ("contradiction", "r", "r c"),
]


def anli(folder: Path, rows: list[tuple[str, ...]] = ROWS):
    write(folder / "other" / "en" / "ANLI" / "r1_dev.tsv", rows)
    return family(DataFolder(folder), "en", TaskOptions()).tasks["ANLI"]["r1_dev"]()


def test_every_pair_of_hypotheses_of_a_premise_is_compared(tmp_path):
    own = anli(tmp_path)
    assert {tuple(pair) for pair in own.comparisons.tolist()} == {(0, 2), (0, 3), (1, 2), (1, 3), (4, 5)}
    # product with the premise (1): e1 3, e2 1, n 2, c 0, q e 5, q n 5 (equal), r c 1
    v = np.array([1] * 7 + [3, 1, 2, 0, 5, 5, 1], dtype=np.float32)[:, None]
    result = own.score(v)
    np.testing.assert_array_equal(result.predictions, [3, 1, 2, 0, 5, 5, 1])
    assert {s.metric: (s.value, s.items) for s in result.scores} == {
        "accuracy": (pytest.approx(60.0), 5),  # e2 < n and q's equal ones are wrong
        "accuracy-contradiction": (pytest.approx(100.0), 2),
    }
    assert result.facts == {"premises": 2.0}
    np.testing.assert_array_equal(own.score(sparse.csr_matrix(v)).predictions, result.predictions)


def test_the_product_is_not_a_cosine(tmp_path):
    own = anli(tmp_path)
    v = np.ones((14, 2), dtype=np.float32)
    v[7:9] *= 9  # longer, in the same direction
    assert own.score(v).scores[1].value == 100.0


def test_undefined_rankings(tmp_path):
    own = anli(tmp_path)
    for v in (np.ones((14, 2)), np.full((14, 2), np.nan)):
        assert [s.value for s in own.score(v.astype(np.float32)).scores] == [None, None]
    lonely = anli(tmp_path, [("entailment", "p", "a"), ("neutral", "p", "b"), ("contradiction", "q", "c")])
    result = lonely.score(np.random.default_rng(0).normal(size=(6, 2)).astype(np.float32))
    assert [s.value is None for s in result.scores] == [False, True]
    assert "no premise has both an entailed and a contradicted hypothesis" in result.notes[0]
    with pytest.raises(ValueError, match="14 sentences, got 1"):
        own.score(np.ones((1, 2)))


# -- the group -----------------------------------------------------------------------------------------------
def test_the_group_names_its_splits(tmp_path, monkeypatch):
    found = cola(tmp_path)
    assert list(found.default) == ["CoLA:dev", "ANLI:r1_dev", "ANLI:r3_dev"]
    monkeypatch.setattr(resolve, "names", lambda group: ["sentence-probes"])
    monkeypatch.setattr(resolve, "load", lambda group, name: family)
    tasks = resolve.resolve_tasks(["sentence-probes"], data=DataFolder(tmp_path), language="en")
    assert [task.id for task in tasks] == ["CoLA:dev", "ANLI:r1_dev", "ANLI:r3_dev"]
    assert "other/en/ANLI/*.tsv" in tasks[1].unavailable
