"""Which spaCy pipeline parses a language: the pack's own folder, or one that the user names?

A pipeline is opened in two steps: `find` looks at its `config.cfg` only and complains about what is missing; `open_pipeline`
loads the weights.
"""

from __future__ import annotations

import configparser
import hashlib
import importlib.util
import json
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import DataError, UsageError

if TYPE_CHECKING:
    from spacy.language import Language

# components whose weights must be there; others may have nothing on disk
_WITH_WEIGHTS = ("tok2vec", "transformer", "tagger", "morphologizer", "parser")
_TAGGERS = ("tagger", "morphologizer")
# files that say where the weights come from, and not what they compute
_ABOUT = ("meta.json", "README.md", "PROVENANCE.md", "LICENSE", "LICENSES_SOURCES")


@dataclass(frozen=True)
class Located:
    """A pipeline on disk: its folder, and `name version` as its `meta.json` has them."""

    folder: Path
    label: str


def find_own(folder: Path, language: str) -> Located:
    """Return the pack's own pipeline in `folder`. Raises DataError if it is missing or incomplete."""
    remedy = (
        f"Install augbench again, or train one: `augbench train-parser {language} --treebank DIR --out {folder}`, "
        f"or name an installed one: `--language {language}:NAME`."
    )
    if not folder.is_dir():
        raise DataError(f"the language pack {language!r} has no parser: there is no folder {folder}. {remedy}")
    try:
        return _located(folder)
    except DataError as error:
        raise DataError(f"the parser of the language pack {language!r} is damaged: {error} {remedy}") from error


def find_named(name: str, code: str) -> Located:
    """Return the pipeline a user names: a folder, or an installed package. Only its settings are read.

    Raises UsageError if there is none, it is for another language than `code`, or it lacks a parser or a tagger; DataError if its
    folder is damaged.
    """
    folder = Path(name).expanduser()
    if not folder.is_dir():
        if any(mark in name for mark in "/\\~") or name.startswith("."):
            raise UsageError(f"there is no folder {name}; expected a spaCy pipeline (a folder with config.cfg).")
        folder = _package(name)
    located = _located(folder)
    settings = _settings(folder)
    language, components = settings["lang"], settings["pipeline"]
    if language != code:
        raise UsageError(f"the pipeline {name!r} is for {language!r}, not for {code!r}; name one for this language.")
    missing = []
    if "parser" not in components:
        missing.append("parser")
    if not any(component in components for component in _TAGGERS):
        missing.append("tagger")
    if missing:
        raise UsageError(
            f"the pipeline {name!r} has no {' and no '.join(missing)} (it has {', '.join(components) or 'nothing'}); "
            "rules need both. Name another one."
        )
    return located


def open_pipeline(located: Located, *, own_tokeniser: bool = False) -> Language:
    """Load a pipeline. Raises DataError, naming the folder, if spaCy cannot.

    `own_tokeniser`: build the tokeniser from the language's code instead of reading the one that was saved with the weights, so
    that text is cut the same with and without the weights.
    """
    import spacy

    try:
        # not with fast_matrices: a sentence must get the same numbers in every batch, and views the same text
        return spacy.load(located.folder, exclude=["tokenizer"] if own_tokeniser else [])
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise DataError(
            f"the pipeline in {located.folder} cannot be loaded ({type(error).__name__}: {reason}); it may be damaged or need "
            "another version of spaCy. Install or train it again."
        ) from error


def fast_matrices() -> AbstractContextManager[Any]:
    """Within this context, pipelines are built that multiply matrices by NumPy's library instead of spaCy's own; for training.

    Measured on an AVX2 machine: 65 instead of 17 GFLOP/s, and twice as many words per second in training. But the last bits of
    a row then depend on the rows around it: parsing, which must not depend on the batch, is done without.
    """
    from thinc.api import use_ops

    context: AbstractContextManager[Any] = use_ops("numpy", use_blis=False)
    return context


def weights_digest(folder: Path) -> str:
    """The sha256 over names and contents of all files that decide what a pipeline computes."""
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name not in _ABOUT:
            with file.open("rb") as stream:
                inner = hashlib.file_digest(stream, "sha256").hexdigest()
            total.update(f"{file.relative_to(folder).as_posix()}\0{inner}\0".encode())
    return total.hexdigest()


def _package(name: str) -> Path:
    """The data folder of an installed pipeline package."""
    try:
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
    except (ImportError, ValueError):
        spec = None
    root = None if spec is None or spec.origin is None else Path(spec.origin).parent
    if root is None:
        raise UsageError(
            f"there is no installed spaCy pipeline {name!r}. Install it with `python -m spacy download {name}`, or give the "
            "path of a folder."
        )
    meta = root / "meta.json"
    if not meta.is_file():
        raise UsageError(
            f"the package {name!r} is not a spaCy pipeline (it has no meta.json); see https://spacy.io/models."
        )
    about = _json(meta)
    return root / f"{about.get('lang')}_{about.get('name')}-{about.get('version')}"


def _located(folder: Path) -> Located:
    missing = [name for name in ("config.cfg", "meta.json", "vocab") if not (folder / name).exists()]
    if not missing:
        trained = [part for part in _settings(folder)["pipeline"] if part in _WITH_WEIGHTS]
        missing = [f"{part}/" for part in trained if not (folder / part / "model").is_file()]
    if missing:
        raise DataError(f"{folder} has no {', '.join(missing)}; expected a spaCy pipeline.")
    meta = _json(folder / "meta.json")
    return Located(folder, f"{meta.get('lang')}_{meta.get('name')} {meta.get('version')}")


def _settings(folder: Path) -> dict[str, Any]:
    # not by spaCy's reader: importing spaCy takes longer than finding views that are there already
    config = configparser.ConfigParser(interpolation=None)
    try:
        config.read_string((folder / "config.cfg").read_text(encoding="utf-8"))
        nlp = config["nlp"]
        return {"lang": str(json.loads(nlp["lang"])), "pipeline": list(json.loads(nlp["pipeline"]))}
    except Exception as error:
        raise DataError(f"{folder / 'config.cfg'} is no spaCy configuration ({type(error).__name__}).") from error


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise DataError(f"{path} cannot be read ({error}).") from None
    if not isinstance(found, dict):
        raise DataError(f"{path} holds no JSON object.")
    return found
