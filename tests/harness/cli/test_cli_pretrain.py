"""`augbench pretrain`: an encoder folder from the command line, and what is refused before the work begins."""

from __future__ import annotations

import logging
import random
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from harness.cli import main
from harness.cli import pretrain as verb
from harness.cli.pretrain import command
from harness.pretraining.settings import Recipe, Shape

Result = tuple[int, str, str]
TINY = ("--layers", "1", "--width", "16", "--heads", "2", "--inner", "32", "--positions", "32", "--pieces", "200")
QUICK = (*TINY, "--rows", "4", "--tokens", "0.001", "--held-out", "0.1", "--device", "cpu", "--precision", "fp32")


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Result]:
    """Run the command line in this process and in a folder with `text.txt`; returns status, stdout, stderr."""
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("OMP_WAIT_POLICY", "PASSIVE")
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    rng = random.Random(0)
    lines = [f"the {rng.choice(['cat', 'dog', 'bird'])} sees {rng.choice(['a tree', 'the sea'])} ." for _ in range(90)]
    Path("text.txt").write_text("\n".join(lines), encoding="utf-8")

    def run(*arguments: str) -> Result:
        given = ["--language", "en", "--text", "text.txt", "--out", "made", *arguments]
        monkeypatch.setattr(sys, "argv", ["augbench", "pretrain", *given])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err  # type: ignore[return-value]

    return run


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--text", "no/such.txt"], 1, "there is no file no/such.txt; give plain text with --text FILE"),
        (["--text", "."], 1, "cannot read .: Is a directory"),
        (["--text", "empty.txt"], 1, "empty.txt holds no text; expected one sentence per line"),
        (["--text", "latin.txt"], 1, "latin.txt is not UTF-8 (line 2); convert it"),
        (["--language", "englsh"], 2, "unknown language 'englsh'. Did you mean 'english'"),
        (["--language", "x1"], 2, "unknown language 'x1'"),
        (["--width", "20", "--heads", "3"], 2, "width 20 cannot be divided among 3 heads"),
        (["--hidden", "0.9", "--swapped", "0.2"], 2, "hidden 0.9 and swapped 0.2 are shares of one whole"),
        (["--out", "text.txt"], 2, "text.txt exists and is no encoder; give another --out, or remove it"),
        (["--out", "folder"], 2, "folder exists and is no encoder"),
        (["--device", "gpu9"], 2, "device 'gpu9' cannot be used"),
        (["--overlap-check"], 2, "give --data DIR or `export AUGBENCH_DATA=DIR`, or say --no-overlap-check"),
        (["--overlap-check", "--data", "nowhere"], 1, "the data folder nowhere does not exist"),
        (["--overlap-check", "--data", "data"], 1, "data has no en test sets to compare with"),
    ],
)
def test_mistakes_are_one_sentence(cli: Callable[..., Result], arguments: list[str], status: int, words: str) -> None:
    Path("empty.txt").write_text("\n\n")
    Path("latin.txt").write_bytes(b"good\n\xe9t\xe9\n")
    Path("folder").mkdir()
    Path("folder/mine").write_text("")
    Path("data/sts/de/X").mkdir(parents=True)
    found, out, err = cli(*TINY, "--no-overlap-check", *arguments)
    assert words in err
    assert found == status
    assert err.splitlines()[-1].startswith("error: ")
    assert "Traceback" not in err
    assert out == ""
    assert not Path("made").exists()


@pytest.mark.parametrize(
    "wrong",
    [("--tokens", "0"), ("--pieces", "70000"), ("--dropout", "1"), ("--masked", "0"), ("--heads", "two"), ("--foo",)],
)
def test_values_out_of_range(cli: Callable[..., Result], wrong: tuple[str, ...]) -> None:
    status, _, err = cli("--no-overlap-check", *wrong)
    assert status == 2
    assert wrong[0] in err
    assert sorted(file.name for file in Path().iterdir()) == ["text.txt"]


