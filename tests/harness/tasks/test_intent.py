from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from harness.data import DataFolder
from harness.data.labelled import Labelled
from harness.errors import DataError
from harness.protocols import TaskOptions
from harness.tasks.intent import OFFICIAL, SHOTS, IntentTask, draw, family


def labelled(name: str, classes: int, each: int) -> Labelled:
    rows = [(f"c{c}", (f"{name} {c} {i}",)) for i in range(each) for c in range(classes)]
    return Labelled(tuple(label for label, _ in rows), tuple(text for _, text in rows))


def task(*, shots: int = 5, classes: int = 3, each: int = 14, name: str = "Own") -> IntentTask:
    return IntentTask(name, labelled("pool", classes, each), labelled("test", classes, 8), shots=shots, language="en")


def vectors(own: IntentTask, *, spread: float, scale: float = 1.0, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    classes = np.array([int(text.split()[1]) for text in own.sentences()])
    centres = rng.normal(size=(len(own.classes), 6))
    return (scale * (centres[classes] + spread * rng.normal(size=(len(classes), 6)))).astype(np.float32)


# -- splits --------------------------------------------------------------------------------------------------
@given(sizes=st.lists(st.integers(6, 30), min_size=2, max_size=5), split=st.integers(0, 4), seed=st.integers(0, 99))
def test_a_split_holds_shots_rows_per_class_and_none_twice(sizes, split, seed):
    numbers = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    names = tuple(f"c{i}" for i in range(len(sizes)))
    train, dev = draw(numbers, "Own", split, shots=5, classes=names)
    assert not set(train) & set(dev)
    assert len(set(train)) == len(train)
    np.testing.assert_array_equal(np.bincount(numbers[train], minlength=len(sizes)), 5)
    np.testing.assert_array_equal(np.bincount(numbers[dev], minlength=len(sizes)), np.minimum(5, np.array(sizes) - 5))


def test_splits_are_fixed_differ_and_grow_with_the_shots():
    numbers = np.repeat([0, 1], 50)
    drawn = [draw(numbers, "Own", split, shots=5, classes=("a", "b"))[0] for split in range(5)]
    again = [draw(numbers, "Own", split, shots=5, classes=("a", "b"))[0] for split in range(5)]
    np.testing.assert_array_equal(drawn, again)
    assert len({tuple(sorted(rows)) for rows in drawn}) == 5
    for split in range(5):
        assert set(drawn[split]) < set(draw(numbers, "Own", split, shots=20, classes=("a", "b"))[0])
    # recorded here so that a change of the splits cannot go unseen: scores of other splits are another protocol
    assert drawn[0].tolist() == [28, 24, 11, 15, 19, 69, 70, 75, 62, 53]


def test_a_class_without_a_row_to_validate_on_is_refused():
    with pytest.raises(DataError, match="Own: the class 'c0' has 5 training and validation rows, expected more than 5"):
        task(each=5)


def test_a_class_with_few_rows_is_mentioned():
    assert task(each=10).notes == ()
    (note,) = task(each=9, classes=2).notes
    assert "fewer than 10 rows" in note
    assert "c0 (9 rows), c1 (9 rows)" in note


# -- the task ------------------------------------------------------------------------------------------------
def test_only_the_rows_of_the_splits_and_the_test_rows_are_encoded():
    own = task(each=200)
    assert len(own.sentences()) <= 3 * 5 * 10 + 24
    assert own.sentences()[-24:] == [f"test {c} {i}" for i in range(8) for c in range(3)]
    for split in range(5):
        for rows in (own.train[split], own.dev[split]):
            texts = [own.sentences()[row] for row in rows]
            assert [f"c{text.split()[1]}" for text in texts] == [own.classes[own.pool_gold[row]] for row in rows]


def test_scores_are_the_means_of_the_splits_and_follow_from_the_predictions():
    own = task()
    result = own.score(vectors(own, spread=1.2, scale=10))
    each = 100 * (result.predictions == own.gold).reshape(5, -1).mean(axis=1)
    (score,) = result.scores
    assert score.value == pytest.approx(each.mean())
    assert score.items == 24
    assert result.groups == {f"split {i}": 24 for i in range(1, 6)}
    assert result.facts["accuracy_std"] == pytest.approx(each.std(ddof=1))
    assert [result.facts[f"accuracy_split_{i}"] for i in range(1, 6)] == pytest.approx(list(each))
    assert {result.facts[f"iteration_split_{i}"] for i in range(1, 6)} <= set(range(100, 1001, 100))


def test_separable_intents_are_learnt_and_runs_agree():
    own = task()
    v = vectors(own, spread=0.01, scale=10)
    first, again, csr = own.score(v), own.score(v), own.score(sparse.csr_matrix(v))
    assert first.scores[0].value == 100.0
    np.testing.assert_array_equal(first.predictions, again.predictions)
    np.testing.assert_array_equal(first.predictions, csr.predictions)


@pytest.mark.parametrize("value", [1.0, np.nan, np.inf])
def test_constant_and_undefined_vectors(value):
    own = task()
    result = own.score(np.full((len(own.sentences()), 3), value, dtype=np.float32))
    assert [s.value for s in result.scores] == [None]
    assert len(result.predictions) == len(own.gold)
    assert result.notes[-1].startswith("undefined: ")


def test_wrong_number_of_vectors():
    with pytest.raises(ValueError, match="sentences, got 2 vectors"):
        task().score(np.zeros((2, 3)))


# -- files ---------------------------------------------------------------------------------------------------
def write(folder: Path, name: str, **files: Labelled) -> Path:
    place = folder / "intent" / "en" / name
    place.mkdir(parents=True)
    for stem, data in files.items():
        lines = [f"{label}\t{text[0]}\n" for label, text in zip(data.labels, data.texts, strict=True)]
        (place / f"{stem}.tsv").write_text("".join(lines), encoding="utf-8")
    return place


def test_train_and_dev_are_merged_and_out_of_scope_rows_are_not_read(tmp_path):
    write(
        tmp_path,
        "CLINC150",
        train=labelled("train", 3, 4),
        dev=labelled("dev", 3, 3),
        test=labelled("test", 3, 2),
        oos_test=labelled("oos", 1, 2),
    )
    found = family(DataFolder(tmp_path), "en", TaskOptions())
    own = found.tasks["CLINC150-5shot"]["test"]()
    assert any(text.startswith("dev") for text in own.sentences())
    assert not any(text.startswith("oos") for text in own.sentences())
    assert own.notes[0] == "3 intents, the official set 150: not comparable"
    assert "oos_test.tsv" in own.notes[1]
    assert len(found.default) == len(OFFICIAL) * len(SHOTS)
    assert "intent/en/BANKING77/train.tsv" in found.tasks["BANKING77-20shot"]["test"]().unavailable
    with pytest.raises(DataError, match="expected more than 10"):
        found.tasks["CLINC150-10shot"]["test"]()


def test_what_is_wrong_with_a_set_is_said(tmp_path):
    write(tmp_path, "NoTest", train=labelled("train", 2, 20))
    write(tmp_path, "One", train=labelled("train", 1, 20), test=labelled("test", 1, 2))
    write(tmp_path, "Unknown", train=labelled("train", 2, 20), test=labelled("test", 3, 2))
    tasks = family(DataFolder(tmp_path), "en", TaskOptions()).tasks
    with pytest.raises(DataError, match=r"NoTest lacks test\.tsv"):
        tasks["NoTest-5shot"]["test"]()
    with pytest.raises(DataError, match=r"train\.tsv has one class only, 'c0'"):
        tasks["One-5shot"]["test"]()
    with pytest.raises(DataError, match=r"test\.tsv, line 3: the label is 'c2'"):
        tasks["Unknown-5shot"]["test"]()


def test_protocols_of_different_shots_differ(tmp_path):
    write(tmp_path, "Own", train=labelled("train", 2, 50), test=labelled("test", 2, 2))
    tasks = family(DataFolder(tmp_path), "en", TaskOptions()).tasks
    own = [tasks[f"Own-{shots}shot"]["test"]() for shots in SHOTS]
    assert len({str(t.protocol.fingerprint()) for t in own}) == 3
    assert len({t.data_sha for t in own}) == 1
