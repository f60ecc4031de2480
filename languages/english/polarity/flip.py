"""Flip the polarity of a sentence exactly once, by whatever its form allows."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from harness.protocols import Change
from languages.english.grammar.changes import delete, like, replace
from languages.english.grammar.clauses import Clause
from languages.english.grammar.sentences import main_clause, roots, shared_verbs
from languages.english.grammar.verbs import lexicon
from languages.english.polarity.affirm import affirm
from languages.english.polarity.deny import deny, deny_fragment, deny_participle
from languages.english.polarity.negators import negator_of
from languages.english.polarity.scope import joined_predicates, negative_beside
from languages.english.polarity.templates import clause_opening, opening

_SUBORDINATE = {"acl", "acl:relcl", "relcl", "advcl", "advcl:relcl", "ccomp", "csubj", "csubjpass", "appos"}


@dataclass(frozen=True)
class Flip:
    """Changes that flip the polarity once. `start` is where a template would go; `added` tells which way it went."""

    changes: list[Change]
    start: int
    added: bool


def flip_clause(doc: Any, rng: random.Random, *, joined: bool = False) -> tuple[Clause | None, Flip | None]:
    """Return the main clause and its flip; (None, None) if there is no clause, (clause, None) if its frame is unknown.

    `joined`: predicates coordinated with it are denied too, `and` becomes `or` (not (not a or not b) is a and b); a flip that
    this cannot be done for is none.
    """
    clause = main_clause(doc)
    if clause is None:
        return None, None
    start = clause_opening(clause)
    negator = negator_of(clause)
    changes = affirm(clause, negator) if negator is not None else deny(clause, rng)
    if changes and joined:
        changes = _with_joined(clause, changes, negated=negator is not None, rng=rng)
    if not changes or _overlap(changes):
        return clause, None
    return clause, Flip(changes, start, added=negator is None)


def _with_joined(clause: Clause, changes: list[Change], *, negated: bool, rng: random.Random) -> list[Change] | None:
    others = joined_predicates(clause)
    if not others:
        return changes
    if negated or negative_beside(clause):
        return None
    doc = clause.doc
    shared = {verb.i for verb, _ in shared_verbs(clause) or []}
    changes = [c for c in changes if c.start not in shared and not (c.kind == "replace" and c.text.lower() == "or")]
    for number, other in enumerate(others):
        place = other.verbs[0].i - 1
        while place > clause.finite.i and doc[place].pos_ == "ADV":
            place -= 1
        last = number + 1 == len(others)
        if doc[place].lower_ != "and" if last else doc[place].text != "," and doc[place].lower_ != "and":
            return None
        denied = deny(other, rng)
        if not denied:
            return None
        changes += denied
        if doc[place].lower_ == "and":
            changes.append(replace(place, "or"))
    return changes


def _overlap(changes: list[Change]) -> bool:
    ordered = sorted(changes, key=lambda c: (c.start, c.end))
    return any(b.start < a.end for a, b in pairwise(ordered))


def flip_fragment(doc: Any, rng: random.Random) -> list[Change]:
    """Return the changes that negate a text without a main clause: `Not the Battle of Hastings`; `No entry` → `Entry`."""
    start = opening(doc)
    if start >= len(doc):
        start = 0
    first = doc[start]
    following = doc[start + 1] if start + 1 < len(doc) else None
    single = {**lexicon("negation")["pronouns"], "never": "always", "no": "yes", "yes": "no"}
    if first.lower_ in single and (following is None or not any(map(str.isalnum, doc[start + 1 :].text))):
        return [replace(start, like(first.text, single[first.lower_]))]
    if first.lower_ in ("not", "no", "never") and following is not None and any(map(str.isalnum, following.text)):
        return [delete(start), replace(start + 1, like(first.text, following.text))]
    for head in roots(doc)[:1]:
        if head.pos_ in ("NOUN", "PROPN") and rng.random() < 0.5:
            changes = deny_participle(doc, head)
            if changes is not None:
                return changes
    return deny_fragment(doc, start, next(iter(roots(doc)), None))
