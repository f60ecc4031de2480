"""Which language pack answers to this name? And a base that turns a folder with `pack.toml` into a pack.

`english` and `en` are the pack with its own parser, `english:en_core_web_sm` and `en:some/folder` the same pack with a spaCy
pipeline that the user names.
"""

from __future__ import annotations

import copy
import importlib
import logging
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import DataError, UsageError
from harness.foreign import announce_pack
from harness.longtexts import LONGEST_PARSE, tokens, unparsed
from harness.parsing.pipeline import Located, find_named, find_own, open_pipeline, weights_digest
from harness.protocols import Doc, LanguagePack, registry
from harness.words import is_word

if TYPE_CHECKING:
    from spacy.language import Language

    from harness.parsing.tokeniser import TokeniserRecipe

log = logging.getLogger(__name__)


def open_pack(name: str | LanguagePack) -> LanguagePack:
    """Return the pack registered under a name (`english`) or ISO 639-1 code (`en`); a pack is returned as it is.

    A spaCy pipeline behind a colon (`en:en_core_web_sm`, `en:some/folder`) takes the place of the pack's parser; whether it is
    there shows when it is first needed. Raises UsageError with close names if nothing answers, if two packs claim the code, or if
    the pack cannot change its parser.
    """
    if isinstance(name, LanguagePack):
        return name
    base, colon, parser = name.strip().partition(":")
    pack = _find(base)
    if not colon:
        return pack
    if not parser.strip():
        raise UsageError(f"{name!r} names no parser behind the colon; write {base} or {base}:PIPELINE.")
    try:
        return pack.with_parser(parser.strip())
    except NotImplementedError as error:
        raise UsageError(f"{error}; write --language {pack.name}.") from None


def _find(name: str) -> LanguagePack:
    wanted = name.strip().lower()
    known = registry.names("languages")
    if wanted in known:
        return _load(wanted)
    codes = _by_code()
    found = codes.get(wanted, [])
    if len(found) == 1:
        return found[0]
    if found:
        names = " and ".join(repr(pack.name) for pack in found)
        raise UsageError(f"the packs {names} both have the code {wanted!r}; name one of them.")
    hint = registry.suggest(wanted, [*known, *codes])
    raise UsageError(f"unknown language {name!r}. {hint} See `augbench ls languages`.")


def pack_codes() -> dict[str, str]:
    """Return ISO code -> name of the installed packs, the first by name where several claim a code."""
    return {code: packs[0].name for code, packs in _by_code().items()}


def _by_code() -> dict[str, list[LanguagePack]]:
    codes: dict[str, list[LanguagePack]] = {}
    for other in registry.names("languages"):
        try:
            pack = _load(other)
        except Exception as error:
            # somebody else's broken pack must not stand in the way of this one
            log.warning("language pack %s cannot be loaded: %s", other, error)
            continue
        codes.setdefault(pack.code.lower(), []).append(pack)
    return codes


def _load(name: str) -> LanguagePack:
    announce_pack(name)
    pack: LanguagePack = registry.load("languages", name)()
    return pack


