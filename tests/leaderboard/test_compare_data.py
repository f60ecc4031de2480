from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from page_records import add_run, gold

from harness.records.store import Run, Store
from harness.statistics import hierarchical_difference, holm
from leaderboard import compare_data, compare_items


def method(folder: Path, *, seeds: int = 3, **options: object) -> compare_data.Method:
    for seed in range(seeds):
        add_run(folder, seed=seed, **options)  # type: ignore[arg-type]
    row = options["row"]
    runs = [run for run in Store(folder).iter_runs() if run.record.spec.row == row]
    return compare_data.of_runs(runs)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[compare_data.Method, compare_data.Method]:
    tasks = ("STS-B", "SICK-R", "STS-B:dev")
    return method(tmp_path, row="A", quality=0.2, tasks=tasks), method(tmp_path, row="B", quality=0.8, tasks=tasks)


def test_differences_are_those_of_the_statistics(pair: tuple[compare_data.Method, compare_data.Method]) -> None:
    a, b = pair
    rows = compare_data.compare(a, b, resamples=200, seed=7)
    tasks = [row for row in rows if not row.average]
    assert [row.task for row in tasks] == ["SICK-R", "STS-B", "STS-B:dev"]
    raw = []
    for number, row in enumerate(tasks):
        first, second = (np.stack([record.predictions for record in one.at(row.place)[1]]) for one in pair)
        expected = hierarchical_difference(gold(), first, second, resamples=200, seed=7 + number)
        assert row.difference is not None
        assert row.difference.value == pytest.approx(expected.value)
        assert row.difference.low == pytest.approx(expected.low)
        assert row.difference.paired
        assert row.a == pytest.approx(np.mean([record.value for record in a.at(row.place)[1]]))
        raw.append(expected.p)
    assert [row.p for row in tasks] == pytest.approx(holm(raw))
    assert {row.outcome for row in tasks} == {"better"}
    assert compare_data.outcomes(rows) == {"better": 3, "tied": 0, "worse": 0, "unknown": 0}


def test_the_mean_is_over_test_splits_and_no_test_of_its_own(
    pair: tuple[compare_data.Method, compare_data.Method],
) -> None:
    rows = compare_data.compare(*pair, resamples=100)
    (average,) = [row for row in rows if row.average]
    of = [row for row in rows if not row.average and ":" not in row.task]
    assert average.task == "mean of 2"
    assert average.difference is not None
    assert average.difference.value == pytest.approx(np.mean([row.difference.value for row in of if row.difference]))
    assert average.p == average.difference.p


def test_reversed_methods_give_reversed_differences(pair: tuple[compare_data.Method, compare_data.Method]) -> None:
    forth = compare_data.compare(*pair, resamples=100)
    back = compare_data.compare(*reversed(pair), resamples=100)
    for one, other in zip(forth, back, strict=True):
        assert one.difference is not None
        assert other.difference is not None
        assert one.difference.value == pytest.approx(-(other.difference.value or 0))
    assert compare_data.outcomes(back)["worse"] == 3


def test_a_method_is_tied_with_itself(pair: tuple[compare_data.Method, compare_data.Method]) -> None:
    rows = compare_data.compare(pair[0], pair[0], resamples=50)
    assert {row.outcome for row in rows} == {"tied"}


def test_single_runs_have_intervals_over_items_alone(tmp_path: Path) -> None:
    a, b = (method(tmp_path, row=row, seeds=1, quality=q) for row, q in (("A", 0.2), ("B", 0.9)))
    row = compare_data.compare(a, b, resamples=100)[0]
    assert row.difference is not None
    assert row.difference.seeds == 1
    assert row.difference.seed_share == 0
    assert row.difference.low is not None


def test_what_cannot_be_compared_says_why(tmp_path: Path) -> None:
    a = method(tmp_path, row="A", tasks=("STS-B", "SICK-R"))
    b = method(tmp_path, row="B", tasks=("STS-B", "STS12"))
    other = [{p: s.model_copy(update={"data_sha": "f" * 64}) for p, s in own.items()} for own in b.scores]
    b = replace(b, scores=tuple(other))
    rows = {row.task: row for row in compare_data.compare(a, b, resamples=50)}
    assert "only A was scored" in (rows["SICK-R"].reason or "")
    assert "only B was scored" in (rows["STS12"].reason or "")
    assert "different data" in (rows["STS-B"].reason or "")
    assert {row.outcome for row in rows.values()} == {"unknown"}


