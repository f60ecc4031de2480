"""Every page but the board, run by Streamlit's AppTest over real and hostile records."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_records import HOSTILE, add_analysis, add_run, add_sweep, coverage_result, plane_result

streamlit_testing = pytest.importorskip("streamlit.testing.v1")

Open = Callable[..., Any]


def page(name: str) -> None:
    """What AppTest runs: one page, without the navigation."""
    from leaderboard import pages

    pages.render(name)


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open a page over the records in `tmp_path`, with query parameters."""
    import streamlit as st

    from leaderboard import data, pages

    monkeypatch.setenv(data.ENVIRONMENT, str(tmp_path))
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    # a link needs the navigation that these tests do without
    monkeypatch.setattr(pages, "link", lambda *_, **__: None)
    st.cache_resource.clear()

    def opened(name: str, **query: str) -> Any:
        at = streamlit_testing.AppTest.from_function(page, args=(name,), default_timeout=60)
        for key, value in query.items():
            at.query_params[key] = value
        return checked(at.run())

    return opened


def checked(at: Any) -> Any:
    """The page without an exception, and nothing of a record in its HTML or Markdown as such."""
    assert not at.exception, [one.message for one in at.exception]
    for one in (*at.markdown, *at.caption, *at.warning, *at.info, *at.error):
        # a backslash in front makes it a character to Markdown
        assert not re.search(r"(?<!\\)<(script|img)|(?<!\\)\]\(javascript|(?<!\\)\*\*bold", one.value)
    return at


def choose(at: Any, label: str, value: str) -> Any:
    (widget,) = [one for one in at.selectbox if one.label == label]
    return checked(widget.select(value).run())


def test_pages_without_runs_say_what_to_run(show: Open) -> None:
    for name in ("compare", "run"):
        at = show(name)
        assert any("augbench run quickstart" in one.value for one in at.code)
    at = show("about")
    assert [one.value for one in at.metric][:2] == ["0", "0"]


@pytest.mark.parametrize(
    ("part", "command"),
    [
        ("coverage", "augbench run sda-table2"),
        ("plane", "augbench run augmentation-quality"),
        ("sensitivity", "augbench run sda-figure5a"),
        ("attention", "augbench run sda-figure4"),
    ],
)
def test_quality_without_records_says_what_to_run(show: Open, part: str, command: str) -> None:
    at = show("quality", show=part)
    assert any(command in one.value for one in at.code)


def test_compare_shows_differences_and_follows_every_filter(tmp_path: Path, show: Open) -> None:
    for seed in range(2):
        add_run(tmp_path, row="SimCSE", quality=0.2, seed=seed)
        add_run(tmp_path, row="PI", method="sda", config={"operator": "pi"}, quality=0.9, seed=seed)
    at = show("compare")
    assert {one.label: one.value for one in at.metric}["B wins"] == "2"
    first = at.dataframe[0].value
    assert list(first["task"]) == ["SICK-R", "STS-B", "mean of 2"]
    assert (first["B - A"] > 0).all()
    for correction in ("bh", "none"):
        at = choose(at, "p corrected for the number of tasks", correction)
    at = choose(at, "Task", "STS-B/en/sts-original@1")
    items = at.dataframe[2].value
    assert {"item", "gold", "A", "B", "closer"} <= set(items.columns)
    assert "sentence 1" not in items.columns
    assert any("Item numbers only" in one.value and "AUGBENCH" in one.value for one in at.caption)
    assert list(at.dataframe[1].value["kind"]) == ["overlap", "negation", "length"]
    a, b = ({one.label: one.value for one in at.selectbox}[side] for side in "AB")
    at = choose(at, "A", b)
    assert {one.label: one.value for one in at.selectbox}["B"] == a
    assert {one.label: one.value for one in at.metric}["B loses"] == "2"
    at = show("compare", what="runs")
    options = next(one for one in at.selectbox if one.label == "A").options
    assert len(options) == 4
    assert all("seed" in option for option in options)
    checked(at.toggle[0].set_value(True).run())


def test_compare_begins_with_two_rows_of_one_suite(tmp_path: Path, show: Open) -> None:
    add_run(tmp_path, row="Alone", suite="another", method="sda", config={"operator": "dn"}, tasks=["STS12"])
    add_run(tmp_path, row="SimCSE", suite="another", config={"temperature": 0.1}, tasks=["STS12"])
    for operator in ("mv", "pi"):
        add_run(tmp_path, row=operator.upper(), method="sda", config={"operator": operator})
    add_run(tmp_path, row="SimCSE")
    shown = show("compare").dataframe[0].value
    assert list(shown["task"]) == ["SICK-R", "STS-B", "mean of 2"]
    assert shown["B - A"].notna().all()


def test_compare_with_one_method_says_so(tmp_path: Path, show: Open) -> None:
    add_run(tmp_path)
    assert any("only one method" in one.value for one in show("compare").info)