class SpacyPack(LanguagePack):
    """A pack read from a folder with `pack.toml`, parsed by a spaCy pipeline.

    `pack.toml`: `name`, `code`, `default_encoder`, `default_tasks` and a table `[licences]` (what is shipped -> licence
    and origin); perhaps `marks`, `negation_words` with `not_negation`, and `parser = "none"` as long as there is no parser: a
    parse is then its tokens. Samples lie in `samples/`, laid out like a data folder; the parser, made by `augbench train-parser`,
    in `parser/`; the small encoder, made by `augbench pretrain`, in `encoder/`.
    It is loaded at the first parse. A pack overrides `blank` if its tokeniser is not spaCy's for the code, or `load_pipeline` and
    `parser` if its parser comes from elsewhere. Raises DataError if `pack.toml` is missing or incomplete.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.samples = folder / "samples"
        self.encoder = folder / "encoder" if (folder / "encoder" / "config.json").is_file() else None
        settings = _read_settings(folder / "pack.toml")
        self.name = settings["name"]
        self.code = settings["code"]
        self.default_encoder = settings["default_encoder"]
        self.default_tasks: Sequence[str] = tuple(settings["default_tasks"])
        self.licences = dict(settings["licences"])
        self.marks = settings.get("marks", self.marks)
        self._parserless = settings.get("parser") == "none"
        self._named: str | None = None

    def with_parser(self, pipeline: str) -> SpacyPack:
        """Return this pack with an installed spaCy pipeline or a folder for a parser, named `pack:pipeline`."""
        other = copy.copy(self)
        for loaded in ("pipeline", "_blank", "_located", "_weights"):
            other.__dict__.pop(loaded, None)
        other.name, other._named = f"{self.base_name}:{pipeline}", pipeline
        return other

    def blank(self) -> Language:
        """Return a pipeline of the tokeniser alone; default: spaCy's for the pack's code."""
        import spacy

        return spacy.blank(self.code)

    def tokeniser_recipe(self) -> TokeniserRecipe | None:
        """Say how `augbench train-parser` learns the tokeniser of this language; None (the default): `blank` has it already.

        A tokeniser that was learnt lies in `parser/tokenizer` and is read from there; `blank` must do so too.
        """
        return None

    def load_pipeline(self) -> Language:
        """Return the spaCy pipeline (called once, at the first parse). Raises DataError or UsageError if it cannot be had."""
        if self._tokens_only:
            return self.blank()
        return open_pipeline(self._located, own_tokeniser=self._named is None and self.tokeniser_recipe() is None)

    @cached_property
    def pipeline(self) -> Language:
        """The spaCy pipeline, loaded when first asked for."""
        return self.load_pipeline()

    @cached_property
    def _blank(self) -> Language:
        return self.blank()

    @property
    def _tokens_only(self) -> bool:
        if not self._parserless or self._named is not None:
            return False
        if (self.folder / "parser").exists():
            raise DataError(f'{self.folder / "parser"} is there, but pack.toml says parser = "none"; delete that line.')
        return True

    @cached_property
    def _located(self) -> Located:
        if self._named is not None:
            return find_named(self._named, self.code)
        return find_own(self.folder / "parser", self.name)

    @cached_property
    def _weights(self) -> str:
        return weights_digest(self._located.folder)

    @property
    def parser(self) -> str:
        """What the parse comes from: name and version of the pipeline."""
        return "none (tokens only)" if self._tokens_only else self._located.label

    def parse(self, texts: Iterable[str]) -> Iterator[Doc]:
        """Yield one spaCy `Doc` per text, in order, with exactly that text, whatever its length.

        A text of more than 5,000 tokens is one sentence without tags or tree. Raises DataError for half surrogate pairs, which no
        UTF-8 file can hold, and as `load_pipeline` does.
        """
        docs = (tokens(self.pipeline, text) for text in texts)
        for short, group in groupby(docs, key=lambda doc: len(doc) <= LONGEST_PARSE):
            yield from self.pipeline.pipe(group) if short else (unparsed(doc) for doc in group)  # noqa: B031 (used once)

    def tokenise(self, text: str) -> Any:
        """Return the `Doc` of one text with tokens only (no tagger, no parser). Raises DataError as `parse` does."""
        own = self._named is None and type(self).load_pipeline is SpacyPack.load_pipeline
        # the pack's own parser is loaded with the pack's tokeniser; any other brings one along
        light = own and "pipeline" not in self.__dict__
        return tokens(self._blank if light else self.pipeline, text)

    def tokenise_all(self, texts: Iterable[str]) -> Iterator[Doc]:
        """Yield the tokens of each text; loads no weights unless the parser brings its own tokeniser."""
        return map(self.tokenise, texts)

    def enter_worker(self) -> None:
        """Keep spaCy from loading torch if the parser does without: the process starts in half the time.

        Whoever imports torch later finds it.
        """
        if type(self).load_pipeline is not SpacyPack.load_pipeline or self._tokens_only or "torch" in sys.modules:
            return
        config = (self._located.folder / "config.cfg").read_text(encoding="utf-8").lower()
        if "torch" in config or "transformer" in config:
            return
        sys.modules["torch"] = None  # type: ignore[assignment]  # makes `import torch` fail
        try:
            importlib.import_module("thinc.compat")  # tries it once
        finally:
            del sys.modules["torch"]

    def store_docs(self, docs: Sequence[Any]) -> bytes | None:
        """Return a spaCy `DocBin`; None for a pipeline that keeps results in `Doc.user_data`, which may hold anything."""
        from spacy.tokens import DocBin

        if any(doc.user_data for doc in docs):
            return None
        return bytes(DocBin(docs=docs).to_bytes())

    def load_docs(self, data: bytes, places: Sequence[int]) -> list[Doc]:
        """Return chosen documents of a `DocBin`; the others are not built."""
        from spacy.tokens import DocBin

        stored = DocBin().from_bytes(data)
        for part in ("tokens", "spaces", "cats", "flags", "span_groups"):
            column = getattr(stored, part)
            setattr(stored, part, [column[place] for place in places])
        return list(stored.get_docs(self.pipeline.vocab))

    def words(self, text: str) -> list[str]:
        """The words of `text` (tokens with a letter or digit), lower-cased; needs no parse."""
        return [token.text.lower() for token in self.tokenise(text) if is_word(token.text)]

    def fingerprint(self) -> dict[str, Any]:
        """The parser, the content of its folder, and the spaCy version; a pack with word lists adds their hashes."""
        found = {"pack": self.base_name, "parser": self.parser, "spacy": metadata.version("spacy")}
        if self._tokens_only or (self._named is None and type(self).load_pipeline is not SpacyPack.load_pipeline):
            return found
        return {**found, "weights": self._weights}


def _read_settings(path: Path) -> dict[str, Any]:
    expected = {"name": str, "code": str, "default_encoder": str, "default_tasks": list, "licences": dict}
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"there is no {path}; a language pack needs one (see the English pack for the form).") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not valid TOML: {error}.") from None
    wrong = [key for key, kind in expected.items() if not isinstance(settings.get(key), kind)]
    if wrong:
        kinds = ", ".join(f"{key} ({expected[key].__name__})" for key in wrong)
        raise DataError(f"{path} lacks or misspells {kinds}.")
    if not isinstance(settings.get("marks", ""), str) or settings.get("parser", "none") != "none":
        raise DataError(f'{path}: marks is a string, and parser is "none" or not there.')
    return settings
