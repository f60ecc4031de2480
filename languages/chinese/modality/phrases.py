"""Which modal fits this clause?

A duty (必须) only where those who have duties do what one may be obliged to; a conclusion (一定, 想必) only for a state or a past
event that stands alone and that nobody vouches for; for all else 确实 and 的确, which fit facts, dated and measured ones too.
"""

from __future__ import annotations

import random

from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.grammar.pieces import pieces
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.modality.place import listed, subject_text


def statement_phrase(predicate: Predicate, rng: random.Random) -> str:
    """Return a modal for a clause that states something and has none."""
    words = lexicon("modals")
    person, verb = subject_text(predicate), form(predicate.token)
    bare = predicate.token.i == predicate.stretch.start
    if bare and person in words["driven"]["persons"] and verb in words["driven"]["verbs"]:
        return str(rng.choice(words["driven"]["phrases"]))
    if bare and person in words["duty"]["persons"] and verb in words["duty"]["verbs"] and not _has_happened(predicate):
        return str(rng.choice(words["duty"]["phrases"]))
    choices = list(words["affirm"]["identity" if predicate.kind == "shi" else "fact"])
    if person and _is_conclusion(predicate, person):
        choices += words["affirm"]["conclusion"]
    return str(rng.choice(choices))


#: characters of a clause of which one says 一定; a longer one is a record
_SHORT = 18


def _is_conclusion(predicate: Predicate, person: str) -> bool:
    """Whether a clause may be read as a conclusion: short, alone, no figures, a state or something past, of somebody else."""
    doc = predicate.doc
    if person in listed("words", "selves") or len(pieces(doc)) > 1 or len(doc.text) > _SHORT:
        return False
    if any(c.isdigit() for c in doc.text):
        return False
    state = predicate.kind == "adjective" or form(predicate.token) in listed("words", "states")
    return state or _has_happened(predicate)


def _has_happened(predicate: Predicate) -> bool:
    doc, at, end = predicate.doc, predicate.token.i, predicate.piece.end
    if form(doc[at])[-1:] in "了过着" or any(form(t) in ("了", "过", "着") for t in doc[at + 1 : end]):
        return True
    return bool({form(t) for t in doc[predicate.stretch.start : at]} & {"曾", "曾经", "已", "已经", "没", "没有", "未"})
