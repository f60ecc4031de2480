"""MV, modal verbs: a modal phrase joins the predicate, its meaning otherwise kept (SDA §4.2, Algorithm 2).

Chinese verbs have one form, so all depends on the choice and the place. `一定`, `必定`, `肯定`, `想必`,
`应该` affirm a state or an event, `必须`, `一定要`, `需要`, `不得不` make a duty and stand only where
persons do something; both go in front of adverbs, 把, 被, prepositional phrases and negation. A clause that
has a modal is strengthened (`会` → `一定会`). A noun phrase is predicated (`一定是…`).

The second form: where the clause itself takes none (it is hedged, or its predicate was not found with
certainty), a statement goes behind one of the paper's openers (`毋庸置疑，…`). `form_of` tells which form
an edit has. Traditional text gets Traditional characters. Refused: questions that ask whether, hedged
questions, exclamations, text without Chinese characters.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar, Literal

from harness.protocols import Edit, Operator, OperatorTools
from languages.chinese.grammar.changes import Patch, before, to_changes
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, lexicon_sha
from languages.chinese.grammar.pieces import Piece, pieces
from languages.chinese.grammar.predicates import Predicate, main_predicate, predicates
from languages.chinese.grammar.script import simplified
from languages.chinese.marks.characters import has_han
from languages.chinese.marks.final import asking
from languages.chinese.modality.outside import opened, predicated
from languages.chinese.modality.phrases import speaks_in_clause, statement_phrase
from languages.chinese.modality.place import aside, clashes, fits, inside_phrase, modal_gap, splits_verbs
from languages.chinese.modality.questions import modal_before_how, modal_into_question
from languages.chinese.modality.strengthen import order, strengthened

#: longer texts are no sentences
_LONGEST = 2_000


class ModalVerbs(Operator):
    """Put a modal phrase into the main clause; behind an opener where the clause takes none."""

    name: ClassVar[str] = "mv"
    variants: ClassVar[tuple[str, ...]] = ("paper",)

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """No variant but `paper`, which is another class. Raises ValueError for others."""
        if variant is not None:
            raise ValueError(f"mv has no variant {variant!r}; there are: paper.")
        super().__init__(variant, tools)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence with a modal, None if nothing in it takes one."""
        if len(doc) > _LONGEST or not has_han(doc.text):
            return None
        patches = _patches(doc, rng)
        return None if patches is None else Edit.of(doc, to_changes(doc, patches))

    def fingerprint(self) -> dict[str, Any]:
        """The operator and its word lists."""
        return {
            **super().fingerprint(),
            "lexicon": lexicon_sha("modals", "verbs", "adverbs", "clauses", "punctuation", "script"),
        }


def form_of(edit: Edit) -> Literal["clause", "opener"]:
    """Tell which form an edit of `mv` has: a modal in the clause, or a sentence opener in front of it."""
    words = lexicon("modals")["opener"]
    openers = (*words["phrases"], *words["hedged"])
    return "opener" if any(simplified(change.text).endswith(openers) for change in edit.changes) else "clause"


def _patches(doc: Any, rng: random.Random) -> list[Patch] | None:
    found = pieces(doc)
    if not found:
        return None
    asks = asking(doc.text)
    if asks is True and (how := modal_before_how(doc, rng)) is not None:
        return how
    if form(doc[found[0].start]).startswith(tuple(lexicon("modals")["opener"]["wishes"])):
        return None
    main = main_predicate(doc)
    if main is None:
        return _verbless(doc, found, rng) if asks is False else None
    urgent = order(doc, found[0].start, rng)
    if urgent is not None:
        return urgent
    if asks is True:
        return _question(main, rng)
    for predicate in _ordered(main, predicates(doc)):
        patches = _statement(predicate, rng)
        if patches is not None:
            return patches
    return opened(found, rng) if asks is False else None


def _verbless(doc: Any, found: list[Piece], rng: random.Random) -> list[Patch] | None:
    """A text in which no predicate was found: a noun phrase, or a statement with a verb the rules do not see."""
    patches = predicated(found[0], rng) if len(found) == 1 and _plain_end(found[0]) else None
    if patches is None and any(t.pos_ in ("VERB", "AUX") for t in doc):
        return opened(found, rng)
    return patches


def _ordered(main: Predicate, every: list[Predicate]) -> list[Predicate]:
    """The clauses in which a modal may go, the best first: with a subject and a sure predicate, the main one before others."""
    free = [p for p in every if not p.piece.subordinate and not aside(p)]
    first = [p for p in free if p.token.i == main.token.i]
    rest = [p for p in free if p.token.i != main.token.i]
    clear = [p for p in [*first, *rest] if p.sure and p.subject is not None]
    return [*clear, *(p for p in first if p not in clear)]


def _question(predicate: Predicate, rng: random.Random) -> list[Patch] | None:
    if predicate.stretch.modal is not None:
        # `怎样才能 …`: the modal belongs to what is asked
        how = any(word in simplified(predicate.doc.text) for word in lexicon("modals")["question"]["how_words"])
        return None if how else strengthened(predicate, rng, asks=True)
    return None if clashes(predicate) else modal_into_question(predicate, simplified(predicate.doc.text), rng)


def _statement(predicate: Predicate, rng: random.Random) -> list[Patch] | None:
    if predicate.stretch.modal is not None:
        return strengthened(predicate, rng, asks=False)
    if not (speaks_in_clause(predicate) and predicate.sure):
        return None
    at = modal_gap(predicate)
    doubtful = splits_verbs(predicate, at) or inside_phrase(predicate)
    if doubtful or clashes(predicate) or not fits(predicate.doc, at):
        return None
    return [before(predicate.doc[at], statement_phrase(predicate, rng))]


def _plain_end(piece: Piece) -> bool:
    return piece.mark is None or form(piece.doc[piece.mark]) in ("。", ".")
