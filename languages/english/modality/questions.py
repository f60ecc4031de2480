"""A modal into a question: *Does he go?* → *Must he go?*, *Was she ill?* → *Must she have been ill?*"""

from __future__ import annotations

import random

from harness.protocols import Change
from languages.english.grammar.changes import behind, gap, like, replace
from languages.english.grammar.clauses import Clause, span
from languages.english.grammar.verbs import participle


def modal_into_question(clause: Clause, rng: random.Random) -> list[Change] | None:
    """Return the changes, None for negated questions and unclear subjects."""
    finite, doc, subject = clause.finite, clause.doc, clause.subject
    following = doc[finite.i + 1].lower_ if finite.i + 1 < len(doc) else ""
    if subject is None or following in ("n't", "n’t", "not"):
        return None
    past = clause.tag == "VBD"
    modal = gap(finite) + like(finite.text, "must" if past else rng.choice(["must", "should"]))
    if clause.lemma == "do":
        verb = clause.main_verb
        if verb.i <= subject.i:
            return None
        form = f"have {participle(verb.text, 'VB')}" if past else verb.text
        return [replace(finite.i, modal)] + ([replace(verb.i, form)] if form != verb.text else [])
    if clause.lemma not in ("be", "have"):
        return None
    second = "have" if clause.lemma == "have" else "have been" if past else "be"
    end = span(subject)[1]
    if end <= finite.i + 1 or end > len(doc):
        return None
    return [replace(finite.i, modal), behind(end - 1, second)]
