from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from harness.data import DataFolder
from harness.errors import Skipped
from harness.evaluation.evaluator import evaluate
from harness.protocols import Protocol, TaskOptions
from harness.tasks import clustering, intent, neighbourhood, nli, pairs, sentence_probes
from harness.tasks.absent import AbsentTask, with_absent
from harness.tasks.common import check_rows, numbered, row_products, undefined, unusable
from harness.tasks.resolve import Family

FAMILIES = {
    "clustering": clustering.family,
    "neighbourhood": neighbourhood.family,
    "intent": intent.family,
    "pairs": pairs.family,
    "nli": nli.family,
    "sentence-probes": sentence_probes.family,
}
PROTOCOL = Protocol("some", 1, text="original")


def test_classes_are_numbered_in_sorted_order():
    names, numbers = numbered(["b", "a", "b", "c"])
    assert names == ("a", "b", "c")
    np.testing.assert_array_equal(numbers, [1, 0, 1, 2])


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_matrix])
def test_what_cannot_be_used_is_named(as_matrix):
    good = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert unusable(as_matrix(good)) is None
    bad = good.copy()
    bad[1, 2], bad[3, 0], bad[3, 1] = np.nan, np.inf, -np.inf
    assert unusable(as_matrix(bad)) == "2 of 4 vectors hold NaN or infinity"
    assert unusable(as_matrix(np.tile(good[1:2], (5, 1)))) == "all 5 vectors are the same"
    assert unusable(as_matrix(np.zeros((5, 3), dtype=np.float32))) == "all 5 vectors are the same"


@settings(max_examples=30)
@given(n=st.integers(1, 40), d=st.integers(1, 5), chunk=st.integers(1, 7), seed=st.integers(0, 99))
def test_row_products_are_the_diagonal_of_the_product(n, d, chunk, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n, d)).astype(np.float32)
    expected = np.diag(a.astype(np.float64) @ b.astype(np.float64).T)
    np.testing.assert_allclose(row_products(a, b, chunk=chunk), expected, atol=1e-12)
    np.testing.assert_allclose(
        row_products(sparse.csr_matrix(a), sparse.csr_matrix(b), chunk=chunk), expected, atol=1e-12
    )


def test_wrong_number_of_rows():
    with pytest.raises(ValueError, match="X has 3 sentences, got 2 vectors"):
        check_rows("X", np.zeros((2, 2)), 3)


def test_undefined_is_none_with_its_reason_and_never_a_number():
    result = undefined("why", {"accuracy": 3, "f1": 2}, items=3, groups={"all": 3}, notes=["before"])
    assert [(s.metric, s.value, s.items) for s in result.scores] == [("accuracy", None, 3), ("f1", None, 2)]
    assert np.isnan(result.predictions).all()
    assert result.notes == ("before", "undefined: why")


def test_an_absent_task_is_skipped_with_its_reason():
    task = AbsentTask("QQP", "test", PROTOCOL, ("f1", "all"), language="en", reason="not here")
    result = evaluate(lambda texts: np.zeros((len(texts), 2)), [task])
    assert (result.skipped, result.results, result.value("QQP")) == ({"QQP": "not here"}, {}, None)
    with pytest.raises(Skipped, match="not here"):
        task.inspect(None)


def test_absent_splits_of_one_name_stay_apart_and_present_names_untouched():
    present = {"A": {"dev": lambda: None}}
    found = with_absent(
        present,
        ["A:test", "B:one", "B:two", "C"],
        expected=lambda name: f"place of {name}",
        protocol=lambda name: PROTOCOL,
        main=lambda name: ("f1", "all"),
        language="en",
    )
    assert {name: list(splits) for name, splits in found.items()} == {
        "A": ["dev"],
        "B": ["one", "two"],
        "C": ["test"],
    }
    assert found["B"]["two"]().id == "B:two"
    with pytest.raises(Skipped, match="C is not at hand: the data folder has no place of C"):
        found["C"]["test"]().inspect(None)


def test_the_reason_of_a_skip_names_the_folder_but_no_path(tmp_path):
    folder = tmp_path / "mine"
    (folder / "other" / "en" / "SNLI").mkdir(parents=True)
    (folder / "other" / "en" / "SNLI" / "test.tsv").write_text("neutral\ta\tb\n", encoding="utf-8")
    reason = nli.family(DataFolder(folder), "en", TaskOptions()).tasks["MNLI-distances"]["dev_matched"]().unavailable
    assert "the data folder 'mine' has no other/en/MNLI/*.tsv" in reason
    assert str(tmp_path) not in reason


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_folder_without_such_tasks_lists_none(tmp_path, name, language):
    (tmp_path / "sts").mkdir()
    found: Family = FAMILIES[name](DataFolder(tmp_path), language, TaskOptions())
    assert (found.tasks, list(found.default)) == ({}, [])
    assert bool(found.known) == (language == "en")


def test_no_two_families_claim_one_name(tmp_path):
    (tmp_path / "sts").mkdir()
    known = [n for family in FAMILIES.values() for n in family(DataFolder(tmp_path), "en", TaskOptions()).known]
    assert len(set(known)) == len(known)
    assert "MRPC" not in known  # the probing task of that name


def test_modules_load_neither_torch_nor_sklearn():
    import subprocess
    import sys

    names = "clustering, neighbourhood, intent, pairs, nli, sentence_probes, cola, anli"
    code = (
        f"import sys; from harness.tasks import {names}; assert not {{'torch', 'sklearn', 'pandas'}} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
