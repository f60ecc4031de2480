"""Which runs of a folder stand in which table."""

from __future__ import annotations

from pathlib import Path

import pytest
from table_fakes import REFERENCES, SECOND, RunOf, remarks, row, table

from harness.records.store import Store
from harness.reports.suite_tables import Today, suite_tables
from harness.suite import Suite


@pytest.fixture
def code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.reports.suite_tables.current_code", lambda *_: {"core": "new"})
    monkeypatch.setattr("harness.reports.table.published", lambda: REFERENCES)


@pytest.mark.usefixtures("code")
def test_older_code_is_named_and_not_shown(suite: Suite, run: RunOf, tmp_path: Path) -> None:
    old = run(seed=0, scores={"A": 1.0}, identity={"core": "old"})
    run(seed=0, scores={"A": 2.0}, identity={"core": "new"}, salt=1)
    other = run(SECOND, scores={"A": 5.0}, identity={"core": "old"})
    (found,), broken = suite_tables(suite, Store(tmp_path))
    assert broken == []
    assert row(found)["A"].values == (2.0,)
    assert row(found, SECOND)["A"].values == ()
    assert old.train_id in found.remarks[-1]
    assert other.train_id in found.remarks[-1]
    (shown,), _ = suite_tables(suite, Store(tmp_path), older=True)
    assert row(shown)["A"].values == (2.0,)
    assert row(shown, SECOND)["A"].values == (5.0,)
    assert remarks(shown, SECOND)[0].startswith("older code or settings")


@pytest.mark.usefixtures("code")
def test_other_settings_are_not_the_same_row(suite: Suite, run: RunOf, tmp_path: Path) -> None:
    now = {"core": "new"}
    good = run(scores={"A": 1.0}, identity=now).record
    listing = good.listings[0]
    assert Today(suite).is_current(listing, good)
    config = {**good.spec.config, "temperature": 0.9}
    assert not Today(suite).is_current(listing, run(seed=3, config=config, identity=now).record)
    assert not Today(suite).is_current(listing.model_copy(update={"row": "gone"}), good)


@pytest.mark.usefixtures("code")
def test_different_corpora_and_encoders_are_different_tables(suite: Suite, run: RunOf, tmp_path: Path) -> None:
    now = {"core": "new"}
    run(scores={"A": 1.0}, identity=now)
    run(seed=1, scores={"A": 2.0}, identity=now, corpus="other")
    (tmp_path / ("f" * 16)).mkdir()
    (tmp_path / ("f" * 16) / "run.json").write_text("{")
    tables, broken = suite_tables(suite, Store(tmp_path))
    assert sorted(row(t)["A"].values for t in tables) == [(1.0,), (2.0,)]
    assert len(broken) == 1


@pytest.mark.usefixtures("code")
def test_a_renamed_encoder_folder_stays_in_its_table(suite: Suite, run: RunOf, tmp_path: Path) -> None:
    now = {"core": "new"}
    run(scores={"A": 1.0}, identity=now, encoder="model")
    run(seed=1, scores={"A": 3.0}, identity=now, encoder="minilm/model")
    (found,), _ = suite_tables(suite, Store(tmp_path))
    assert sorted(row(found)["A"].values) == [1.0, 3.0]


@pytest.mark.usefixtures("code")
def test_a_finished_run_counts_before_a_failed_one(suite: Suite, run: RunOf, tmp_path: Path) -> None:
    now = {"core": "new"}
    run(scores={"A": 1.0}, identity=now, finished="1")
    run(status="failed", reason="x", identity=now, finished="2", salt=1)
    (found,), _ = suite_tables(suite, Store(tmp_path))
    assert row(found)["A"].values == (1.0,)
    assert remarks(found) == []


def test_another_aggregation_needs_predictions_only_and_drops_published_values(
    suite: Suite, run: RunOf, tmp_path: Path
) -> None:
    import numpy as np
    from scipy.stats import spearmanr

    from harness.records.schema import pack

    rng = np.random.default_rng(0)
    gold, predictions = rng.normal(size=30).astype("f4"), rng.normal(size=30).astype("f4")
    first = run(scores={"A": 1.0, "B": 2.0})
    (score, other) = first.scores()
    Store(tmp_path).write_score(
        score.model_copy(
            update={
                "groups": {"x": 10, "y": 20},
                "packed_predictions": pack(predictions, "<f4"),
                "packed_gold": pack(gold, "<f4"),
                "predictions_dtype": "<f4",
            }
        )
    )
    parts = [100 * spearmanr(gold[s], predictions[s]).statistic for s in (slice(10), slice(10, 30))]
    for aggregation, value in {"mean": sum(parts) / 2, "wmean": (parts[0] + 2 * parts[1]) / 3}.items():
        found = table(suite, first, aggregation=aggregation)
        assert row(found)["A"].mean == pytest.approx(value)
        assert row(found)["B"].mean == other.value  # no subsets: one value under all
        assert "A, published" not in row(found)
        assert any(aggregation in remark for remark in found.remarks)
    assert row(table(suite, first, aggregation="all"))["A"].mean == 1.0  # as it was stored
