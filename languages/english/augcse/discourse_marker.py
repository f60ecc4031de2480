"""`discourse-marker`: another word for the same relation between clauses (*however* → *nevertheless*)."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from harness.protocols import Change, Edit
from languages.english.augmentation import Augmentation, capital, finish, plain, quoted
from languages.english.grammar.changes import replace
from languages.english.grammar.verbs import can_be, lexicon

_LEXICON = "augcse/discourse"


class DiscourseMarker(Augmentation):
    """Exchange one discourse marker for another of its class (AugCSE, Table 3: DiscourseMarkerSubstitution).

    The classes are relations as in the Penn Discourse Treebank, kept apart by the place a marker stands in: in front of a clause
    with a comma, between commas, beside the verb, in front of a finite clause, in front of a noun. One marker per sentence, at
    random. A word that has another meaning beside the relation is put in but not taken out.
    """

    name = "discourse-marker"
    meaning = "kept"
    lexicons = (_LEXICON,)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence with another marker, None if it has none."""
        found = sites(doc) if plain(doc) else []
        if not found:
            return None
        start, end, words = rng.choice(found)
        word = rng.choice(words)
        opens = doc[start].text[:1].isupper() and start == doc[start].sent.start
        return finish(doc, [_change(doc, start, end, capital(word) if opens else word)])


def _change(doc: Any, start: int, end: int, word: str) -> Change:
    return replace(start, word, end)


def sites(doc: Any) -> list[tuple[int, int, list[str]]]:
    """Return the markers of a document: start, end and the words that can take their place."""
    inside, found = quoted(doc), []
    low = [t.lower_ for t in doc]
    i = 0
    while i < len(doc):
        step = 1
        if not inside[i]:
            for size in (5, 4, 3, 2, 1):
                words = " ".join(low[i : i + size]) if i + size <= len(doc) else ""
                others = _others(doc, i, i + size, words) if words in _known() else []
                if others:
                    found.append((i, i + size, others))
                    step = size
                    break
        i += step
    return found


def _others(doc: Any, start: int, end: int, words: str) -> list[str]:
    for place, fits in _PLACES.items():
        for taken, given in _classes()[place]:
            if words in taken and fits(doc, start, end):
                return [w for w in given if w != words]
    return []


@cache
def _classes() -> dict[str, list[tuple[frozenset[str], tuple[str, ...]]]]:
    """Place -> classes, each the words that may be taken out and those that may be put in."""
    lists = lexicon(_LEXICON)
    found: dict[str, list[tuple[frozenset[str], tuple[str, ...]]]] = {}
    for place in ("openers", "asides", "adverbs", "prepositions"):
        barred = set(lists["only_in"]["words"]) - set(lists["only_in"].get(place, ()))
        found[place] = [(frozenset(set(words) - barred), tuple(words)) for words in lists[place].values()]
    found["subordinators"] = [(frozenset(c["from"]), tuple(c["to"])) for c in lists["subordinators"].values()]
    return found


@cache
def _known() -> frozenset[str]:
    return frozenset(word for classes in _classes().values() for taken, _ in classes for word in taken)


def _starts(doc: Any, start: int) -> bool:
    return start == doc[start].sent.start or doc[start - 1].text in (";", ":", "–", "—")


def _is_opener(doc: Any, start: int, end: int) -> bool:
    return _starts(doc, start) and end < len(doc) and doc[end].text == ","


def _is_aside(doc: Any, start: int, end: int) -> bool:
    return start > 0 and end < len(doc) and doc[start - 1].text == "," and doc[end].text == ","


def _is_adverb(doc: Any, start: int, end: int) -> bool:
    """Right in front of a verb it belongs to, behind its subject or auxiliary."""
    token = doc[start]
    if end >= len(doc) or not start or token.pos_ != "ADV" or token.i == token.sent.start:
        return False
    following, before = doc[end], doc[start - 1]
    verb = token.head if token.head.i > token.i else following
    beside = following.pos_ in ("VERB", "AUX") and verb.pos_ in ("VERB", "AUX") and not token.text[:1].isupper()
    return (
        beside
        and before.pos_ in ("NOUN", "PROPN", "PRON", "AUX")
        and before.tag_ not in ("CD",)
        and before.lower_ not in _TIMES
    )


_TIMES = {"year", "years", "month", "months", "day", "days", "week", "weeks", "hour", "hours", "minute", "minutes", "decade",
          "decades", "century", "centuries", "later", "season", "seasons", "moments"}  # fmt: skip


def _is_subordinator(doc: Any, start: int, end: int) -> bool:
    """In front of a clause with a finite verb of its own: not `because of`, `since 1990`, `once again`."""
    token = doc[start]
    if end >= len(doc) or doc[end].text in (",", ";") or (start and doc[start - 1].lower_ in _LEANS):
        return False
    if doc[end].lower_ in ("of", "not", "again", "more", "only"):
        return False
    clause = token.head if end - start == 1 or token.head.i >= end else token.head.head
    if clause.i < end or token.dep_ not in (
        ("mark", "advmod") if end - start == 1 else ("mark", "advmod", "case", "fixed", "cc")
    ):
        return False
    if clause.dep_ not in ("advcl", "advcl:relcl", "ROOT", "conj", "parataxis"):
        return False
    subject = [c for c in clause.children if c.dep_.startswith(("nsubj", "expl", "csubj")) and c.i >= end]
    verbs = [v for v in (clause, *clause.children) if v.tag_ in ("VBD", "VBZ", "VBP", "MD") and v.i > end]
    return bool(subject) and bool(verbs)


_LEANS = {"just", "only", "not", "even", "as", "partly", "mainly", "largely", "simply", "especially", "shortly", "soon",
          "long", "wonder", "see", "know", "ask", "days", "years", "months", "weeks", "hours", "minutes", "day", "year",
          "month", "week", "was", "is", "at"}  # fmt: skip


def _is_preposition(doc: Any, start: int, end: int) -> bool:
    if end >= len(doc) or (not doc[end].text[:1].isalnum() and doc[end].text not in ('"', "“")):
        return False
    to = doc[end - 1].lower_ == "to" and doc[start].lower_ in ("in", "so") and doc[end - 2].lower_ in ("order", "as")
    verb = doc[end].tag_ == "VB" or (doc[end].pos_ in ("VERB", "AUX") and can_be(doc[end].text, "VB"))
    if to:
        return verb
    copula = start and doc[start - 1].pos_ == "AUX" and doc[start].lower_ == "due"
    return not verb and not copula and not (start and doc[start - 1].lower_ in ("no", "most", "in"))


_PLACES = {
    "openers": _is_opener,
    "asides": _is_aside,
    "subordinators": _is_subordinator,
    "adverbs": _is_adverb,
    "prepositions": _is_preposition,
}
