"""How does a sentence end with an exclamation mark instead?

The full stop becomes `!`, also in front of closing quotation marks and brackets; a sentence without a stop gets one.
Questions, ellipses and sentences that end with `!` are left as they are, and so are ends that are no words (markup, a
dash, a URL, of which `!` would become a part).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from harness.protocols import Change
from languages.english.grammar.verbs import lexicon
from languages.english.marks.gaps import is_address

_STOPS = {".": "!", ";": "!", ",": "!", ":": "!", "。": "！", "．": "！", "；": "！"}
_CLOSERS = {'"', "”", "’", "'", "''", "»", ")", "]", "}", "」", "』", "《", "》", "“", '""'}
_DOUBLES = ("!", "?", ".", ",", ";", ":", "…", "-", "–", "—", "！", "？", "。")
#: Unicode categories a sentence may end with: letters, digits, marks, and symbols such as % ° € ™ or an emoji
_WORDLIKE = ("L", "N", "M", "Sc", "So", "Sm", "Cf")
_INITIALS = re.compile(r"(?:[A-Z]\.)+")
_SIGNS = set("%‰#*&@°′″")


def is_open(doc: Any) -> bool:
    """Whether a quotation is begun and not closed."""
    straight = sum(token.text == '"' for token in doc)
    return straight % 2 == 1 or sum(t.text == "“" for t in doc) > sum(t.text == "”" for t in doc)


def _closes_fragment(doc: Any, stop: int, last: int) -> bool:
    """Whether the stop stands in front of the mark that closes a quotation inside the sentence (`called it "a wonder."`).

    A quotation that is a sentence of its own (behind a comma or colon, or the whole text) keeps its stop.
    """
    if last != stop + 1 or doc[stop].text != "." or doc[last].text not in ('"', "”"):
        return False
    opening = next((i for i in range(stop - 1, -1, -1) if doc[i].text in ('"', "“")), None)
    if opening is None or opening == 0 or doc[opening + 1].text[:1].isupper():
        return False
    return doc[opening - 1].text not in (",", ":", ";", ".", "–", "—", "-")


def final_mark(doc: Any) -> Change | None:
    """Return the change that ends the text with `!`, or None where there is no place for one."""
    if not has_words(doc):
        return None
    last = len(doc) - 1
    while doc[last].is_space:
        last -= 1
    core = last
    while core > 0 and doc[core].text in _CLOSERS:
        core -= 1
    text = doc[core].text
    if text in _STOPS:
        quoted = "".join(token.text for token in doc[core + 1 : last + 1])
        if _closes_fragment(doc, core, last):
            # the stop was the sentence's own: `was "late night emotion"!`
            return Change("replace", core, last + 1, f"{quoted}!")
        return _replaced_stop(doc, core)
    if text[-1] == "." and not text.endswith("..") and any(map(str.isalnum, text)):
        if len(text) == 2 and text[0].isupper() and core == last:
            return Change("replace", core, core + 1, f"{text[0]}!")  # `Serie B.`: the tokeniser takes it for an initial
        if _INITIALS.fullmatch(text) or text.rstrip(".") in lexicon("punctuation")["cut_abbreviations"]:
            return None  # `a story by C.S.`: the text was cut there
        return Change("insert", last + 1, last + 1, "!")
    if not _wordlike(text[-1]) or is_address(text):
        return None
    return Change("insert", last + 1, last + 1, "!")


def ends_plainly(doc: Any) -> bool:
    """Tell whether `!` looks natural at the end: not for a colon, an abbreviation's dot or the stop of a quotation."""
    if is_open(doc):
        return False
    kept = [token for token in doc if not token.is_space]
    words = [token.text for token in kept][-2:]
    if len(kept) > 1 and _closes_fragment(doc, kept[-2].i, kept[-1].i):
        return True
    if words[-1] in _CLOSERS:
        return words[0] not in _STOPS and not words[0].endswith(".")
    return words[-1] not in (":", ",", ";") and (words[-1] == "." or not words[-1].endswith("."))


def has_words(doc: Any) -> bool:
    """Tell whether a text has a letter or a digit at all."""
    return any(any(map(str.isalnum, token.text)) for token in doc)


def _replaced_stop(doc: Any, stop: int) -> Change | None:
    before = stop - 1
    while before >= 0 and (doc[before].is_space or doc[before].text in _CLOSERS):
        before -= 1
    if before < 0 or doc[before].text.endswith(("!", "?", "…", "..")):
        return None
    if before == stop - 1 and doc[before].text in _DOUBLES:
        return None
    if is_address(doc[before].text):
        return None
    if before == stop - 1 and doc[before].text in lexicon("punctuation")["cut_abbreviations"]:
        return Change("insert", stop + 1, stop + 1, "!")
    return Change("replace", stop, stop + 1, _STOPS[doc[stop].text])


def _wordlike(char: str) -> bool:
    return char in _SIGNS or (char not in "<>|=+~^" and unicodedata.category(char).startswith(_WORDLIKE))
