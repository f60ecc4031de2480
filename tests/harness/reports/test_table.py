"""What stands in a table."""

from __future__ import annotations

import statistics

import pytest
from table_fakes import FIRST, REFERENCES, SECOND, SUITE, RunOf, remarks, row, table

from harness.errors import UsageError
from harness.published import Published
from harness.reports.table import build_table
from harness.suite import Suite, parse_suite


def test_mean_and_sample_deviation_over_seeds(suite: Suite, run: RunOf) -> None:
    values = [76.123, 75.5, 77.25]
    found = row(table(suite, *(run(seed=i, scores={"A": v}, last=v - 1) for i, v in enumerate(values))))
    assert found["A"].mean == pytest.approx(sum(values) / 3)
    assert found["A"].std == pytest.approx(statistics.stdev(values))
    assert found["A"].text() == "76.29 ± 0.89"
    assert found["last"].mean == pytest.approx(sum(values) / 3 - 1)
    assert found["A, published"].text() == "82.45"


def test_the_published_average_stands_beside_ours_with_its_spread(suite: Suite, run: RunOf) -> None:
    text = SUITE.replace('average = "Avg"', 'average = "Mean"\npublished_average = "Avg"')
    wide = parse_suite(text.encode(), "mine.toml")
    printed = [*REFERENCES, Published("m", "bert-base-uncased", "Avg", "spearman", 79.37, "P T1", 0.07)]
    found = build_table(wide, "small", {FIRST: [run(scores={"A": 70.0, "B": 80.0})]}, references=printed)
    assert [heading.title for heading in found.headings][-2:] == ["Mean", "Mean, published"]
    assert row(found)["Mean"].text() == "75.00"
    assert row(found)["Mean, published"].text() == "79.37 ± 0.07"
    assert row(found, SECOND)["Mean, published"].text() == ""
    assert "Mean, published" not in row(table(suite, run(scores={"A": 70.0})))


def test_missing_is_blank_and_never_zero(suite: Suite, run: RunOf) -> None:
    found = table(suite, run(scores={"A": None}))
    assert {title: cell.text() for title, cell in row(found).items()} == {
        "A": "",
        "A, published": "82.45",
        "last": "",
        "B": "",
        "Avg": "",
    }
    assert all(cell.mean is None for cell in row(found, SECOND).values())


def test_averages_are_per_seed_over_unrounded_complete_rows(suite: Suite, run: RunOf) -> None:
    runs = [
        run(seed=0, scores={"A": 70.004, "B": 80.004}, last=1.0),
        run(seed=1, scores={"A": 71.0, "B": 80.0}),
        run(seed=2, scores={"A": 99.0}),  # incomplete: no average
    ]
    found = table(suite, *runs)
    average = row(found)["Avg"]
    assert average.values == pytest.approx((75.004, 75.5))  # notes and published values take no part
    assert row(found)["A"].values == (70.004, 71.0, 99.0)
    assert "B: only seeds 0, 1" in remarks(found)


def test_protocols_never_share_a_column(suite: Suite, run: RunOf) -> None:
    found = table(suite, run(scores={"A": 70.0}), run(SECOND, scores={"A/q@1": 80.0}))
    assert [h.title for h in found.headings if h.task == "A" and h.kind == "task"] == ["A (p@1)", "A (q@1)"]
    assert (row(found)["A (p@1)"].mean, row(found)["A (q@1)"].mean) == (70.0, None)


def test_a_run_that_other_suites_share_shows_the_texts_this_one_asks_for(suite: Suite, run: RunOf) -> None:
    found = table(suite, run(scores={"A/p@1/original": 70.0, "A/q@1/senteval": 80.0}))
    assert [h.title for h in found.headings if h.task == "A" and h.kind == "task"] == ["A"]
    assert row(found)["A"].mean == 70.0
    # what was only measured otherwise is shown all the same; its protocol is in the heading's record
    assert row(table(suite, run(seed=1, scores={"A/q@1/senteval": 80.0})))["A"].mean == 80.0


def test_what_must_not_be_compared_says_so(suite: Suite, run: RunOf) -> None:
    found = table(
        suite,
        run(seed=0, scores={"A": 1.0}, plumbing="a toy", encoder="mini"),
        run(seed=1, status="failed", reason="the loss is NaN"),
        run(seed=2, status="skipped", reason="no licence"),
    )
    assert remarks(found) == [
        "plumbing only, not a result: a toy",
        "stand-in: measured with mini, the published value is for bert-base-uncased",
        "seed 1 failed: the loss is NaN",
        "seed 2 skipped: no licence",
    ]
    assert found.lines[0].plumbing
    assert found.lines[0].seeds == (0,)
    assert row(found)["A"].values == (1.0,)
    assert remarks(table(suite, run(scores={"A": 1.0}))) == []


def test_only_what_the_table_shows_is_missed_in_it(suite: Suite, run: RunOf) -> None:
    problems = {task: {"status": "skipped", "reason": "not at hand"} for task in ("A", "QQP-pairs")}
    found = table(suite, run(encoder="bert-base-uncased", problems=problems))
    assert remarks(found) == ["A: not at hand"]
    two = run(seed=1, encoder="bert-base-uncased", scores={"A": 1.0})
    assert remarks(table(suite, run(encoder="bert-base-uncased", problems=problems), two)) == [
        "A, seed 0: not at hand",
        "A: only seeds 1",
    ]


@pytest.mark.parametrize(("limited", "applied", "said"), [(60, 90, True), (40, 90, False), (60, 0, False)])
def test_edits_of_sentences_that_were_cut_are_remarked_on(
    suite: Suite, run: RunOf, limited: int, applied: int, said: bool
) -> None:
    views = {"anchor": {"at_length_limit": limited}, "positive": {"tried": 100, "applied": applied}}
    found = remarks(table(suite, run(encoder="bert-base-uncased", views=views)))
    assert any("were cut at 32 word pieces" in text for text in found) is said


def test_a_transductive_row_is_marked(run: RunOf) -> None:
    marked = parse_suite(SUITE.replace('label = "Other', 'transductive = true\nlabel = "Other').encode(), "mine.toml")
    found = table(marked, run(encoder="bert-base-uncased"), run(SECOND))
    assert remarks(found) == []
    assert remarks(found, SECOND) == ["transductive: trained on the texts of the tests"]


def test_an_unknown_published_value_is_an_error(suite: Suite, run: RunOf) -> None:
    with pytest.raises(UsageError, match="P T1"):
        build_table(suite, "small", {}, references=[])
