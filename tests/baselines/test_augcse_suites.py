"""AugCSE's suites: which settings a row has, what the paper prints beside it, and with what it was measured."""

from __future__ import annotations

import pytest

from baselines.augcse_sets import augmentations, members_of
from harness.analyses.suites import QualitySuite
from harness.published import lookup, published
from harness.runs.plan import Options, expand
from harness.suite import Suite, load_suite, suite_names

NAMES = [name for name in suite_names() if name.startswith("augcse-")]
TRAINING = [name for name in NAMES if isinstance(load_suite(name), Suite)]


def test_every_table_has_its_suite():
    tables = {f"augcse-table{n}" for n in (1, 4, 5, 6, 7, 8, 9, 12, 14)} | {"augcse-figure6", "augcse-figure6-text"}
    assert tables <= set(NAMES)


@pytest.mark.parametrize("name", TRAINING)
def test_scales_and_seeds(name):
    suite = load_suite(name)
    assert set(suite.scales) == {"smoke", "small", "paper"}
    assert suite.scales["small"].sentences == 6400
    assert suite.scales["small"].config["eval_every"] == 10
    assert suite.scales["paper"].sentences == 1_000_000
    assert len(suite.scales["paper"].seeds) == 5
    assert suite.scales["paper"].encoder == ("roberta-base" if name.endswith("-roberta") else "bert-base-uncased")


def values(name, task):
    """Label -> published value."""
    return {
        row.label: lookup(
            published(),
            source=row.published.source,
            method=row.published.method,
            task=task,
            encoder=row.published.encoder,
        ).value
        for row in load_suite(name).rows
        if row.published
    }


@pytest.mark.parametrize(
    ("name", "task", "wanted"),
    [
        (
            "augcse-table1",
            "CoLA",
            {"SimCSE": 71.91, "Untrained encoder (cls)": 75.93, "Subject–object switch as negative": 76.80},
        ),
        ("augcse-table1-anli", "ANLI", {"SimCSE": 53.42, "Untrained encoder (cls)": 53.80}),
        ("augcse-table4", "Avg", {"Untrained encoder (avg_embed_last)": 56.70, "SimCSE": 76.25, "AugCSE": 77.98}),
        (
            "augcse-table4-roberta",
            "Avg",
            {"Untrained encoder (avg_embed_last)": 56.57, "SimCSE": 76.57, "AugCSE": 76.83},
        ),
        ("augcse-table5", "Avg", {"Untrained encoder (cls)": 84.66, "SimCSE": 85.81, "AugCSE": 87.07}),
        ("augcse-table5-roberta", "Avg", {"SimCSE": 84.84, "AugCSE": 86.27}),
        ("augcse-table6", "STS-B dev", {"Type": 85.25, "Bool": 84.52, "Positive": 84.54, "None": 84.91}),
        (
            "augcse-table7",
            "STS-B dev",
            {"α = 100": 60.47, "α = 10": 72.33, "α = 1": 80.85, "α = -1": 85.25, "α = -10": 84.68, "α = -100": 80.54},
        ),
        ("augcse-table8", "STS-B dev", {"4-Aug": 84.97, "8-Aug": 85.25, "12-Aug": 84.63}),
        ("augcse-table9", "STS-B dev", {"8-2-Aug": 85.31, "12-2-Aug": 84.83, "8-Aug": 85.25, "12-Aug": 84.63}),
        ("augcse-table12", "Avg (7 STS; column printed as STS-b)", {"AugCSE": 77.27}),
        ("augcse-table12-transfer", "Transfer avg", {"AugCSE": 86.74}),
        ("augcse-table14", "STS-B dev", {}),
    ],
)
def test_published_values_are_those_of_the_paper(name, task, wanted):
    assert values(name, task) == wanted


def rows_of(name, method):
    return {row.label: row.settings for row in load_suite(name).rows if row.method == method}


def test_rows_have_the_settings_their_labels_say():
    alphas = rows_of("augcse-table7", "augcse")
    assert len(alphas) == 7
    assert all(label == f"α = {settings['alpha']:.0f}" for label, settings in alphas.items())
    kinds = {label: settings["discriminator"] for label, settings in rows_of("augcse-table6", "augcse").items()}
    assert kinds.pop("Type, unbounded logits") == "type"
    assert {label.lower(): kind for label, kind in kinds.items()} == {
        k: k for k in ("type", "bool", "positive", "none")
    }
    for name in ("augcse-table8", "augcse-table9"):
        for label, settings in rows_of(name, "augcse").items():
            count = len(members_of(settings["augmentations"]))
            total, _, without = label.partition("-Aug")[0].partition("-")
            if "rules only" in label:
                assert not any(augmentations()[member].generator for member in members_of(settings["augmentations"]))
            else:
                assert count == int(total) - int(without or 0)
    assert {s["draw"] for s in rows_of("augcse-table14", "augcse").values()} == {"once", "epoch"}


@pytest.mark.parametrize("name", ["augcse-table4", "augcse-table5", "augcse-table6", "augcse-table7", "augcse-table12"])
def test_all_eight_augmentations_are_one_option_away(name):
    found = expand(load_suite(name), Options(scale="paper", overrides={"augmentations": "aug8"}))
    assert {spec.config["augmentations"] for spec in found if "augmentations" in spec.config} == {"aug8"}
    plain = expand(load_suite(name), Options(scale="small", encoder="mini"))
    assert {spec.config["augmentations"] for spec in plain if "augmentations" in spec.config} == {"aug8-2"}


@pytest.mark.parametrize(
    ("name", "rate", "weight"),
    [
        ("augcse-table4", 2e-5, 5e-3),
        ("augcse-table4-roberta", 2e-5, 1e-4),
        ("augcse-table5", 2e-5, 1e-4),
        ("augcse-table5-roberta", 7e-6, 1e-2),
        ("augcse-table12-transfer", 2e-5, 1e-4),
    ],
)
def test_rates_and_weights_come_by_name(name, rate, weight):
    found = [spec for spec in expand(load_suite(name), Options(scale="paper")) if spec.row == "AugCSE"]
    assert [spec.seed for spec in found] == [1, 11, 42, 68, 421]
    keys = ("learning_rate", "discriminator_weight", "batch_size", "temperature", "max_length")
    assert {tuple(spec.config[key] for key in keys) for spec in found} == {(rate, weight, 128, 0.05, 32)}


def test_redrawing_is_tried_over_more_than_one_epoch():
    for scale in ("smoke", "small", "paper"):
        found = expand(load_suite("augcse-table14"), Options(scale=scale, encoder="mini"))
        assert {spec.config["epochs"] for spec in found if "epochs" in spec.config} == {2}


def test_figure6_has_every_augmentation_twice_and_the_text_once():
    positives, negatives = rows_of("augcse-figure6", "discrete"), rows_of("augcse-figure6", "augcse-negative")
    text = load_suite("augcse-figure6-text")
    assert isinstance(text, QualitySuite)
    operators = [row.operator for row in text.rows]
    assert [s["operator"] for s in positives.values()] == operators == [s["operator"] for s in negatives.values()]
    assert set(members_of("aug12-2")) <= set(operators)


@pytest.mark.parametrize("name", ["augcse-table1", "augcse-table1-anli"])
def test_only_the_paper_has_enough_text_to_leave_sentences_out(name):
    suite = load_suite(name)
    for scale, wanted in (("smoke", "keep"), ("small", "keep"), ("paper", "drop")):
        found = expand(suite, Options(scale=scale, encoder="mini"))
        assert {s.config["unchanged"] for s in found if s.method == "augcse-negative"} == {wanted}
