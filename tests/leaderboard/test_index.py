"""The index says what the records say, rereads only what changed, and groups runs as a table does."""

from __future__ import annotations

import os
import statistics
from pathlib import Path

import pytest
from board_records import change, run_record, score_record, write_board, write_run

import harness.index.scan as scan
from harness.errors import DataError, UsageError
from harness.index import cells_of, open_index, places_of, read_index, refresh, write_index
from harness.records.schema import Listing
from harness.records.store import Store
from harness.statistics import over_seeds, ranking


def test_rows_say_what_the_store_says(tmp_path: Path) -> None:
    index = refresh([write_board(tmp_path / "r")])
    with_scores = [(run, score) for run in Store(tmp_path / "r").iter_runs() for score in run.scores()]
    listed = index.scores[index.scores["listing"] == 0].drop_duplicates(["train_id", "task", "protocol"])
    found = {(row.train_id, row.task): (row.value, row.items, row.eval_id) for row in listed.itertuples()}
    assert found == {(run.train_id, score.task_id): (score.value, 80, score.eval_id) for run, score in with_scores}
    run = with_scores[0][0].record
    row = index.runs.set_index("train_id").loc[run.train_id]
    assert (row["seed"], row["row"], row["seconds"]) == (run.spec.seed, run.spec.row, run.seconds["total"])


def test_damaged_and_failed_runs_are_listed_with_their_reason(tmp_path: Path) -> None:
    index = refresh([write_board(tmp_path / "r")])
    assert [(row.place, row.file) for row in index.broken.itertuples()] == [("0123456789abcdef", "run.json")]
    assert "JSON" in index.broken["reason"].iloc[0]
    failed = index.runs[index.runs["status"] == "failed"]
    assert failed["reason"].tolist() == ["ran out of <b>memory</b>"]


def test_a_damaged_score_leaves_the_run_and_its_other_scores(tmp_path: Path) -> None:
    place = write_run(tmp_path / "r", run_record())
    (place / "scores" / "STS-B@sts-original-1.json").write_text("[]")
    index = refresh([tmp_path / "r"])
    assert index.scores["task"].tolist() == ["STS12"]
    assert index.broken["file"].tolist() == ["STS-B@sts-original-1.json"]


def test_only_changed_runs_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_board(tmp_path / "r")
    first = refresh([folder])
    read: list[str] = []
    real = scan.read_folder
    monkeypatch.setattr(scan, "read_folder", lambda at, place, sign: read.append(place) or real(at, place, sign))
    assert refresh([folder], first) is first
    new = write_run(folder, run_record("Whitened"))
    second = refresh([folder], first)
    assert read == [new.name]
    assert set(second.runs["row"]) - set(first.runs["row"]) == {"Whitened"}
    # a score that came later, and a run that went away
    Store(folder).write_score(score_record(run_record("Whitened"), "STS13"))
    for path in (folder / run_record("SimCSE", 1).train_id).rglob("*.json"):
        path.unlink()
    third = refresh([folder], second)
    assert read == [new.name, new.name]
    assert "STS13" in set(third.scores["task"])
    assert run_record("SimCSE", 1).train_id not in set(third.runs["train_id"])
    whole = refresh([folder])
    assert sorted(whole.scores["eval_id"]) == sorted(third.scores["eval_id"])


