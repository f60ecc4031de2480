"""What does SDA's Algorithm 1 do, as printed? `pi@paper`: clause, else subject, else tail, in this order.

Zhu et al., "SDA: Simple Discrete Augmentation for Contrastive Sentence Representation Learning" (2024), §4.1, Algorithm 1
and Table 1. The printed algorithm, not the released code, which takes the rules in random order, finds tokens by their
spelling and cuts subjects in the middle. Where the print leaves something open:

- A clause is a token labelled acl, advcl, ccomp, csubj, relcl or xcomp (UD and ClearNLP names); the boundary is the left
  edge of its subtree, or the right edge if the clause opens the text. Boundaries with a mark are passed over.
- The subject is the nominal subject of the first root, with its whole subtree; double quotation marks (§4.1) or a comma
  (Table 1) with equal chance, the only use of the generator.
- The tail: a final mark becomes `!`, else `!` is appended.

Blanks stay as in the text. What grammar says about the result is not asked.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar, Literal

from harness.protocols import Change, Edit, Operator, OperatorTools
from languages.english.marks.final import has_words

_CLAUSE = {"acl", "acl:relcl", "relcl", "advcl", "advcl:relcl", "ccomp", "csubj", "csubj:pass", "csubjpass", "xcomp"}
_SUBJECT = {"nsubj", "nsubj:pass", "nsubjpass", "nsubj:outer"}
_TAIL = {".", ",", ";", ":", "?", "…", "...", "-", "–", "—"}


class PaperPunctuation(Operator):
    """`pi@paper`: SDA's Algorithm 1 as printed."""

    name: ClassVar[str] = "pi"
    changes_only: ClassVar[Literal["punctuation"] | None] = "punctuation"

    def __init__(self, variant: str | None = "paper", tools: OperatorTools | None = None) -> None:
        if variant != "paper":
            raise ValueError(f"{variant!r} is not the printed rule; write pi@paper, or pi for ours.")
        super().__init__(variant, tools)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence after Algorithm 1; None if it has no word, or only a tail that is `!` already."""
        if not has_words(doc):
            return None
        return Edit.of(doc, _clause(doc) or _subject(doc, rng) or _tail(doc))


def _clause(doc: Any) -> list[Change]:
    for token in doc:
        if token.dep_ not in _CLAUSE or (token.dep_ == "xcomp" and token.pos_ not in ("VERB", "AUX")):
            continue
        start, end = token.left_edge.i, token.right_edge.i + 1
        boundary = start if start > 0 else end
        if 0 < boundary < len(doc) and not _marked(doc[boundary - 1]) and not _marked(doc[boundary]):
            return [Change("insert", boundary, boundary, ",")]
    return []


def _subject(doc: Any, rng: random.Random) -> list[Change]:
    root = next((t for t in doc if t.dep_ in ("ROOT", "root") and t.head.i == t.i), None)
    subject = next((c for c in root.children if c.dep_ in _SUBJECT), None) if root is not None else None
    if subject is None:
        return []
    start, end = subject.left_edge.i, subject.right_edge.i + 1
    if rng.random() < 0.5 and end < len(doc) and not _marked(doc[end]) and not _marked(doc[end - 1]):
        return [Change("insert", end, end, ",")]
    # the opening mark is glued to the first token, behind the blank in front of it
    first = f'"{doc[start].text}'
    if end == start + 1:
        return [Change("replace", start, end, first + '"')]
    return [Change("replace", start, start + 1, first), Change("insert", end, end, '"')]


def _tail(doc: Any) -> list[Change]:
    last = next((t for t in reversed(doc) if not t.is_space), None)
    if last is None or last.text == "!":
        return []
    if last.text in _TAIL:
        return [Change("replace", last.i, last.i + 1, "!")]
    return [Change("insert", last.i + 1, last.i + 1, "!")]


def _marked(token: Any) -> bool:
    return bool(token.is_punct or token.is_space or not any(map(str.isalnum, token.text)))