def test_an_encoder_from_plain_text(cli: Callable[..., Result]) -> None:
    status, out, err = cli(*QUICK, "--no-overlap-check", "--licence", "CC0", "--source", "Toys", "--source", "More")
    assert status == 0, err
    assert "held-out perplexity" in out
    assert "not checked" in out
    assert f"written to made; what went in is in {Path('made/PROVENANCE.md')}" in out
    for said in ("reading the text …", "learning the vocabulary …", "pieces read …"):
        assert said in err
    card = Path("made/PROVENANCE.md").read_text(encoding="utf-8")
    assert "augbench pretrain --language en --text text.txt --out DIR --tokens 0.001" in card
    assert "- Toys\n- More\n" in card
    assert str(Path.cwd()) not in card
    # the same command with more pieces to read goes on
    status, _, err = cli(*QUICK, "--no-overlap-check", "--tokens", "0.002")
    assert status == 0, err
    assert "learning the vocabulary" not in err
    assert "--tokens 0.002" in Path("made/PROVENANCE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("door", ["option", "environment"])
def test_test_sentences_are_taken_out(cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, door: str) -> None:
    Path("data/sts/en/X").mkdir(parents=True)
    Path("data/sts/en/X/test.tsv").write_text("1.0\tThe cat sees the sea.\tother\n")
    count = Path("text.txt").read_text().split("\n").count("the cat sees the sea .")
    if door == "environment":
        monkeypatch.setenv("AUGBENCH_DATA", "data")
    status, out, err = cli(*QUICK, *(["--data", "data"] if door == "option" else []))
    assert status == 0, err
    row = next(line for line in out.splitlines() if "lines taken out: test sentences" in line)
    assert row.split()[-2] == str(count)


@pytest.mark.parametrize(("given", "code"), [("english", "en"), ("en", "en"), ("DE", "de"), ("swa", "swa")])
def test_the_code_of_a_language(given: str, code: str) -> None:
    assert verb._code(given) == code


# -- the command in the provenance file -------------------------------------------------------------------------------
def parsed(line: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the command line asks for, with the training replaced by a note."""
    asked: dict[str, object] = {}

    def note(files: list[Path], out: Path, recipe: Recipe, **rest: object) -> None:
        asked.update(rest, files=files, out=out, recipe=recipe)

    monkeypatch.setattr("harness.pretraining.recipe.pretrain_encoder", note)
    monkeypatch.setattr(verb, "_show", lambda *_: None)
    app = typer.Typer()
    app.command()(verb.pretrain)
    name, sub, *arguments = shlex.split(line)
    assert (name, sub) == ("augbench", "pretrain")
    result = CliRunner().invoke(app, [*arguments, "--no-overlap-check"])
    assert result.exit_code == 0, result.output
    return asked


def tenths(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high).map(lambda x: float(f"{x:.9g}"))


SHAPES = st.builds(
    Shape,
    layers=st.integers(1, 30),
    heads=st.integers(1, 4),
    width=st.integers(1, 90).map(lambda n: n * 12),
    inner=st.integers(8, 4_000),
    positions=st.integers(16, 2_000),
    dropout=tenths(0, 0.9),
)
RECIPES = st.builds(
    Recipe,
    pieces=st.integers(50, 65_535),
    lowercase=st.booleans(),
    tokens=st.integers(1_000, 10**11),
    rows=st.integers(1, 4_096),
    rate=tenths(1e-8, 1),
    warmup=st.integers(1, 10**7),
    decay=tenths(0.01, 1),
    masked=tenths(0.01, 0.9),
    hidden=tenths(0.01, 0.5),
    swapped=tenths(0, 0.5),
    cooccurrence=st.booleans(),
    held_out=tenths(0.0001, 0.4),
    seed=st.integers(-(10**6), 10**9),
    shape=SHAPES,
)


@settings(max_examples=20)
@given(recipe=RECIPES)
def test_the_command_gives_the_same_recipe_again(recipe: Recipe) -> None:
    with pytest.MonkeyPatch.context() as patch:
        asked = parsed(command("en", [Path("a.txt"), Path("some/deep/b.txt")], recipe), patch)
    assert asked["recipe"] == recipe
    assert asked["files"] == [Path("a.txt"), Path("b.txt")]
    assert asked["language"] == "en"


def test_names_with_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    line = command("sw", [Path("x/my text (1).txt")], Recipe())
    assert parsed(line, monkeypatch)["files"] == [Path("my text (1).txt")]


def test_defaults_are_left_out() -> None:
    assert command("en", [Path("x/a.txt")], Recipe()) == "augbench pretrain --language en --text a.txt --out DIR"
    recipe = Recipe(tokens=30_000_000, rate=6e-4, lowercase=False, shape=Shape(layers=6))
    assert command("zh", [Path("a"), Path("b")], recipe) == (
        "augbench pretrain --language zh --text a --text b --out DIR --tokens 30 --no-lowercase --rate 0.0006 --layers 6"
    )
