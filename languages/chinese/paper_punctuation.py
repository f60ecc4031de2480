"""What does the released Chinese rule for PI do? `pi@paper`, faults and all.

Zhu et al., "SDA: Simple Discrete Augmentation for Contrastive Sentence Representation Learning" (2024); the
released code for Chinese. A coin chooses the *subject* or the *clause* rule:

- subject: the first child of the first root, if it is a nominal subject. The span runs over it and its
  *direct* children, not the subtree, so modifiers of modifiers are cut off. A coin puts ASCII single
  quotation marks around the span, or `，` behind it.
- clause: the first token labelled acl, ccomp or xcomp (the rule's other labels do not exist in
  `zh_core_web_*`; with Universal Dependencies advcl and csubj fire too); `，` in front of its first child,
  wherever that stands: inside a noun phrase, between a verb and its object, behind a mark that is there.

Known fault, kept: the second rule and the tail rule are meant for sentences left unchanged, but the code
compares a string with blanks to one without, so they run only for a text of a single token. About half of
the tries leave the sentence as it is (None). The tail rule wraps the text in single quotation marks or
exchanges or adds a mark of its list.

Ours: each rule acts on its own token (the code finds tokens by spelling, the first one that is equal),
blanks stay as in the text, and the generator is the sentence's. Traditional text is handled as it stands.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar, Literal

from harness.protocols import Change, Edit, Operator, OperatorTools
from languages.chinese.grammar.lexicon import lexicon, lexicon_sha

_SUBJECT = {"nsubj", "nsubjpass", "nsubj:pass"}
_CLAUSE = {"acl", "advcl", "ccomp", "csubj", "csubjpass", "csubj:pass", "relcl", "acl:relcl", "xcomp"}


class PaperPunctuation(Operator):
    """`pi@paper`: the released Chinese rule."""

    name: ClassVar[str] = "pi"
    changes_only: ClassVar[Literal["punctuation"] | None] = "punctuation"

    def __init__(self, variant: str | None = "paper", tools: OperatorTools | None = None) -> None:
        """Raises ValueError for a variant other than `paper`."""
        if variant != "paper":
            raise ValueError(f"{variant!r} is not the released rule; write pi@paper, or pi for ours.")
        super().__init__(variant, tools)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence after the rule; None where the rule leaves it as it is, and for a text without a word."""
        if not any(any(map(str.isalnum, token.text)) for token in doc):
            return None
        rules = [_subject, _clause]
        rng.shuffle(rules)
        if len(doc) > 1:
            return Edit.of(doc, rules[0](doc, rng))
        return Edit.of(doc, rules[0](doc, rng) or rules[1](doc, rng) or _tail(doc, rng))

    def fingerprint(self) -> dict[str, Any]:
        """The operator and its word list."""
        return {**super().fingerprint(), "lexicon": lexicon_sha("paper")}


def _subject(doc: Any, rng: random.Random) -> list[Change]:
    root = next((t for t in doc if t.dep_ in ("ROOT", "root")), None)
    subject = next(iter(root.children), None) if root is not None else None
    if subject is None or subject.dep_ not in _SUBJECT:
        return []
    places = [subject.i, *(child.i for child in subject.children)]
    start, end = min(places), max(places) + 1
    if rng.random() < 0.5:
        return [Change("insert", end, end, "，")]
    # behind the blank in front of the span, where there is one
    opening = Change("insert", start, start, "'")
    if start and doc[start - 1].whitespace_:
        opening = Change("replace", start, start + 1, f"'{doc[start].text}")
    return [opening, Change("insert", end, end, "'")]


def _clause(doc: Any, rng: random.Random) -> list[Change]:
    token = next((t for t in doc if t.dep_ in _CLAUSE), None)
    child = next(iter(token.children), None) if token is not None else None
    return [] if child is None or child.i == 0 else [Change("insert", child.i, child.i, "，")]


def _tail(doc: Any, rng: random.Random) -> list[Change]:
    marks, last = lexicon("paper")["tail"], len(doc) - 1
    if rng.random() < 0.5:
        return [Change("insert", 0, 0, "'"), Change("insert", last + 1, last + 1, "'")]
    mark = rng.choice(marks)
    if doc[last].text in marks:
        return [Change("replace", last, last + 1, mark)]
    return [Change("insert", last + 1, last + 1, mark)]
