from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from harness.cli.evaluate import evaluate
from harness.errors import AugBenchError

app = typer.Typer()
app.command("evaluate")(evaluate)
app.command("other")(lambda: None)
WORDS = ["the", "a", "cat", "dog", "bird", "sits", "runs", "on", "under", "mat", "house", "red", "blue", "man"]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    rng, folder = random.Random(1), tmp_path_factory.mktemp("data")

    def line() -> str:
        a, b = (" ".join(rng.choices(WORDS, k=6)) for _ in range(2))
        return f"{rng.randint(0, 50) / 10}\t{a}\t{b}\n"

    for name, stems in {"Split": ["dev", "test"], "Parts": ["one", "two"]}.items():
        (folder / "sts" / "en" / name).mkdir(parents=True)
        for stem in stems:
            content = "".join(line() for _ in range(20))
            (folder / "sts" / "en" / name / f"{stem}.tsv").write_text(content, encoding="utf-8")
    return folder


def call(*arguments: object):
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments)])


def test_json_on_standard_output_is_all_there_is(tiny_encoder, data):
    result = call(
        "--encoder", tiny_encoder, "--tasks", "Parts, Split:dev", "--data", data, "--json", "-", "--precision", "fp32"
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert set(found) == {"encoder", "embedder", "seconds", "scores", "slices", "facts", "notes", "skipped"}
    assert {part["kind"] for part in found["slices"]} >= {"overlap", "length"}
    assert found["encoder"] == str(tiny_encoder)
    assert (found["embedder"]["pooler"], found["embedder"]["precision"]) == ("avg", "fp32")
    assert len(found["scores"]) == 6 + 2
    for score in found["scores"]:
        assert set(score) == {"task", "split", "metric", "aggregation", "value", "items", "protocol"}
    assert [(s["task"], s["split"], s["items"], s["protocol"]) for s in found["scores"][::6]] == [
        ("Parts", "test", 40, "sts-original@1"),
        ("Split", "dev", 20, "sts-original@1"),
    ]
    assert "Parts" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "chinese"])
def test_the_packs_own_encoder_has_a_name(data, tmp_path, language):
    sets = data if language == "en" else tmp_path
    if sets is tmp_path:
        (tmp_path / "sts" / "zh" / "Parts").mkdir(parents=True)
        (tmp_path / "sts" / "zh" / "Parts" / "test.tsv").write_text(
            "1\t一只猫\t一只狗\n4\t下雨了\t正在下雨\n2\t走\t跑\n"
        )
    result = call(
        "--encoder",
        "mini",
        "--language",
        language,
        "--tasks",
        "Parts",
        "--data",
        sets,
        "--json",
        "-",
        "--precision",
        "fp32",
    )
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["encoder"] == "mini"


def test_the_table_shows_the_rounded_scores_and_a_complete_average(tiny_encoder, data, tmp_path):
    target = tmp_path / "scores.json"
    result = call("--encoder", tiny_encoder, "--tasks", "Parts,Split,Split:dev", "--data", data, "--json", target)
    assert result.exit_code == 0, result.output
    scores = json.loads(target.read_text(encoding="utf-8"))["scores"]
    main = {
        (s["task"], s["split"]): s["value"] for s in scores if (s["metric"], s["aggregation"]) == ("spearman", "all")
    }
    for value in main.values():
        assert f"{value:.2f}" in result.stdout
    average = (main["Parts", "test"] + main["Split", "test"]) / 2
    (line,) = [line for line in result.stdout.splitlines() if "average of 2" in line]
    assert f"{average:.2f}" in line
    assert "sts-original@1" in result.stdout


def test_pooling_and_length_change_the_numbers(tiny_encoder, data):
    values = set()
    for options in ([], ["--pooling", "cls"], ["--max-length", 4]):
        result = call("--encoder", tiny_encoder, "--tasks", "Split", "--data", data, "--json", "-", *options)
        values.add(json.loads(result.stdout)["scores"][0]["value"])
    assert len(values) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tasks", "Splitt"], "Did you mean 'Split'"),
        (["--tasks", "sts"], "no STS12"),
        (["--text", "raw"], "text variant"),
        (["--pooling", "max"], "unknown pooler 'max'"),
        (["--language", "klingon"], "unknown language"),
        (["--json", "/nowhere/scores.json"], "does not exist"),
        (["--data", "/nowhere"], "does not exist"),
    ],
)
def test_mistakes_are_one_sentence_and_found_before_encoding(tiny_encoder, data, options, message):
    result = call("--encoder", tiny_encoder, "--tasks", "Split", "--data", data, *options)
    assert isinstance(result.exception, AugBenchError)
    assert message in str(result.exception)
    assert result.stdout == ""


