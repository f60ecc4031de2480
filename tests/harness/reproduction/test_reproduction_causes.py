from __future__ import annotations

from types import SimpleNamespace as Fake

import pytest

from harness.reports.table import Table
from harness.reproduction.causes import ladder, no_verdict
from harness.suite import Suite, parse_suite

HEAD = """[suite]
name = "mine"
title = "Mine"
default_scale = "paper"
text = "senteval"
columns = [{ title = "A", task = "A", published = "A" }]
[scales.paper]
SENTENCES
[[rows]]
label = "SimCSE"
method = "simcse"
PUBLISHED
[paper_settings]
"""
PUBLISHED = 'published = { source = "P T1", method = "base", encoder = "bert-base-uncased" }'


def suite(settings: str = "", *, published: str = PUBLISHED, sentences: str = "sentences = 1000") -> Suite:
    return parse_suite(
        (HEAD.replace("PUBLISHED", published).replace("SENTENCES", sentences) + settings).encode(), "mine.toml"
    )


def run(
    seed: int = 0,
    *,
    encoder: str = "models/bert-base-uncased",
    rows: int = 1000,
    removed: int | None = None,
    row: str = "SimCSE",
) -> Fake:
    spec = Fake(row=row, seed=seed, corpus=Fake(rows=rows, removed=removed), encoder=Fake(name=encoder))
    return Fake(train_id=f"{row}{seed}", record=Fake(spec=spec, embedder=Fake(describe={"pooler": "avg"})))


def causes(of: Suite, *runs: Fake, scale: str = "paper") -> dict:
    lines = (Fake(runs=tuple(one.train_id for one in runs)),)
    table = Table("mine", "Mine", {"scale": scale}, (), lines)  # type: ignore[arg-type]
    scores = [Fake(main=("spearman", "all"), groups={"x": 3})] * len(runs)
    return {cause.setting: cause for cause in ladder(of, table, runs, scores)}  # type: ignore[arg-type]


def test_what_the_suite_states_is_compared():
    settings = 'pooler = "cls"\ntext = "senteval"\naggregation = "mean"\nseeds = 2\nsentences = 1000000\n'
    found = causes(suite(settings), run(0), run(1))
    assert {name: cause.differs for name, cause in found.items()} == {
        "pooler": True,
        "text variant": False,
        "aggregation": True,
        "seeds": False,
        "corpus size": True,
        "encoder": False,
        "scale": False,
    }
    assert (found["corpus size"].paper, found["corpus size"].ours) == ("1,000,000 sentences", "1,000 sentences")


def test_seeds_are_those_of_a_line_whatever_row_its_runs_were_trained_for():
    found = causes(suite("seeds = 3\n"), run(0), run(1), run(2, row="another suite's SimCSE"))
    assert (found["seeds"].ours, found["seeds"].differs) == ("3", False)


def test_what_it_does_not_state_is_not_known_and_forbids_a_verdict():
    found = causes(suite(published="", sentences=""), run())
    assert {name for name, cause in found.items() if cause.differs is None} == set(found) - {"scale"}
    assert no_verdict(list(found.values())) == (
        "the suite does not state the paper's corpus size",
        "the suite does not state the paper's encoder",
    )


@pytest.mark.parametrize(
    ("of", "made", "differs"),
    [
        (suite(), run(encoder="bert-base-uncased"), False),
        (suite(), run(encoder="roberta-base"), True),
        (suite('encoder_family = "bert-base"'), run(encoder="x/BERT-base-cased"), False),
        (suite('encoder_family = "roberta"'), run(), True),
        (suite('encoder_family = "hfl/chinese-roberta"'), run(encoder="models/chinese-roberta-wwm-ext"), False),
    ],
)
def test_encoder_families(of, made, differs):
    found = causes(of, made)
    assert found["encoder"].differs is differs
    assert bool(no_verdict(list(found.values()))) is differs


@pytest.mark.parametrize(
    ("rows", "removed", "differs"), [(1000, None, False), (995, None, False), (900, 100, False), (900, 3, True)]
)
def test_lines_left_out_because_tests_hold_them_do_not_change_the_corpus(rows, removed, differs):
    assert causes(suite(), run(rows=rows, removed=removed))["corpus size"].differs is differs


def test_nothing_measured_is_not_known():
    found = causes(suite('pooler = "cls"'))
    assert {(cause.ours, cause.differs) for cause in found.values()} == {(None, None)}
    assert no_verdict(list(found.values())) == ()
