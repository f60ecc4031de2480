"""`gender-swap`: *he met his wife* → *she met her husband*."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from harness.protocols import Edit
from languages.english.augmentation import Augmentation, finish
from languages.english.grammar.changes import like, replace
from languages.english.grammar.verbs import lexicon

_LEXICON = "augcse/gender"


class GenderSwap(Augmentation):
    """Exchange the words for women and men, all of them (AugCSE, Figure 6: GenderSwap).

    Pronouns follow their case (*her* → *him* or *his*). Names of people stay as they are, and so do titles that belong to one
    (`King John`) and capitals inside a name.
    """

    name = "gender-swap"
    meaning = "changed"
    lexicons = (_LEXICON,)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence with the genders exchanged, None if no word shows one."""
        changes = []
        for token in doc:
            word = _other(token)
            if word is not None and not _in_name(token):
                changes.append(replace(token.i, like(token.text, word)))
        return finish(doc, changes) if changes else None


@cache
def swaps() -> dict[str, str]:
    """Return word -> word of the other gender; pronouns with two cases are not in it."""
    lists = lexicon(_LEXICON)
    found = dict(lists["extra"])
    for one, other in lists["pairs"]:
        found.setdefault(one, other)
        if one not in lists["one_way"]:
            found.setdefault(other, one)
    return found


def _other(token: Any) -> str | None:
    low = token.lower_
    if low in lexicon(_LEXICON)["pronouns"]:
        return _pronoun(token, low)
    return swaps().get(low)


def _pronoun(token: Any, low: str) -> str:
    following = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
    possessive = token.tag_ == "PRP$" or token.dep_ in ("poss", "nmod:poss")
    if low == "him":
        return "her"
    if low == "hers":
        return "his"
    ends = following is None or not following.text[:1].isalnum()
    if low == "his":
        return "hers" if ends or (following is not None and following.pos_ in ("ADP", "AUX", "CCONJ")) else "her"
    noun = following is not None and following.pos_ in ("NOUN", "ADJ", "PROPN", "NUM") and token.head.i > token.i
    return "his" if not ends and (possessive or noun) else "him"


def _in_name(token: Any) -> bool:
    doc, i = token.doc, token.i
    text = token.text
    if text.isupper() and len(text) > 1 and not doc.text.isupper():
        return True  # an acronym
    before = doc[i - 1] if i else None
    following = doc[i + 1] if i + 1 < len(doc) else None
    joined = (before is not None and not before.whitespace_ and before.text in ("-", "/", "'", "@", "#", "_")) or (
        following is not None and not token.whitespace_ and following.text in ("-", "/", "@", "_")
    )
    if joined:
        return True
    if not text[:1].isupper() or token.lower_ in ("mr", "mrs", "ms", "mr.", "mrs.", "ms.", "miss"):
        return False
    if i == token.sent.start or (before is not None and before.text in ('"', "“", "‘", "'", "(", ":")):
        pronoun = token.pos_ == "PRON" or token.tag_ == "PRP$"
        return not pronoun and following is not None and following.text[:1].isupper()
    return True
