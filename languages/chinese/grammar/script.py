"""Simplified or Traditional? Rules think in simplified characters; what they write follows the text.

Only the characters of function words and of the words that rules write are listed (`lexicon/script.toml`): one character for
one character, so that positions stay.
"""

from __future__ import annotations

from functools import cache

from languages.chinese.grammar.lexicon import lexicon


@cache
def _tables() -> tuple[dict[int, str], dict[int, str], frozenset[str]]:
    pairs = lexicon("script")["pairs"].split()
    to_simple = {ord(pair[0]): pair[1] for pair in pairs}
    # the first pair of a simplified character is the one that is written (裡 before 裏)
    to_traditional: dict[int, str] = {}
    for pair in pairs:
        to_traditional.setdefault(ord(pair[1]), pair[0])
    return to_simple, to_traditional, frozenset(pair[0] for pair in pairs)


@cache
def simplified(text: str) -> str:
    """Return `text` with the Traditional characters of the list simplified; its length stays."""
    return text.translate(_tables()[0])


def is_traditional(text: str) -> bool:
    """Whether a text has Traditional characters of the list, and more of them than their simplified twins."""
    _, to_traditional, traditional = _tables()
    found = sum(c in traditional for c in text)
    return found > 0 and found >= sum(ord(c) in to_traditional for c in text)


def in_script_of(model: str, words: str) -> str:
    """Return `words`, written simplified, in the script of the text `model`."""
    return words.translate(_tables()[1]) if is_traditional(model) else words
