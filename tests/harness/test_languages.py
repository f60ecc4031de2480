"""Opening packs by name and code, and the base that reads `pack.toml`."""

from __future__ import annotations

import pytest

from harness.errors import DataError, UsageError
from harness.languages import SpacyPack, open_pack
from harness.protocols import registry

TOML = """
name = "klingon"
code = "en"
default_encoder = "standin"
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
    with pytest.raises(UsageError, match=r"Known: en, english"):
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
