"""What is a language model asked for, in which language, at which similarity? Data: `instructions.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from harness.errors import DataError, UsageError
from harness.protocols.registry import suggest

_PLACE = "{text}"


@dataclass(frozen=True)
class Instructions:
    """The instruction of each similarity level, highest first.

    levels  label -> text with one `{text}`;  close: the quote that ends what the model writes
    """

    levels: Mapping[float, str]
    close: str

    def prompt(self, label: float, text: str) -> str:
        """Return the instruction of a level for a sentence."""
        return self.levels[label].replace(_PLACE, text)

    def higher(self, label: float) -> list[float]:
        """Return the levels above one, whose instructions its sentences are steered away from."""
        return [other for other in self.levels if other > label]


def instructions(language: str, kind: str = "sentences", path: Path | None = None) -> Instructions:
    """Return the instructions for an ISO code and a kind of text (`sentences`, `questions`).

    path  a file of your own in the form of `instructions.toml`

    Raises UsageError for a language or kind there are none for, and DataError for a malformed file.
    """
    file = path or Path(__file__).with_name("instructions.toml")
    table = _read(file)
    if language not in table:
        raise UsageError(
            f"there are no instructions for language models in {language!r}; there are some in {', '.join(sorted(table))}. Write a "
            "file like baselines/synthetic/instructions.toml and name it with --set instructions=FILE."
        )
    if kind not in table[language]:
        raise UsageError(f"{language} has no instructions for {kind!r}. {suggest(kind, table[language])}")
    return _checked(table[language][kind], f"{file}, {language}.{kind}")


@cache
def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{file} cannot be read as TOML ({error}); expected [LANGUAGE.KIND] tables.") from error


def _checked(entry: Any, where: str) -> Instructions:
    levels, close = (entry.get("levels"), entry.get("close")) if isinstance(entry, Mapping) else (None, None)
    if not isinstance(levels, Mapping) or not levels or not isinstance(close, str) or len(close) != 1:
        raise DataError(f"{where}: expected `close`, one character, and a table `levels`.")
    found: dict[float, str] = {}
    for key, text in levels.items():
        try:
            label = float(key)
        except ValueError:
            label = -1.0
        if not 0 <= label <= 1:
            raise DataError(f"{where}: the level {key!r} is no number from 0 to 1.")
        if not isinstance(text, str) or text.count(_PLACE) != 1:
            raise DataError(f"{where}: the instruction of level {key} must have {_PLACE} exactly once.")
        found[label] = text
    return Instructions({label: found[label] for label in sorted(found, reverse=True)}, close)
