from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import DataError, UsageError
from harness.plan import expand
from harness.published import lookup, published
from harness.suite import PaperSettings, Suite, load_suite, parse_suite, suite_names

HEAD = """[suite]
name = "mine"
title = "Mine"
default_scale = "smoke"
select_on = "STS-B:dev"
columns = [{ title = "STS-B", task = "STS-B" }]
"""
ROW = '[[rows]]\nlabel = "SimCSE"\nmethod = "simcse"\n'
GOOD = HEAD + "[scales.smoke]\n" + ROW
# suites that train nothing are tested in tests/harness/analyses
TRAINING = [name for name in suite_names() if isinstance(load_suite(name), Suite)]


def test_a_small_suite() -> None:
    suite = parse_suite(GOOD.encode(), "mine.toml")
    assert suite.tasks_at("smoke") == ("STS-B",)
    assert suite.select_on_at("smoke") == "STS-B:dev"
    assert suite.average_at("smoke") is None


@pytest.mark.parametrize("name", TRAINING)
def test_shipped_suites_are_complete(name: str) -> None:
    suite = load_suite(name)
    assert suite.name == name
    # every table carries its anchors
    assert {"tfidf", "untrained", "simcse"} <= {row.method for row in suite.rows if row.anchor}
    for row in suite.rows:
        for column in suite.columns:
            if row.published and column.published:
                lookup(
                    published(),
                    source=row.published.source,
                    method=row.published.method,
                    task=column.published,
                    encoder=row.published.encoder,
                )
        if row.published and suite.published_average:
            wanted = row.published
            lookup(
                published(),
                source=wanted.source,
                method=wanted.method,
                task=suite.published_average,
                encoder=wanted.encoder,
            )
    for scale in suite.scales:
        if suite.scales[scale].data == "sample":
            assert suite.published_average_at(scale) is None
            assert suite.text_at(scale) == "original"
        for column in suite.columns_at(scale):
            assert column.published is None or suite.scales[scale].data == "user"  # papers do not know our samples


@pytest.mark.parametrize("name", TRAINING)
def test_shipped_suites_expand_at_every_scale(name: str) -> None:
    from harness.plan import Options

    suite = load_suite(name)
    for scale in suite.scales:
        specs = expand(suite, Options(scale=scale, encoder="bert-base-uncased"))
        assert {spec.row for spec in specs} == {row.label for row in suite.rows}


def test_table8_says_what_the_paper_says() -> None:
    suite = load_suite("sda-table8")
    wanted = {"None (SimCSE)": 82.45, "Cropping 30%": 63.62, "Word deletion 20%": 72.20, "Word repetition": 84.09}
    for row in suite.rows:
        if row.label in wanted:
            assert row.published is not None
            found = lookup(published(), source="SDA T8", method=row.published.method, task="STS-B dev")
            assert found.value == wanted.pop(row.label)
    assert not wanted


def test_table9_says_what_the_paper_says() -> None:
    suite = load_suite("sda-table9")
    assert suite.published_average_at("paper") == "Avg"
    assert suite.text_at("paper") == "senteval"
    assert len([column for column in suite.columns_at("paper") if column.task]) == 7
    (scale,) = {suite.scales[name].encoder for name in suite.scales} - {None}
    assert scale == "roberta-base"
    wanted = {"None (SimCSE)": 76.57, "Random insertion": 76.22, "PI": 77.90}
    for row in suite.rows:
        if row.published and row.published.source == "SDA T9":
            method = row.published.method
            assert lookup(published(), source="SDA T9", method=method, task="Avg").value == wanted.pop(row.label)
    assert not wanted


def test_the_sweeps_have_the_settings_their_labels_say() -> None:
    shares = {row.label: row.settings for row in load_suite("sda-figure5a").rows if row.method == "sda"}
    assert shares.pop("0 % (negation alone)")["proportion"] == 0
    assert len(shares) == 15
    for label, settings in shares.items():
        assert label == f"{settings['operator'].upper()}, {100 * settings['proportion']:.0f} %"
    margins = {row.label: row.settings for row in load_suite("sda-figure5b").rows if row.method == "sda"}
    assert len(margins) == 18
    for label, settings in margins.items():
        what = "without negation" if settings.get("negation") == "none" else f"δ {settings['margin']}"
        assert label == f"{settings['operator'].upper()}, {what}"