def test_the_name_of_a_pack_stands_for_its_code(tiny_encoder, data):
    result = call("--encoder", tiny_encoder, "--tasks", "Split", "--data", data, "--language", "english")
    assert result.exit_code == 0, result.output


def test_a_protocol_fills_options_and_what_is_said_goes_on_top(tiny_encoder, data):
    result = call("--encoder", tiny_encoder, "--tasks", "STS12", "--data", data, "--protocol", "simcse")
    assert "text 'senteval'" in str(result.exception)
    result = call(
        "--encoder",
        tiny_encoder,
        "--tasks",
        "Split",
        "--data",
        data,
        "--protocol",
        "simcse",
        "--text",
        "original",
        "--json",
        "-",
    )
    assert json.loads(result.stdout)["scores"][0]["protocol"] == "sts-original@1"
    result = call("--encoder", tiny_encoder, "--tasks", "Split", "--data", data, "--protocol", "simcs")
    assert "'simcse'" in str(result.exception)


def test_the_pooler_of_a_protocol_yields_to_the_users(tiny_encoder, data):
    sts = [
        "--encoder",
        tiny_encoder,
        "--tasks",
        "Split",
        "--data",
        data,
        "--text",
        "original",
        "--json",
        "-",
        "--protocol",
        "sda",
    ]
    assert json.loads(call(*sts).stdout)["embedder"]["pooler"] == "cls"
    assert json.loads(call(*sts, "--pooling", "avg_top2").stdout)["embedder"]["pooler"] == "avg_top2"


def test_the_aggregation_that_tables_average(tiny_encoder, data):
    plain = call("--encoder", tiny_encoder, "--tasks", "Parts,Split", "--data", data)
    weighted = call("--encoder", tiny_encoder, "--tasks", "Parts", "--data", data, "--aggregation", "wmean")
    assert "average of 2" in plain.stdout
    assert weighted.exit_code == 0, weighted.output


def test_parts_are_shown_on_demand(tiny_encoder, data):
    shown = call("--encoder", tiny_encoder, "--tasks", "Split", "--data", data, "--slices").stdout
    assert "lowest quartile" in shown
    assert "lowest quartile" not in call("--encoder", tiny_encoder, "--tasks", "Split", "--data", data).stdout


def test_kept_vectors_are_used_again(tiny_encoder, data, tmp_path, monkeypatch):
    monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path))
    options = ["--encoder", tiny_encoder, "--tasks", "Split", "--data", data, "--cache"]
    assert "0 vectors were kept from before, 40 are new" in call(*options).stdout
    again = call(*options, "--json", "-")
    assert "40 vectors were kept from before, 0 are new" in again.stderr
    plain = call(*options[:-1], "--json", "-")
    assert json.loads(again.stdout)["scores"] == json.loads(plain.stdout)["scores"]


def test_the_real_toolkit_needs_its_data_and_itself(tiny_encoder, data, tmp_path):
    options = ["--encoder", tiny_encoder, "--tasks", "Split", "--data", data, "--engine"]
    assert "unknown engine 'other'" in str(call(*options, "other").exception)
    assert "--senteval-data DIR" in str(call(*options, "senteval").exception)
    assert "no downstream/" in str(call(*options, "senteval", "--senteval-data", tmp_path).exception)


def test_tasks_of_one_metric_share_a_table_and_an_average(tiny_encoder, data):
    for name, columns in {"MR": 1, "MRPC": 2}.items():
        (data / "transfer" / "en" / name).mkdir(parents=True, exist_ok=True)
        rows = [
            "\t".join([str(i % 2), *(f"{WORDS[i % 14]} {WORDS[(i + j) % 14]} {i}" for j in range(columns))])
            for i in range(60)
        ]
        files = ("all",) if columns == 1 else ("train", "test")
        for file in files:
            (data / "transfer" / "en" / name / f"{file}.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    shown = call("--encoder", tiny_encoder, "--tasks", "MR,MRPC", "--data", data).stdout
    assert shown.count("Accuracy folds") == 1
    assert "average of 2" in shown
    assert "penalty" in shown
    assert "fold 1 " not in shown
