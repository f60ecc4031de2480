"""Is a clause negative, and by which word? The word that carries the polarity of the main proposition, if there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from languages.english.grammar.clauses import Clause
from languages.english.grammar.verbs import lexicon

Kind = Literal["not", "never", "no_longer", "quasi", "neither", "determiner", "pronoun", "quantifier"]


@dataclass(frozen=True)
class Negator:
    """A negative word and what sort of removal it needs."""

    kind: Kind
    token: Any


def negator_of(clause: Clause) -> Negator | None:
    """Return the word that makes a clause negative, None if the clause is positive.

    `not only` denies nothing and does not count; neither does a negation inside a subordinate clause or on another word
    than the predicate (`a not very large town`).
    """
    words = lexicon("negation")
    if clause.mood == "imperative" and clause.finite.lower_ == "let":
        # Let's not argue: `not` hangs on the verb behind
        after = clause.doc[clause.finite.i + 2 : clause.finite.i + 3]
        if len(after) and after[0].lower_ == "not":
            return Negator("not", after[0])
    behind = clause.doc[clause.finite.i + 1 : clause.finite.i + 2]
    if clause.finite.lower_ == "need" and len(behind) and behind[0].lower_ in words["not"]:
        return Negator("not", behind[0])  # need not worry
    quoted = _quoted(clause)
    own = [t for t in _own_tokens(clause) if t.i not in quoted]
    for token in own:
        low = token.lower_
        if low in words["not"] and _on_predicate(token, clause):
            return Negator("not", token)
        if low in words["never"] and _on_predicate(token, clause):
            return Negator("never", token)
        if low in ("longer", "more") and token.i and token.nbor(-1).lower_ == "no" and _is_adverb(token):
            return Negator("no_longer", token)
        if low in words["quasi"] and (_on_predicate(token, clause) or _counts_any(token)):
            return Negator("quasi", token)
    start = clause.doc[clause.head.left_edge.i : clause.head.i + 1]
    for token in start:
        if token.lower_ == "not" and token.i + 1 < len(clause.doc) and _starts_subject(token, clause):
            return Negator("quantifier", token)
    for token in own:
        low = token.lower_
        if low == "neither" and _paired_nor(token, clause) is not None:
            return Negator("neither", token)
        if low == "no" and token.i + 1 < len(clause.doc) and token.nbor().lower_ == "one" and not _fixed(token):
            return Negator("pronoun", token)
        determines = (
            token.dep_ in ("det", "neg", "quantmod", "advmod", "cc:preconj", "preconj") and token.head.i > token.i
        )
        if low in ("no", "neither") and determines and not _fixed(token):
            return Negator("determiner", token)
        if low in words["pronouns"] and low not in ("nor", "neither") and token.pos_ in ("PRON", "NOUN", "ADV", "DET"):
            return Negator("pronoun", token)
        if low == "neither" and token.pos_ in ("PRON", "DET"):
            return Negator("pronoun", token)
    return None


def _counts_any(token: Any) -> bool:
    """`Hardly anybody came`."""
    return token.i + 1 < len(token.doc) and token.nbor().lower_.startswith("any")


def _paired_nor(token: Any, clause: Clause) -> Any | None:
    end = clause.head.right_edge.i + 1
    return next((t for t in clause.doc[token.i + 1 : end] if t.lower_ == "nor"), None)


def _fixed(token: Any) -> bool:
    """`No. 5`, `no doubt`, `no more than five`: no negation of the clause."""
    following = token.nbor().lower_ if token.i + 1 < len(token.doc) else ""
    if following[:1].isdigit():
        return True  # page no 93
    if 0 < token.i < len(token.doc) - 1 and token.nbor(-1).pos_ == token.nbor().pos_ == "PROPN":
        return True  # a foreign name: Midori no Madoguchi
    if following == "doubt" and token.nbor().dep_ in ("nsubj", "obj", "dobj", "attr"):
        return False  # there is no doubt
    return following in (".", "more", "less", "fewer", "later", "matter", "doubt", "sooner", "-") or token.text == "NO"


def _is_adverb(token: Any) -> bool:
    # `no more men` counts men, `no longer lived` denies
    return token.lower_ == "longer" or token.i + 1 == len(token.doc) or token.nbor().is_punct


def _on_predicate(token: Any, clause: Clause) -> bool:
    following = token.nbor().lower_ if token.i + 1 < len(token.doc) else ""
    if following in ("only", "just", "merely", "simply", "least", "until") and token.lower_ == "not":
        return False
    owners = {clause.head.i, *(v.i for v in clause.verbs)}
    if token.head.i in owners:
        return token.i > clause.finite.i or token.lower_ not in ("not",) or clause.mood == "imperative"
    # `not` that the parser hung on a word right behind the verb group still denies the clause
    return token.i == clause.finite.i + 1 or (
        clause.mood == "question" and token.dep_ in ("advmod", "neg") and token.head.head.i in owners
    )


def _starts_subject(token: Any, clause: Clause) -> bool:
    """`Not all birds fly`, `Not a single one came`."""
    following = token.nbor().lower_
    return (
        clause.subject is not None
        and token.i in (clause.subject.left_edge.i, clause.subject.left_edge.i - 1)
        and following in ("all", "every", "everyone", "everybody", "everything", "many", "much", "a", "one")
    )


def _own_tokens(clause: Clause) -> list[Any]:
    """The tokens of the clause that belong to no clause below it, in text order; coordinated clauses are others."""
    blocked = {"acl", "acl:relcl", "relcl", "advcl", "ccomp", "csubj", "csubjpass", "parataxis", "xcomp", "appos"}
    found: list[Any] = []
    stack = [clause.head]
    while stack:
        token = stack.pop()
        found.append(token)
        for child in token.children:
            if child.dep_ in blocked or (child.dep_ == "conj" and token.i == clause.head.i):
                continue
            stack.append(child)
    return sorted(found, key=lambda t: t.i)


def _quoted(clause: Clause) -> set[int]:
    """The tokens inside quotations that do not hold the finite verb: a title keeps its words."""
    found: set[int] = set()
    opened: int | None = None
    for token in clause.doc:
        if token.text not in ('"', "“", "”", "``", "''"):
            continue
        if opened is None:
            opened = token.i
        else:
            if not opened < clause.finite.i < token.i:
                found |= set(range(opened, token.i + 1))
            opened = None
    return found
