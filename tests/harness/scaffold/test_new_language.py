"""`augbench new language`: what it writes passes its own tests and our style; what it refuses is said in one sentence."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from harness.cli.new import app
from harness.conformance.language import check_language_pack
from harness.errors import DataError, Skipped, UsageError
from harness.examples import read_examples
from harness.scaffold import new_language
from harness.scaffold.samples import Samples, samples_for
from harness.scaffold.tokeniser import tokeniser_for

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def klingon(tmp_path_factory):
    """A pack for a language spaCy has never heard of, in a folder of its own."""
    return new_language("tlh", name="klingon", out=tmp_path_factory.mktemp("new") / "pack")


@pytest.fixture
def opened(klingon, monkeypatch):
    """The new pack, imported from its folder."""
    monkeypatch.syspath_prepend(str(klingon.folder))
    for name in [name for name in sys.modules if name.startswith("augbench_languages")]:
        monkeypatch.delitem(sys.modules, name)
    from augbench_languages.klingon import load

    return load()


def test_a_new_pack_passes_the_battery(opened, monkeypatch):
    monkeypatch.setattr("harness.conformance.subject._RANDOM", 20)
    outcome = {}
    for name, check in check_language_pack(opened):
        try:
            check()
            outcome[name] = "ok"
        except Skipped as reason:
            outcome[name] = str(reason)
    assert outcome["pi: examples hold for ten seeds"] == outcome["every shipped artefact has a licence"] == "ok"
    waiting = {name: reason for name, reason in outcome.items() if reason != "ok"}
    assert waiting.pop("another process gives the same outputs").startswith("the pack is not installed")
    assert {name.partition(":")[0] for name in waiting} == {"mv", "dn", "negation", "synonym"}
    assert waiting["mv: never crashes"] == "mv has no words yet: fill in verbs, phrases in lexicon/modals.toml."
    assert "mv: unknown variants are refused" not in waiting


LISTS = {
    "modals": 'verbs = ["is"]\nphrases = ["surely"]\nknown = ["must"]\n',
    "negation": 'negators = ["not"]\nnegator = "not"\nverbs = ["is"]\nopener = "It is wrong:"\nquestions = ["?"]\n'
    '[positive]\nnobody = "somebody"\n',
    "synonyms": '[words]\nboat = ["ship"]\n',
    "punctuation": 'added = "!"\ncomma = ","\ncomma_before = ["and"]\n[final]\n"." = "!"\n',
}
OUTPUTS = [
    ("pi", "He is here.", {"He is here!"}),
    ("pi", "He is here and there.", {"He is here and there!", "He is here, and there."}),
    ("pi", "rock-and-roll", {"rock-and-roll!"}),
    ("pi", "Is he?", {None}),
    ("pi", "...", {None}),
    ("mv", "It is late.", {"It is surely late."}),
    ("mv", "It must be late, it is.", {None}),
    ("mv", "Go.", {None}),
    ("negation", "It is late.", {"It is not late."}),
    ("negation", "It is not late.", {"It is late."}),
    ("negation", "NOBODY is here.", {"SOMEBODY is here."}),
    ("negation", "Go.", {"It is wrong: Go."}),
    ("negation", "!", {None}),
    ("dn", "It is late.", {"It is wrong: It is not late."}),
    ("dn", "Is it late?", {None}),
    ("dn", "Go.", {None}),
    ("synonym", "A boat, a Boat.", {"A ship, a Boat.", "A boat, a Ship."}),
    ("synonym", "boat-house", {None}),
]


@pytest.fixture
def filled(klingon, tmp_path, monkeypatch):
    """The new pack with English words in its lists, in another folder."""
    shutil.copytree(klingon.folder, tmp_path / "filled")
    pack = tmp_path / "filled/augbench_languages/klingon"
    for name, content in LISTS.items():
        (pack / f"lexicon/{name}.toml").write_text(content)
    monkeypatch.syspath_prepend(str(tmp_path / "filled"))
    for name in [name for name in sys.modules if name.startswith("augbench_languages")]:
        monkeypatch.delitem(sys.modules, name)
    from augbench_languages.klingon import load

    return load()


def test_filled_lists_make_rules_that_do_something(filled):
    from harness.augmentation import augment

    for spec, text, wanted in OUTPUTS:
        found = {augment([text], spec, language=filled, seed=seed)[0]["views"][spec] for seed in range(12)}
        assert found == wanted, (spec, text)


def test_rules_know_scripts_without_blanks(filled):
    from harness.protocols import OperatorTools
    from harness.seeds import python_rng

    words = {
        "negators": ["不"],
        "negator": "不",
        "verbs": ["是"],
        "opener": "这不对：",
        "questions": [],
        "positive": {},
    }
    (doc,) = type(filled).parse(filled, ["是 好"])
    import spacy
    from spacy.tokens import Doc

    doc = Doc(spacy.blank("xx").vocab, words=["他", "是", "学生", "。"], spaces=[False] * 4)
    rule = filled.operators()["negation"](None, OperatorTools(pack=filled))
    rule.words = words
    assert rule.apply(doc, python_rng(0)).text == "他是不学生。"
    rule = filled.operators()["dn"](None, OperatorTools(pack=filled))
    rule.words = words
    assert rule.apply(doc, python_rng(0)).text == "这不对：他是不学生。"


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=lambda c: c[0])
def test_what_is_written_is_in_our_style(klingon, command):
    pytest.importorskip("ruff")
    config = ["--config", str(REPOSITORY / "pyproject.toml"), "--no-cache"]
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *command, *config, "."],
        cwd=klingon.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_says_where_the_pack_is(klingon):
    project = tomllib.loads((klingon.folder / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"]["augbench.languages"] == {"klingon": "augbench_languages.klingon:load"}
    assert klingon.pack == klingon.folder / "augbench_languages/klingon"
    assert not (klingon.folder / "augbench_languages/__init__.py").exists()
    # another test may have imported the package by now
    files = [path for path in klingon.folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    everything = "".join(path.read_text(encoding="utf-8") for path in files)
    assert "$" not in everything.replace("§", "")


# -- what spaCy knows of a language -----------------------------------------------------------------------------------
def test_a_language_of_spacys_has_its_name_tokeniser_and_sentences(tmp_path):
    made = new_language("de", out=tmp_path / "de")
    assert (made.name, made.notes) == ("german", ())
    assert "def blank" not in (made.pack / "__init__.py").read_text(encoding="utf-8")
    sentences = (made.pack / "samples/corpus/de/sample.txt").read_text(encoding="utf-8").splitlines()
    from spacy.lang.de.examples import sentences as spacys

    assert set(sentences) <= set(spacys)
    assert len(sentences) >= 4
    assert "MIT" in tomllib.loads((made.pack / "pack.toml").read_text(encoding="utf-8"))["licences"]["samples/"]


def test_a_language_spacy_does_not_know_is_cut_at_blanks_and_has_placeholders(klingon):
    assert 'spacy.blank("xx")' in (klingon.pack / "__init__.py").read_text(encoding="utf-8")
    assert len(klingon.notes) == 2
    assert all("'tlh'" in note for note in klingon.notes)


def test_full_width_marks_where_the_sentences_have_them(tmp_path):
    samples = Samples(("他来了。", "我们走吧", "今天很冷。", "书在这里。"), "ours", "ours", "")
    assert (samples.values()["exclamation"], samples.values()["comma"]) == ("！", "，")
    files = dict(samples.files("zh"))
    (tmp_path / "pi.jsonl").write_text(files["examples/pi.jsonl"], encoding="utf-8")
    outputs = [output for example in read_examples(tmp_path / "pi.jsonl") for output in example.accept]
    assert all(output.endswith("！") for output in outputs)
    assert Samples(("ฉันรักคุณ", "저는 학생입니다."), "", "", "").values()["exclamation"] == "!"
    assert samples_for("en").values()["marks"] == ".;?:!,"


@pytest.mark.parametrize("code", ["de", "hi", "tlh", "ru", "zh"])
def test_examples_of_pi_are_what_the_rule_does(code, tmp_path):
    files = dict(samples_for(code).files(code))
    rows = [json.loads(line) for line in files["examples/pi.jsonl"].splitlines()]
    assert len(rows) == 4
    assert all(row["accept"][0] != row["text"] for row in rows)
    dev, test = (files[f"samples/sts/{code}/SampleSTS/{split}.tsv"] for split in ("dev", "test"))
    assert not set(dev.split("\n")) & set(test.split("\n")) - {""}


def test_names_of_several_words():
    assert tokeniser_for("grc").language == "ancient_greek"


# -- refusals ---------------------------------------------------------------------------------------------------------
def run(*arguments):
    parent = typer.Typer()
    parent.add_typer(app, name="new")
    result = CliRunner().invoke(parent, ["new", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["d3"], r"'d3' is no ISO 639 code; expected two or three letters.*augbench new language de"),
        ([""], "is no ISO 639 code"),
        (["german"], "'german' is no ISO 639 code"),
        (["en"], "the pack 'english' has the code 'en' already"),
        (["tlh"], r"spaCy has no name for 'tlh'.*--name NAME"),
        (["de", "--name", "Deutsch"], "cannot be the name of a pack"),
        (["de", "--name", "class"], "cannot be the name of a pack"),
        (["de", "--name", "../x"], "cannot be the name of a pack"),
        (["de", "--name", "english"], "there is a language pack 'english' already"),
    ],
)
def test_bad_codes_and_names_are_refused(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=words):
        run("language", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_refused_and_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("augbench-german", "file"):
        (tmp_path / "file").write_text("mine") if name == "file" else (tmp_path / name).mkdir()
        with pytest.raises(UsageError, match=f"{name} exists; give another folder with --out DIR"):
            run("language", "de", "--out", name)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["augbench-german", "file"]


def test_a_folder_that_cannot_be_written_leaves_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"cannot be written \(Not a directory\); give another --out"):
        new_language("de", out=tmp_path / "file" / "pack")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_tokeniser_that_lacks_its_library_is_said(monkeypatch, tmp_path):
    import spacy

    def missing(code):
        raise ImportError("Japanese support requires SudachiPy.")

    monkeypatch.setattr(spacy, "blank", missing)
    with pytest.raises(UsageError, match=r"cannot cut 'ja' into tokens here: Japanese support requires SudachiPy\."):
        new_language("ja", out=tmp_path / "ja")


def test_the_command_says_what_comes_next(tmp_path):
    result = run("language", "DE", "--out", tmp_path / "my pack")
    assert result.exit_code == 0
    flat = " ".join(result.output.split())
    assert "is a language pack called german" in flat
    assert "augbench check language german" in flat
    assert f"pip install -e '{tmp_path / 'my pack'}'" in flat
