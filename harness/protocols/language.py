"""What a language is to the harness: a parser, operators, samples and a few defaults, all in one folder."""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.protocols.operator import Doc, Operator, OperatorTools, TokenOperator

OperatorFactory = Callable[[str | None, OperatorTools], Operator | TokenOperator]


class LanguagePack(ABC):
    """One language. Named by its folder (`english`), answers to its ISO 639-1 code (`en`) too.

    Attributes (usually read from the folder's `pack.toml`):
      name, code       folder name and ISO code; data folders use the code
      folder           where the pack lives
      encoder          folder of the pack's own small pre-trained encoder, None if it ships none
      default_encoder  folder or id used when the user names none; `mini` is the pack's own
      default_tasks    task names evaluated by default
      samples          folder with the pack's own small corpus and tasks, laid out like a data folder
      licences         what the pack ships -> licence and origin
      marks            the punctuation marks that random insertion (`punct`) puts behind a word, one character each
    """

    name: str
    code: str
    folder: Path
    encoder: Path | None = None
    default_encoder: str
    default_tasks: Sequence[str]
    samples: Path
    licences: Mapping[str, str]
    marks: str = ".;?:!,"

    # Read here and not where the other settings are: what SpacyPack is made of enters the identity of every run, and words that
    # only diagnostics look at must not.
    @cached_property
    def negation_words(self) -> Sequence[str]:
        """The words that make a sentence negative: the list `negation_words` of `pack.toml`, in lower case; empty without one.

        `not` is a word that stands free, `-n't` the end of a word, `un-` the beginning of one; `'` is any apostrophe, and case
        does not matter. In a script without blanks a word is found wherever it stands. No operator reads the list: it tells
        diagnostics (`harness.diagnostics`) which sentences are negative. Raises ValueError if it is no list of words.
        """
        return _listed(self, "negation_words")

    @cached_property
    def not_negation(self) -> Sequence[str]:
        """Longer expressions that hold a negation word and deny nothing (`not only`): the list `not_negation` of `pack.toml`.

        They are written, and found, like `negation_words`. Raises ValueError if it is no list of expressions.
        """
        return _listed(self, "not_negation")

    @property
    def base_name(self) -> str:
        """The name without a parser that the user has chosen: `english` for `english:en_core_web_sm`."""
        return self.name.partition(":")[0]

    def with_parser(self, pipeline: str) -> LanguagePack:
        """Return this pack with another parser, by its name or folder. Raises NotImplementedError where there is no choice."""
        raise NotImplementedError(f"the pack {self.name!r} has one parser and no choice of others")

    @abstractmethod
    def parse(self, texts: Iterable[str]) -> Iterator[Doc]:
        """Yield one parsed `Doc` per text, in order, whose `.text` is exactly the given text."""

    def tokenise_all(self, texts: Iterable[str]) -> Iterator[Doc]:
        """Yield one `Doc` per text with the tokens of `parse` and perhaps nothing else, for operators without `needs_parse`."""
        return self.parse(texts)

    def store_docs(self, docs: Sequence[Doc]) -> bytes | None:
        """Return parses as bytes that `load_docs` reads, or None where a pack's parses cannot be kept (the default)."""
        return None

    def load_docs(self, data: bytes, places: Sequence[int]) -> list[Doc]:
        """Return the documents at `places` of what `store_docs` gave, in that order, equal in all that a rule may read.

        Raises any exception if `data` is damaged; the sentences are then parsed anew.
        """
        raise NotImplementedError(f"the pack {self.name!r} stores documents (store_docs) but does not load them")

    def enter_worker(self) -> None:
        """Called once in a process that does nothing but parse and apply operators, before the first parse.

        A pack may keep libraries from being loaded here that it knows it does not need.
        """

    def operators(self) -> Mapping[str, OperatorFactory]:
        """The pack's own operators by name; each factory takes (variant, tools)."""
        return {}

    def words(self, text: str) -> list[str]:
        """The words of `text` (tokens with a letter or digit), lower-cased: the unit of bag-of-words baselines."""
        return [t.text.lower() for doc in self.parse([text]) for t in doc if any(map(str.isalnum, t.text))]

    def construction(self, doc: Doc) -> str | None:
        """Name the grammatical construction of a parsed text (`passive`, `question` …), for tables of coverage.

        A pack that overrides it names every text of its language; None is for what it cannot tell. Default: it names none.
        """
        return None

    def challenges(self) -> Mapping[str, str]:
        """Texts of this language that its rules and parser should survive, by name, for the conformance battery.

        The battery brings what is hard in any language (`harness.conformance.texts`); a pack adds what is hard in its own: odd
        contractions, abbreviations, other spellings, mixed scripts. Default: none.
        """
        return {}

    @abstractmethod
    def fingerprint(self) -> dict[str, Any]:
        """Everything the parse depends on (parser weights, library versions); part of the identity of views."""


def _listed(pack: LanguagePack, key: str) -> tuple[str, ...]:
    """Return a list of strings of a pack's `pack.toml`; () if there is no such list, file or folder."""
    folder = getattr(pack, "folder", None)
    path = None if folder is None else Path(folder) / "pack.toml"
    if path is None or not path.is_file():
        return ()
    found = tomllib.loads(path.read_text(encoding="utf-8")).get(key, [])
    if not isinstance(found, list) or not all(isinstance(word, str) and word.strip(" -") for word in found):
        raise ValueError(f'{path}: {key} is no list of words, e.g. {key} = ["not", "-n\'t"]')
    return tuple(found)
