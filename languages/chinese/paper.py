"""`mv@paper`, `dn@paper`, `negation@paper`: SDA's released Chinese rules, faults and all (`pi@paper` is in
`paper_punctuation`).

Zhu et al., "SDA: Simple Discrete Augmentation for Contrastive Sentence Representation Learning" (2024).
They read the first root, `auxpass` (被; `aux:pass` in Universal Dependencies) and four negative words that
are whole tokens. What is broken in them is said at each class and kept, for comparison. One fault is not
kept: `negation@paper` as released puts the *English* word " not" behind 被; an operator of this pack never
writes another language, so that branch writes nothing and the sentence is left alone.

Ours: words go in at their own token (the code joins tokens without blanks; blanks stay here), and the
generator is the sentence's. Traditional text is refused by `dn@paper` and `negation@paper`, whose words are
simplified; `mv@paper` writes in the text's script.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar

from harness.protocols import Change, Edit, Operator, OperatorTools
from languages.chinese.grammar.lexicon import lexicon, lexicon_sha, words
from languages.chinese.grammar.script import in_script_of, is_traditional
from languages.chinese.paper_punctuation import PaperPunctuation

__all__ = ["PaperDoubleNegation", "PaperModalVerbs", "PaperNegation", "PaperPunctuation"]

_PASSIVE = {"auxpass", "aux:pass"}
_ROOT = {"ROOT", "root"}


class _Paper(Operator):
    """A released rule; the variant is always `paper`."""

    def __init__(self, variant: str | None = "paper", tools: OperatorTools | None = None) -> None:
        """Raises ValueError for a variant other than `paper`."""
        if variant != "paper":
            raise ValueError(f"{variant!r} is not the released rule; write {self.name}@paper, or {self.name} for ours.")
        super().__init__("paper", tools)

    def fingerprint(self) -> dict[str, Any]:
        """The operator and its word lists."""
        return {**super().fingerprint(), "lexicon": lexicon_sha("paper", "script")}


class PaperModalVerbs(_Paper):
    """A coin chooses the *verb* or the *adjective* rule, which is in no algorithm of the paper; either
    always changes something.

    verb       a phrase right in front of a root that is tagged V…; an opener in front of other sentences
    adjective  an intensifier in front of the first adjective; an opener in front of sentences without one

    Faults: 可能 and 也许 weaken; the phrase stands right in front of the verb, so between 被 and its verb
    (`被必须打了`), behind
    adverbs and on top of modals (`会必须去`); 必须 makes duties of facts; an intensifier is put in front of
    很好 and inside names.
    """

    name: ClassVar[str] = "mv"

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence after the rule, None for a text without a word."""
        if not _has_words(doc):
            return None
        table = lexicon("paper")
        verb = rng.random() < 0.5
        phrase = rng.choice(table["modal_phrases" if verb else "intensifiers"])
        opener = rng.choice(table["modal_openers"])
        if verb:
            at = next((t.i for t in doc if t.dep_ in _ROOT), None)
            at = at if at is not None and doc[at].pos_.startswith("V") else None
        else:
            at = next((t.i for t in doc if t.pos_ == "ADJ"), None)
        where, written = (0, opener) if at is None else (at, phrase)
        return Edit.of(doc, [_put(doc, where, in_script_of(doc.text, written))])


class PaperDoubleNegation(_Paper):
    """Negative words are deleted, then 被 or the root is negated until two changes are counted; one change
    takes a template.

    Faults: words are deleted while the list is walked, so the word behind a deleted one is never looked at;
    parts of speech are
    *not* deleted with them, so behind a deletion every token is taken for what its neighbour was; `不有`
    for 没有, `不去了`; a
    negation that is deleted and put back counts as two; four of the eight templates only express surprise,
    which leaves one negation.
    """

    name: ClassVar[str] = "dn"

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence after the rule; None where it changes nothing, and for Traditional text."""
        if not _has_words(doc) or is_traditional(doc.text):
            return None
        template = rng.choice(lexicon("paper")["templates"])
        deleted = _deleted(doc)
        kept = [token for token in doc if token.i not in deleted]
        count, changes = len(deleted), [Change("delete", i, i + 1) for i in deleted]
        # `pos` still counts the deleted tokens: the n-th word left is taken for the n-th part of speech
        for token, original in zip(kept, doc, strict=False):
            if count == 2:
                break
            if token.dep_ in _PASSIVE or (token.dep_ in _ROOT and _takes_not(token, original.pos_)):
                changes.append(_put(doc, token.i, "不"))
                count += 1
        if count == 1:
            changes.append(_put(doc, 0, template))
        return Edit.of(doc, _merged(doc, changes))


class PaperNegation(_Paper):
    """The first hit wins: a negative word is deleted, 被 is negated, a root tagged V… gets 不; a template
    in front of all others.

    Faults: `没有钱买` loses the verb with its negation (`钱买`); 不 in front of 有 and of verbs with 了; a
    root that is no verb, and so
    most copular sentences, takes a template, and four of the eight templates only express surprise: the
    "negative" is then a
    paraphrase. Behind 被 the released rule writes the English word *not*; here that branch changes nothing.
    """

    name: ClassVar[str] = "negation"

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence after the rule; None for 被, for Traditional text and for a text without a word."""
        if not _has_words(doc) or is_traditional(doc.text):
            return None
        template = rng.choice(lexicon("paper")["templates"])
        for token in doc:
            if token.text in words("paper", "negatives"):
                return Edit.of(doc, [Change("delete", token.i, token.i + 1)]) if len(doc) > 1 else None
            if token.dep_ in _PASSIVE:
                return None
            if token.dep_ in _ROOT and token.pos_.startswith("V"):
                return Edit.of(doc, [_put(doc, token.i, "不")])
        return Edit.of(doc, [_put(doc, 0, template)])


def _deleted(doc: Any) -> list[int]:
    """The negative words that are deleted; the token behind a deleted one is passed over."""
    found: list[int] = []
    for token in doc:
        if token.text in words("paper", "negatives") and (not found or found[-1] != token.i - 1):
            found.append(token.i)
    return found if len(found) < len(doc) else []


def _takes_not(token: Any, pos: str) -> bool:
    return token.text in words("paper", "auxiliaries") or pos.startswith("V")


def _put(doc: Any, index: int, written: str) -> Change:
    """Put words in front of a token, behind the blank that stands there."""
    if index and doc[index - 1].whitespace_:
        return Change("replace", index, index + 1, f"{written}{doc[index].text}")
    return Change("insert", index, index, written)


def _merged(doc: Any, changes: list[Change]) -> list[Change]:
    """Return changes of which none touch: an insertion in front of a deleted token takes its place."""
    inserted = {c.start: c for c in changes if c.kind == "insert"}
    merged = []
    for change in changes:
        if change.kind == "delete" and change.start in inserted:
            merged.append(Change("replace", change.start, change.end, inserted.pop(change.start).text))
        elif change.kind != "insert":
            merged.append(change)
    return merged + list(inserted.values())


def _has_words(doc: Any) -> bool:
    return any(any(map(str.isalnum, token.text)) for token in doc)
