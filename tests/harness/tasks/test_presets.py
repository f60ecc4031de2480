"""Presets: what a protocol's name fills in, and what the user's word overrides."""

from __future__ import annotations

import pytest

from harness.errors import UsageError
from harness.protocols import TaskOptions
from harness.tasks.presets import PRESETS, choose_options, choose_pooler


def test_without_a_name_the_defaults_hold():
    assert choose_options(None) == TaskOptions()
    assert choose_options(None, probe="senteval-mlp") == TaskOptions(probe="senteval-mlp")


def test_upstream_senteval_trains_a_regressor_and_weighs_subsets_by_size():
    options = choose_options("senteval")
    assert (options.text, options.probe, options.relatedness, options.aggregation) == (
        "senteval", "senteval-mlp", "regressor", "wmean",
    )  # fmt: skip


def test_the_fork_uses_cosine_over_concatenated_subsets():
    options = choose_options("simcse")
    assert (options.relatedness, options.aggregation, options.probe) == ("cosine", "all", "senteval-mlp")


def test_what_is_said_goes_on_top():
    assert choose_options("simcse", text="original", probe="logreg", aggregation="mean") == TaskOptions(
        aggregation="mean"
    )


def test_an_unknown_name_gets_the_close_one():
    with pytest.raises(UsageError, match="simcse"):
        choose_options("simcs")


def test_sda_pools_each_group_its_own_way():
    assert choose_pooler("sda", ["sts"]) == "cls"
    assert choose_pooler("sda", ["transfer"]) == "avg_top2"
    assert choose_pooler("sda", ["clustering"]) is None
    assert choose_pooler(None, ["sts", "transfer"]) is None
    with pytest.raises(UsageError, match=r"--tasks sts \(pooling cls\) and --tasks transfer \(pooling avg_top2\)"):
        choose_pooler("sda", ["sts", "transfer"])


def test_every_preset_says_where_it_is_from():
    assert all(preset.note for preset in PRESETS.values())


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"text": "raw"}, "text variant 'raw'"),
        ({"probe": "mlp"}, "probe 'mlp'.*senteval-mlp"),
        ({"aggregation": "sum"}, "'sum'.*wmean"),
    ],
)
def test_values_that_are_none_are_refused(said, message):
    with pytest.raises(UsageError, match=message):
        choose_options("simcse", **said)
