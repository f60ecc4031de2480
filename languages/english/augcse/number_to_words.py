"""`number-to-words`: *3 cats* → *three cats*, *in 1905* → *in nineteen oh five*."""

from __future__ import annotations

import random
import re
from typing import Any

from harness.protocols import Change, Edit
from languages.english.augcse.numerals import cardinal, decimal, ordinal, year
from languages.english.augmentation import Augmentation, capital, finish
from languages.english.grammar.changes import replace

_WHOLE = re.compile(r"0|[1-9][0-9]{0,14}|[1-9][0-9]{0,2}(,[0-9]{3}){1,4}", re.ASCII)
_DECIMAL = re.compile(r"(0|[1-9][0-9]{0,5})\.[0-9]{1,4}", re.ASCII)
_ORDINAL = re.compile(r"([1-9][0-9]{0,3})(st|nd|rd|th)", re.ASCII | re.IGNORECASE)
_DECADE = re.compile(r"1[0-9][1-9]0s|20[1-9]0s", re.ASCII)
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}", re.ASCII)
_MONTHS = {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december", "jan", "jan.", "feb", "feb.", "mar.", "apr", "apr.", "jun.", "jul.", "aug", "aug.", "sept", "sept.",
           "sep.", "oct", "oct.", "nov", "nov.", "dec", "dec."}  # fmt: skip
_CURRENCIES = {"$": ("dollar", "dollars"), "£": ("pound", "pounds"), "€": ("euro", "euros")}
_SCALES = {"million", "billion", "trillion", "thousand", "hundred"}
_CLOSED = {"(", '"', "“", "‘", "[", "$", "£", "€"}
_OPEN = {",", ".", ";", ":", ")", '"', "”", "’", "!", "?", "%", "'s", "’s", "]", "..."}
#: a number behind these is a label
_LABELS = {"no", "no.", "nr.", "#", "/", "version", "isbn", "highway", "route", "us", "u.s.", "psalm", "opus", "op.", "ngc",
           "flight", "channel", "model", "type", "mark", "interstate", "vol.", "pp.", "p."}  # fmt: skip


class NumberToWords(Augmentation):
    """Write numbers out (AugCSE, Figure 6: NumericToWord): cardinals, ordinals, years, decades, decimals, percentages, money.

    All numbers that stand alone change. Left alone: parts of addresses, dates with slashes, scores, ranges, times, labels
    (`Route 66`) and numbers with leading zeros.
    """

    name = "number-to-words"
    meaning = "kept"

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence with its numbers in words, None if it has none."""
        changes = []
        for token in doc:
            change = _written(token) if token.text[:1].isdigit() else None
            if change is not None:
                opens = change.start == 0 or (
                    doc[change.start].is_sent_start and doc[change.start - 1].text in (".", "!", "?")
                )
                changes.append(replace(change.start, capital(change.text) if opens else change.text, change.end))
        return finish(doc, changes) if changes else None


def _written(token: Any) -> Change | None:
    doc, i, text = token.doc, token.i, token.text
    before = doc[i - 1] if i else None
    after = doc[i + 1] if i + 1 < len(doc) else None
    glued = before is not None and not before.whitespace_ and before.text not in _CLOSED
    glued = glued or (after is not None and not token.whitespace_ and after.text not in _OPEN)
    if glued or (
        before is not None and (before.lower_ in _LABELS or (len(before.text) == 1 and before.text.isupper()))
    ):
        return None
    if match := _ORDINAL.fullmatch(text):
        return replace(i, ordinal(int(match[1])))
    if _DECADE.fullmatch(text):
        words = year(int(text[:-1]))
        return replace(i, words[:-1] + "ies")
    if not (_WHOLE.fullmatch(text) or _DECIMAL.fullmatch(text)):
        return None
    words = decimal(text) if "." in text else cardinal(int(text.replace(",", "")))
    if before is not None and before.text in _CURRENCIES and not before.whitespace_:
        return _money(token, before, words)
    if after is not None and after.text == "%":
        ends = i + 2 == len(doc) or token.whitespace_ or after.whitespace_ or doc[i + 2].text in _OPEN
        return replace(i, f"{words} percent", i + 2) if ends else None
    return _dated(token, before, after, words)


def _dated(token: Any, before: Any, after: Any, words: str) -> Change | None:
    text, i = token.text, token.i
    month_before = before is not None and before.lower_ in _MONTHS and before.text[:1].isupper()
    month_after = after is not None and after.lower_ in _MONTHS and after.text[:1].isupper()
    if (
        before is not None
        and before.text == ","
        and i > 1
        and token.doc[i - 2].text.isdigit()
        and _YEAR.fullmatch(text)
    ):
        return replace(i, year(int(text)))  # June 5, 1990
    if month_after and text.isdigit() and 1 <= int(text) <= 31:
        the = "" if before is not None and before.lower_ == "the" else "the "
        return replace(i, f"{the}{ordinal(int(text))} of")
    if month_before and text.isdigit() and 1 <= int(text) <= 31 and (after is None or after.text != ":"):
        return replace(i, ordinal(int(text)))
    if _YEAR.fullmatch(text) and _is_year(token, before, after, month_before):
        return replace(i, year(int(text)))
    if before is not None and before.text[:1].isupper() and before.pos_ == "PROPN" and i != 1:
        return None  # `Apollo 13`, `Division 2`
    if (after is not None and after.text[:1].isupper() and after.pos_ == "PROPN") and text.isdigit() and len(text) > 2:
        return None
    return replace(i, words)


def _is_year(token: Any, before: Any, after: Any, month_before: bool) -> bool:
    counts = (
        after is not None
        and after.tag_ == "NNS"
        and token.dep_ == "nummod"
        and (before is None or before.lower_ != "the")
    )
    return month_before or not counts


def _money(token: Any, sign: Any, words: str) -> Change:
    one, many = _CURRENCIES[sign.text]
    end = token.i + 1
    if end < len(token.doc) and token.doc[end].lower_ in _SCALES and token.whitespace_:
        words, end = f"{words} {token.doc[end].lower_}", end + 1
        return replace(sign.i, f"{words} {many}", end)
    whole, _, cents = token.text.replace(",", "").partition(".")
    if len(cents) == 2:
        value, rest = int(whole), int(cents)
        coin = "pence" if one == "pound" else "cents"
        words = f"{cardinal(value)} {one if value == 1 else many}"
        if rest:
            words += f" and {cardinal(rest)} {coin}"
        return replace(sign.i, words, end)
    return replace(sign.i, f"{words} {one if words == 'one' else many}", end)
