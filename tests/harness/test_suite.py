from __future__ import annotations

import math
from pathlib import Path

import pytest

from harness.errors import DataError, UsageError
from harness.published import lookup, published
from harness.runs.plan import Options, expand, method_class
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


@pytest.mark.parametrize("scale", ["smoke", "small", "paper"])
def test_the_systems_suites_have_the_same_runs(scale: str) -> None:
    """What is trained for one is only scored for the others: all that names a run is equal."""

    def names(suite: Suite) -> object:
        at = suite.scales[scale]
        rows = [row.model_dump() for row in suite.rows]
        return rows, at.sentences, at.seeds, at.config, at.encoder, suite.select_on_at(scale), suite.text_at(scale)

    first, *others = (load_suite(f"systems-{part}") for part in ("sts", "transfer", "clustering", "intents"))
    assert isinstance(first, Suite)
    for other in others:
        assert isinstance(other, Suite)
        assert names(other) == names(first)


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


def test_table8_shows_what_choosing_on_the_reported_split_hides() -> None:
    suite = load_suite("sda-table8")
    for scale in suite.scales:
        columns = suite.columns_at(scale)
        assert suite.select_on_at(scale) == columns[0].task  # chosen and reported on the same split
        assert columns[1].note == "selection.last_score"
        assert ":" not in (columns[2].task or ":")  # a test split


STS_TABLES = {
    "sda-table4-bert": {"SimCSE": 76.25, "PI": 78.86, "MV": 78.84, "DN": 78.33, "Ensemble": 78.57},
    "sda-table4-roberta": {"SimCSE": 76.57, "PI": 79.35, "MV": 79.60, "DN": 79.21, "Ensemble": 79.37},
    "sda-table5": {"SimCSE": 84.84, "PI": 87.09, "MV": 86.65, "DN": 86.32, "Ensemble": 86.59},
    "sda-table6": {
        "SimCSE": 76.57,
        "MV, with negation": 79.60,
        "MV, without negation": 78.16,
        "Negation alone": 77.22,
    },
    "simcse-baselines": {
        "SimCSE": 76.25,
        "Whitening (avg_first_last)": 66.28,
        "Untrained (avg_embed_last)": 56.70,
        "Untrained (avg_first_last)": 60.73,
    },
}


@pytest.mark.parametrize("name", STS_TABLES)
def test_averages_are_those_the_papers_print(name: str) -> None:
    suite, wanted = load_suite(name), dict(STS_TABLES[name])
    for row in suite.rows:
        if row.published and row.label in wanted:
            where = row.published
            found = lookup(published(), source=where.source, method=where.method, task="Avg", encoder=where.encoder)
            assert found.value == wanted.pop(row.label)
    assert not wanted
    assert len([column for column in suite.columns if column.task]) == 7


def test_table5_reads_the_last_two_layers_and_names_its_probe() -> None:
    suite = load_suite("sda-table5")
    assert (suite.probe_at("small"), suite.probe_at("paper")) == ("logreg", "senteval-mlp")
    assert {row.settings["pooler"] for row in suite.rows if row.method == "sda"} == {"avg_top2"}
    assert {spec.probe for spec in expand(suite, Options(scale="small", encoder="mini"))} == {"logreg"}


def test_table6_changes_one_part_at_a_time() -> None:
    rows = {row.label: row.settings for row in load_suite("sda-table6").rows if row.method == "sda"}
    parts = {label: (s.get("proportion", 1.0) > 0, s.get("negation") != "none") for label, s in rows.items()}
    assert parts == {
        "MV, with negation": (True, True),
        "MV, without negation": (True, False),
        "Negation alone": (False, True),
        "Neither, in SDA's frame": (False, False),
    }


@pytest.mark.parametrize("name", [name for name in TRAINING if name.startswith("sda-")])
def test_sda_suites_say_what_the_paper_measured_with(name: str) -> None:
    suite = load_suite(name)
    assert suite.paper_settings.sentences == (2_288_523 if name == "sda-table7" else 1_000_000)
    family = suite.paper_settings.encoder_family
    encoder = suite.scales["paper"].encoder
    assert family is None or (encoder or "").rsplit("/", 1)[-1] == family
    assert suite.paper_settings.text in (None, suite.text_at("paper"))
    assert suite.paper_settings.probe in (None, suite.probe_at("paper"))


@pytest.mark.parametrize("name", TRAINING)
def test_rows_of_a_table_have_the_same_budget(name: str) -> None:
    suite = load_suite(name)
    for scale in suite.scales:
        specs = expand(suite, Options(scale=scale, encoder="mini"))
        trained = [spec for spec in specs if "learning_rate" in spec.config]
        seeds = {row: [s.seed for s in trained if s.row == row] for row in {s.row for s in trained}}
        assert len({tuple(one) for one in seeds.values()}) == 1
        # what makes its own training pairs first says in steps how long it trains
        staged = [s for s in trained if len(method_class(s.method)(**s.config).stages()) > 1]
        plain = [s for s in trained if s not in staged]
        for kind in filter(None, (plain, staged)):
            assert len({(s.config["epochs"], s.config["max_steps"], s.config["select"]) for s in kind}) == 1
        if scale == "small" and plain and staged:
            steps = {math.ceil(s.corpus.sentences * s.config["epochs"] / s.config["batch_size"]) for s in plain}
            assert steps == {s.config["max_steps"] for s in staged}


@pytest.mark.parametrize(("family", "rate", "batch"), [("bert-base-uncased", 2e-5, 128), ("roberta-base", 1e-5, 64)])
def test_table3_comes_by_name(family: str, rate: float, batch: int) -> None:
    name = "sda-table4-bert" if family.startswith("bert") else "sda-table4-roberta"
    specs = expand(load_suite(name), Options(scale="paper"))
    found = [spec for spec in specs if spec.method == "sda"]
    assert {spec.encoder for spec in found} == {family}
    keys = ("learning_rate", "batch_size", "temperature", "margin", "epochs", "eval_every")
    assert {tuple(spec.config[key] for key in keys) for spec in found} == {(rate, batch, 0.05, 0.5, 1, 250)}
    assert {len([s for s in found if s.row == row]) for row in {s.row for s in found}} == {5}


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
