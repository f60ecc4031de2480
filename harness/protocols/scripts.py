"""Which characters belong to a script that writes no blanks between words? A fact of Unicode, not of one language.

Chinese, Japanese, Thai, Lao, Khmer, Burmese: there a letter may touch the next word's first letter, a repeated or exchanged
word needs no blank, and a run of letters is no word. Korean and Tibetan part their words and are not among them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

#: inside of a character class of `re`: ideographs with 々〆〇, kana, bopomofo, Yi, Thai, Lao, Burmese, Khmer, Tai scripts
UNSPACED = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u3041-\u3096\u309d-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\u3105-\u312f\u31a0-\u31bf\ua000-\ua48c"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17d7\u1950-\u19df"
)
_UNSPACED = re.compile(f"[{UNSPACED}]")
_PIECE = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")


def is_unspaced(character: str) -> bool:
    """Tell whether a character is a letter of a script without blanks between words; False for "" and longer strings."""
    return _UNSPACED.fullmatch(character) is not None


def needs_blank(left: str, right: str) -> bool:
    """Tell whether two texts that meet would become one word: letters or digits on both sides, of scripts with blanks."""
    a, b = left[-1:], right[:1]
    return a.isalnum() and b.isalnum() and not is_unspaced(a) and not is_unspaced(b)


def joined(texts: Sequence[str]) -> str:
    """Return sentences behind each other, with a blank between two unless both are written in a script without."""
    parts: list[str] = []
    for text in texts:
        if parts:
            left = next((c for c in reversed(parts[-1]) if c.isalnum()), "")
            right = next((c for c in text if c.isalnum()), "")
            letters = [c for c in (left, right) if c]
            parts.append("" if letters and all(map(is_unspaced, letters)) else " ")
        parts.append(text)
    return "".join(parts)


def pieces(text: str) -> list[str]:
    """Return the words of scripts with blanks (runs of letters and digits) and the single characters of the others, in order."""
    return _PIECE.findall(text)
