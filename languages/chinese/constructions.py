"""What construction is this sentence? One name per text, for tables of coverage and precision."""

from __future__ import annotations

from typing import Any

from languages.chinese.grammar.aspect import aspect_of
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import words
from languages.chinese.grammar.predicates import Predicate, main_predicate
from languages.chinese.grammar.sentences import is_fragment, is_imperative, is_question

#: in the order in which they are tried; a text has the first that fits
CONSTRUCTIONS = (
    "question", "nominal fragment", "no predicate", "imperative", "negated", "modal", "bei (passive)", "ba", "shi (copular)",
    "you (existential, possessive)", "aspect mark", "adjectival predicate", "state verb", "serial verbs", "other verb",
)  # fmt: skip


def construction(doc: Any) -> str:
    """Return one of `CONSTRUCTIONS`: the build of the main predicate."""
    if is_question(doc):
        return "question"
    found = main_predicate(doc)
    if found is None:
        return "nominal fragment" if is_fragment(doc) else "no predicate"
    return _of_predicate(doc, found)


def _of_predicate(doc: Any, found: Predicate) -> str:
    from languages.chinese.polarity.affirm import is_negative

    if is_imperative(doc, found):
        return "imperative"
    if is_negative(found):
        return "negated"
    named = {
        "modal": "modal",
        "bei": "bei (passive)",
        "ba": "ba",
        "shi": "shi (copular)",
        "possess": "you (existential, possessive)",
    }
    if found.kind in named:
        return named[found.kind]
    if aspect_of(found.piece, found.token).mark:
        return "aspect mark"
    if found.kind == "adjective":
        return "adjectival predicate"
    if form(found.token) in words("verbs", "states"):
        return "state verb"
    following = [
        t
        for t in found.piece.tokens
        if t.i > found.token.i and t.pos_ == "VERB" and t.dep_ in ("xcomp", "conj", "ROOT", "advcl")
    ]
    return "serial verbs" if following else "other verb"
