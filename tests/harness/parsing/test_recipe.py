"""From a treebank folder to a parser folder: what is looked for, what is kept, and what the result says of itself."""

from __future__ import annotations

import json

import pytest
import spacy
from parsing_fakes import animals

from harness.errors import DataError
from harness.parsing.provenance import command, provenance_meta, write_provenance
from harness.parsing.recipe import Silver, open_treebank, train_parser
from harness.parsing.silver import SilverSettings, annotate, choose
from harness.parsing.student import StudentSettings
from harness.parsing.teacher import Parse, TeacherSettings
from harness.parsing.treebank import write

STUDENT = StudentSettings(steps=2, batch=100, evaluate_every=100)


@pytest.fixture
def bank(tmp_path):
    folder = tmp_path / "bank"
    folder.mkdir()
    for index, split in enumerate(("train", "dev", "test")):
        write(folder / f"xx_toy-ud-{split}.conllu", animals(20, 100 * index))
    return folder


# -- the treebank folder ----------------------------------------------------------------------------------------------
def test_splits_are_found_by_their_names(bank):
    found = open_treebank(bank)
    assert {split: path.name for split, path in found.files.items()} == {
        split: f"xx_toy-ud-{split}.conllu" for split in ("train", "dev", "test")
    }
    assert found.sentences["dev"] == animals(20, 100)
    rows = found.describe()
    assert [row["sentences"] for row in rows] == [20, 20, 20]
    assert len({row["sha256"] for row in rows}) == 3


def test_the_test_split_may_be_missing(bank):
    (bank / "xx_toy-ud-test.conllu").unlink()
    assert set(open_treebank(bank).files) == {"train", "dev"}


@pytest.mark.parametrize("split", ["train", "dev"])
def test_the_others_may_not(bank, split):
    (bank / f"xx_toy-ud-{split}.conllu").unlink()
    with pytest.raises(DataError, match=rf"has no \*{split}\*\.conllu"):
        open_treebank(bank)


def test_two_treebanks_in_one_folder(bank):
    write(bank / "yy-train.conllu", animals(1))
    with pytest.raises(DataError, match=r"2 files for train \(xx_toy-ud-train\.conllu, yy-train\.conllu\)"):
        open_treebank(bank)


def test_no_folder(tmp_path):
    with pytest.raises(DataError, match="there is no folder"):
        open_treebank(tmp_path / "no")


# -- silver -----------------------------------------------------------------------------------------------------------
def test_silver_sentences_are_drawn_from_all_files(tmp_path):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("One two three.\n\nToo short\n  One two three.\n" + "word " * 50 + "\nDoubled  blank in here\n")
    second.write_text("Don't go there.\n")
    settings = SilverSettings(sentences=10, shortest=3, longest=8)
    chosen = choose((first, second), spacy.blank("en").tokenizer, settings)
    assert sorted(chosen) == [
        (("Do", "n't", "go", "there", "."), (False, True, True, False, False)),
        (("One", "two", "three", "."), (True, True, False, False)),
    ]
    assert len(choose((first, second), spacy.blank("en").tokenizer, SilverSettings(sentences=1, shortest=3))) == 1


def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_files(tmp_path):
    lines = [f"Sentence number {n} is here." for n in range(60)]
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("\n".join(lines[:30]))
    second.write_text("\n".join(lines[30:]))

    tokenise = spacy.blank("en").tokenizer

    def draw(files, seed):
        return choose(files, tokenise, SilverSettings(sentences=20, seed=seed))

    assert draw((first, second), 0) == draw((second, first), 0)
    assert draw((first, second), 0) != draw((first, second), 1)


class Unsure:
    """Stands for a teacher whose confidence falls from sentence to sentence and who cannot take the third."""

    def parse(self, sentences, *, progress=None):
        bank = animals(len(sentences))
        return [None if i == 2 else Parse(s, 1 - i / 100) for i, s in enumerate(bank)]


def test_the_least_sure_parses_are_left_out():
    got = annotate(Unsure(), [((), ())] * 11, SilverSettings(keep=0.75))
    bank = animals(11)
    assert got == [bank[i] for i in (0, 1, 3, 4, 5, 6, 7, 8)]
    assert len(annotate(Unsure(), [((), ())] * 11, SilverSettings(keep=1.0))) == 10


