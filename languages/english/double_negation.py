"""DN, double negation: two changes of polarity, so that the sentence says what it said (SDA §4.3, Algorithm 3)."""

from __future__ import annotations

import random
from typing import Any, ClassVar

from harness.protocols import Change, Edit, Operator, OperatorTools
from languages.english.grammar.changes import like, loud, replace
from languages.english.grammar.clauses import Clause
from languages.english.grammar.fragments import nominal, predicated, seems_finite
from languages.english.polarity.flip import Flip, flip_clause
from languages.english.polarity.scope import (
    concession_in_front,
    contrast_behind,
    focus_adverb,
    infinitive_predicate,
    joined_clause,
    loose_verb,
    negative_beside,
    open_modal,
    quantified_subject,
    sentence_adverb,
    trailing_comment,
)
from languages.english.polarity.templates import clause_opening, opening, template_in_front, under_template


class DoubleNegation(Operator):
    """Flip the main clause and deny the result: `It is not true that he did not travel widely in Europe.`

    A sentence that is negative already loses its negation behind the template (`It is not true that he travelled.`), which
    again makes two changes. Where the two would not meet (a quantifier, contrast or joined predicate between them) the
    sentence stays whole behind `It cannot be denied that`, which is two negations too. Commands become `Do not fail to …`,
    noun phrases standing alone `It is not true that this is not the Battle of Hastings`. Questions, and texts of any other
    build, are refused.
    """

    name = "dn"
    variants: ClassVar[tuple[str, ...]] = ("paper",)

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """No variant but `paper`, which is another class. Raises ValueError for others."""
        if variant is not None:
            raise ValueError(f"dn has no variant {variant!r}; there are: paper.")
        super().__init__(variant, tools)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the doubly negated sentence, None where it would be neither readable nor safe."""
        clause, flip = flip_clause(doc, rng, joined=True)
        if clause is None:
            return self._without_clause(doc, rng)
        if clause.asks or (clause.subject is None and clause.mood != "imperative"):
            return None  # a question, or `Lives in Paris.`, which has no subject to stand behind `that`
        if clause.mood == "imperative":
            changes = _do_not_fail(clause) if flip is not None and flip.added else None
            return Edit.of(doc, changes) if changes else None
        start = clause_opening(clause)
        opens = doc[start + 1] if doc[start].pos_ == "ADV" and start + 1 < len(doc) else doc[start]
        if _may_be_no_name(clause, start) or opens.tag_ in ("VBN", "VBG", "VBD"):
            return None  # `that born in Rome, he …` leads the reader astray
        if flip is None or _tangled(clause, flip):
            return Edit.of(doc, under_template(doc, start, [], rng, kind="undeniable"))
        return Edit.of(doc, under_template(doc, start, flip.changes, rng))

    def _without_clause(self, doc: Any, rng: random.Random) -> Edit | None:
        start = opening(doc)
        head = nominal(doc, start)
        if head is not None:
            return Edit.of(doc, template_in_front(predicated(doc, start, head, "is not"), rng))
        if start < len(doc) and seems_finite(doc) and "?" not in doc[-1].text:
            return Edit.of(doc, under_template(doc, start, [], rng, kind="undeniable"))
        return None

    def fingerprint(self) -> dict[str, Any]:
        """The operator and its word lists."""
        from languages.english.grammar.verbs import lexicon_sha

        return {
            **super().fingerprint(),
            "lexicon": lexicon_sha("negation", "templates", "scope", "modals", "inflection"),
        }


def _tangled(clause: Clause, flip: Flip) -> bool:
    """Whether the two negations would not meet: a quantifier between them, a contrast, a concession, a focus in between."""
    inside = (quantified_subject, open_modal, loose_verb, focus_adverb, sentence_adverb)
    if flip.added and any(check(clause) for check in inside):
        return True
    if trailing_comment(clause) or joined_clause(clause):
        return True
    if not flip.added and negative_beside(clause):
        return True
    return contrast_behind(clause) or concession_in_front(clause) or infinitive_predicate(clause)


def _may_be_no_name(clause: Clause, start: int) -> bool:
    """`Salt is …`: behind a template a capital must be right, and a lone word tagged as a name may be none."""
    import lemminflect

    subject = clause.subject
    alone = subject is not None and subject.i == start and subject.left_edge.i == subject.right_edge.i
    if subject is None or not alone:
        return False
    return subject.tag_ == "NNP" and subject.lower_ in lemminflect.getAllLemmas(subject.lower_).get("NOUN", ())


def _do_not_fail(clause: Clause) -> list[Change] | None:
    verb = clause.finite
    if verb.lower_ in ("let", "do", "be") or len(clause.verbs) > 1:
        return None
    return [replace(verb.i, loud(verb.text, f"{like(verb.text, 'do')} not fail to {verb.lower_}"))]
