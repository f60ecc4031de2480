from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats

from harness.data import DataFolder, ScoredPairs
from harness.errors import DataError
from harness.protocols import TaskOptions
from harness.tasks.sts import OFFICIAL_SUBSETS, SEVEN, STSTask, cosine, family


def task(*sizes: int, constant: bool = False) -> STSTask:
    rng = np.random.default_rng(3)
    blocks = {
        f"part{i}": ScoredPairs(
            np.full(n, 2.0) if constant else np.round(rng.uniform(0, 5, n), 1),
            tuple((f"{i} {j} first", f"{i} {j} second") for j in range(n)),
        )
        for i, n in enumerate(sizes)
    }
    return STSTask("Own", blocks, language="en")


def vectors(items: int, dimensions: int = 6, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(2 * items, dimensions)).astype(np.float32)


def by_hand(a: np.ndarray, b: np.ndarray) -> float:
    dot = sum(float(x) * float(y) for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(float(x) ** 2 for x in a)) / math.sqrt(sum(float(y) ** 2 for y in b))


def test_predictions_are_the_cosines_of_the_pairs():
    own, v = task(5, 9), vectors(14)
    assert own.sentences()[0] == "0 0 first"
    assert own.sentences()[14] == "0 0 second"
    result = own.score(v)
    assert result.predictions.dtype == np.float32
    expected = [by_hand(v[i], v[14 + i]) for i in range(14)]
    np.testing.assert_allclose(result.predictions, expected, atol=1e-6)
    assert result.groups == {"part0": 5, "part1": 9}
    assert result.notes == ()


def test_aggregations():
    own, v = task(20, 60, 10), vectors(90)
    result = own.score(v)
    scores = {(s.metric, s.aggregation): s for s in result.scores}
    assert len(scores) == 6
    assert all(s.items == 90 for s in scores.values())
    assert own.main in scores
    for metric, function in (("spearman", stats.spearmanr), ("pearson", stats.pearsonr)):
        parts = [100 * function(own.gold[a:b], result.predictions[a:b])[0] for a, b in ((0, 20), (20, 80), (80, 90))]
        assert scores[metric, "all"].value == pytest.approx(100 * function(own.gold, result.predictions)[0], abs=1e-6)
        assert scores[metric, "mean"].value == pytest.approx(sum(parts) / 3, abs=1e-6)
        weighted = (20 * parts[0] + 60 * parts[1] + 10 * parts[2]) / 90
        assert scores[metric, "wmean"].value == pytest.approx(weighted, abs=1e-6)


def test_a_set_without_subsets_has_no_means():
    assert {s.aggregation for s in task(12).score(vectors(12)).scores} == {"all"}


@given(items=st.integers(2, 30), dimensions=st.integers(1, 8), seed=st.integers(0, 1000), empty=st.floats(0, 1))
def test_sparse_vectors_score_like_dense_ones(items, dimensions, seed, empty):
    v = vectors(items, dimensions, seed)
    v[np.random.default_rng(seed + 1).random(v.shape) < empty] = 0
    own = task(items)
    dense, csr = own.score(v), own.score(sparse.csr_matrix(v))
    np.testing.assert_allclose(dense.predictions, csr.predictions, atol=1e-6)
    assert dense.notes == csr.notes


def test_zero_and_nan_vectors_count_as_similarity_zero_and_are_mentioned():
    own, v = task(10), vectors(10)
    v[3] = 0
    v[17] = np.nan
    result = own.score(v)
    assert result.predictions[3] == 0
    assert result.predictions[7] == 0
    assert np.isfinite(result.predictions).all()
    assert "2 of 10 similarities were undefined" in result.notes[0]
    assert all(s.value is not None for s in result.scores)


def test_constant_vectors_are_undefined_and_not_zero():
    own = task(4, 6)
    result = own.score(np.tile(vectors(1)[:1], (20, 1)))
    np.testing.assert_array_equal(result.predictions, 1)
    assert [s.value for s in result.scores] == [None] * 6
    assert "undefined" in result.notes[0]


def test_one_constant_subset_leaves_only_the_concatenation():
    own, v = task(4, 6), vectors(10)
    v[:4], v[10:14] = 1, 1
    values = {s.aggregation: s.value for s in own.score(v).scores if s.metric == "spearman"}
    assert values["all"] is not None
    assert (values["mean"], values["wmean"]) == (None, None)


def test_all_equal_gold_scores_are_undefined():
    assert task(10, constant=True).score(vectors(10)).scores[0].value is None


def test_cosine_of_equal_vectors_is_exactly_one():
    v = vectors(500)
    values, undefined = cosine(v, v)
    np.testing.assert_array_equal(values, 1.0)
    assert undefined == 0


def test_long_inputs_are_chunked_without_a_seam():
    v = vectors(5000, 3)
    values, _ = cosine(v[:5000], v[5000:])
    for i in (0, 4095, 4096, 4999):
        assert values[i] == pytest.approx(by_hand(v[i], v[5000 + i]), abs=1e-12)


def test_wrong_number_of_vectors():
    with pytest.raises(ValueError, match="20 sentences, got 19"):
        task(10).score(vectors(10)[:-1])


