"""What a report says about every row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reproduction_fakes import GOLD, NOISE, REFERENCES, fill, predicted, reports, write

from harness.published import Published
from harness.records.store import Store
from harness.reproduction.formats import notes
from harness.statistics import hierarchical_difference, hierarchical_score, holm, resolvable, spearman
from harness.suite import Suite

pytestmark = pytest.mark.usefixtures("printed")


def test_every_row_with_its_noise(suite: Suite, tmp_path: Path) -> None:
    single, average = reports(suite, fill(tmp_path))
    assert (single.column, single.tasks, average.column, average.tasks) == ("A", ("A",), "Mean", ("A", "B"))
    assert [row.label for row in single.rows] == list(NOISE)
    base = np.stack([predicted("None (SimCSE)", seed, "A") for seed in range(3)])
    p = []
    for row in single.rows:
        runs = np.stack([predicted(row.label, seed, "A") for seed in range(3)])
        alone = hierarchical_score(GOLD["A"], runs, resamples=3000)
        assert row.seeds == (0, 1, 2)
        assert row.over_seeds.mean == pytest.approx(np.mean([spearman(GOLD["A"], run) for run in runs]))
        assert row.ours.value == pytest.approx(row.over_seeds.mean)
        assert row.ours.se == pytest.approx(alone.se, rel=0.25)
        if row.label == single.reference:
            assert row.to_reference is None
            continue
        gap = hierarchical_difference(GOLD["A"], base, runs, resamples=3000)
        assert row.to_reference.paired
        assert row.to_reference.value == pytest.approx(gap.value)
        assert row.to_reference.se == pytest.approx(gap.se, rel=0.25)
        assert row.smallest == resolvable(row.to_reference)
        p.append(row.to_reference.p)
    assert [row.p for row in single.rows if row.p is not None] == holm(p)
    assert single.rows[-1].published is None
    assert single.rows[-1].difference is None


def test_an_average_is_of_the_tasks_per_seed(suite: Suite, tmp_path: Path) -> None:
    _, average = reports(suite, fill(tmp_path))
    for row in average.rows[:3]:
        values = [np.mean([spearman(GOLD[t], predicted(row.label, seed, t)) for t in "AB"]) for seed in range(3)]
        assert row.over_seeds.mean == pytest.approx(np.mean(values))
        assert row.ours.items == 600
        assert row.difference == pytest.approx(row.over_seeds.mean - row.published)


def test_inside_the_noise(suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (single, _) = reports(suite, fill(tmp_path))
    best = single.rows[2]
    half = best.ours.high - best.ours.value
    for shift, std, inside in ((0.9 * half, None, True), (1.1 * half, None, False), (1.1 * half, best.ours.se, True)):
        changed = [
            Published(r.method, r.encoder, r.task, r.metric, best.ours.value + shift, r.source, std)
            if r.method == "best"
            else r
            for r in REFERENCES
        ]
        monkeypatch.setattr("harness.reports.table.published", lambda changed=changed: changed)
        assert reports(suite, Store(tmp_path))[0].rows[2].inside_noise is inside


def test_the_papers_order_holds(suite: Suite, tmp_path: Path) -> None:
    single, _ = reports(suite, fill(tmp_path))
    assert single.verdict.outcome == "holds"
    found = single.ordering
    assert (found.agreement.tau, found.agreement.methods, found.agreement.over) == (1, 3, "seeds and items")
    assert set(found.confirmed) == {("Better", "None (SimCSE)"), ("Best", "None (SimCSE)"), ("Best", "Better")}
    assert (found.contradicted, found.undecided) == ((), 0)
    assert {c.setting: c.differs for c in single.causes} == {
        "pooler": False,
        "text variant": False,
        "aggregation": False,
        "seeds": True,
        "corpus size": False,
        "encoder": False,
        "scale": False,
    }


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ({"base": 90, "better": 80, "best": 60}, "does not hold"),
        ({"base": 60, "better": 90, "best": 80}, "holds in part"),
        ({"base": 80, "better": 60, "best": 90}, "holds in part"),
        ({"base": 60, "better": 60, "best": 90}, "holds"),
    ],
)
def test_other_orders(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: dict, outcome: str
) -> None:
    changed = [Published(r.method, r.encoder, r.task, r.metric, values[r.method], r.source) for r in REFERENCES]
    monkeypatch.setattr("harness.reports.table.published", lambda: changed)
    single, _ = reports(suite, fill(tmp_path))
    assert single.verdict.outcome == outcome
    assert any("against the paper" in reason for reason in single.verdict.reasons) is (outcome != "holds")


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"encoder": "mini"}, "encoder: ours mini, the paper's bert-base-uncased"),
        ({"sentences": 900}, "corpus size: ours 900 sentences, the paper's 1,000 sentences"),
        ({"scale": "small"}, "scale: ours small, the paper's paper"),
        ({"seeds": 1}, "one seed"),
        ({"rows": ("None (SimCSE)", "Best")}, "not measured: Better"),
        ({"rows": ("Best",)}, "fewer than two rows"),
        ({"plumbing": "a toy"}, "plumbing"),
    ],
)
def test_no_verdict(suite: Suite, tmp_path: Path, more: dict, reason: str) -> None:
    single, _ = reports(suite, fill(tmp_path, **more))
    assert single.verdict.outcome == "none"
    assert any(reason in text for text in single.verdict.reasons)
    assert "no verdict" in "\n".join(notes(single))


def test_without_gold_scores_the_noise_is_that_of_the_seeds(suite: Suite, tmp_path: Path) -> None:
    single, _ = reports(suite, fill(tmp_path, gold=False))
    assert single.ordering.agreement.over == "seeds"
    for row in single.rows:
        assert row.ours.items == 0
        assert (row.ours.low, row.ours.high) == pytest.approx((row.over_seeds.low, row.over_seeds.high))
    assert any("over the seeds alone" in remark for remark in single.remarks)


def test_missing_is_missing(suite: Suite, tmp_path: Path) -> None:
    store = fill(tmp_path, rows=("None (SimCSE)", "Better"))
    write(store, "Best", 0, tasks="A")
    write(store, "Best", 1, status="failed", reason="no memory")
    single, average = reports(suite, store)
    assert single.rows[2].seeds == (0,)
    best = average.rows[2]
    assert (best.seeds, best.over_seeds.mean, best.ours, best.difference, best.inside_noise, best.p) == (
        (),
        *(None,) * 5,
    )
    assert best.published == 91.0
    assert any("no memory" in remark for remark in best.remarks)
    assert reports(suite, Store(tmp_path / "empty")) == []
