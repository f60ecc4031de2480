"""Opening packs by name and code, and the base that reads `pack.toml`."""

from __future__ import annotations

import pytest

from harness.errors import DataError, UsageError
from harness.languages import SpacyPack, open_pack
from harness.protocols import registry

TOML = """
name = "klingon"
code = "en"
default_encoder = "mini"
default_tasks = []
[licences]
"""


class Klingon(SpacyPack):
    parser = "spacy.blank(xx)"

    def load_pipeline(self):
        import spacy

        return spacy.blank("xx")


@pytest.mark.parametrize("name", ["english", "en", "EN", " English "])
def test_packs_answer_to_name_and_code(name):
    assert open_pack(name).name == "english"


def test_a_pack_is_returned_as_it_is():
    pack = open_pack("english")
    assert open_pack(pack) is pack


def test_unknown_names_get_suggestions_and_the_next_step():
    with pytest.raises(UsageError, match=r"unknown language 'englsh'\. Did you mean 'english'.*augbench ls languages"):
        open_pack("englsh")
    with pytest.raises(UsageError, match=r"Known: chinese, en, english"):
        open_pack("q")


@pytest.fixture
def klingon(tmp_path):
    (tmp_path / "pack.toml").write_text(TOML)
    return Klingon(tmp_path)


def registered(monkeypatch, packs):
    monkeypatch.setattr(registry, "names", lambda group: sorted(packs))
    monkeypatch.setattr(registry, "load", lambda group, name: packs[name])


def test_a_code_claimed_twice_is_refused_but_the_names_work(monkeypatch, klingon):
    english = open_pack("english")
    registered(monkeypatch, {"english": lambda: english, "klingon": lambda: klingon})
    with pytest.raises(UsageError, match="'english' and 'klingon' both have the code 'en'"):
        open_pack("en")
    assert open_pack("klingon") is klingon


def test_a_broken_pack_does_not_hide_the_others(monkeypatch, klingon, caplog):
    def broken():
        raise RuntimeError("no lexicon")

    registered(monkeypatch, {"broken": broken, "klingon": lambda: klingon})
    assert open_pack("en") is klingon
    assert "broken cannot be loaded: no lexicon" in caplog.text
    with pytest.raises(RuntimeError):
        open_pack("broken")


def test_pack_toml_must_be_there_and_complete(tmp_path):
    with pytest.raises(DataError, match=r"there is no .*pack\.toml"):
        Klingon(tmp_path)
    (tmp_path / "pack.toml").write_text("name = 3\ncode = 'tlh'")
    with pytest.raises(DataError, match=r"name \(str\), default_encoder \(str\), default_tasks \(list\), licences"):
        Klingon(tmp_path)
    (tmp_path / "pack.toml").write_text("name = ")
    with pytest.raises(DataError, match="not valid TOML"):
        Klingon(tmp_path)


def test_the_pipeline_is_loaded_once_and_only_when_needed(klingon, monkeypatch):
    loads = []
    original = Klingon.load_pipeline
    monkeypatch.setattr(Klingon, "load_pipeline", lambda self: loads.append(1) or original(self))
    assert klingon.fingerprint()["parser"] == "spacy.blank(xx)"
    assert not loads
    list(klingon.parse(["a", "b"]))
    klingon.words("a b")
    assert loads == [1]


def test_components_of_the_pipeline_run(klingon):
    klingon.pipeline.add_pipe("sentencizer")
    (doc,) = klingon.parse(["One. Two."])
    assert len(list(doc.sents)) == 2


# -- parsers ----------------------------------------------------------------------------------------------------------
class Toy(SpacyPack):
    """A pack that leaves everything to the base: tokeniser by its code, parser in `parser/`."""


def save_pipeline(folder, *, lang="en", parts=("tagger", "parser"), label="NN", name="toy"):
    import spacy

    nlp = spacy.blank(lang)
    for part in parts:
        nlp.add_pipe(part).add_label(label)
    nlp.initialize()
    nlp.meta.update(name=name, version="0.1.0")
    nlp.to_disk(folder)
    return folder


@pytest.fixture
def toy(tmp_path):
    (tmp_path / "pack.toml").write_text(TOML.replace("klingon", "toy"))
    save_pipeline(tmp_path / "parser")
    return Toy(tmp_path)


def test_the_parser_lies_in_the_packs_folder(toy):
    (doc,) = toy.parse(["It rains."])
    assert {token.tag_ for token in doc} == {"NN"}
    assert toy.parser == "en_toy 0.1.0"
    assert {"pack": "toy", "parser": "en_toy 0.1.0"}.items() <= toy.fingerprint().items()


