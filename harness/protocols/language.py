"""What a language is to the harness: a parser, operators, samples and a few defaults, all in one folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.protocols.operator import Doc, Operator, OperatorTools, TokenOperator

OperatorFactory = Callable[[str | None, OperatorTools], Operator | TokenOperator]


class LanguagePack(ABC):
    """One language. Named by its folder (`english`), answers to its ISO 639-1 code (`en`) too.

    Attributes (usually read from the folder's `pack.toml`):
      name, code       folder name and ISO code; data folders use the code
      folder           where the pack lives
      default_encoder  folder or id used when the user names none; `standin` is the harness's random stand-in
      default_tasks    task names evaluated by default
      samples          folder with the pack's own small corpus and tasks, laid out like a data folder
      licences         what the pack ships -> licence and origin
    """

    name: str
    code: str
    folder: Path
    default_encoder: str
    default_tasks: Sequence[str]
    samples: Path
    licences: Mapping[str, str]

    @abstractmethod
    def parse(self, texts: Iterable[str]) -> Iterator[Doc]:
        """Yield one parsed `Doc` per text, in order, whose `.text` is exactly the given text."""

    def operators(self) -> Mapping[str, OperatorFactory]:
        """The pack's own operators by name; each factory takes (variant, tools)."""
        return {}

    def words(self, text: str) -> list[str]:
        """The words of `text` (tokens with a letter or digit), lower-cased: the unit of bag-of-words baselines."""
        return [t.text.lower() for doc in self.parse([text]) for t in doc if any(map(str.isalnum, t.text))]

    @abstractmethod
    def fingerprint(self) -> dict[str, Any]:
        """Everything the parse depends on (parser weights, library versions); part of the identity of views."""
