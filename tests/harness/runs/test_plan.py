from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.runs.plan import CorpusSpec, Options, RunSpec, expand, fill, only_rows, parse_overrides, parse_seeds
from harness.suite import Suite, parse_suite

SUITE = """[suite]
name = "mine"
title = "Mine"
default_scale = "small"
select_on = "STS-B:dev"
config = { temperature = 0.1, eval_every = 50 }
columns = [{ title = "STS-B", task = "STS-B" }]
[scales.small]
sentences = 100
seeds = [0, 1]
config = { eval_every = 25 }
[scales.paper]
encoder = "bert-base-uncased"
[[rows]]
label = "Untrained"
method = "untrained"
[[rows]]
label = "SimCSE"
method = "simcse"
[[rows]]
label = "Crop"
method = "discrete"
set = { operator = "crop@10", eval_every = 10 }
"""


@pytest.fixture
def suite() -> Suite:
    return parse_suite(SUITE.encode(), "mine.toml")


def plan(suite: Suite, **options: Any) -> list[RunSpec]:
    return expand(suite, Options(**{"encoder": "some/encoder", **options}))


def test_rows_times_seeds_in_order_and_anchors_once(suite: Suite) -> None:
    assert [(s.row, s.seed) for s in plan(suite, seeds=(4, 2))] == [
        ("Untrained", 4),
        ("SimCSE", 4),
        ("SimCSE", 2),
        ("Crop", 4),
        ("Crop", 2),
    ]
    assert len(plan(suite)) == 5


def test_some_rows_only(suite: Suite) -> None:
    everything = [row.label for row in suite.rows]
    assert only_rows(suite, []) is suite
    chosen = only_rows(suite, [everything[-1].upper(), everything[0]])
    assert [row.label for row in chosen.rows] == [everything[0], everything[-1]]
    whole = [spec for spec in expand(suite) if spec.row in (everything[0], everything[-1])]
    assert expand(chosen) == whole
    with pytest.raises(UsageError, match="has no row 'nothing'"):
        only_rows(suite, ["nothing"])


def test_later_settings_win(suite: Suite) -> None:
    configs = {s.row: s.config for s in plan(suite)}
    assert configs["SimCSE"]["temperature"] == 0.1  # suite over default
    assert configs["SimCSE"]["eval_every"] == 25  # scale over suite
    assert configs["Crop"]["eval_every"] == 10  # row over scale
    assert {s.row: s.config for s in plan(suite, overrides={"temperature": 0.2})}["Crop"]["temperature"] == 0.2


@pytest.mark.parametrize(
    ("encoder", "rate", "batch"),
    [
        ("roberta-base", 1e-5, 512),
        ("/models/bert-large-uncased", 1e-5, 64),
        ("org/chinese-roberta-wwm-ext", 3e-5, 64),
        ("distilroberta-base", 3e-5, 64),
    ],
)
def test_presets_go_by_the_beginning_of_the_encoders_name(suite: Suite, encoder: str, rate: float, batch: int) -> None:
    config = {s.row: s.config for s in plan(suite, encoder=encoder)}["SimCSE"]
    assert (config["learning_rate"], config["batch_size"]) == (rate, batch)


def test_presets_are_noted(suite: Suite) -> None:
    assert "roberta-base" in plan(suite, encoder="roberta-base")[1].notes["preset"]
    assert plan(suite)[1].notes == {}


def test_choice_of_encoder_and_corpus(suite: Suite) -> None:
    assert expand(suite, Options(scale="paper"))[0].encoder == "bert-base-uncased"
    assert expand(suite, default_encoder="mini")[0].encoder == "mini"
    assert plan(suite)[0].corpus.source == "data"
    mine = plan(suite, corpus=Path("my.txt"))[0].corpus
    assert (mine.source, mine.name, mine.sentences) == ("file", "my.txt", 100)