def test_other_weights_are_another_fingerprint(toy, tmp_path):
    before = toy.fingerprint()
    save_pipeline(tmp_path / "parser", label="VB")
    after = Toy(tmp_path).fingerprint()
    assert before != after
    assert {**before, "weights": ""} == {**after, "weights": ""}


def test_without_a_parser_tokens_still_work(toy, tmp_path):
    import shutil

    shutil.rmtree(tmp_path / "parser")
    assert toy.words("Don't go!") == ["do", "n't", "go"]
    assert [len(doc) for doc in toy.tokenise_all(["a b", ""])] == [2, 0]
    with pytest.raises(DataError, match=r"'toy' has no parser.*augbench train-parser toy"):
        next(iter(toy.parse(["a"])))
    with pytest.raises(DataError, match="has no parser"):
        toy.fingerprint()


def test_the_user_may_name_another_parser(toy, tmp_path):
    folder = save_pipeline(tmp_path / "Mine", label="VB", name="mine")
    other = toy.with_parser(str(folder))
    assert (other.name, other.base_name, toy.name) == (f"toy:{folder}", "toy", "toy")
    (ours,), (theirs,) = toy.parse(["It"]), other.parse(["It"])
    assert (ours[0].tag_, theirs[0].tag_) == ("NN", "VB")
    assert other.parser == "en_mine 0.1.0"
    assert other.fingerprint()["pack"] == "toy"
    assert other.fingerprint() != toy.fingerprint()
    assert other.operators().keys() == toy.operators().keys()


def test_a_named_parser_brings_its_tokeniser(toy, tmp_path):
    import spacy
    from spacy.tokenizer import Tokenizer

    nlp = spacy.load(save_pipeline(tmp_path / "blanks"))
    nlp.tokenizer = Tokenizer(nlp.vocab)
    nlp.to_disk(tmp_path / "blanks")
    other = toy.with_parser(str(tmp_path / "blanks"))
    assert other.words("don't go!") == ["don't", "go!"]
    assert [t.text for t in next(other.parse(["don't go!"]))] == ["don't", "go!"]


@pytest.mark.parametrize("name", ["english:{}", "en:{}", " EN : {} "])
def test_open_pack_takes_a_parser_behind_a_colon(tmp_path, name):
    folder = save_pipeline(tmp_path / "MixedCase")
    pack = open_pack(name.format(folder))
    assert pack.name == f"english:{folder}"
    assert open_pack(pack.name).fingerprint() == pack.fingerprint()
    assert next(pack.parse(["It"]))[0].tag_ == "NN"


def test_a_named_parser_that_is_missing_or_unfit_is_told_when_needed(tmp_path):
    pack = open_pack("english:en_core_web_gigantic")
    assert pack.code == "en"
    for ask in (pack.fingerprint, lambda: list(pack.parse(["a"])), lambda: pack.words("a")):
        with pytest.raises(UsageError, match="python -m spacy download en_core_web_gigantic"):
            ask()
    with pytest.raises(UsageError, match="is for 'de', not for 'en'"):
        open_pack(f"english:{save_pipeline(tmp_path / 'de', lang='de')}").fingerprint()
    with pytest.raises(UsageError, match="has no parser"):
        open_pack(f"english:{save_pipeline(tmp_path / 'half', parts=['tagger'])}").fingerprint()


def test_nothing_behind_the_colon():
    with pytest.raises(UsageError, match=r"names no parser behind the colon; write english or english:PIPELINE"):
        open_pack("english: ")
    with pytest.raises(UsageError, match="unknown language 'englsh'"):
        open_pack("englsh:en_core_web_sm")


def test_a_pack_without_a_choice_of_parsers(monkeypatch, klingon):
    from harness.protocols import LanguagePack

    monkeypatch.setattr(Klingon, "with_parser", LanguagePack.with_parser)
    registered(monkeypatch, {"klingon": lambda: klingon})
    with pytest.raises(UsageError, match="'klingon' has one parser and no choice of others; write --language klingon"):
        open_pack("klingon:other")


def test_long_texts_have_no_tree(toy):
    texts = ["a b.", "a " * 5_001, "c d.", "a " * 5_000]
    docs = list(toy.parse(texts))
    assert [doc.text for doc in docs] == texts
    assert [doc.has_annotation("DEP") for doc in docs] == [True, False, True, True]
    assert len(list(docs[1].sents)) == 1
