"""`city-names`: a famous city gives way to a lesser-known one of the same country."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from harness.protocols import Edit
from languages.english.augmentation import Augmentation, finish
from languages.english.grammar.changes import replace
from languages.english.grammar.verbs import lexicon

_LEXICON = "augcse/cities"
#: capitals behind which a city is one (`Greater London`)
_PARTICLES = {"do", "da", "de", "di", "del", "la", "le", "von", "van", "der", "and", "&"}
_IN_FRONT = {"in", "near", "central", "greater", "the", "mr", "mr."}


class CityNames(Augmentation):
    """Replace famous cities by lesser-known ones (AugCSE, Table 3: CityNamesTransformation).

    Every mention of one city becomes the same other one, of the same country, so that `Paris, France` stays true. There is no
    recogniser of names: a word of the gazetteer is a city unless it is part of a longer name (`Paris Hilton`, `University of
    Oxford`, `London Bridge`).
    """

    name = "city-names"
    meaning = "changed"
    lexicons = (_LEXICON,)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence with other cities, None if it names no famous one."""
        found = mentions(doc)
        chosen: dict[str, str] = {}
        for _, _, name in found:
            if name not in chosen:
                chosen[name] = rng.choice(
                    [s for s in known_cities()[name] if s not in chosen.values() and s not in doc.text]
                )
        return finish(doc, [replace(start, chosen[name], end) for start, end, name in found]) if found else None


@cache
def known_cities() -> dict[str, list[str]]:
    """Return famous city -> the lesser-known ones of its country."""
    return {name: country["small"] for country in lexicon(_LEXICON).values() for name in country["known"]}


@cache
def _by_first() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for name in sorted(known_cities(), key=lambda n: -len(n.split())):
        found.setdefault(name.split()[0], []).append(name.split())
    return found


def mentions(doc: Any) -> list[tuple[int, int, str]]:
    """Return start, end and name of every famous city that stands alone."""
    found, titled = [], _titled(doc)
    i = 0
    while i < len(doc):
        words = next((w for w in _by_first().get(doc[i].text, ()) if [t.text for t in doc[i : i + len(w)]] == w), None)
        end = i + len(words) if words else i + 1
        if words and not titled[i] and _alone(doc, i, end):
            found.append((i, end, " ".join(words)))
        i = end
    return found


def _titled(doc: Any) -> list[bool]:
    """Tell of every token whether double quotation marks stand around it: a title keeps its city."""
    inside, found = False, []
    for token in doc:
        if token.text in ('"', "“", "”", "``", "''"):
            inside = not inside
        found.append(inside)
    return found


def _is_state(doc: Any, start: int, end: int) -> bool:
    """`Brooklyn, New York`: behind a place, New York is the state."""
    return doc[start].text == "New" and end - start == 2 and doc[start - 2].text[:1].isupper()


def _alone(doc: Any, start: int, end: int) -> bool:
    """Whether the name is no part of a longer one."""
    if not all(doc[i].whitespace_ == " " for i in range(start, end - 1)):
        return False
    before = doc[start - 1] if start else None
    if before is not None:
        if before.lower_ in _PARTICLES - {"and"} or (before.text == "," and start > 1 and _is_state(doc, start, end)):
            return False
        if not before.whitespace_ and before.text not in ('"', "“", "(", "‘"):
            return False
        capital = before.text[:1].isupper() and before.i != before.sent.start and before.lower_ not in _IN_FRONT
        named = before.text[:1].isupper() and before.pos_ in ("PROPN", "NOUN", "ADJ") and before.lower_ not in _IN_FRONT
        if capital or named or before.text in ("&", "-", "–"):
            return False
        if before.lower_ == "of" and start > 1 and doc[start - 2].text[:1].isupper():
            return False  # University of Oxford, Bishop of London
        joined = before.lower_ in ("and", "&") and start > 1 and doc[start - 2].text[:1].isupper()
        if joined and end < len(doc) and doc[end].text[:1].isupper():
            return False
    following = doc[end] if end < len(doc) else None
    if following is None:
        return True
    if following.text[:1].isupper() or (
        following.text[:1] in ("-", "–", "/", ".") and not following.is_sent_end and end + 1 < len(doc)
    ):
        return following.text in (".",)
    return bool(doc[end - 1].whitespace_) or not following.text[:1].isalnum()
