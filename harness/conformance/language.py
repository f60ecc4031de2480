"""Does a language pack keep its contract? The battery that our own packs pass and that pack authors run on theirs.

`check_language_pack(pack)` yields named checks, each a callable that raises AssertionError with what was expected, or Skipped
with a reason; on the command line: `augbench check language NAME`. Speed is not checked.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from harness.conformance import Check
from harness.conformance.operators import operator_checks
from harness.conformance.subject import PARSE, Subject, shown
from harness.data import DataFolder
from harness.errors import AugBenchError, Skipped
from harness.examples import change_rate, outputs, pack_examples, violations
from harness.operators import resolve
from harness.protocols import EncoderTask, LanguagePack, Operator
from harness.tasks import families

_SETTINGS = ("name", "code", "default_encoder", "default_tasks")
#: files under the licence of the code; everything else in a pack is an artefact with a line of its own
_CODE_SUFFIXES = (".py", ".md", ".typed")
_CODE_FILES = ("pack.toml", "LICENSE", "NOTICE")
_NO_FILES = ("__pycache__",)
#: below this share of changed examples an operator refuses what its author says it can do
_CHANGED = 0.8


def check_language_pack(pack: LanguagePack, *, sentences: Sequence[str] | None = None) -> Iterator[Check]:
    """Yield (name, check) for a pack: what it ships, its parser, and every operator of its own with all its variants.

    sentences  ordinary sentences of the language (default: 100 of the pack's sample corpus)
    """
    subject = Subject(pack, sentences)
    yield "pack.toml is complete", partial(_settings, subject)
    yield "every shipped artefact has a licence", partial(_licences, subject)
    yield "samples can be read", partial(_samples, subject)
    yield "default tasks exist", partial(_default_tasks, subject)
    yield "the fingerprint is JSON and stable", partial(_fingerprint, subject)
    yield PARSE, partial(_parse, subject)
    yield "a parse does not depend on its batch", partial(_batches, subject)
    yield "words have letters or digits", partial(_words, subject)
    try:
        names = list(pack.operators())
    except Exception as error:
        yield "operators can be listed", partial(_fail, f"operators() raises {type(error).__name__}: {error}")
        return
    yield from operator_checks(subject)
    for name in names:
        yield f"{name}: examples hold for ten seeds", partial(_examples, subject, name)


def _fail(reason: str) -> None:
    raise AssertionError(reason)


# -- what is shipped --------------------------------------------------------------------------------------------------
def _settings(s: Subject) -> None:
    path = s.pack.folder / "pack.toml"
    assert path.is_file(), f"there is no {path}"
    settings = tomllib.loads(path.read_text(encoding="utf-8"))
    for key in (*_SETTINGS, "licences"):
        assert settings.get(key), f"pack.toml has no {key}, or an empty one"
    for key in _SETTINGS:
        have, written = getattr(s.pack, "base_name" if key == "name" else key), settings[key]
        have = list(have) if isinstance(written, list) else have
        assert have == written, f"the pack says {key} is {have!r}, pack.toml says {written!r}"
    assert re.fullmatch(r"[a-z]{2,3}", s.pack.code), f"code is {s.pack.code!r}, expected an ISO 639 code like 'en'"
    assert s.pack.base_name == s.pack.folder.name, f"name is {s.pack.name!r} but the folder {s.pack.folder.name!r}"


def _licences(s: Subject) -> None:
    for key, licence in s.pack.licences.items():
        assert str(licence).strip(), f"the licence of {key!r} is empty"
        if "/" in key:
            assert (s.pack.folder / key).exists(), f"[licences] names {key!r}, which is not in {s.pack.folder}"
    covered = [key.rstrip("/") for key in s.pack.licences]
    for file in _artefacts(s.pack.folder):
        above = {file.as_posix(), *(parent.as_posix() for parent in file.parents)}
        assert above & set(covered), (
            f"{file} is shipped without a licence; add a line for it or its folder to [licences] in pack.toml"
        )


def _artefacts(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        file = path.relative_to(folder)
        # what `train-parser` and `pretrain` leave beside their output (OUT.work) is not part of a package
        hidden = any(part.startswith(".") or part.endswith(".work") or part in _NO_FILES for part in file.parts)
        if path.is_file() and not hidden and file.suffix not in _CODE_SUFFIXES and file.name not in _CODE_FILES:
            yield file


def _samples(s: Subject) -> None:
    from harness.corpus import read_corpus

    folder = s.pack.samples / "corpus" / s.pack.code
    files = sorted(folder.glob("*.txt"))
    assert files, f"there is no text file in {folder}"
    try:
        for file in files:
            assert len(read_corpus(file)), f"{file} is empty"
        tasks = {
            f"{name}:{split}": factory
            for family in families(DataFolder(s.pack.samples), s.pack.code).values()
            for name, splits in family.tasks.items()
            for split, factory in splits.items()
        }
        assert tasks, f"there is no task in {s.pack.samples} for {s.pack.code!r}"
        for name, factory in tasks.items():
            task = factory()
            # one that looks into an encoder has none to encode; one that lacks an operator says so when it is asked
            if not isinstance(task, EncoderTask):
                with suppress(Skipped):
                    assert len(task.sentences()), f"{name} has no sentence"
    except AugBenchError as error:
        raise AssertionError(str(error)) from error


def _default_tasks(s: Subject) -> None:
    assert s.pack.default_tasks, "the pack names no default task"
    try:
        found = families(DataFolder(s.pack.samples), s.pack.code)
    except AugBenchError as error:
        raise AssertionError(str(error)) from error
    known = {*found, *(name for family in found.values() for name in (*family.tasks, *family.known))}
    for name in s.pack.default_tasks:
        assert name.partition(":")[0] in known, f"no task is called {name!r}; known: {', '.join(sorted(known))}"


def _fingerprint(s: Subject) -> None:
    first, second = s.pack.fingerprint(), s.pack.fingerprint()
    assert first == second, "two calls give two fingerprints"
    text = json.dumps(first, allow_nan=False)
    assert json.loads(text) == first, "the fingerprint does not survive JSON"
    assert str(s.pack.folder) not in text, "the fingerprint holds a path, which differs from machine to machine"


# -- the parser -------------------------------------------------------------------------------------------------------
def _parse(s: Subject) -> None:
    for name, text in s.texts.items():
        try:
            docs = list(s.pack.parse([text]))
        except Exception as error:
            raise AssertionError(f"{name} ({shown(text)}): {type(error).__name__}: {error}") from error
        assert len(docs) == 1, f"{name}: one text gave {len(docs)} documents"
        doc = docs[0]
        assert doc.text == text, f"{name}: {shown(text)} became {shown(doc.text)}"
        spelt = "".join(token.text + token.whitespace_ for token in doc)
        assert spelt == text, f"{name}: the tokens of {shown(text)} spell {shown(spelt)}"
        assert [token.i for token in doc] == list(range(len(doc))), f"{name}: the tokens are not numbered in order"


def _batches(s: Subject) -> None:
    names = list(s.texts)
    together = s.docs()
    assert list(together) == names, f"{len(names)} texts gave {len(together)} documents"
    backwards = list(s.pack.parse(s.texts[name] for name in reversed(names)))
    for name, again in zip(reversed(names), backwards, strict=True):
        first, second = (_analysis(doc) for doc in (together[name], again))
        assert first == second, f"{name} ({shown(s.texts[name])}) is parsed differently in another batch"


def _analysis(doc: object) -> object:
    """What spaCy's own JSON says about a document; its tokens where a pack has documents of another kind."""
    if hasattr(doc, "to_json"):
        return doc.to_json()
    return [(token.text, token.whitespace_) for token in doc]  # type: ignore[attr-defined]


def _words(s: Subject) -> None:
    for name, text in s.texts.items():
        try:
            words = s.pack.words(text)
        except Exception as error:
            raise AssertionError(f"{name} ({shown(text)}): {type(error).__name__}: {error}") from error
        for word in words:
            assert any(map(str.isalnum, word)), f"{name}: {shown(word)} is no word"
    for name, text in s.plain.items():
        assert s.pack.words(text), f"{name} ({shown(text)}) has no words"


# -- examples ---------------------------------------------------------------------------------------------------------
def _examples(s: Subject, name: str) -> None:
    s.operator(name)  # raises Skipped where it lacks something here
    try:
        examples = [example for example in pack_examples(s.pack) if example.name == name]
        assert examples, f"there is no example of {name}; write examples/{name}.jsonl (see harness/examples.py)"
        specs = list(dict.fromkeys(example.operator for example in examples))
        operators = dict(zip(specs, resolve(specs, s.pack), strict=True))
    except AugBenchError as error:
        raise AssertionError(str(error)) from error
    docs = s.pack.parse(example.text for example in examples)
    found = []
    for example, doc in zip(examples, docs, strict=True):
        operator = operators[example.operator]
        assert isinstance(operator, Operator), f"{example.place}: {example.operator} works on word pieces, not on text"
        found.append(outputs(example, operator, doc))
    wrong = [line for e, of_one in zip(examples, found, strict=True) for line in violations(e, of_one)]
    assert not wrong, f"{len(wrong)} outputs are not accepted:\n" + "\n".join(wrong[:20])
    rate = change_rate(examples, found)
    assert rate is None or rate >= _CHANGED, (
        f"only {rate:.0%} of the examples that may be changed are changed under any seed, expected {_CHANGED:.0%}"
    )
