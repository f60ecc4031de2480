"""`adjective-antonyms`: *a large house* → *a small house*."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from harness.protocols import Edit
from languages.english.augmentation import Augmentation, finish, plain, quoted
from languages.english.grammar.changes import like, replace
from languages.english.grammar.inflection import bases_of, forms
from languages.english.grammar.verbs import lexicon

_LEXICON = "augcse/antonyms"


class AdjectiveAntonyms(Augmentation):
    """Replace adjectives by their antonyms (AugCSE, Table 3: SentenceAdjectivesAntonymsSwitch).

    All adjectives of the list change, comparatives and superlatives into the same form of their opposite. Left alone: parts of
    names, compounds and fixed phrases (*high school*), quotations, ages (*ten years old*).
    """

    name = "adjective-antonyms"
    meaning = "changed"
    lexicons = (_LEXICON,)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence with opposite adjectives, None if it has none of the list."""
        if not plain(doc):
            return None
        inside, changes = quoted(doc), []
        for token in doc:
            words = (
                _opposites(token.lower_, token.tag_)
                if token.pos_ == "ADJ" or token.tag_ in ("JJ", "JJR", "JJS")
                else ()
            )
            if words and not inside[token.i] and _stands_free(token):
                changes.append(replace(token.i, like(token.text, rng.choice(_fitting(token, words)))))
        return finish(doc, changes) if changes else None


@cache
def antonyms() -> dict[str, tuple[str, ...]]:
    """Return adjective -> its opposites."""
    lists = lexicon(_LEXICON)
    found: dict[str, dict[str, None]] = {}
    for one, other in lists["pairs"]:
        found.setdefault(one, {})[other] = None
        if one not in lists["one_way"]:
            found.setdefault(other, {})[one] = None
    return {word: tuple(others) for word, others in found.items() if word not in lists["never"]}


@cache
def _opposites(form: str, tag: str) -> tuple[str, ...]:
    if tag not in ("JJR", "JJS"):
        return antonyms().get(form, ())
    found = []
    for base in bases_of(form, "ADJ", tag):
        for other in antonyms().get(base, ()):
            inflected = forms(other, tag, unknown=False)
            found.append(inflected[0] if inflected else f"{'more' if tag == 'JJR' else 'most'} {other}")
    return tuple(found)


def _fitting(token: Any, words: tuple[str, ...]) -> tuple[str, ...]:
    """The opposites that fit the noun: only people are young and rich, things are new and good."""
    kinds = lexicon(_LEXICON)["people_and_things"].get(token.lower_)
    if kinds is None:
        return words
    noun = token.head if token.dep_ == "amod" else next((c for c in token.children if c.dep_ == "nsubj"), token)
    person = noun.pos_ == "PRON" or noun.lower_ in lexicon(_LEXICON)["people"]
    return (kinds[0 if person and noun.lower_ not in ("it", "this", "that") else 1],)


def _stands_free(token: Any) -> bool:
    doc, i = token.doc, token.i
    following = doc[i + 1] if i + 1 < len(doc) else None
    before = doc[i - 1] if i else None
    if token.text[:1].isupper() and (i != token.sent.start or not token.text[1:].islower()):
        return False
    glued = (before is not None and not before.whitespace_ and before.text not in ("(", '"', "“")) or (
        following is not None
        and not token.whitespace_
        and following.text not in (".", ",", ";", ":", ")", '"', "”", "!", "?")
    )
    if glued or (following is not None and following.text[:1].isupper()):
        return False
    pairs = {
        f"{token.lower_} {following.lower_}" if following is not None else "",
        f"{before.lower_} {token.lower_}" if before is not None else "",
    }
    if pairs & set(lexicon(_LEXICON)["idioms"]) or (
        before is not None and before.lower_ in ("years", "months", "year", "weeks", "days", "-")
    ):
        return False
    if any(c.dep_ == "det" for c in token.children) or (
        before is not None and before.text in ("'", "’", '"', "m", "ft")
    ):
        return False  # `a regular`, `75' deep`
    predicate = any(c.dep_ == "cop" for c in token.children) or token.dep_ in ("acomp", "xcomp", "ROOT", "conj")
    modifier = token.dep_ == "amod" and token.head.i > i
    return predicate or modifier
