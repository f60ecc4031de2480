"""Which language pack answers to this name? And a base that turns a folder with `pack.toml` into a pack."""

from __future__ import annotations

import logging
import re
import tomllib
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import DataError, UsageError
from harness.protocols import Doc, LanguagePack, registry
from harness.words import is_word

if TYPE_CHECKING:
    from spacy.language import Language

log = logging.getLogger(__name__)

# spaCy strips affixes one by one, each time copying the rest: quadratic in the length of a run without blanks.
# No word is that long; a run that is gets cut, so that a line of 20,000 dots costs a second and not a minute.
_LONGEST_RUN = 1_000
_PIECE = 200
_LONG_RUN = re.compile(rf"\S{{{_LONGEST_RUN + 1},}}")


def open_pack(name: str | LanguagePack) -> LanguagePack:
    """Return the pack registered under a name (`english`) or ISO 639-1 code (`en`); a pack is returned as it is.

    Raises UsageError with close names if nothing answers, or if two packs claim the code.
    """
    if isinstance(name, LanguagePack):
        return name
    wanted = name.strip().lower()
    known = registry.names("languages")
    if wanted in known:
        return _load(wanted)
    codes: dict[str, list[LanguagePack]] = {}
    for other in known:
        try:
            pack = _load(other)
        except Exception as error:
            # somebody else's broken pack must not stand in the way of this one
            log.warning("language pack %s cannot be loaded: %s", other, error)
            continue
        codes.setdefault(pack.code.lower(), []).append(pack)
    found = codes.get(wanted, [])
    if len(found) == 1:
        return found[0]
    if found:
        names = " and ".join(repr(pack.name) for pack in found)
        raise UsageError(f"the packs {names} both have the code {wanted!r}; name one of them.")
    hint = registry.suggest(wanted, [*known, *codes])
    raise UsageError(f"unknown language {name!r}. {hint} See `augbench ls languages`.")


def _load(name: str) -> LanguagePack:
    pack: LanguagePack = registry.load("languages", name)()
    return pack


class SpacyPack(LanguagePack):
    """A pack read from a folder with `pack.toml`, parsed by a spaCy pipeline; a subclass says which (`load_pipeline`).

    `pack.toml`: `name`, `code`, `default_encoder`, `default_tasks` and a table `[licences]` (what is shipped -> licence
    and origin). Samples lie in `samples/`, laid out like a data folder. The pipeline is loaded at the first parse.
    Raises DataError if `pack.toml` is missing or incomplete.
    """

    #: what the parse comes from, e.g. `spacy.blank(en)` or a pipeline's name and version; part of the fingerprint
    parser: str

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.samples = folder / "samples"
        settings = _read_settings(folder / "pack.toml")
        self.name = settings["name"]
        self.code = settings["code"]
        self.default_encoder = settings["default_encoder"]
        self.default_tasks: Sequence[str] = tuple(settings["default_tasks"])
        self.licences = dict(settings["licences"])
        self._pipeline: Language | None = None

    @abstractmethod
    def load_pipeline(self) -> Language:
        """Return the spaCy pipeline (called once, at the first parse)."""

    @property
    def pipeline(self) -> Language:
        """The spaCy pipeline, loaded when first asked for."""
        if self._pipeline is None:
            self._pipeline = self.load_pipeline()
        return self._pipeline

    def parse(self, texts: Iterable[str]) -> Iterator[Doc]:
        """Yield one spaCy `Doc` per text, in order, with exactly that text, whatever its length.

        Raises DataError for half surrogate pairs, which no UTF-8 file can hold.
        """
        yield from self.pipeline.pipe(self.tokenise(text) for text in texts)

    def tokenise(self, text: str) -> Any:
        """Return the `Doc` of one text with tokens only (no tagger, no parser). Raises DataError as `parse` does."""
        try:
            # not `make_doc`: the tokeniser alone has no length limit
            if len(text) <= _LONGEST_RUN or not _has_long_run(text):
                return self.pipeline.tokenizer(text)
            return self._tokenise_in_pieces(text)
        except UnicodeEncodeError:
            raise DataError(
                f"{text[:40]!r} holds half of a surrogate pair, which is not valid text; "
                "decode the input as UTF-8 before it gets here."
            ) from None

    def _tokenise_in_pieces(self, text: str) -> Any:
        from spacy.tokens import Doc as SpacyDoc

        tokens = [token for piece in _pieces(text) for token in self.pipeline.tokenizer(piece)]
        return SpacyDoc(
            self.pipeline.vocab, words=[t.text for t in tokens], spaces=[bool(t.whitespace_) for t in tokens]
        )

    def words(self, text: str) -> list[str]:
        """The words of `text` (tokens with a letter or digit), lower-cased; needs no parse."""
        return [token.text.lower() for token in self.tokenise(text) if is_word(token.text)]

    def fingerprint(self) -> dict[str, Any]:
        """The parser and the spaCy version; a pack with trained weights or word lists adds their hashes."""
        return {"pack": self.name, "parser": self.parser, "spacy": metadata.version("spacy")}


def _has_long_run(text: str) -> bool:
    return _LONG_RUN.search(text) is not None


def _pieces(text: str) -> Iterator[str]:
    """Cut `text` inside runs longer than the limit, and nowhere else."""
    start = 0
    for run in _LONG_RUN.finditer(text):
        for cut in range(run.start() + _PIECE, run.end(), _PIECE):
            yield text[start:cut]
            start = cut
    yield text[start:]


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
    return settings