# -- files ---------------------------------------------------------------------------------------------------
def fill(folder: Path, name: str, stems: dict[str, int], language: str = "en") -> Path:
    rng, place = random.Random(name), folder / "sts" / language / name
    place.mkdir(parents=True, exist_ok=True)
    for stem, rows in stems.items():
        lines = [f"{rng.randint(10, 50) / 10}\t{stem} {i} a\t{stem} {i} b\n" for i in range(rows)]
        (place / f"{stem}.tsv").write_text("".join(lines), encoding="utf-8")
    return place


def read(folder: Path, name: str, split: str = "test", language: str = "en", text: str = "original") -> STSTask:
    return family(DataFolder(folder), language, TaskOptions(text=text)).tasks[name][split]()  # type: ignore[return-value]


def test_official_subsets_are_read_in_the_official_order(tmp_path):
    order = list(OFFICIAL_SUBSETS["STS12"])
    fill(tmp_path, "STS12", dict.fromkeys(order, 3))
    sts12 = read(tmp_path, "STS12")
    assert order != sorted(order)
    assert list(sts12.groups) == order
    assert sts12.pairs[3] == ("MSRvid 0 a", "MSRvid 0 b")
    assert any("MSRpar has 3 pairs, the official set 750" in note for note in sts12.notes)
    assert sts12.score(vectors(15)).notes == sts12.notes


def test_a_missing_official_subset_is_refused_by_name(tmp_path):
    fill(tmp_path, "STS16", {s: 3 for s in OFFICIAL_SUBSETS["STS16"] if s != "plagiarism"})
    with pytest.raises(DataError, match=r"STS16 is incomplete: .* lacks plagiarism\.tsv"):
        read(tmp_path, "STS16")


def test_an_additional_file_is_not_read_and_mentioned(tmp_path):
    fill(tmp_path, "STS13", dict.fromkeys([*OFFICIAL_SUBSETS["STS13"], "SMT"], 3))
    sts13 = read(tmp_path, "STS13")
    assert len(sts13.pairs) == 9
    assert any("SMT.tsv" in note for note in sts13.notes)


def test_official_row_counts_raise_no_note(tmp_path):
    fill(tmp_path, "STS13", dict(OFFICIAL_SUBSETS["STS13"]))
    assert read(tmp_path, "STS13").notes == ()


def test_splits_and_own_sets(tmp_path):
    fill(tmp_path, "SampleSTS", {"dev": 4, "test": 6})
    fill(tmp_path, "Mine", {"b": 3, "a": 2})
    found = family(DataFolder(tmp_path), "en", TaskOptions())
    assert list(found.tasks["SampleSTS"]) == ["dev", "test"]
    dev, test, mine = read(tmp_path, "SampleSTS", "dev"), read(tmp_path, "SampleSTS"), read(tmp_path, "Mine")
    assert (dev.id, test.id, mine.id) == ("SampleSTS:dev", "SampleSTS", "Mine")
    assert (dev.groups, test.groups, mine.groups) == ({"dev": 4}, {"test": 6}, {"a": 2, "b": 3})
    assert found.default == SEVEN


def test_other_languages_decide_their_own_subsets(tmp_path):
    fill(tmp_path, "STS12", {"dev": 3}, "zh")
    fill(tmp_path, "BQ", {"test": 3}, "zh")
    found = family(DataFolder(tmp_path), "zh", TaskOptions())
    assert found.default == ["BQ"]
    assert read(tmp_path, "STS12", "dev", "zh").notes == ()


def test_a_folder_that_mixes_splits_and_subsets_is_refused(tmp_path):
    fill(tmp_path, "Mixed", {"dev": 3, "news": 3})
    with pytest.raises(DataError, match=r"mixes splits and subsets.*news\.tsv"):
        read(tmp_path, "Mixed", "dev")


def test_sick_scores_start_at_one(tmp_path):
    place = fill(tmp_path, "SICK-R", {"dev": 3})
    (place / "dev.tsv").write_text("0.5\ta\tb\n", encoding="utf-8")
    with pytest.raises(DataError, match="expected 1 to 5"):
        read(tmp_path, "SICK-R", "dev")


def test_protocol_and_data_identity(tmp_path):
    fill(tmp_path, "Mine", {"a": 3, "b": 3})
    fill(tmp_path, "Mine", {"a": 3, "b": 3}, "en-senteval")
    original, senteval = read(tmp_path, "Mine"), read(tmp_path, "Mine", text="senteval")
    assert (original.protocol.id, senteval.protocol.id) == ("sts-original@1", "sts-senteval@1")
    assert original.protocol.fingerprint() != senteval.protocol.fingerprint()
    assert original.data_sha == senteval.data_sha  # same content, other place
    fill(tmp_path, "Mine", {"a": 3, "b": 4})
    assert read(tmp_path, "Mine").data_sha != original.data_sha


def test_where_the_subsets_end_is_part_of_the_identity():
    rows = ScoredPairs(np.array([1.0, 2.0, 3.0, 4.0]), tuple((f"{i}", f"{i}!") for i in range(4)))
    cuts = []
    for at in (1, 2):
        parts = {
            "a": ScoredPairs(rows.gold[:at], rows.pairs[:at]),
            "b": ScoredPairs(rows.gold[at:], rows.pairs[at:]),
        }
        cuts.append(STSTask("Own", parts, language="en").data_sha)
    assert cuts[0] != cuts[1]