def test_a_plan_is_a_value(suite: Suite) -> None:
    import pickle

    one = plan(suite)[1]
    assert pickle.loads(pickle.dumps(one)) == one
    assert RunSpec.model_validate_json(one.model_dump_json()) == one
    with pytest.raises(ValueError, match="frozen"):
        one.seed = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "papre"}, "no scale 'papre'. Did you mean 'paper'"),
        (
            {"overrides": {"learning_rat": 1}},
            "no method here has a setting 'learning_rat'. Did you mean 'learning_rate'",
        ),
        ({"overrides": {"operator": "swap"}}, "rows such as 'Crop' are defined by their own operator"),
        ({"overrides": {"batch_size": 1}}, "row 'SimCSE': .*batch_size = 1.*greater"),
        ({"overrides": {"select": "best"}}, "select = 'best'.*'dev', 'last' or 'label-free'"),
    ],
)
def test_mistakes_are_named(suite: Suite, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plan(suite, **options)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"simcse"', '"simsce"', r"Did you mean 'simcse'.*ls methods"),
        ("{ eval_every = 25", "{ eval_evry = 25", r"scale 'small' of suite 'mine'.*Did you mean 'eval_every'"),
        ("{ operator =", "{ operater =", r"row 'Crop'.*no setting 'operater'\. Did you mean 'operator'"),
        ('{ operator = "crop@10", ', "{ ", r"row 'Crop': method 'discrete' needs a setting 'operator'"),
    ],
)
def test_mistakes_of_a_suite_are_named(old: str, new: str, message: str) -> None:
    suite = parse_suite(SUITE.replace(old, new).encode(), "mine.toml")
    with pytest.raises(UsageError, match=message):
        plan(suite)


def test_fill_returns_the_complete_config() -> None:
    config = fill("discrete", {"operator": "crop"})
    assert config["operator"] == "crop"
    assert config["temperature"] == 0.05


# -- seeds and settings as typed --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        ("0", (0,)),
        ("0-4", (0, 1, 2, 3, 4)),
        ("0,3,7", (0, 3, 7)),
        ("5, 0-2", (5, 0, 1, 2)),
        ("1..3", (1, 2, 3)),
        ("7-7", (7,)),
    ],
)
def test_seeds(text: str, seeds: tuple[int, ...]) -> None:
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "-1", "1-", "4-0", "1,,2", "0-2,1", "1.5", "0-99999", "１"])
def test_bad_seeds(text: str) -> None:
    with pytest.raises(UsageError, match="--seeds"):
        parse_seeds(text)


@given(st.lists(st.integers(0, 10**8), unique=True, min_size=1, max_size=20))
def test_any_list_of_seeds_comes_back(seeds: list[int]) -> None:
    assert parse_seeds(",".join(map(str, seeds))) == tuple(seeds)


@pytest.mark.parametrize(
    ("pair", "value"),
    [
        ("a=3", 3),
        ("a=3e-5", 3e-5),
        ("a = true", True),
        ('a="x y"', "x y"),
        ("a=[1, 2]", [1, 2]),
        ("a=last", "last"),
        ("a=crop@10", "crop@10"),
        ("a=label-free", "label-free"),
        ("a=../lm/gpt2-xl", "../lm/gpt2-xl"),
        ("a=/data/pairs.tsv", "/data/pairs.tsv"),
        ('a="b=c"', "b=c"),
    ],
)
def test_overrides_are_typed_as_in_toml(pair: str, value: Any) -> None:
    found = parse_overrides([pair])
    assert found == {"a": value}
    assert type(found["a"]) is type(value)


@pytest.mark.parametrize("pairs", [["a"], ["=3"], ["a="], ["a=3", "a=4"], ["a=x y"], ["a=3\nb=4"], ["a=[1"]])
def test_bad_overrides(pairs: list[str]) -> None:
    with pytest.raises(UsageError, match="--set"):
        parse_overrides(pairs)


def test_test_sentences_stay_out_of_what_the_user_brings_and_samples_have_none(suite: Suite) -> None:
    careful = suite.model_copy(update={"without_tests": True})
    assert plan(careful)[0].corpus.without_tests
    assert plan(careful, corpus=Path("my.txt"))[0].corpus.without_tests
    assert not plan(suite)[0].corpus.without_tests
    scale = suite.scales[suite.default_scale].model_copy(update={"data": "sample", "corpus": "sample"})
    sample = careful.model_copy(update={"scales": {suite.default_scale: scale}})
    assert plan(sample)[0].corpus == CorpusSpec(source="sample", name="sample", sentences=scale.sentences)
