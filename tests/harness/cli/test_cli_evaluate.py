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
    assert set(found) == {"encoder", "embedder", "scores"}
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
