"""Suite files that train nothing: what is shipped, and what is said about mistakes."""

from __future__ import annotations

import pytest

from harness.analyses.suites import AnalysisSuite, CoverageSuite, OverlapSuite, Reference
from harness.analyses.tables import printed
from harness.errors import DataError, UsageError
from harness.published import Published, lookup, published
from harness.reports.footnotes import Footnotes
from harness.suite import SCALES, Suite, load_suite, parse_suite, suite_names

ANALYSES = [name for name in suite_names() if not isinstance(load_suite(name), Suite)]
HEAD = '[suite]\nname = "mine"\nkind = "coverage"\ntitle = "Mine"\n[scales.small]\n'
ROW = '[[rows]]\nlabel = "PI"\noperator = "pi"\n'
GOOD = HEAD + ROW
PAIRS = """[suite]
name = "mine"
kind = "overlap"
title = "Mine"
columns = [{ title = "A", task = "A" }]
[scales.small]
[[rows]]
label = "words"
"""


def test_the_shipped_ones() -> None:
    assert {"sda-table2", "sda-jaccard"} <= set(ANALYSES)


@pytest.mark.parametrize("name", ANALYSES)
def test_shipped_suites_are_complete(name: str) -> None:
    suite = load_suite(name)
    assert isinstance(suite, AnalysisSuite)
    assert suite.name == name
    assert set(suite.scales) == set(SCALES)


def test_table2_has_ours_and_the_papers_beside_the_published_share() -> None:
    suite = load_suite("sda-table2")
    assert isinstance(suite, CoverageSuite)
    assert {"pi", "mv", "dn", "negation"} == {row.operator for row in suite.groups["ours"]}
    assert {row.operator.removesuffix("@paper") for row in suite.groups["the paper's algorithms"]} == {
        row.operator for row in suite.groups["ours"]
    }
    wanted = {"pi": 98.14, "mv": 88.32, "dn": 87.89}
    for row in suite.rows:
        if row.published:
            name = row.operator.partition("@")[0]
            assert printed(row.published, published()).mean == wanted[name]
    assert suite.scales["smoke"].corpus == "sample"


def test_jaccard_says_what_the_paper_says() -> None:
    suite = load_suite("sda-jaccard")
    assert isinstance(suite, OverlapSuite)
    columns = {column.title: column for column in suite.columns_at("paper")}
    assert columns["SICK-R"].published is not None
    assert columns["SICK-R"].published.value == 57.24
    assert not columns["SICK-R"].average
    assert suite.published_average is not None
    assert suite.published_average.value == 47.39
    assert sum(column.average for column in columns.values()) == 6
    assert {(row.text, row.unit) for row in suite.rows} >= {
        ("original", "words"),
        ("senteval", "tokens"),
        ("original", "pieces-special"),
    }
    # samples need no data folder and have no published neighbour
    assert suite.scales["smoke"].data == "sample"
    assert {row.text for row in suite.rows_at("smoke")} == {"original"}
    assert suite.splits_at("smoke") == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD.replace("coverage", "coverige"), r"mine\.toml: kind = 'coverige' is no kind.*Did you mean 'coverage'"),
        (GOOD.replace('"coverage"', "3"), "kind = 3 is no kind"),
        (GOOD.replace("operator", "operater"), r"unknown key rows\.1\.operater\. Did you mean 'operator'|operator"),
        (GOOD.replace("[scales.small]", "[scales.small]\nline = 3"), r"unknown key scales\.small\.line\. Did you mean 'lines'"),
        (GOOD.replace("title", "titel"), "Did you mean 'title'"),
        (GOOD.replace("[scales.small]", "[scales.tiny]"), "unknown scale 'tiny'"),
        (GOOD.replace("[scales.small]", "[scales.paper]"), "default_scale 'small' is none of its scales: paper"),
        (GOOD.replace("[scales.small]", "[scales.small]\nseeds = []"), "seeds"),
        (GOOD + ROW, "two rows are called 'PI'"),
        (GOOD + ROW.replace("PI", "PI again"), "two rows count the operator 'pi'"),
        (GOOD + 'published = { source = "SDA T2" }\n', "either `method` and `task`"),
        (GOOD + 'published = { source = "SDA T2", method = "x", task = "y", value = 3 }\n', "either `method` and `task`"),
        (HEAD, "rows"),
        (PAIRS.replace('"words"', '"words"\nunit = "letters"'), "rows.1.unit"),
        (PAIRS.replace("[scales.small]", '[scales.small]\ntexts = ["senteval"]'), "scale 'small' has no rows"),
        (PAIRS.replace('columns = [{ title = "A", task = "A" }]\n', ""), "columns"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_suite(content.encode(), "mine.toml")


def test_kinds() -> None:
    assert isinstance(parse_suite(GOOD.encode(), "x"), CoverageSuite)
    assert isinstance(parse_suite(PAIRS.encode(), "x"), OverlapSuite)
    training = '[suite]\nname = "m"\nkind = "training"\ntitle = "M"\ncolumns = [{ title = "S", task = "S" }]\n'
    training += '[scales.small]\n[[rows]]\nlabel = "SimCSE"\nmethod = "simcse"\n'
    assert isinstance(parse_suite(training.encode(), "x"), Suite)
    assert isinstance(parse_suite(training.replace('kind = "training"\n', "").encode(), "x"), Suite)


def test_printed_numbers_are_looked_up_or_given() -> None:
    rows = [Published("m", "-", "t", "pct", 12.5, "P T1")]
    assert printed(Reference(source="P T1", method="m", task="t"), rows).mean == 12.5
    assert printed(Reference(source="P, text", value=3.5), rows).mean == 3.5
    assert printed(None, rows).mean is None
    with pytest.raises(UsageError, match="no method 'n'"):
        printed(Reference(source="P T1", method="n", task="t"), rows)
    assert lookup(rows, source="P T1", method="m", task="t").value == 12.5


def test_footnotes_keep_their_numbers() -> None:
    notes = Footnotes()
    assert [notes.number(text) for text in ("a", "b", "a", "c")] == [1, 2, 1, 3]
    assert notes.texts == ["a", "b", "c"]