def test_a_run_is_shown_with_its_command_and_differences(tmp_path: Path, show: Open) -> None:
    first = add_run(tmp_path, row="SimCSE", seed=3)
    other = add_run(tmp_path, row="PI", method="sda", config={"operator": "pi"})
    at = show("run", run=first.train_id)
    assert any("augbench run sda-table8" in one.value and "--seeds 3" in one.value for one in at.code)
    at = choose(at, "Beside another run", other.train_id)
    differing = next(
        one.value for one in at.dataframe if "what" in one.value.columns and first.train_id[:8] in one.value.columns
    )
    assert "config.operator" in set(differing["what"])
    at = checked(next(one for one in at.toggle if "every metric" in one.label).set_value(True).run())
    at = checked(at.multiselect[0].select("loss").run())
    at = choose(at, "Run", other.train_id)
    assert any("augbench run sda-table8" in one.value for one in at.code)


def test_an_unknown_run_in_the_address_is_said(tmp_path: Path, show: Open) -> None:
    add_run(tmp_path)
    at = show("run", run="../../etc/passwd")
    assert any("not in the results folders" in one.value for one in at.warning)


def test_a_failed_run_says_why(tmp_path: Path, show: Open) -> None:
    failed = add_run(
        tmp_path, row="Failed", status="failed", reason=HOSTILE, traceback=HOSTILE, embedder=None, curves=False
    )
    at = show("run", run=failed.train_id)
    assert any("failed" in one.value for one in at.error)


def test_hostile_records_are_texts_everywhere(tmp_path: Path, show: Open) -> None:
    long = "x" * 50_000
    hostile = {
        "row": HOSTILE,
        "suite": HOSTILE,
        "method": HOSTILE,
        "encoder": HOSTILE,
        "config": {HOSTILE: HOSTILE, "operator": HOSTILE, "long": long, "deep": {"a": {"b": {"c": {"d": [1] * 500}}}}},
        "plumbing": HOSTILE,
        "notes": {HOSTILE: {HOSTILE: [HOSTILE] * 100}, "long": long},
        "hardware": {HOSTILE: HOSTILE},
        "versions": {HOSTILE: HOSTILE},
    }
    record = add_run(tmp_path, attention=True, **hostile)  # type: ignore[arg-type]
    add_run(tmp_path, **{**hostile, "row": "=1+1", "seed": 1})  # type: ignore[arg-type]
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text('{"train_id": "<script>"}', encoding="utf-8")
    add_analysis(tmp_path, "augmentation-quality", "quality", plane_result(), plumbing=HOSTILE)
    add_analysis(tmp_path, "sda-table2", "coverage", coverage_result(), plumbing=HOSTILE)
    (tmp_path / "analyses" / "bad.json").write_text("{", encoding="utf-8")
    for name in ("compare", "run", "about"):
        show(name, **({"run": record.train_id} if name == "run" else {}))
    for part in ("coverage", "plane", "sensitivity", "attention"):
        at = show("quality", show=part)
        assert any("could not be read" in one.label for one in at.expander)


def test_quality_draws_what_there_is(tmp_path: Path, show: Open) -> None:
    add_sweep(tmp_path)
    add_run(tmp_path, suite="sda-figure4", attention=True, row="PI", method="sda", config={"operator": "pi"})
    add_analysis(tmp_path, "augmentation-quality", "quality", plane_result())
    add_analysis(tmp_path, "sda-table2", "coverage", coverage_result())
    at = show("quality")
    assert list(at.dataframe[0].value["Changed %"].dropna()) == [25.0, 10.0]
    at = show("quality", show="plane")
    at = choose(at, "Suite after training", "sda-figure5a")
    assert at.dataframe[0].value["score"].isna().all()
    at = checked(at.toggle[0].set_value(True).run())
    scores = at.dataframe[0].value.set_index("operator")["score"]
    assert scores[["pi", "mv"]].notna().all()
    at = show("quality", show="sensitivity")
    shares = at.dataframe[0].value
    assert list(shares["operator"]) == ["mv"] * 3 + ["pi"] * 3
    at = choose(at, "Swept", "sda-figure5b")
    assert list(at.dataframe[0].value["operator"]) == ["dn", "dn"]
    at = choose(at, "Score", "SICK-R")
    at = show("quality", show="attention")
    assert list(at.dataframe[0].value["mean"]) == [1.5]


def test_the_explorer_changes_a_sentence_and_keeps_it_out_of_the_address(tmp_path: Path, show: Open) -> None:
    at = show("explorer")
    (sentence,) = [one for one in at.selectbox if one.label == "Sentence"]
    assert sentence.options
    at = show("explorer", **{"from": "typed"})
    assert any("Type a sentence" in one.value for one in at.info)
    at = checked(at.multiselect[0].select("crop").run()) if at.multiselect else at
    typed = "<script>alert(1)</script> The cat isn't sitting on the mat."
    at = checked(at.text_area[0].input(typed).run())
    assert at.text_area[0].max_chars == 400
    assert "cat" not in str(dict(at.query_params))
    wanted = next(one for one in at.multiselect if one.label == "Operators")
    at = checked(wanted.select("crop").run())
    at = choose(at, "Seed", "3")
    (shown,) = [one.proto.body for one in at.get("html") if 'class="ab-view"' in one.proto.body]
    assert "&lt;script&gt;" in shown
    assert "<script" not in shown
