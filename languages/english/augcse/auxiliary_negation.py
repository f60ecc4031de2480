"""`auxiliary-negation-removal`: *does not go* → *does go*, *can't* → *can*."""

from __future__ import annotations

import random
from typing import Any

from harness.protocols import Change, Edit
from languages.english.augmentation import Augmentation, finish, plain, quoted
from languages.english.grammar.changes import delete, like, replace
from languages.english.grammar.verbs import lexicon

_NOT = {"not", "n't", "n’t"}
_AUXILIARIES = {"am", "is", "are", "was", "were", "do", "does", "did", "have", "has", "had", "can", "could", "will",
                "would", "shall", "should", "must", "may", "might", "ca", "wo", "sha", "'s", "’s", "'re", "’re", "'m", "’m",
                "'ve", "’ve", "'ll", "’ll", "'d", "’d"}  # fmt: skip
_FULL = {"ca": "can", "wo": "will", "sha": "shall"}
#: `not` in front of these does not deny its verb, or leaves a hole
_KEPT_BEFORE = {"only", "just", "merely", "simply", "until", "till", "least", "necessarily", "so", "unlike", "without"}
#: words that stay right only under the negation
_BOUND = {"until", "nor", "ever", "either", "whatsoever", "slightest", "longer", "remotely", "unless"}


class AuxiliaryNegationRemoval(Augmentation):
    """Delete *not* behind auxiliaries (AugCSE, Table 3: SentenceAuxiliaryNegationRemoval).

    Only the negation goes; the auxiliary stays (`He did go.`). Words that live under a negation follow (*any* → *some*, *yet* →
    *already*). Left alone: *not only*, a negation put right by *but*, and one that *until*, *nor* or *ever* leans on.
    """

    name = "auxiliary-negation-removal"
    meaning = "changed"
    lexicons = ("negation",)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence without the negations of its auxiliaries, None if there is none that can go."""
        if not plain(doc):
            return None
        inside = quoted(doc)
        changes: list[Change] = []
        for token in doc:
            if token.lower_ in _NOT and not inside[token.i]:
                changes += _removed(token)
        return finish(doc, list({(c.start, c.end): c for c in changes}.values())) if changes else None


def _removed(token: Any) -> list[Change]:
    verb = _auxiliary(token)
    rest = list(token.doc[token.i + 1 : token.sent.end])
    if verb is None or (rest and rest[0].lower_ in _KEPT_BEFORE) or not rest:
        return []
    if any(t.lower_ in _BOUND for t in rest) or _corrected(rest):
        return []
    if verb.lower_ in _FULL:
        changes = [replace(verb.i, like(verb.text, _FULL[verb.lower_]), token.i + 1)]
    elif verb.lower_ == "are" and rest[0].lower_ == "i" and token.lower_ != "not":
        changes = [replace(verb.i, like(verb.text, "am"), token.i + 1)]
    else:
        changes = [delete(token.i)]
    return changes + _polarity(rest)


def _auxiliary(token: Any) -> Any | None:
    """The auxiliary a `not` belongs to: right in front of it, or in front of the subject of a question."""
    if not token.i:
        return None
    before = token.nbor(-1)
    if before.lower_ in _AUXILIARIES and before.tag_ != "POS":
        return before
    subject = [
        t for t in token.head.children if t.dep_ in ("nsubj", "nsubj:pass", "nsubjpass") and t.right_edge.i == before.i
    ]
    verb = subject[0].left_edge.i - 1 if subject else -1
    if verb >= 0 and token.doc[verb].lower_ in _AUXILIARIES and token.sent.text.rstrip().endswith("?"):
        return token.doc[verb]
    return None


def _corrected(rest: list[Any]) -> bool:
    """Whether *but* puts the negation right (`not in London but in Leeds`), or a clause of reason is what is denied."""
    return any(
        t.lower_ == "but" and not any(c.lower_ in ("it", "he", "she", "they") for c in t.head.children) for t in rest
    )


def _polarity(rest: list[Any]) -> list[Change]:
    words = lexicon("negation")["polarity"]
    changes: list[Change] = []
    for token in rest:
        if token.dep_ in ("cc", "mark"):
            break
        word = words.get(token.lower_)
        last = token.i + 1 == len(token.doc) or token.nbor().is_punct
        if token.lower_ == "all" and token.nbor(-1).lower_ == "at" and last:
            changes.append(delete(token.i - 1, token.i + 1))
        elif token.lower_ in ("yet", "anymore"):
            if last or token is rest[0]:
                changes.append(replace(token.i, word) if word else delete(token.i))
        elif word and not (
            token.lower_ == "any" and not last and token.nbor().lower_ in ("more", "longer", "better", "worse")
        ):
            changes.append(replace(token.i, like(token.text, word)))
    return changes
