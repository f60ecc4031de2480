"""What construction is this sentence? One name per text, for tables of coverage and precision."""

from __future__ import annotations

from typing import Any

from languages.english.grammar.clauses import Clause
from languages.english.grammar.labels import PASSIVE_AUXILIARY
from languages.english.grammar.sentences import finite_clauses, main_clause
from languages.english.polarity.negators import negator_of

#: in the order in which they are tried; a text has the first that fits
CONSTRUCTIONS = (
    "fragment", "fragment with a clause", "question", "imperative", "negated", "modal", "existential", "passive", "copular",
    "perfect or progressive", "lexical verb",
)  # fmt: skip


def construction(doc: Any) -> str:
    """Return one of `CONSTRUCTIONS`: the build of the first main clause."""
    clause = main_clause(doc)
    if clause is None:
        return "fragment with a clause" if any(True for _ in finite_clauses(doc)) else "fragment"
    return _of_clause(clause)


def _of_clause(clause: Clause) -> str:
    if clause.mood == "question" or clause.asks:
        return "question"
    if clause.mood == "imperative":
        return "imperative"
    if negator_of(clause) is not None:
        return "negated"
    if clause.tag == "MD":
        return "modal"
    if clause.subject is not None and clause.subject.lower_ == "there" and clause.lemma == "be":
        return "existential"
    if any(verb.dep_ in PASSIVE_AUXILIARY for verb in clause.verbs):
        return "passive"
    if clause.lemma == "be" and clause.main_verb.i == clause.finite.i:
        return "copular"
    return "perfect or progressive" if len(clause.verbs) > 1 else "lexical verb"
