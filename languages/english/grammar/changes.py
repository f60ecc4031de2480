"""Small edits that every rule needs: a word before or behind a token, another word in its place, casing put right."""

from __future__ import annotations

from typing import Any

from harness.protocols import Change


def before(doc: Any, index: int, words: str) -> Change:
    """Insert words in front of token `index`, with one blank behind them."""
    if index == 0:
        return Change("insert", 0, 0, f"{words} ")
    if doc[index - 1].whitespace_:
        return Change("insert", index, index, f" {words}")
    return Change("insert", index, index, f"{words} ")


def behind(index: int, words: str, *, glued: bool = False) -> Change:
    """Insert words behind token `index`; `glued` leaves no blank in front (`n't`)."""
    return Change("insert", index + 1, index + 1, words if glued else f" {words}")


def replace(index: int, words: str, end: int | None = None) -> Change:
    """Put words in the place of token `index` (or of `[index, end)`)."""
    return Change("replace", index, index + 1 if end is None else end, words)


def delete(start: int, end: int | None = None) -> Change:
    """Remove token `start`, or `[start, end)`."""
    return Change("delete", start, start + 1 if end is None else end)


def like(model: str, word: str) -> str:
    """Return `word` in the casing of `model`: Capitalised, ALL CAPS (two letters or more) or as it is."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    if model[:1].isupper():
        return word[:1].upper() + word[1:]
    return word


def gap(token: Any) -> str:
    """Return the blank that words in the place of a contraction (`'ve`, `'s`) need in front of them."""
    return " " if token.i and not token.nbor(-1).whitespace_ and token.text[:1] in "'’" else ""


def loud(model: str, word: str) -> str:
    """Return `word` in capitals if the text around it, `model`, is all in capitals; else as it is."""
    return word.upper() if len(model) > 1 and model.isupper() else word


#: plurals by form only
_SINGULAR = ("ics", "news", "series", "species", "means")


def lowered(token: Any) -> str:
    """Return a sentence's first word as it is written inside a sentence: names, titles, `I` and acronyms keep capitals.

    Taggers read a capital as a name too often; a plural or a number word in the dictionary is none (`Detectives`).
    """
    text: str = token.text
    if not text[:1].isupper() or (len(text) > 1 and not text[1:].islower()):
        return text
    low = text.lower()
    if low == "i":
        return text
    following = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
    capital_follows = following is not None and following.text[:1].isupper()
    if token.tag_ in ("NNP", "NNPS") or token.pos_ == "PROPN":
        compound = following is not None and following.tag_ == "NNS" and _is_common(low)  # `Knife wounds`
        return low if low in NUMBERS or (not capital_follows and (compound or _is_plural(low))) else text
    if token.pos_ in ("DET", "PRON", "ADP", "SCONJ", "CCONJ", "AUX", "PART", "NUM", "INTJ"):
        return low
    if capital_follows and token.pos_ in ("NOUN", "VERB", "ADJ") and low not in _BEFORE_NAMES:
        return text  # `Anniversary Celebration is …`, `Upper Division teams`: a title
    if (
        token.tag_ == "NNS"
        and following is not None
        and following.lower_ in ("is", "was", "has")
        and not low.endswith(_SINGULAR)
    ):
        return text  # `Simmons was born`: no plural
    return low if _is_common(low) or token.tag_ == "NNS" else text


def _is_plural(low: str) -> bool:
    import lemminflect

    found = lemminflect.getAllLemmas(low).get("NOUN", ())
    return low.endswith("s") and bool(found) and low not in found


def _is_common(low: str) -> bool:
    """Tell whether a lower-case word is in the dictionary; names and nationalities are not."""
    if low in _ADVERBS or low.endswith("ly"):
        return True
    import lemminflect

    return bool(lemminflect.getAllLemmas(low))


_ADVERBS = {"here", "there", "then", "now", "thus", "however", "also", "today", "once", "when", "where", "why", "how",
            "not", "never", "perhaps", "maybe", "yet", "still", "always", "often", "sometimes", "soon", "later",
            "instead", "together", "nevertheless", "nonetheless", "meanwhile", "afterwards", "both", "only", "even"}  # fmt: skip
NUMBERS = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
            "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty",
            "sixty", "seventy", "eighty", "ninety", "hundred", "thousand", "dozens", "hundreds", "thousands"}  # fmt: skip
_BEFORE_NAMES = {"former", "local", "early", "late", "current", "several", "many", "most", "other", "recent", "old", "young", "new",
                 "modern", "original", "famous", "retired", "fellow", "future", "native", "ancient", "medieval", "first",
                 "second", "third", "last", "next", "same", "own", "such", "both", "professional", "independent"}  # fmt: skip
