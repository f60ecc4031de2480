"""A language whose tokeniser has to be learnt: the recipe is asked once, its tokens are trained on, stored and opened again."""

from __future__ import annotations

import json

import numpy as np
import pytest
import spacy
from parsing_fakes import animals
from spacy.lang.zh import Chinese

from harness.parsing.provenance import write_provenance
from harness.parsing.recipe import open_treebank, train_parser
from harness.parsing.scores import measure
from harness.parsing.student import StudentSettings, suited
from harness.parsing.treebank import write

pkuseg = pytest.importorskip("spacy_pkuseg")
STUDENT = StudentSettings(steps=2, batch=100, evaluate_every=100, rows=(100, 50, 50, 50))


class Toy:
    """Learns nothing: a pkuseg model that begins a word at every character `t`."""

    def __init__(self, version=1):
        self.asked, self.version = [], version

    def settings(self):
        return {"version": self.version}

    def learn(self, gold, dev, folder, *, seed, report):
        self.asked.append((len(gold), len(dev), seed))
        report("learning", 1, 1, {})
        from spacy_pkuseg.feature_extractor import FeatureExtractor

        extractor = FeatureExtractor()
        extractor.feature_to_idx = {"$$": 0, "c.t": 1}
        extractor.tag_to_idx = {tag: i for i, tag in enumerate(("B", "B_single", "I", "I_end", "I_first"))}
        folder.mkdir(parents=True, exist_ok=True)
        extractor.save(str(folder))
        weights = np.zeros(5 * (2 + 5))
        weights[2], weights[5] = 1.0, 5.0  # inside, but for `t`
        np.savez(folder / "weights.npz", sizes=np.array([5, 2]), w=weights)
        return "Cut at every t."

    def open(self, folder):
        nlp = Chinese.from_config(
            {"nlp": {"tokenizer": {"@tokenizers": "spacy.zh.ChineseTokenizer", "segmenter": "pkuseg"}}}
        )
        model = pkuseg.pkuseg(str(folder), user_dict=None)
        model.postprocesser.common_words, model.postprocesser.other_words = set(), set()
        nlp.tokenizer.pkuseg_seg = model
        return nlp

    def compact(self, pipeline):
        (pipeline / "compact").touch()


@pytest.fixture
def bank(tmp_path):
    for index, split in enumerate(("train", "dev")):
        write(tmp_path / f"toy-{split}.conllu", animals(20, 100 * index))
    write(tmp_path / "other.conllu", animals(10, 300))
    return open_treebank(tmp_path, [tmp_path / "other.conllu"])


def test_learnt_once_stored_and_opened(bank, tmp_path):
    recipe, out = Toy(), tmp_path / "out" / "parser"
    trained = train_parser(recipe, bank, out, settings=STUDENT)
    # sentences of the other treebank that are also in dev are not learnt from
    assert recipe.asked == [(len(bank.gold), 20, 0)]
    assert trained.tokeniser == "Cut at every t."
    assert (out / "compact").is_file()
    nlp = spacy.load(out)
    assert [token.text for token in nlp("eatsthetoad")] == ["ea", "ts", "the", "toad"]
    assert nlp.meta["given_tokens"].keys() == {"dev"}
    assert trained.scores["dev"].tokens < trained.given["dev"].tokens == 100
    assert nlp.get_pipe("tok2vec").model.to_bytes() == trained.nlp.get_pipe("tok2vec").model.to_bytes()

    train_parser(recipe, bank, out, settings=STUDENT)
    assert len(recipe.asked) == 1
    newer = Toy(version=2)
    train_parser(newer, bank, out, settings=STUDENT)
    assert len(newer.asked) == 1


def test_it_is_written_down(bank, tmp_path):
    trained = train_parser(Toy(), bank, tmp_path / "parser", settings=STUDENT)
    write_provenance(
        tmp_path / "parser",
        language="toyish",
        treebank=bank,
        silver=None,
        learnt=0,
        settings=STUDENT,
        minutes=None,
        licence="CC0",
        sources=[],
        scores=trained.scores,
        teacher={},
        given=trained.given,
        tokeniser=trained.tokeniser,
    )
    text = (tmp_path / "parser" / "PROVENANCE.md").read_text(encoding="utf-8")
    for words in (
        "--extra other.conllu",
        "--rows 100,50,50,50",
        "Cut at every t.",
        "| dev, the treebank's tokens | 100.00 |",
    ):
        assert words in text
    assert str(tmp_path) not in text + json.dumps(json.loads((tmp_path / "parser" / "meta.json").read_text()))


def test_other_treebanks_leave_out_what_is_held_out(tmp_path):
    write(tmp_path / "toy-train.conllu", animals(20))
    write(tmp_path / "toy-dev.conllu", animals(5, 100))
    write(tmp_path / "other.conllu", [*animals(5, 100), *animals(5, 200)])
    found = open_treebank(tmp_path, [tmp_path / "other.conllu"])
    held_out = {s.text for s in found.sentences["dev"]}
    assert not held_out & {s.text for s in found.sentences["extra 1"]}
    assert len(found.gold) == 20 + len(found.sentences["extra 1"])
    assert [row["file"] for row in found.describe()] == ["toy-train.conllu", "toy-dev.conllu", "other.conllu"]


def test_given_tokens_are_the_treebanks():
    nlp = spacy.blank("zh")  # one character, one token
    sentences = animals(3)
    assert measure(nlp, sentences).tokens < 50
    assert measure(nlp, sentences, given_tokens=True).tokens == 100


def test_nothing_is_lowered_where_letters_have_no_case():
    assert suited(STUDENT, "en") == STUDENT
    assert suited(STUDENT, "zh").disturbance.lower == 0
    assert suited(STUDENT, "zh").disturbance.unstopped == STUDENT.disturbance.unstopped
