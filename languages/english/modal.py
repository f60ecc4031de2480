"""MV, modal verbs: a modal phrase joins the verb, tense and agreement kept (SDA §4.2, Algorithm 2)."""

from __future__ import annotations

import random
from typing import Any, ClassVar

from harness.protocols import Change, Edit, Operator, OperatorTools
from languages.english.grammar.changes import like, replace
from languages.english.grammar.clauses import Clause
from languages.english.grammar.fragments import nominal, predicated, seems_finite
from languages.english.grammar.sentences import finite_clauses, main_clause
from languages.english.modality.declarative import Unsafe, modal_into
from languages.english.modality.questions import modal_into_question
from languages.english.modality.rephrase import rephrase
from languages.english.polarity.templates import opening, under_template


class ModalVerbs(Operator):
    """Put a modal phrase into the main clause, or into the first finite clause of a text that has none.

    The past becomes *must have travelled*; copulas, progressives, perfects, passives and do-support keep their frame. A clause
    that has a modal is strengthened (*can certainly*). A noun phrase standing alone, a title or caption, is predicated first
    (`This must be the Battle of Hastings`); other texts without a finite verb are refused.
    """

    name = "mv"
    variants: ClassVar[tuple[str, ...]] = ("paper",)

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """No variant but `paper`, which is another class. Raises ValueError for others."""
        if variant is not None:
            raise ValueError(f"mv has no variant {variant!r}; there are: paper.")
        super().__init__(variant, tools)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence with a modal, None if nothing in it takes one."""
        main = main_clause(doc)
        if main is None and seems_finite(doc):
            return None  # the main verb was not found, and another one is not meant
        for clause in [main] if main is not None else finite_clauses(doc):
            try:
                changes = _modalised(clause, rng)
            except Unsafe:
                changes = _behind_template(clause, rng)
            if changes:
                return Edit.of(doc, changes)
        start = opening(doc)
        head = nominal(doc, start)
        return Edit.of(doc, predicated(doc, start, head, "must be")) if head is not None else None

    def fingerprint(self) -> dict[str, Any]:
        """The operator and its word lists."""
        from languages.english.grammar.verbs import lexicon_sha

        return {**super().fingerprint(), "lexicon": lexicon_sha("modals", "negation", "templates", "inflection")}


def _modalised(clause: Clause, rng: random.Random) -> list[Change] | None:
    if clause.mood == "imperative":
        return _imperative(clause)
    if clause.tag == "MD":
        return rephrase(clause, rng)
    if clause.mood == "question" or _ordered_like_a_question(clause):
        return modal_into_question(clause, rng)
    return modal_into(clause, rng)


def _ordered_like_a_question(clause: Clause) -> bool:
    """`Not only did he win`, `Never is he late`; but not `In the middle is a pond`."""
    if clause.mood != "inverted" or not clause.is_auxiliary:
        return False
    first = clause.doc[clause.finite.sent.start].lower_
    return len(clause.verbs) > 1 or first in ("not", "never", "only", "so", "neither", "nor", "rarely", "seldom")


def _imperative(clause: Clause) -> list[Change] | None:
    """`Take the bus.` → `You must take the bus.`"""
    verb, doc = clause.finite, clause.doc
    if verb.lower_ == "let" or verb.i != opening(doc, verb.sent) or not verb.text[:1].isupper():
        return None
    following = doc[verb.i + 1].lower_ if verb.i + 1 < len(doc) else ""
    if verb.lower_ != "do" or (len(clause.verbs) == 1 and following not in ("n't", "n’t", "not")):
        return [replace(verb.i, like(verb.text, f"you must {verb.lower_}"))]
    if following in ("n't", "n’t", "not"):
        return [replace(verb.i, like(verb.text, "you must not"), verb.i + 2)]
    return None


def _behind_template(clause: Clause, rng: random.Random) -> list[Change] | None:
    """`It must be true that …`, for a main clause whose coordinated verbs cannot be put right with confidence."""
    if clause.head.dep_ not in ("ROOT", "root") or clause.mood != "declarative":
        return None
    start = opening(clause.doc, clause.head.sent)
    return under_template(clause.doc, start, [], rng, kind="modal") if start < len(clause.doc) else None
