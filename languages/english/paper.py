"""`mv@paper`, `dn@paper`, `negation@paper`: SDA's printed rules (Algorithms 2 and 3, §4.2–4.4), faults and all.

They read the first ROOT, auxiliaries in token order, and the negative words *no*, *not*, *n't* in lower case; capitals are
not repaired. Only positions are ours: words are put in at their token and the spacing of the text is kept, where the
released script joins tokens with blanks. Where the text names a list without printing all of it (modal phrases, templates)
we use the members it prints.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar

from harness.protocols import Change, Edit, Operator, OperatorTools
from languages.english.grammar import labels
from languages.english.grammar.changes import before, behind, delete, replace
from languages.english.grammar.verbs import BE, inflect, lemma, lexicon, lexicon_sha

_NEGATIVE = {"no", "not", "n't"}
_TAKES_NOT = {
    "am",
    "is",
    "was",
    "are",
    "were",
    "can",
    "could",
    "will",
    "would",
    "shall",
    "should",
    "may",
    "must",
    "might",
}


class _Paper(Operator):
    """A rule as printed; the variant is always `paper`."""

    def __init__(self, variant: str | None = "paper", tools: OperatorTools | None = None) -> None:
        super().__init__("paper", tools)

    def fingerprint(self) -> dict[str, Any]:
        """The operator and its word lists."""
        return {**super().fingerprint(), "lexicon": lexicon_sha("paper", "inflection")}


class PaperModalVerbs(_Paper):
    """Algorithm 2: a modal phrase before the first be-form among auxiliaries and ROOT, or before a finite ROOT verb.

    Any other auxiliary ends the search. The past takes `have` and the participle, as in Table 1 (*must have travelled*).
    """

    name: ClassVar[str] = "mv"

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence with a modal phrase, None where the algorithm returns its input."""
        phrase = rng.choice(lexicon("paper")["modal_phrases"])
        for token in doc:
            root = token.dep_ in ("ROOT", "root")
            if not root and token.dep_ not in labels.AUXILIARY | {"cop"}:
                continue
            low = token.lower_
            if low in BE:
                rest = "have been" if low in ("was", "were") else "be"
                return Edit.of(doc, [_put(token, f"{_agree(phrase, low in ('is', 'was'))} {rest}")])
            if not root:
                return None
            if token.tag_ in ("VBP", "VBZ"):
                words = f"{_agree(phrase, token.tag_ == 'VBZ')} {lemma(token.text, token.tag_)}"
            elif token.tag_ == "VBD":
                words = f"{_agree(phrase, False)} have {inflect(lemma(token.text, 'VBD'), 'VBN')}"
            else:
                return None
            return Edit.of(doc, [_put(token, words)])
        return None


def _put(token: Any, words: str) -> Change:
    """Put words in the place of a token; parts of a contraction (`He 's`, `is n't`) are words of their own here."""
    doc = token.doc
    left = " " if token.i and not doc[token.i - 1].whitespace_ and token.text[:1] in "'’" else ""
    return replace(token.i, f"{left}{words}{' ' if _glued(token) else ''}")


def _glued(token: Any) -> bool:
    doc, following = token.doc, token.i + 1
    return not token.whitespace_ and following < len(doc) and any(map(str.isalpha, doc[following].text))


def _agree(phrase: str, singular: bool) -> str:
    return phrase.replace("have", "has", 1) if singular and phrase.startswith("have") else phrase


class PaperDoubleNegation(_Paper):
    """Algorithm 3: delete negative words, then negate auxiliaries and ROOT until two changes are counted.

    One change goes behind the template; any count but one and two gives the sentence back unchanged.
    """

    name: ClassVar[str] = "dn"

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the doubly negated sentence, None where the algorithm returns its input."""
        changes: list[Change] = [delete(t.i) for t in doc if t.text in _NEGATIVE]
        count = len(changes)
        for token in doc:
            if count >= 2:
                break
            change = None if token.text in _NEGATIVE else _not_at(token, alone=True)
            if change is not None:
                changes.append(change)
                count += 1
        if count == 1:
            changes.insert(0, before(doc, 0, rng.choice(lexicon("paper")["templates"])))
        return Edit.of(doc, changes) if count in (1, 2) else None


def _not_at(token: Any, *, alone: bool = False) -> Change | None:
    """`not` behind an auxiliary or at the ROOT verb, None for every other token; `alone`: the negative words are deleted."""
    not_ = "not " if _glued(token) and not (alone and token.nbor().text in _NEGATIVE) else "not"
    if token.dep_ in labels.AUXILIARY | {"cop"} and token.tag_ != "TO":
        return behind(token.i, not_)
    if token.dep_ not in ("ROOT", "root"):
        return None
    if token.lower_ in _TAKES_NOT:
        return behind(token.i, not_)
    auxiliary = {"VBP": "do", "VBZ": "does", "VBD": "did"}.get(token.tag_)
    if auxiliary is None:
        return None
    form = f"{auxiliary}n't" if auxiliary == "did" else f"{auxiliary} not"
    return _put(token, f"{form} {lemma(token.text, token.tag_)}")


class PaperNegation(_Paper):
    """§4.4: the first negative word is deleted, or the first auxiliary or finite ROOT verb negated; `no` before a noun ROOT.

    A ROOT of any other kind leaves the template.
    """

    name: ClassVar[str] = "negation"

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the negated sentence, None for an empty one."""
        for token in doc:
            if token.text in _NEGATIVE:
                return Edit.of(doc, [delete(token.i)])
            change = _not_at(token)
            if change is not None:
                return Edit.of(doc, [change])
            if token.dep_ in ("ROOT", "root") and token.pos_ in ("NOUN", "PROPN"):
                return Edit.of(doc, [before(doc, token.i, "no")])
        if not any(any(map(str.isalnum, t.text)) for t in doc):
            return None
        return Edit.of(doc, [before(doc, 0, rng.choice(lexicon("paper")["templates"]))])
