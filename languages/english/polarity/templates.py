"""A clause put behind a sentence about it: `It is not true that …`; where it goes, and what happens to the capital."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from harness.protocols import Change
from languages.english.grammar.changes import before, lowered, replace
from languages.english.grammar.clauses import Clause
from languages.english.grammar.verbs import lexicon

_QUOTES = {'"', "“", "``", "‘", "«"}


def opening(doc: Any, sentence: Any | None = None) -> int:
    """Return the index of the first word of the sentence (default: the document) that a template may precede.

    Dashes, list marks and brackets stay in front, and so do words that link to the sentence before (`But`, `However,`);
    an opening quotation mark goes behind the template with what it quotes. `len(doc)` if there is no word.
    """
    index, end = (sentence.start, sentence.end) if sentence is not None else (0, len(doc))
    while index < end and not _is_word(doc[index]) and doc[index].text not in _QUOTES:
        index += 1
    openers = lexicon("templates")["openers"]
    if index + 1 < end and doc[index].lower_ in openers["conjunctions"] and doc[index].pos_ in ("CCONJ", "ADV"):
        following = doc[index + 1]
        return index + 1 if _is_word(following) or following.text in _QUOTES else index + 2
    if index + 2 < end and doc[index].lower_ in openers["adverbs"] and doc[index + 1].text == ",":
        return index + 2
    manner = doc[index].lower_.endswith("ly") if index < end else False
    if manner and index + 2 < end and doc[index + 1].text == "," and doc[index].lower_ not in openers["time"]:
        return index + 2  # `Controversially, …`
    if index + 1 < end and doc[index].lower_ == "however" and doc[index + 1].text[:1].isupper():
        return index + 1
    return index


def clause_opening(clause: Clause) -> int:
    """Return `opening` for the sentence of a clause; behind a label (`Text of the notice: everything is closed`)."""
    doc = clause.doc
    start = opening(doc, clause.head.sent)
    if start >= len(doc):
        return 0
    edge = clause.subject.left_edge.i if clause.subject is not None else 0
    if edge > start + 1 and doc[edge - 1].text == ":" and doc[edge - 1].whitespace_:
        start = edge
    # never inside a bracket that closes before the verb: `Her song (English: Mystery) is …`
    if _depth(doc, start) > _depth(doc, clause.finite.i):
        start = opening(doc)
    return start if start < len(doc) else 0


def _depth(doc: Any, index: int) -> int:
    """How many round brackets are open in front of a token."""
    opened = sum(t.text in ("(", "[") for t in doc[:index])
    return max(opened - sum(t.text in (")", "]") for t in doc[:index]), 0)


def under_template(
    doc: Any, start: int, changes: Sequence[Change], rng: random.Random, *, kind: str = "negating"
) -> list[Change]:
    """Return `changes` plus a template (`negating` or `modal`) in front of token `start`, whose word loses its capital."""
    template = rng.choice(lexicon("templates")[kind])
    linked = any(_is_word(token) for token in doc[:start]) and not _new_sentence(doc, start)
    if start and (linked or doc[start].text[:1].islower()):
        template = template[:1].lower() + template[1:]
    first = start + 1 if doc[start].text in _QUOTES else start
    kept = list(changes)
    if first == start and first < len(doc):
        kept = _small(doc, first, kept)
    return [before(doc, start, template), *kept]


def template_in_front(changes: list[Change], rng: random.Random) -> list[Change]:
    """Return `changes`, whose first inserts a clause's opening, with a denying template in front of that."""
    first = changes[0]
    template = rng.choice(lexicon("templates")["negating"])
    inserted = first.text.lstrip()
    blank = first.text[: len(first.text) - len(inserted)]
    text = f"{blank}{template} {inserted[:1].lower()}{inserted[1:]}"
    return [Change(first.kind, first.start, first.end, text), *changes[1:]]


def _new_sentence(doc: Any, start: int) -> bool:
    return doc[start - 1].text in (".", "!", "?")


def _small(doc: Any, first: int, changes: list[Change]) -> list[Change]:
    own = [c for c in changes if c.kind == "replace" and c.start == first]
    if own:
        text = own[0].text
        # a word put in by the rule (`Somebody`, `Isn't`) is no name
        small = (
            text
            if (len(text) > 1 and text[:2].isupper()) or doc[first].tag_ in ("NNP", "NNPS")
            else text[:1].lower() + text[1:]
        )
        return [c for c in changes if c is not own[0]] + [replace(first, small, own[0].end)]
    removed = [c for c in changes if c.kind == "delete" and c.start == first]
    if removed and removed[0].end < len(doc):
        # the word behind takes the place of the one that goes, so that one blank stays between template and clause
        index = removed[0].end
        kept = _small(doc, index, [c for c in changes if c is not removed[0]])
        own = [c for c in kept if c.kind == "replace" and c.start == index] or [replace(index, doc[index].text)]
        return [c for c in kept if c is not own[0]] + [replace(first, own[0].text, own[0].end)]
    if removed:
        return changes
    small = lowered(doc[first])
    return changes if small == doc[first].text else [*changes, replace(first, small)]


def _is_word(token: Any) -> bool:
    return any(map(str.isalnum, token.text))
