"""The RISE suites say what the paper says, and what they show is what runs note."""

from __future__ import annotations

import pytest

from harness.errors import UsageError
from harness.published import lookup, published
from harness.runs.plan import Options, expand
from harness.suite import load_suite

NAMES = ("rise-table1", "rise-table3", "rise-table7")
#: what `rise` notes: classifier, importance, pairs, and the groups of Table 1 with their numbers
NOTES = {"classifier.accuracy", "importance.mean", "pairs.train"}
NOTES |= {f"deciles.{g}.{n}" for g in ("top", "bottom") for n in ("bleu", "jaccard", "distinct", "zipf", "importance")}
NOTES |= {f"deciles.human.{n}" for n in ("distinct", "zipf")}


@pytest.mark.parametrize("name", NAMES)
def test_columns_show_what_runs_note(name):
    suite = load_suite(name)
    for scale in suite.scales:
        assert {column.note for column in suite.columns_at(scale) if column.note} <= NOTES
    assert suite.scales["small"].seeds == (0, 1, 2, 3, 4)
    assert suite.scales["small"].sentences == 6400


@pytest.mark.parametrize("name", NAMES[1:])
def test_rows_are_dino_rise_and_the_controls(name):
    rows = {row.label: (row.method, row.settings) for row in load_suite(name).rows if not row.anchor}
    assert rows == {
        "DINO": ("dino", {}),
        "RISE": ("rise", {}),
        "Filtering": ("rise", {"weighting": "filtered"}),
        "Random weights": ("rise", {"weighting": "random"}),
    }


def test_at_small_all_rows_have_the_same_budget_and_dev_split():
    specs = expand(load_suite("rise-table3"), Options(scale="small", encoder="mini"))
    ours = [spec for spec in specs if spec.method in ("dino", "rise")]
    assert {(s.config["max_steps"], s.config["batch_size"], s.config["dev"]) for s in ours} == {(50, 128, "suite")}
    other = expand(load_suite("rise-table3"), Options(scale="paper"))
    papers = {
        (s.config["learning_rate"], s.config["batch_size"], s.config["dev"], s.config["pooler"])
        for s in other
        if s.method == "rise"
    }
    assert papers == {(2e-5, 32, "pairs", "avg")}
    assert {s.config["epochs"] for s in other if s.method == "rise"} == {3}
    assert {s.config["epochs"] for s in other if s.method == "dino"} == {1}


def test_published_numbers_of_tasks_with_two_metrics_are_found():
    known = published()
    row = {"source": "RISE T3", "method": "RISE [C_src=STSb]", "encoder": "roberta-base"}
    wanted = {"STS-B (spearman)": 78.57, "STS-B (pearson)": 79.11, "MRPC (accuracy)": 72.84, "QQP (f1)": 69.08}
    for task, value in {**wanted, "PAWS-QQP": 50.24}.items():
        assert lookup(known, task=task, **row).value == value
    with pytest.raises(UsageError, match="has 2 numbers"):
        lookup(known, task="QQP", **row)
    average = {"DINO": 74.49, "RISE": 76.20}
    suite = load_suite("rise-table7")
    for line in suite.rows:
        if line.label in average:
            where = line.published
            found = lookup(known, source=where.source, method=where.method, task="Avg", encoder=where.encoder)
            assert found.value == average[line.label]
