"""`augbench train-parser`: a parser folder, its scores, and what is refused before the work begins."""

from __future__ import annotations

import json
import random

import pytest
import spacy
import typer
from typer.testing import CliRunner

from harness.cli.train_parser import train_parser
from harness.errors import DataError, EncoderError, UsageError
from harness.parsing.treebank import Sentence, write

APP = typer.Typer()
APP.command()(train_parser)


def run(*arguments):
    result = CliRunner().invoke(APP, [str(a) for a in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def bank(tmp_path):
    rng = random.Random(0)

    def sentence():
        words = (rng.choice(["Cats", "Dogs"]), rng.choice(["sleep", "eat"]), ".")
        return Sentence(
            words,
            (True, False, True),
            ("NOUN", "VERB", "PUNCT"),
            ("NNS", "VBP", "."),
            (1, -1, 1),
            ("nsubj", "root", "punct"),
        )

    for split in ("train", "dev"):
        write(tmp_path / f"toy-{split}.conllu", [sentence() for _ in range(30)])
    return tmp_path


def test_a_parser_with_its_provenance(bank, tiny_encoder):
    plain, out = bank / "plain.txt", bank / "made" / "parser"
    plain.write_text("Dogs eat.\nCats sleep .\nDogs sleep.\n")
    result = run(
        *("english", "--treebank", bank, "--out", out, "--steps", 3, "--licence", "CC0", "--source", "Toys by me"),
        *("--teacher", tiny_encoder, "--teacher-epochs", 1, "--silver", plain),
    )
    assert result.exit_code == 0, result.output
    assert "teacher, dev:" in result.output
    assert "dev" in result.stdout
    assert "PROVENANCE.md" in result.stdout.replace("\n", "")
    meta = json.loads((out / "meta.json").read_text())
    assert meta["license"] == "CC0"
    assert meta["performance"].keys() == {"dev"}
    text = (out / "PROVENANCE.md").read_text()
    assert "Toys by me" in text
    assert str(bank) not in text + (out / "config.cfg").read_text() + (out / "meta.json").read_text()
    assert len(spacy.load(out)("Dogs sleep.")) == 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (["--teacher", "x"], UsageError, "belong together"),
        (["--silver", "{bank}/toy-dev.conllu"], UsageError, "belong together"),
        (["--teacher", "{bank}/none", "--silver", "{bank}/toy-dev.conllu"], EncoderError, "does not exist"),
        (["--treebank", "{bank}/none"], DataError, "there is no folder"),
        (["--out", "{bank}"], UsageError, "exists and is no parser"),
        (["--out", "{bank}/toy-dev.conllu"], UsageError, "exists and is no parser"),
    ],
)
def test_refused_before_the_work_begins(bank, options, error, message):
    given = ["english", "--treebank", bank, "--out", bank / "parser", *(o.format(bank=bank) for o in options)]
    with pytest.raises(error, match=message):
        run(*given)
    assert not (bank / "parser").exists()
    assert not (bank / "parser.work").exists()


def test_silver_text_that_is_missing(bank, tiny_encoder):
    with pytest.raises(DataError, match="there is no file"):
        run("english", "--treebank", bank, "--out", bank / "p", "--teacher", tiny_encoder, "--silver", bank / "no.txt")
