"""Where does a text hold negation words? They are the pack's (`LanguagePack.negation_words`), the search is one for all."""

from __future__ import annotations

import re
from collections.abc import Iterable

from harness.errors import DataError
from harness.protocols import LanguagePack
from harness.protocols.scripts import UNSPACED, is_unspaced

#: a letter or digit of a script with blanks: what may not stand beside a free word
_LETTER = f"[^\\W{UNSPACED}]"


class NegationWords:
    """The negation words of a language, ready to be found. False if there are none.

    words    written as `LanguagePack.negation_words` says;  others: longer expressions that are no negation
    """

    def __init__(self, words: Iterable[str], others: Iterable[str] = ()) -> None:
        self.words, self.others = tuple(words), tuple(others)
        # the leftmost match counts and, of those that begin at one place, the longest: `not only` before `not`
        entries = [(word, "word") for word in self.words] + [(other, "other") for other in self.others]
        entries.sort(key=lambda entry: -len(entry[0]))
        parts = "|".join(f"({_expression(text)})" if kind == "word" else _expression(text) for text, kind in entries)
        self._pattern = re.compile(parts, re.IGNORECASE) if self.words else None
        self._cores = tuple({word.strip().strip("-").split()[0].lower() for word in self.words})

    def __bool__(self) -> bool:
        return bool(self.words)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return (start, end) of every negation word of `text`, in characters, ascending, not overlapping."""
        # most texts hold none of the letters in a row: looking for those first takes a third of the time
        plain = text.lower().replace("’", "'")
        if self._pattern is None or not any(core in plain for core in self._cores):
            return []
        return [found.span() for found in self._pattern.finditer(text) if found.lastindex]

    def within(self, text: str) -> bool:
        """Tell whether `text` holds a negation word."""
        return bool(self.spans(text))


def negation_words(pack: LanguagePack) -> NegationWords:
    """Return the negation words of a pack. Raises DataError if its lists are malformed."""
    try:
        return NegationWords(pack.negation_words, pack.not_negation)
    except ValueError as error:
        raise DataError(f"{error}.") from None


def _expression(entry: str) -> str:
    """Return the regular expression of one entry."""
    text = entry.strip()
    core = text.strip("-")
    body = r"\s+".join(re.escape(part).replace("'", "['’]") for part in core.split())
    left = "" if text.startswith("-") or is_unspaced(core[0]) else f"(?<!{_LETTER})"
    right = "" if text.endswith("-") or is_unspaced(core[-1]) else f"(?!{_LETTER})"
    return f"{left}{body}{right}"
