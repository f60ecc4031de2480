"""Windows, ranks and scores of held-out lines, against slow loops; labelled pairs from files and tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from harness.advice.labelled import read_labelled_pairs
from harness.advice.material import Material, unit_vectors
from harness.advice.retrieval import both_ways, ranks
from harness.advice.windows import MOST, windows
from harness.diagnostics.geometry import uniformity
from harness.errors import AugBenchError, DataError, UsageError
from harness.languages import open_pack


# -- windows ----------------------------------------------------------------------------------------------------------
def test_windows_are_as_long_in_every_line_and_share_no_word() -> None:
    lines = ["One, two three four.", "a b c d e f g", "too short", "x y z u v"]
    found = windows([*lines, "1 2 3 4"])
    assert found.size == 2
    assert found.rows.tolist() == [0, 1, 3, 4]
    assert found.beginnings == ["One, two", "a b", "x y", "1 2"]
    assert found.endings == ["three four", "f g", "u v", "3 4"]


def test_windows_of_a_script_without_blanks_count_characters() -> None:
    found = windows(["我们今天去公园散步。"] * 3)
    assert (found.size, found.beginnings[0], found.endings[0]) == (4, "我们今天", "公园散步")


def test_long_lines_have_windows_of_bounded_length_and_short_ones_are_refused() -> None:
    assert windows([" ".join(map(str, range(100)))] * 2).size == MOST
    with pytest.raises(DataError, match="80% of them must have at least 4 words"):
        windows(["yes", "no", "a b c d e"])
    with pytest.raises(DataError, match="too short"):
        windows([])


@given(st.lists(st.integers(0, 60), min_size=1, max_size=30))
def test_four_lines_in_five_have_windows(lengths: list[int]) -> None:
    texts = [" ".join(f"w{i}" for i in range(n)) for n in lengths]
    try:
        found = windows(texts)
    except DataError:
        assert sum(n >= 4 for n in lengths) < 0.8 * len(lengths)
        return
    assert len(found.rows) >= 0.8 * len(lengths)
    if found.size < MOST:  # one word more and they would be fewer
        assert sum(n >= 2 * found.size + 2 for n in lengths) < 0.8 * len(lengths)


# -- retrieval --------------------------------------------------------------------------------------------------------
@given(st.integers(0, 1000), st.integers(2, 12))
def test_ranks_are_those_of_a_sorted_list(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    queries, keys = (unit_vectors(rng.normal(size=(n, 3))) for _ in range(2))
    targets = rng.integers(n, size=n)
    expected = [
        sorted(-(keys @ query)).index(-(keys @ query)[target]) + 1
        for query, target in zip(queries, targets, strict=True)
    ]
    np.testing.assert_array_equal(ranks(queries, keys, targets), expected)


def test_of_equally_near_keys_the_middle_rank_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    same = np.ones((5, 1))
    np.testing.assert_array_equal(ranks(same, same), [3] * 5)
    np.testing.assert_array_equal(both_ways(np.eye(4), np.eye(4)), np.ones(4))
    monkeypatch.setattr("harness.advice.retrieval._BLOCK", 2)
    np.testing.assert_array_equal(ranks(same, same), [3] * 5)


# -- scores -----------------------------------------------------------------------------------------------------------
class Fake:
    """Vectors from the letters of a text; counts what it is asked for."""

    def encode(self, texts: list[str], *, progress: bool = False) -> np.ndarray:
        return np.array([[text.count(c) for c in "abcde "] for text in texts], dtype=np.float32)


LINES = ["a b c d", "b b c e e", "a a a d", "e d c b a"]


def labelled(tmp_path: Path) -> Any:
    rows = [f"{score}\t{a}\t{b}" for score, a, b in zip(range(10), "abcdeabcde", "aacceebbdd", strict=True)]
    path = tmp_path / "mine.tsv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return read_labelled_pairs(str(path), open_pack("en"), None)


def test_scores_are_those_of_a_slow_loop(tmp_path: Path) -> None:
    pairs = labelled(tmp_path)
    views = {"p": {1: "b b c e", 3: "e d c"}, "q": {0: "a b d"}, "never": {}}
    scores = Material(LINES, windows(LINES), views, pairs).score(Fake())
    unit = unit_vectors(Fake().encode(LINES))

    def vector(text: str) -> np.ndarray:
        return unit_vectors(Fake().encode([text]))[0]

    for spec, found in views.items():
        for place, (row, view) in enumerate(found.items()):
            cosines = unit @ vector(view)
            assert scores.cosines[spec][place] == pytest.approx(cosines[row])
            assert scores.views[spec][place] == pytest.approx(1 / (1 + (cosines > cosines[row] + 1e-9).sum()))
    mean = {spec: 100 * found.mean() for spec, found in scores.views.items() if len(found)}
    assert scores.others("p") == pytest.approx(mean["q"])
    assert scores.others(None) == pytest.approx((mean["p"] + mean["q"]) / 2)
    assert scores.alignment("q") == pytest.approx(np.mean(2 - 2 * scores.cosines["p"]))
    assert scores.uniformity == pytest.approx(uniformity(unit))
    assert scores.labelled is not None
    assert scores.correlation(pairs.gold) == pytest.approx(100 * spearmanr(pairs.gold, scores.labelled).statistic)
    assert len(scores.windows) == 4
    bare = Material(LINES, windows(LINES), {"p": views["p"]}).score(Fake())
    assert (bare.labelled, bare.others("p"), bare.alignment("p"), bare.correlation(pairs.gold)) == (None,) * 4


def test_the_hash_knows_everything_that_is_looked_at(tmp_path: Path) -> None:
    base = {"p": {1: "x"}}
    found = [
        Material(LINES, windows(LINES), base),
        Material(LINES[:3], windows(LINES), base),
        Material(LINES, windows(LINES), {"p": {2: "x"}}),
        Material(LINES, windows(LINES), {"p": {1: "y"}}),
        Material(LINES, windows(LINES), base, labelled(tmp_path)),
    ]
    assert len({material.sha for material in found}) == 5


# -- labelled pairs ---------------------------------------------------------------------------------------------------
def test_labelled_pairs_of_a_file_or_a_dev_split(tmp_path: Path) -> None:
    pack = open_pack("en")
    own = labelled(tmp_path)
    assert (own.name, len(own.pairs), own.gold.tolist()) == ("mine.tsv", 10, list(range(10)))
    sample = read_labelled_pairs("SampleSTS:dev", pack, None)
    assert sample.name == "SampleSTS:dev"
    assert len(sample.pairs) == len(sample.gold) > 50


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("SampleSTS", "not be chosen on test data.*SampleSTS:dev"),
        ("SampleSTS:test", "not be chosen on test data"),
        ("nowhere.tsv", "does not exist"),
        ("constant.tsv", "scores that differ"),
        ("few.tsv", "has 1 pairs, expected at least 10"),
        ("bad.tsv", "line 2: the score is 'x'"),
    ],
)
def test_labelled_pairs_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, says: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("constant.tsv").write_text("1\ta\tb\n" * 12, encoding="utf-8")
    Path("few.tsv").write_text("1\ta\tb\n", encoding="utf-8")
    Path("bad.tsv").write_text("1\ta\tb\nx\ta\tb\n", encoding="utf-8")
    with pytest.raises(AugBenchError, match=says):
        read_labelled_pairs(given, open_pack("en"), None)


def test_a_task_without_pairs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Task:
        id = "X:dev"

    monkeypatch.setattr("harness.tasks.resolve_tasks", lambda *a, **k: [Task()])
    monkeypatch.setattr("harness.advice.labelled.open_data", lambda path: None)
    with pytest.raises(UsageError, match="has no scored pairs"):
        read_labelled_pairs("X:dev", open_pack("en"), None)