def test_nothing_that_can_be_parsed():
    with pytest.raises(DataError, match="no sentence that the teacher can parse"):
        annotate(Unsure(), [], SilverSettings())


# -- all of it --------------------------------------------------------------------------------------------------------
@pytest.fixture
def silver(tmp_path, tiny_encoder):
    text = tmp_path / "plain.txt"
    text.write_text("\n".join(s.text for s in animals(30, 500)) + "\n")
    return Silver(
        str(tiny_encoder), (text,), TeacherSettings(epochs=1, batch=200), SilverSettings(sentences=20, keep=1.0)
    )


def test_with_a_teacher(bank, silver, tmp_path):
    out, told = tmp_path / "out" / "parser", []

    def train():
        told.clear()
        report = lambda what, *_: told.append(what)  # noqa: E731
        treebank = open_treebank(bank)
        return train_parser(
            spacy.blank("en"), treebank, out, silver=silver, settings=STUDENT, meta={"license": "CC0"}, report=report
        )

    first = train()
    assert list(dict.fromkeys(told)) == ["training the teacher", "parsing plain text", "training the parser"]
    assert set(first.scores) == set(first.teacher) == {"dev", "test"}
    # what is also in dev or test is not learnt from, not even without its tree
    held_out = set(open_treebank(bank).held_out())
    assert first.silver == min(20, len({s.text for s in animals(30, 500)} - held_out)) < 20
    meta = json.loads((out / "meta.json").read_text())
    assert meta["license"] == "CC0"
    assert meta["performance"]["dev"] == first.scores["dev"].as_dict()
    assert sorted(path.name for path in out.parent.iterdir()) == ["parser", "parser.work"]

    # the second time teacher and silver parses are there already, and the parser is the same
    before = (out / "parser" / "model").read_bytes()
    train()
    assert set(told) == {"training the parser"}
    assert (out / "parser" / "model").read_bytes() == before

    # another text: the teacher stays
    silver.files[0].write_text("\n".join(s.text for s in animals(30, 900)) + "\n")
    train()
    assert list(dict.fromkeys(told)) == ["parsing plain text", "training the parser"]


def test_without_a_teacher(bank, tmp_path):
    (bank / "xx_toy-ud-test.conllu").unlink()
    trained = train_parser(spacy.blank("en"), open_treebank(bank), tmp_path / "parser", settings=STUDENT)
    assert (set(trained.scores), trained.teacher, trained.silver) == ({"dev"}, {}, 0)
    assert spacy.load(tmp_path / "parser").pipe_names == ["tok2vec", "morphologizer", "tagger", "parser"]
    assert not (tmp_path / "parser.work").exists()


def test_what_it_is_made_of_is_written_down_without_paths(bank, silver, tmp_path):
    treebank, settings = open_treebank(bank), StudentSettings(steps=7, seed=3)
    trained = train_parser(spacy.blank("en"), treebank, tmp_path / "parser", settings=STUDENT)
    write_provenance(
        tmp_path / "parser",
        language="toyish",
        treebank=treebank,
        silver=silver,
        learnt=18,
        settings=settings,
        minutes=None,
        licence="CC BY-SA 4.0",
        sources=["UD_Toyish by A. Author"],
        scores=trained.scores,
        teacher={"dev": {"uas": 91.5}},
    )
    text = (tmp_path / "parser" / "PROVENANCE.md").read_text(encoding="utf-8")
    assert command("toyish", silver, settings, None) in text
    assert "--silver plain.txt --silver-sentences 20 --teacher-epochs 1 --steps 7 --seed 3" in text
    assert str(tmp_path) not in text
    for row in treebank.describe():
        assert row["sha256"] in text
    for words in ("UD_Toyish by A. Author", "CC BY-SA 4.0", "its surest 18 parses", "UAS 91.50"):
        assert words in text
    assert f"{trained.scores['dev'].as_dict()['las']:.2f}" in text


def test_the_meta_names_licence_and_sources(bank, silver):
    meta = provenance_meta(open_treebank(bank), silver, "CC0", ["A", "B"])
    assert meta["license"] == "CC0"
    assert [source["name"] for source in meta["sources"]] == ["A", "B"]
    assert "silver parses" in meta["description"]
    assert "silver" not in provenance_meta(open_treebank(bank), None, "CC0", [])["description"]
