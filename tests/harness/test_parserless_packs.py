"""A pack may say that it has no parser; and long lines of scripts without blanks are not cut inside words."""

from __future__ import annotations

import pytest

from harness.errors import DataError
from harness.languages import SpacyPack

TOML = """
name = "young"
code = "de"
default_encoder = "mini"
default_tasks = []
{}
[licences]
"""


class Young(SpacyPack):
    """A pack that leaves everything to the base."""


def young(folder, extra='parser = "none"'):
    (folder / "pack.toml").write_text(TOML.format(extra))
    return Young(folder)


def test_a_parse_is_the_tokens(tmp_path):
    pack = young(tmp_path)
    (doc,) = pack.parse(["Es regnet."])
    assert [token.text for token in doc] == ["Es", "regnet", "."]
    assert not doc.has_annotation("DEP")
    assert pack.parser == "none (tokens only)"
    assert set(pack.fingerprint()) == {"pack", "parser", "spacy"}
    (again,) = pack.load_docs(pack.store_docs([doc]), [0])
    assert again.text == doc.text
    pack.enter_worker()


def test_a_parser_that_is_there_must_not_be_passed_over(tmp_path):
    pack = young(tmp_path)
    (tmp_path / "parser").mkdir()
    for ask in (pack.fingerprint, lambda: list(pack.parse(["a"])), lambda: pack.parser):
        with pytest.raises(DataError, match=r'pack\.toml says parser = "none"; delete that line'):
            ask()


def test_without_the_line_a_parser_is_expected(tmp_path):
    with pytest.raises(DataError, match="'young' has no parser"):
        next(young(tmp_path, "").parse(["a"]))


def test_another_parser_may_be_named(tmp_path):
    import spacy

    nlp = spacy.blank("de")
    for part in ("tagger", "parser"):
        nlp.add_pipe(part).add_label("NN")
    nlp.initialize()
    nlp.to_disk(tmp_path / "named")
    (doc,) = young(tmp_path).with_parser(str(tmp_path / "named")).parse(["Es regnet."])
    assert doc[0].tag_ == "NN"


@pytest.mark.parametrize("extra", ["marks = 3", 'parser = "spacy"', "parser = false"])
def test_settings_that_say_nothing_are_refused(tmp_path, extra):
    with pytest.raises(DataError, match=r'marks is a string, and parser is "none" or not there'):
        young(tmp_path, extra)


def test_marks_are_read(tmp_path):
    assert young(tmp_path, 'marks = "。！"').marks == "。！"
    assert young(tmp_path, "").marks == ".;?:!,"


def test_a_long_line_is_cut_in_runs_of_scripts_with_blanks_only(tmp_path):
    pack = young(tmp_path, 'parser = "none"')
    (doc,) = pack.parse(["文" * 3_000])
    assert [len(token.text) for token in doc] == [3_000]
    (doc,) = pack.parse(["x" * 3_000])
    assert {len(token.text) for token in doc} == {200}
