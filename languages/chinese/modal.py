"""MV, modal verbs: a modal joins the predicate, the meaning otherwise kept (SDA §4.2, Algorithm 2).

Chinese verbs have one form, so all depends on the choice and the place. In the clause a modal is written only where subject and
predicate are beyond doubt, behind the one and in front of the whole other: 确实, 的确 for facts, `一定`, `想必` for conclusions,
`必须`, `应该` for duties; a modal that is there is strengthened (`会` → `一定会`), an order made urgent (`请务必…`), a noun phrase
predicated (`一定是…`).

The second form: every other statement goes behind an opener (`毋庸置疑，…`, `但不可否认，…`), every other question behind one of
its own (`请务必告诉我，…`). `form_of` tells which form an edit has. Traditional text gets Traditional characters. Refused: wishes,
exclamations, questions of a conversation, most sentences without a subject (`是…`, `曾任…` take 确实), what does not begin like a
sentence, text without Chinese characters.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar, Literal

from harness.protocols import Edit, Operator, OperatorTools
from languages.chinese.grammar.changes import Patch, before, to_changes
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, lexicon_sha
from languages.chinese.grammar.pieces import Piece, pieces
from languages.chinese.grammar.predicates import Predicate, main_predicate
from languages.chinese.grammar.script import simplified
from languages.chinese.grammar.sentences import is_question
from languages.chinese.marks.characters import has_han
from languages.chinese.marks.final import asking
from languages.chinese.modality.outside import opened, predicated, understood
from languages.chinese.modality.phrases import statement_phrase
from languages.chinese.modality.place import clear_gap
from languages.chinese.modality.questions import asked, modal_before_how, modal_before_what, really
from languages.chinese.modality.strengthen import order, strengthened, thanks

#: longer texts are no sentences
_LONGEST = 2_000


class ModalVerbs(Operator):
    """Put a modal into the main clause; the sentence behind an opener where the clause takes none."""

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
            "lexicon": lexicon_sha("modals", "known_verbs", "verbs", "adverbs", "clauses", "punctuation", "script"),
        }


def form_of(edit: Edit) -> Literal["clause", "opener"]:
    """Tell which form an edit of `mv` has: a modal in the clause, or a sentence opener in front of it."""
    words = lexicon("modals")
    openers = (
        *words["opener"]["phrases"],
        *words["opener"]["hedged"],
        *words["opener"]["joined"],
        *words["question"]["openers"],
        *words["question"]["spoken"],
    )
    return "opener" if any(simplified(change.text).endswith(openers) for change in edit.changes) else "clause"


def _patches(doc: Any, rng: random.Random) -> list[Patch] | None:
    found = pieces(doc)
    if not found:
        return None
    text = simplified(doc.text[doc[found[0].start].idx :])
    if text.startswith(tuple(lexicon("modals")["opener"]["wishes"])):
        return thanks(doc, found[0].start)
    asks = asking(doc.text)
    if asks or is_question(doc):
        return _question(doc, found, rng)
    urgent = order(doc, found[0].start, rng)
    if urgent is not None:
        return urgent
    main = main_predicate(doc)
    if asks is None and doc.text[-1:] != "。":
        return None  # it may ask
    if main is not None and (patches := _statement(main, rng)) is not None:
        return patches
    if len(found) == 1 and _plain_end(found[0]) and (patches := predicated(found[0], rng)) is not None:
        return patches
    return opened(found, rng) or understood(found, rng)


def _question(doc: Any, found: list[Piece], rng: random.Random) -> list[Patch] | None:
    if len(found) == 1:
        patches = modal_before_how(doc, rng) or modal_before_what(doc, rng)
        main = main_predicate(doc)
        if patches is None and main is not None:
            patches = really(main, rng)
        if patches is not None:
            return patches
    return asked(found, rng)


def _statement(predicate: Predicate, rng: random.Random) -> list[Patch] | None:
    """Return the patch for the main clause: nothing under a condition, in a subordinate clause or an exclamation."""
    piece, doc = predicate.piece, predicate.doc
    if simplified(doc.text[doc[piece.start].idx :]).startswith(tuple(lexicon("modals")["opener"]["notices"])):
        return None
    under = any(form(t) in lexicon("modals")["words"]["conditions"] for t in doc)
    if piece.subordinate or piece.sentence > 0 or under or doc.text.rstrip('”」』"')[-1:] in "！!":
        return None
    if piece.tokens and form(piece.tokens[-1]) in lexicon("modals")["opener"]["no_affirming"]:
        return None  # a proposal
    if predicate.stretch.modal is not None:
        return strengthened(predicate, rng)
    gap = clear_gap(predicate)
    return None if gap is None else [before(doc[gap], statement_phrase(predicate, rng))]


def _plain_end(piece: Piece) -> bool:
    return piece.mark is None or form(piece.doc[piece.mark]) in ("。", ".")
