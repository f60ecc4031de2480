"""Which pipeline is meant, what is wrong with it, and what its identity depends on."""

from __future__ import annotations

import json
import shutil

import pytest
import spacy

from harness.errors import DataError, UsageError
from harness.parsing.pipeline import find_named, find_own, open_pipeline, weights_digest


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A pipeline with a parser and a tagger, untrained."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger").add_label("NN")
    nlp.add_pipe("parser").add_label("nsubj")
    nlp.initialize()
    nlp.meta.update(name="toy", version="0.3.0")
    folder = tmp_path_factory.mktemp("pipeline") / "saved"
    nlp.to_disk(folder)
    return folder


@pytest.fixture
def copied(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "copied")


@pytest.fixture
def package(saved, tmp_path, monkeypatch):
    """The pipeline as a package that is installed: `toy_pipeline_package`."""
    root = tmp_path / "site" / "toy_pipeline_package"
    shutil.copytree(saved, root / "en_toy-0.3.0")
    shutil.copy(saved / "meta.json", root)
    (root / "__init__.py").write_text("raise RuntimeError('must not be run to be found')")
    monkeypatch.syspath_prepend(str(root.parent))
    return root


def test_a_folder_is_found_and_opened(saved):
    located = find_named(str(saved), "en")
    assert (located.folder, located.label) == (saved, "en_toy 0.3.0")
    assert open_pipeline(located)("It is.")[0].tag_ == "NN"


def test_an_installed_package_is_found(package):
    located = find_named("toy_pipeline_package", "en")
    assert located.label == "en_toy 0.3.0"
    assert open_pipeline(located).pipe_names == ["tagger", "parser"]


def test_a_package_that_is_no_pipeline(package):
    (package / "meta.json").unlink()
    with pytest.raises(UsageError, match="'toy_pipeline_package' is not a spaCy pipeline"):
        find_named("toy_pipeline_package", "en")


@pytest.mark.parametrize("name", ["en_core_web_gigantic", "en-core-web", "no.such.package"])
def test_what_is_not_installed_has_an_install_command(name):
    with pytest.raises(UsageError, match=f"python -m spacy download {name}"):
        find_named(name, "en")


@pytest.mark.parametrize("name", ["/no/folder", "./here", "~/there"])
def test_what_looks_like_a_path_is_one(name):
    with pytest.raises(UsageError, match=f"there is no folder {name}"):
        find_named(name, "en")


def test_another_language_is_refused(saved):
    with pytest.raises(UsageError, match="is for 'en', not for 'zh'"):
        find_named(str(saved), "zh")


@pytest.mark.parametrize(
    ("kept", "message"),
    [(["parser"], "has no tagger"), (["tagger"], "has no parser"), ([], "has no parser and no tagger")],
)
def test_a_pipeline_without_parser_or_tagger_is_refused(tmp_path, kept, message):
    nlp = spacy.blank("en")
    for name in kept:
        nlp.add_pipe(name).add_label("x")
    nlp.initialize()
    nlp.to_disk(tmp_path / "some")
    with pytest.raises(UsageError, match=message):
        find_named(str(tmp_path / "some"), "en")


def test_a_missing_parser_names_the_ways_out(tmp_path):
    with pytest.raises(DataError, match=r"has no parser.*augbench train-parser klingon --treebank.*klingon:NAME"):
        find_own(tmp_path / "parser", "klingon")


@pytest.mark.parametrize("part", ["config.cfg", "meta.json", "vocab", "parser/model", "tagger/model"])
def test_a_damaged_parser_names_the_ways_out(copied, part):
    target = copied / part
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    with pytest.raises(DataError, match=r"of the language pack 'klingon' is damaged.*augbench train-parser klingon"):
        find_own(copied, "klingon")


@pytest.mark.parametrize(("part", "content"), [("config.cfg", "[nlp"), ("meta.json", "{"), ("meta.json", "[]")])
def test_unreadable_settings(copied, part, content):
    (copied / part).write_text(content)
    with pytest.raises(DataError, match="is damaged"):
        find_own(copied, "klingon")


def test_weights_that_do_not_load(copied):
    (copied / "parser" / "model").write_bytes(b"nothing")
    with pytest.raises(DataError, match=r"cannot be loaded \(.*Install or train it again"):
        open_pipeline(find_own(copied, "klingon"))


def test_the_languages_own_tokeniser_may_take_the_place_of_the_saved_one(copied):
    (copied / "tokenizer").unlink()
    with pytest.raises(DataError):
        open_pipeline(find_own(copied, "klingon"))
    opened = open_pipeline(find_own(copied, "klingon"), own_tokeniser=True)
    assert [t.text for t in opened.tokenizer("don't")] == ["do", "n't"]


def test_the_digest_is_of_what_is_computed_not_of_what_is_said(copied):
    before = weights_digest(copied)
    meta = json.loads((copied / "meta.json").read_text())
    (copied / "meta.json").write_text(json.dumps({**meta, "description": "other"}))
    (copied / "PROVENANCE.md").write_text("other")
    assert weights_digest(copied) == before
    (copied / "parser" / "cfg").write_bytes((copied / "parser" / "cfg").read_bytes() + b" ")
    assert weights_digest(copied) != before
