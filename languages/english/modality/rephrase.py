"""A clause that has a modal is strengthened: *can* → *can certainly*, *will* → *is bound to*; never given a second one."""

from __future__ import annotations

import random

from harness.protocols import Change
from languages.english.grammar.changes import before, gap, like, loud, replace
from languages.english.grammar.clauses import Clause
from languages.english.grammar.verbs import lexicon
from languages.english.modality.phrases import filled
from languages.english.polarity.negators import negator_of

_BASE = {"wo": "will", "ca": "can", "sha": "shall", "'ll": "will", "’ll": "will", "'d": "would", "’d": "would"}


def rephrase(clause: Clause, rng: random.Random) -> list[Change] | None:
    """Return the changes that strengthen a clause's own modal, None for questions and modals that cannot be."""
    finite, doc = clause.finite, clause.doc
    base = _BASE.get(finite.lower_, finite.lower_)
    following = doc[finite.i + 1].lower_ if finite.i + 1 < len(doc) else ""
    if (
        clause.mood == "question"
        or clause.asks
        or following in ("certainly", "surely", "well", "probably", "have", "rather")
    ):
        return None if following != "have" or clause.mood == "question" else _strengthened(clause, base, rng)
    words = lexicon("modals")
    near = doc[finite.i + 1 : finite.i + 4]
    if any(t.lower_ in ("not", "n't", "n’t", "never") and t.head.i in (clause.head.i, finite.i) for t in near):
        if finite.text[:1] in "'’" or clause.subject is None or clause.subject.i > finite.i:
            return None
        return [before(doc, finite.i, loud(finite.text, rng.choice(words["rephrase_negated"]["adverbs"])))]
    return _strengthened(clause, base, rng) if negator_of(clause) is None else None


def _strengthened(clause: Clause, base: str, rng: random.Random) -> list[Change] | None:
    finite, doc = clause.finite, clause.doc
    following = doc[finite.i + 1] if finite.i + 1 < len(doc) else None
    choices = list(lexicon("modals")["rephrase"].get(base, ()))
    if following is not None and (following.pos_ == "ADV" or following.lower_ == "have"):
        # no phrase with `to` in front of an adverb or of `have`
        choices = [c for c in choices if not c.endswith(" to")]
    if not choices:
        return None
    phrase = filled(rng.choice(choices), clause)
    if base == "ought" and following is not None and following.lower_ == "to":
        return [replace(finite.i, like(finite.text, phrase), finite.i + 2)]
    words = f"{gap(finite)}{phrase}"
    return [replace(finite.i, words if finite.text[:1] in "'’" else like(finite.text, phrase))]