def test_scores_without_gold_are_compared_over_seeds(tmp_path: Path) -> None:
    a, b = method(tmp_path, row="A", quality=0.2), method(tmp_path, row="B", quality=0.8)
    a, b = (
        replace(
            one,
            scores=tuple({p: s.model_copy(update={"packed_gold": None}) for p, s in own.items()} for own in one.scores),
        )
        for one in (a, b)
    )
    row = compare_data.compare(a, b, resamples=50)[0]
    assert row.difference is not None
    assert row.difference.items == 0
    assert row.difference.p is not None
    assert "over the seeds alone" in (row.reason or "")


def test_of_two_runs_of_a_seed_the_latest_counts(tmp_path: Path) -> None:
    old = add_run(tmp_path, row="A", finished="2025-01-01T00:00:00+00:00")
    new = add_run(tmp_path, row="A", config={"x": 1})
    found = compare_data.of_runs([Run(tmp_path / one.train_id, one) for one in (new, old)])
    assert [run.train_id for run in found.runs] == [new.train_id]
    with pytest.raises(ValueError, match="at least one"):
        compare_data.of_runs([])


def test_items_are_places_and_gaps(pair: tuple[compare_data.Method, compare_data.Method]) -> None:
    a, b = pair
    place = ("STS-B", "en", "sts-original@1")
    found = compare_items.items(a, b, place)
    assert found.kind == compare_items.PLACES
    frame = found.frame
    assert frame["a"].between(0, 100).all()
    assert np.allclose(frame["gap"], frame["b"] - frame["a"])
    # an independent count of one place: the share of values not above it, without ties
    values = a.at(place)[1][0].predictions
    slow = [100 * sum(other <= value for other in values) / len(values) for value in values]
    single = compare_items.items(replace(a, runs=a.runs[:1], scores=a.scores[:1]), b, place).frame["a"]
    assert np.allclose(single, slow)
    assert (frame["closer"] == "B").mean() > 0.6
    widest = compare_items.disagreements(found, count=5)
    assert len(widest) == 5
    assert widest["gap"].abs().is_monotonic_decreasing
    assert widest["gap"].abs().iloc[0] == frame["gap"].abs().max()


def test_slices_pair_the_seeds(pair: tuple[compare_data.Method, compare_data.Method]) -> None:
    found = compare_items.slices(*pair, ("STS-B", "en", "sts-original@1"))
    assert [one.kind for one in found] == ["overlap", "negation", "length"]
    for one in found:
        assert one.difference is not None
        assert one.a is not None
        assert one.b is not None
        assert one.difference.value == pytest.approx(one.b - one.a)
        assert one.difference.items == 0
    assert compare_items.slices(*pair, ("nothing", "en", "x")) == []


def test_sentences_come_from_the_data_that_was_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.data import DataFolder
    from harness.errors import AugBenchError
    from harness.tasks import resolve_tasks

    folder = tmp_path / "data" / "sts" / "en" / "Pairs"
    folder.mkdir(parents=True)
    lines = "".join(f"{n % 6}\tfirst {n}\tsecond {n}\n" for n in range(60))
    (folder / "test.tsv").write_text(lines, encoding="utf-8")
    (folder / "dev.tsv").write_text(lines, encoding="utf-8")
    record = add_run(tmp_path, row="A", tasks=("Pairs",))
    (scored,) = Run(tmp_path / record.train_id, record).scores()
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    with pytest.raises(AugBenchError, match="AUGBENCH_DATA"):
        compare_items.sentences(scored)
    with pytest.raises(AugBenchError, match="other data"):
        compare_items.sentences(scored, tmp_path / "data")
    (task,) = resolve_tasks(["Pairs"], data=DataFolder(tmp_path / "data"), language="en")
    right = scored.model_copy(update={"data_sha": task.data_sha})
    assert compare_items.sentences(right, tmp_path / "data")[3] == ("first 3", "second 3")
