"""The first page, run by Streamlit's own test runner."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from board_records import run_record, write_board, write_run

pytest.importorskip("streamlit", reason="the leaderboard needs streamlit: pip install 'augbench[leaderboard]'")

from streamlit.testing.v1 import AppTest

import leaderboard
from harness.board_server import ENVIRONMENT

APP = Path(leaderboard.__file__).parent / "app.py"
Page = Callable[..., AppTest]


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    import streamlit

    def opened(*folders: Path, **parameters: str | list[str]) -> AppTest:
        monkeypatch.setenv(ENVIRONMENT, os.pathsep.join(map(str, folders)))
        test = AppTest.from_file(str(APP), default_timeout=60)
        for key, value in parameters.items():
            test.query_params[key] = value
        test.run()
        assert not test.exception, [error.value for error in test.exception]
        return test

    streamlit.cache_resource.clear()
    yield opened
    streamlit.cache_resource.clear()


def rows(test: AppTest) -> list[list[str]]:
    return [frame.value["Row"].tolist() for frame in test.dataframe if "Row" in frame.value]


def test_the_board_shows_every_setting_with_ranks_and_damage(page: Page, tmp_path: Path) -> None:
    test = page(write_board(tmp_path / "r"))
    assert test.title[0].value == "Board"
    assert rows(test) == [["SimCSE"], ["SimCSE", "TF-IDF", "SDA"]]
    english = test.dataframe[1].value
    assert english["Rank"].tolist()[0].startswith("1")
    assert "seed 2 failed" in english["Remarks"].tolist()[2]
    assert any("1 files could not be read" in expander.label for expander in test.expander)


@pytest.mark.parametrize(
    ("parameters", "shown"),
    [
        ({"language": "chinese"}, [["SimCSE"]]),
        ({"language": "english", "method": "sda"}, [["SDA"]]),
        ({"language": "english", "suite": "other"}, [["SDA"]]),
        ({"corpus": "zh.txt"}, [["SimCSE"]]),
        ({"method": ["sda", "tf-idf"]}, [["TF-IDF", "SDA"]]),
        ({"language": "klingon"}, [["SimCSE"], ["SimCSE", "TF-IDF", "SDA"]]),
        ({"language": "<script>alert(1)</script>"}, [["SimCSE"], ["SimCSE", "TF-IDF", "SDA"]]),
    ],
)
def test_the_url_sets_the_filters(
    page: Page, tmp_path: Path, parameters: dict[str, str | list[str]], shown: list[list[str]]
) -> None:
    assert rows(page(write_board(tmp_path / "r"), **parameters)) == shown


def test_columns_and_tasks_are_picked(page: Page, tmp_path: Path) -> None:
    test = page(write_board(tmp_path / "r"), language="english", task="STS12", column=["method", "run"])
    assert list(test.dataframe[0].value.columns) == ["Row", "Method", "STS12", "Run"]


def test_the_order_follows_the_column_ranked_by(page: Page, tmp_path: Path) -> None:
    test = page(write_board(tmp_path / "r"), language="english", by="STS12")
    scores = test.dataframe[0].value["STS12"].tolist()
    assert scores == sorted(scores, reverse=True)
    assert any("Sorted by STS12" in caption.value for caption in test.caption)


def test_measured_and_published_rows_are_switched_apart(page: Page, tmp_path: Path) -> None:
    folder = write_board(tmp_path / "r")
    published = page(folder, language="english", measured="false", published="true")
    (table,) = [frame.value for frame in published.dataframe if "Layer" in frame.value]
    assert set(table["Layer"]) == {"published"}
    assert set(table["Source"]) == {"SDA T4"}
    both = page(folder, language="english", published="true")
    assert set(both.dataframe[0].value["Layer"]) == {"measured", "published"}


def test_published_english_numbers_do_not_stand_beside_chinese_scores(page: Page, tmp_path: Path) -> None:
    folder = write_board(tmp_path / "r")
    for language, source in (("chinese", "SDA T7"), ("english", "SDA T4")):
        table = page(folder, language=language, published="true").dataframe[0].value
        assert set(table.loc[table["Layer"] == "published", "Source"]) == {source}


def test_plumbing_is_hidden_until_asked_for(page: Page, tmp_path: Path) -> None:
    folder = write_board(tmp_path / "r")
    write_run(folder, run_record("Plumbed", plumbing="sample data"))
    assert "Plumbed" not in rows(page(folder, language="english"))[0]
    assert "Plumbed" in rows(page(folder, language="english", plumbing="true"))[0]


def test_only_plumbing_is_shown_and_says_so(page: Page, tmp_path: Path) -> None:
    write_run(tmp_path / "r", run_record("Plumbed", plumbing="sample data"))
    test = page(tmp_path / "r")
    assert rows(test) == [["Plumbed"]]
    assert test.dataframe[0].value["Remarks"].tolist() == ["plumbing: sample data"]


def test_older_code_is_hidden_until_asked_for(page: Page, tmp_path: Path) -> None:
    write_run(tmp_path / "r", run_record("SimCSE"))
    write_run(tmp_path / "r", run_record("SimCSE", code="0ther", finished="2026-03-01T00:00:00+00:00"))
    assert rows(page(tmp_path / "r")) == [["SimCSE"]]
    assert rows(page(tmp_path / "r", older="true")) == [["SimCSE", "SimCSE"]]


def test_many_settings_come_in_pages(page: Page, tmp_path: Path) -> None:
    for number in range(6):
        write_run(
            tmp_path / "r", run_record("SimCSE", corpus={"name": f"{number}.txt", "sha": f"{number:064x}", "rows": 10})
        )
    assert len(rows(page(tmp_path / "r"))) == 3
    assert len(rows(page(tmp_path / "r", page="2"))) == 3


def test_an_empty_folder_says_what_to_run(page: Page, tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    test = page(tmp_path / "r")
    assert "No runs yet" in test.info[0].value
    assert "augbench run quickstart" in test.code[0].value


def test_a_folder_that_is_not_there_says_so(page: Page, tmp_path: Path) -> None:
    test = page(tmp_path / "nowhere")
    assert "nowhere" in test.warning[0].value


def test_hostile_records_are_text(page: Page, tmp_path: Path) -> None:
    for row in ("<script>alert(1)</script>", "=HYPERLINK(1)", "../../x", "**bold** $x$", "好" * 5000):
        write_run(tmp_path / "r", run_record(row, method="sda", encoder={"name": "<img src=x>", "sha": "b" * 64}))
    test = page(tmp_path / "r")
    (shown,) = rows(test)
    assert "'=HYPERLINK(1)" in shown
    assert "=HYPERLINK(1)" not in shown
    assert "<script>alert(1)</script>" in shown
    assert max(map(len, shown)) <= 2001
    assert "<img" not in test.subheader[0].value.replace("\\<", "")
    assert not any("<script" in element.value for element in (*test.markdown, *test.caption))
