from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from toy_pack import toy

from harness.data import ScoredPairs
from harness.diagnostics import slices
from harness.diagnostics.slices import partition, quartile_edges, sentence_units, slice_scores, with_slices
from harness.protocols import LanguagePack, TaskResult
from harness.tasks.sts import STSTask

WORDS = ["cat", "dog", "sits", "not", "never", "runs", "!", "on"]
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    return toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture
def task():
    rng = np.random.default_rng(1)
    pairs = tuple(
        (" ".join(rng.choice(WORDS, rng.integers(1, 7))), " ".join(rng.choice(WORDS, rng.integers(1, 7))))
        for _ in range(80)
    )
    return STSTask("Own", {"test": ScoredPairs(np.round(rng.uniform(0, 5, 80), 1), pairs)}, language="en")


def scored(task, seed=0):
    return task.score(np.random.default_rng(seed).normal(size=(2 * len(task.pairs), 5)).astype(np.float32))


@settings(max_examples=30)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=25))
def test_every_kind_holds_every_item_exactly_once(pack, pairs):
    for named in partition(pairs, pack).members.values():
        items = np.concatenate(list(named.values()))
        assert sorted(items.tolist()) == list(range(len(pairs)))


@settings(max_examples=30)
@given(st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 2.0, 7.5]), min_size=1, max_size=40))
def test_equal_values_share_a_quartile_and_quartiles_are_in_order(values):
    found = np.array(values)
    place = np.searchsorted(quartile_edges(found), found)
    assert set(place) <= {0, 1, 2, 3}
    assert all((found[place == a].max() < found[place == b].min()) for a in set(place) for b in set(place) if a < b)
    for quartile, edge in enumerate(sorted(quartile_edges(found)), start=1):
        assert edge in values
        assert np.mean(found <= edge) >= quartile / 4  # the definition of the inverted distribution function
        assert np.mean(found < edge) < quartile / 4


def test_without_ties_quartiles_are_of_one_size():
    found = np.random.default_rng(0).permutation(20) / 7
    place = np.searchsorted(quartile_edges(found), found)
    assert np.bincount(place).tolist() == [5, 5, 5, 5]


def test_parts_follow_the_order_of_the_items_alone(pack, task):
    order = np.random.default_rng(2).permutation(len(task.pairs))
    before, after = partition(task.pairs, pack), partition([task.pairs[i] for i in order], pack)
    assert before.edges == after.edges
    for kind, named in before.members.items():
        for part, items in named.items():
            assert set(order[after.members[kind][part]]) == set(items)


def test_overlap_negation_and_length_by_hand(pack):
    pairs = [("a cat", "a dog"), ("A cat!", "a cat"), ("not a cat", "a cat never sits"), ("not a dog", "dogs")]
    found = partition(pairs, pack)
    assert found.unit == "words"
    assert found.note == ""
    assert found.edges["overlap"] == (0.0, 1 / 3, 0.4)  # 1/3, 1, 2/5, 0
    assert found.edges["length"] == (2.0, 2.0, 2.0)  # 2, 2, 3.5, 2
    named = {kind: {part: items.tolist() for part, items in parts.items()} for kind, parts in found.members.items()}
    assert list(named["overlap"].values()) == [[3], [0], [2], [1]]
    assert list(named["length"].values()) == [[0, 1, 3], [], [], [2]]
    assert named["negation"] == {"in neither sentence": [0, 1], "in one sentence": [3], "in both sentences": [2]}


def test_scores_are_those_of_the_parts(pack, task):
    result = scored(task)
    found = slice_scores(task.gold, result.predictions, task.pairs, "spearman", pack=pack)
    members = partition(task.pairs, pack).members
    assert len(found) == 11
    for part in found:
        items = members[part.kind][part.part]
        assert part.items == len(items)
        expected = stats.spearmanr(task.gold[items], result.predictions[items])[0]
        assert part.value == pytest.approx(100 * expected)


def test_a_part_that_has_no_score_is_undefined_and_not_zero(pack):
    pairs = [("a cat", "a cat"), ("a cat", "a cat"), ("a cat", "a cat")]
    found = slice_scores(np.arange(3.0), np.arange(3.0), pairs, "pearson", pack=pack)
    assert [(p.part, p.value, p.items) for p in found if p.kind == "overlap"] == [
        ("lowest quartile", pytest.approx(100.0), 3),
        *((part, None, 0) for part in slices.QUARTILES[1:]),
    ]


def test_lengths_must_agree(pack):
    with pytest.raises(ValueError, match="got 2, 3, 1"):
        slice_scores(np.zeros(2), np.zeros(3), [("a", "b")], "spearman", pack=pack)


def test_results_get_slices_and_edges_and_keep_the_rest(pack, task):
    result = dataclasses.replace(scored(task), notes=("before",), facts={"dev": 1.0})
    found = with_slices(task, result, pack)
    assert found.scores == result.scores
    assert found.notes == ("before",)
    assert found.slices == slice_scores(task.gold, result.predictions, task.pairs, "spearman", pack=pack)
    assert found.facts["dev"] == 1.0
    assert found.facts["length: quartile 2 ends at"] == partition(task.pairs, pack).edges["length"][1]


def test_parts_are_found_once_per_task_and_pack(pack, task, monkeypatch):
    calls = []
    original = slices.partition
    monkeypatch.setattr(slices, "partition", lambda *given: calls.append(1) or original(*given))
    for seed in range(3):
        assert with_slices(task, scored(task, seed), pack).slices
    assert len(calls) == 1


def test_a_pack_without_negation_words_says_so(task, tmp_path):
    found = with_slices(task, scored(task), toy(tmp_path, ""))
    assert {part.kind for part in found.slices} == {"overlap", "length"}
    assert found.notes == ("no slices by negation: the pack 'toy' lists no negation_words in its pack.toml",)


def test_other_tasks_stay_as_they_are(pack, task):
    result = scored(task)
    assert with_slices(task, result, None) is result

    class Classes:
        main = ("accuracy", "all")
        pairs, gold = task.pairs, task.gold

    assert with_slices(Classes(), result, pack) is result
    short = TaskResult((), np.zeros(3, dtype=np.float32))
    assert with_slices(task, short, pack) is short


def test_scripts_without_blanks_are_counted_in_characters(pack):
    assert sentence_units(["我爱iPhone。", "他不去"], pack) == (
        "characters",
        [["我", "爱", "iphone"], ["他", "不", "去"]],
    )
    assert sentence_units(["I love 北京.", "He sleeps"], pack)[0] == "words"
    assert sentence_units([], pack) == ("words", [])


def test_a_pack_with_the_default_idea_of_words_is_not_parsed(pack):
    class Plain(LanguagePack):
        name = code = "plain"

        def parse(self, texts):
            raise AssertionError("tokens are enough")

        def tokenise_all(self, texts):
            return pack.tokenise_all(texts)

        def fingerprint(self):
            return {}

    assert sentence_units(["A cat, sits."], Plain()) == ("words", [["a", "cat", "sits"]])
