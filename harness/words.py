"""What is a word? A token with a letter or digit; everything else (punctuation, blanks, emoji) is not."""

from __future__ import annotations

from harness.protocols import Doc


def is_word(text: str) -> bool:
    """Tell whether a token's text holds a letter or digit of any script."""
    return any(map(str.isalnum, text))


def word_positions(doc: Doc) -> list[int]:
    """Return the token indices of the words of a document, ascending."""
    return [index for index, token in enumerate(doc) if is_word(token.text)]