def test_a_scale_with_columns_of_its_own_has_no_published_average() -> None:
    head = HEAD + 'average = "Avg"\npublished_average = "Avg"\ntext = "senteval"\n'
    own = '[scales.paper]\ntext = "original"\ncolumns = [{ title = "X", task = "X" }]\n'
    suite = parse_suite((head + "[scales.smoke]\n" + own + ROW).encode(), "mine.toml")
    assert (suite.published_average_at("smoke"), suite.published_average_at("paper")) == ("Avg", None)
    assert (suite.text_at("smoke"), suite.text_at("paper")) == ("senteval", "original")
    none = parse_suite((head + '[scales.smoke]\naverage = ""\n' + ROW).encode(), "mine.toml")
    assert none.published_average_at("smoke") is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD.replace('method = "simcse"', "method = simcse"), r"mine\.toml, line 10: not valid TOML"),
        (GOOD + "\nname =", r"mine\.toml, line 12: not valid TOML"),
        (GOOD.replace("select_on", "selct_on"), r"unknown key selct_on\. Did you mean 'select_on'"),
        (GOOD.replace("method =", "metod ="), r"mine\.toml: .*(metod|method)"),
        (GOOD + 'sett = { operator = "x" }\n', r"unknown key rows\.1\.sett\. Did you mean 'set'"),
        (GOOD.replace("[scales.smoke]", "[scales.smoke]\nsentence = 3"), r"Did you mean 'sentences'"),
        (GOOD.replace("scales.smoke", "scales.tiny"), "default_scale 'smoke' is none of its scales: tiny"),
        (GOOD + "[scales.huge]\n", "unknown scale 'huge'.*smoke, small, paper"),
        (GOOD.replace("STS-B:dev", "STS-B"), "must not look at test data"),
        (GOOD.replace("STS-B:dev", "STS-B:test"), "must not look at test data"),
        (GOOD + ROW, "two rows are called 'SimCSE'"),
        (HEAD + "[scales.smoke]\n", "rows"),
        (GOOD.replace(', task = "STS-B" }', " }"), "either `task` or `note`"),
        (ROW, r"no \[suite\] table"),
        (GOOD.replace("[suite]", "suite = 3\n[x]"), r"no \[suite\] table"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_suite(content.encode(), "mine.toml")


def test_wrong_encoding_names_the_line() -> None:
    with pytest.raises(DataError, match=r"mine\.toml, line 3: not UTF-8"):
        parse_suite(GOOD.replace("Mine", "M\xe4n").encode("latin-1"), "mine.toml")


def test_suites_by_name_and_by_path(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'sda-table8'"):
        load_suite("sda-tabel8")
    with pytest.raises(DataError, match="cannot be read"):
        load_suite(str(tmp_path / "none.toml"))
    (tmp_path / "mine.toml").write_text(GOOD)
    assert isinstance(load_suite(str(tmp_path / "mine.toml")), Suite)


def test_what_the_paper_measured_with_is_optional() -> None:
    assert parse_suite(GOOD.encode(), "mine.toml").paper_settings == PaperSettings()
    text = GOOD + '[paper_settings]\nencoder_family = "bert-base"\nsentences = 1000000\nseeds = 1\npooler = "cls"\n'
    found = parse_suite(text.encode(), "mine.toml").paper_settings
    assert (found.encoder_family, found.sentences, found.pooler, found.text) == ("bert-base", 1_000_000, "cls", None)
    with pytest.raises(DataError, match=r"paper_settings\.sentence\. Did you mean 'sentences'"):
        parse_suite(text.replace("sentences", "sentence").encode(), "mine.toml")