def test_file_and_cache_give_the_same_back(tmp_path: Path) -> None:
    folder = write_board(tmp_path / "r")
    index = open_index([folder])
    write_index(index, tmp_path / "board.parquet")
    for other in (read_index(tmp_path / "board.parquet"), open_index([folder])):
        assert other.folders == index.folders
        assert other.stamp == index.stamp
        assert other.table.equals(index.table)
    (tmp_path / "board.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match="augbench index --out"):
        read_index(tmp_path / "board.parquet")


def test_the_results_folder_is_never_written_to(tmp_path: Path) -> None:
    folder = write_board(tmp_path / "r")
    before = sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*"))
    index = open_index([folder])
    places_of(index.scores, (("STS-B", "sts-original@1"),))
    assert sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*")) == before


def test_a_missing_folder_is_an_error_and_an_empty_one_is_not(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        open_index([tmp_path / "nothing"])
    (tmp_path / "empty").mkdir()
    index = open_index([tmp_path / "empty"])
    assert index.runs.empty
    assert index.scores.empty
    assert index.broken.empty


def test_links_are_not_followed(tmp_path: Path) -> None:
    elsewhere = write_run(tmp_path / "elsewhere", run_record())
    (tmp_path / "r").mkdir()
    os.symlink(elsewhere, tmp_path / "r" / elsewhere.name)
    assert refresh([tmp_path / "r"]).runs.empty


def test_the_same_run_in_two_folders_counts_once(tmp_path: Path) -> None:
    write_run(tmp_path / "a", run_record())
    write_run(tmp_path / "b", run_record(finished="2026-02-01T00:00:00+00:00"))
    index = refresh([tmp_path / "a", tmp_path / "b"])
    assert index.runs["folder"].tolist() == [str((tmp_path / "b").resolve())]
    assert len(index.scores) == 2


def test_settings_keep_apart_what_must_not_be_compared(tmp_path: Path) -> None:
    records = [
        run_record("SimCSE", 0),
        run_record("SimCSE", 1),
        run_record("SimCSE", 0, language="chinese"),
        run_record("SimCSE", 0, encoder={"name": "mini", "sha": "e" * 64}),
        run_record("SimCSE", 0, corpus={"name": "wiki.txt", "sha": "f" * 64, "rows": 1000}),
    ]
    for record in records:
        write_run(tmp_path / "r", record)
    runs = refresh([tmp_path / "r"]).runs.set_index("train_id")
    settings = [runs.at[record.train_id, "setting"] for record in records]
    assert settings[0] == settings[1]
    assert len(set(settings)) == 4
    assert runs.at[records[0].train_id, "system"] == runs.at[records[1].train_id, "system"]


def test_a_method_without_an_encoder_stands_in_every_setting_of_its_corpus(tmp_path: Path) -> None:
    write_run(tmp_path / "r", run_record("TF-IDF", encoder={"name": "mini", "sha": None}))
    for sha in ("1", "2"):
        write_run(tmp_path / "r", run_record("SimCSE", encoder={"name": "mini", "sha": sha * 64}))
    runs = refresh([tmp_path / "r"]).runs
    for _, part in runs.groupby("setting"):
        assert sorted(part["row"]) == ["SimCSE", "TF-IDF"]
    assert runs["setting"].nunique() == 2


def test_a_run_that_failed_before_its_encoder_was_read_stands_in_its_setting(tmp_path: Path) -> None:
    write_run(tmp_path / "r", run_record("SimCSE"))
    lost = run_record("SDA", encoder={"name": "mini", "sha": None}, status="failed", reason="no", embedder=None)
    write_run(tmp_path / "r", lost)
    assert refresh([tmp_path / "r"]).runs["setting"].nunique() == 1


def test_a_row_run_again_by_other_code_is_older(tmp_path: Path) -> None:
    old = run_record("SimCSE", 0)
    new = run_record("SimCSE", 0, code="0ther", finished="2026-03-01T00:00:00+00:00")
    for record in (old, new):
        write_run(tmp_path / "r", record)
    runs = refresh([tmp_path / "r"]).runs.set_index("train_id")
    assert runs["older"].to_dict() == {old.train_id: True, new.train_id: False}


def test_a_run_stands_in_every_row_it_is_listed_in(tmp_path: Path) -> None:
    also = (Listing(suite="table8", scale="small", row="None (SimCSE)"),)
    write_run(tmp_path / "r", run_record("SimCSE", also=also))
    runs = refresh([tmp_path / "r"]).runs
    assert list(zip(runs["suite"], runs["row"], runs["listing"], strict=True)) == [
        ("mini", "SimCSE", 0),
        ("table8", "None (SimCSE)", 1),
    ]


def test_seeds_first_run_for_different_suites_stand_in_one_row(tmp_path: Path) -> None:
    also = (Listing(suite="table8", scale="small", row="SimCSE"),)
    for seed in (0, 1):
        write_run(tmp_path / "r", run_record("SimCSE", seed, also=also))
    write_run(tmp_path / "r", run_record("SimCSE", 2, suite="table8"))
    write_run(tmp_path / "r", run_record("Other", 0, also=(Listing(suite="table8", scale="small", row="Other"),)))
    runs = refresh([tmp_path / "r"]).runs
    first = runs[runs["listing"] == 0].sort_values(["row", "seed"])
    assert list(zip(first["suite"], first["row"], first["seed"], strict=True)) == [
        ("mini", "Other", 0),
        *(("table8", "SimCSE", seed) for seed in (0, 1, 2)),
    ]
    assert first["system"].nunique() == 2


def test_two_versions_of_the_data_never_share_a_column(tmp_path: Path) -> None:
    store = Store(tmp_path / "r")
    for seed, sha in ((0, "1" * 64), (1, "2" * 64)):
        record = run_record("SimCSE", seed)
        store.write_run(record)
        store.write_score(score_record(record, "STS-B", data_sha=sha))
        store.write_score(score_record(record, "STS12"))
    scores = refresh([tmp_path / "r"]).scores
    assert set(scores.loc[scores["task"] == "STS-B", "measure"]) == {
        "sts-original@1#11111111",
        "sts-original@1#22222222",
    }
    assert set(scores.loc[scores["task"] == "STS12", "measure"]) == {"sts-original@1"}


def test_cells_agree_with_the_statistics_of_seeds(tmp_path: Path) -> None:
    folder = write_board(tmp_path / "r")
    scores = refresh([folder]).scores
    parts = [(("STS-B", "sts-original@1"),), (("STS-B", "sts-original@1"), ("STS12", "sts-original@1"))]
    single, average = cells_of(scores, parts)
    for system, of in scores.groupby("system"):
        per_run = {run: dict(zip(part["task"], part["value"], strict=True)) for run, part in of.groupby("train_id")}
        for found, values in (
            (single[str(system)], [tasks["STS-B"] for tasks in per_run.values()]),
            (average[str(system)], [statistics.fmean((t["STS-B"], t["STS12"])) for t in per_run.values()]),
        ):
            expected = over_seeds(values)
            assert found.n == len(values)
            assert found.mean == pytest.approx(expected.mean)
            assert found.std == (None if expected.std is None else pytest.approx(expected.std))


def test_an_average_needs_every_one_of_its_tasks(tmp_path: Path) -> None:
    write_run(tmp_path / "r", run_record("SimCSE", 0), ("STS12", "STS-B"))
    write_run(tmp_path / "r", run_record("SimCSE", 1), ("STS12",))
    scores = refresh([tmp_path / "r"]).scores
    (average,) = cells_of(scores, [(("STS12", "sts-original@1"), ("STS-B", "sts-original@1"))])
    assert [cell.n for cell in average.values()] == [1]
    assert cells_of(scores, [(("STS12", "sts-original@1"), ("STS16", "sts-original@1"))]) == [{}]


def test_places_are_those_of_the_ranking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path / "cache"))  # nothing was computed before
    folder = write_board(tmp_path / "r")
    scores = refresh([folder]).scores
    scores = scores[scores["language"] == "english"]
    assert places_of(scores, (("STS-B", "sts-original@1"),), compute=False) is None
    tests = places_of(scores, (("STS-B", "sts-original@1"),))
    assert tests is not None
    assert tests.reason is None
    store = Store(folder)
    predictions: dict[str, list[np.ndarray]] = {}
    gold = None
    for row in scores[scores["task"] == "STS-B"].sort_values("seed").itertuples():
        record = store.get(row.train_id).score("STS-B")  # type: ignore[union-attr]
        predictions.setdefault(row.system, []).append(record.predictions)
        gold = record.gold
    expected = ranking({name: np.stack(rows) for name, rows in predictions.items()}, gold)
    found = tests.standings()
    assert list(found) == [ranked.name for ranked in expected.systems]
    assert expected.tied_with_best == tuple(name for name, one in found.items() if one.place.tied_with_best)
    best = found[expected.systems[0].name]
    assert best.mean == pytest.approx(expected.systems[0].score.value)
    # of two of them: as if there were no others
    pair = list(found)[1:]
    assert [one.place.rank for one in tests.standings(pair).values()] == [1, 2]
    assert places_of(scores, (("STS-B", "sts-original@1"),), compute=False) == tests


def test_without_predictions_only_the_seeds_are_compared(tmp_path: Path) -> None:
    for row, seed in (("SimCSE", 0), ("SimCSE", 1), ("SDA", 0), ("SDA", 1)):
        place = write_run(tmp_path / "r", run_record(row, seed), ("STS-B",))
        change(place / "scores" / "STS-B@sts-original-1.json", packed_gold=None)
    tests = places_of(refresh([tmp_path / "r"]).scores, (("STS-B", "sts-original@1"),))
    assert tests is not None
    assert "gold" in (tests.reason or "")
    assert len(tests.standings()) == 2
