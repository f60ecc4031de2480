"""Scores without the items that the training text holds."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import spearmanr

from harness.evaluation.unseen import KIND, touched_items, without_touched
from harness.protocols import Score, TaskResult

PAIRS = [
    ("A grey heron stands in the shallow water near the bridge.", "A bird waits."),
    ("He sold the boat.", "The boat was sold."),
    ("Rain fell.", "It rained all night over the old harbour town and the hills behind."),
    ("Two men play chess.", "Two people play."),
    ("She laughs.", "She is laughing."),
    ("No one came.", "Nobody was there."),
]


def task(main=("spearman", "all"), gold=(5, 4, 3, 2, 1, 0)):
    return SimpleNamespace(id="T", pairs=PAIRS, gold=np.array(gold, dtype=float), main=main)


def result(predictions, groups=None):
    return TaskResult((Score("spearman", "all", 1.0, 6),), np.array(predictions, dtype=np.float32), groups or {})


def test_items_are_touched_by_a_line_or_by_a_run_of_words():
    corpus = [
        "he sold, the boat",  # the same letters
        "Last year it rained all night over the old harbour town, and then it snowed.",  # eight words in a row
        "Two men play the piano.",
    ]
    assert touched_items([task()], corpus)["T"].tolist() == [False, True, True, False, False, False]


def test_the_score_on_the_others_stands_beside_the_score():
    mask, predictions = np.array([False, True, True, False, False, False]), [0.1, 0.9, 0.2, 0.5, 0.3, 0.4]
    found = without_touched(task(), result(predictions), {"T": mask})
    (part,) = found.slices
    keep = ~mask
    assert (part.kind, part.items, found.facts) == (KIND, 4, {"items in the training text": 2.0})
    expected = spearmanr(task().gold[keep], np.float32(predictions)[keep]).statistic
    assert part.value == pytest.approx(100 * expected)
    assert found.scores == result(predictions).scores


def test_subsets_keep_their_borders():
    mask, predictions = np.array([True, False, False, False, False, True]), [0.1, 0.9, 0.2, 0.5, 0.3, 0.4]
    found = without_touched(task(("spearman", "mean")), result(predictions, {"a": 3, "b": 3}), {"T": mask})
    gold, predicted = task().gold, np.float32(predictions)
    parts = [spearmanr(gold[s], predicted[s]).statistic for s in (slice(1, 3), slice(3, 5))]
    assert found.slices[0].value == pytest.approx(100 * np.mean(parts))


def test_accuracies_count_what_is_left():
    mask = np.array([True, False, False, False, False, False])
    found = without_touched(task(("accuracy", "all"), (1, 1, 0, 0, 1, 1)), result([0, 1, 0, 1, 1, 1]), {"T": mask})
    assert found.slices[0].value == pytest.approx(80.0)


def test_where_nothing_is_touched_or_known_nothing_is_said():
    plain = result([1, 2, 3, 4, 5, 6])
    assert without_touched(task(), plain, {}) is plain
    assert without_touched(task(), plain, {"T": np.zeros(5, dtype=bool)}) is plain
    clean = without_touched(task(), plain, {"T": np.zeros(6, dtype=bool)})
    assert (clean.slices, clean.facts) == ((), {"items in the training text": 0.0})
    odd = without_touched(task(("nmi", "all")), plain, {"T": np.ones(6, dtype=bool)})
    assert (odd.slices, odd.facts["items in the training text"]) == ((), 6.0)
    gone = without_touched(task(), plain, {"T": np.ones(6, dtype=bool)})
    assert (gone.slices[0].value, gone.slices[0].items) == (None, 0)
