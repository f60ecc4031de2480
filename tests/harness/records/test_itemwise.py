from __future__ import annotations

import numpy as np
import pytest

from harness.records.itemwise import NotItemwise, itemwise
from harness.records.schema import ScoreRecord, ScoreValue, pack
from harness.statistics import draw_scores


def record(gold, predictions, main=("spearman", "all"), value=50.0, **changes) -> ScoreRecord:
    fields = {
        "train_id": "0" * 16,
        "eval_id": "1" * 16,
        "task": "Own",
        "split": "test",
        "language": "en",
        "protocol": "p@1",
        "protocol_fingerprint": {},
        "data_sha": "d",
        "embedder_sha": "2" * 64,
        "main": main,
        "scores": (ScoreValue(metric=main[0], aggregation=main[1], value=value, items=len(predictions)),),
        "groups": {"x": 2, "y": len(predictions) - 2},
        "finished": "t",
        "predictions_dtype": "<f4",
        "packed_predictions": pack(predictions, "<f4"),
        "packed_gold": None if gold is None else pack(gold, "<f4"),
    }
    return ScoreRecord(**{**fields, **changes})


GOLD, PREDICTED = np.array([0, 1, 1, 0, 2, 2.0]), np.array([0, 1, 0, 0, 2, 1.0])


@pytest.mark.parametrize("aggregation", ["all", "mean", "wmean"])
def test_a_correlation(aggregation):
    found = itemwise(record(GOLD, GOLD + 1, ("pearson", aggregation)))
    assert (found.metric, found.aggregation, found.groups) == ("pearson", aggregation, (2, 4))
    drawn = draw_scores(found.gold, found.predictions, resamples=2, **found.options)
    assert drawn.observed == pytest.approx([100.0])


def test_an_accuracy():
    found = itemwise(record(GOLD, PREDICTED, ("accuracy", "all"), 100 * 4 / 6))
    drawn = draw_scores(found.gold, found.predictions, resamples=2, **found.options)
    assert drawn.observed == pytest.approx([100 * 4 / 6])


def test_repeated_test_items_are_items_once():
    gold, groups = np.tile([0, 1, 1.0], 2), {"split 1": 3, "split 2": 3}
    found = itemwise(record(gold, PREDICTED, ("accuracy", "all"), 100 * 4 / 6, groups=groups))
    assert (found.metric, found.predictions.tolist()) == ("mean", [1.0, 0.5, 0.5])
    assert draw_scores(found.gold, found.predictions, resamples=2, **found.options).observed == pytest.approx(
        [100 * 4 / 6]
    )
    # blocks of one size that are different items stay what they are
    other = itemwise(record(GOLD, PREDICTED, ("accuracy", "all"), 100 * 4 / 6, groups=groups))
    assert (other.metric, len(other.gold)) == ("accuracy", 6)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (record(GOLD, PREDICTED, ("nmi", "all")), "no paired test for nmi/all"),
        (record(GOLD, PREDICTED, ("accuracy", "folds")), "no paired test for accuracy/folds"),
        (record(None, PREDICTED), "no gold scores"),
        (record(GOLD, PREDICTED, packed_predictions=""), "packed without their predictions"),
        (record(GOLD, PREDICTED[:5]), "do not fit"),
        (record(GOLD, PREDICTED, ("accuracy", "all"), 90.0), "not that of the stored predictions"),
    ],
)
def test_what_does_not_follow_from_items(made, reason):
    with pytest.raises(NotItemwise, match=reason):
        itemwise(made)


def test_gold_scores_may_come_from_elsewhere():
    assert itemwise(record(None, PREDICTED), gold=GOLD).gold is GOLD
