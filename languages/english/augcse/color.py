"""`color`: *a red car* → *a turquoise car*."""

from __future__ import annotations

import random
from typing import Any

from harness.protocols import Edit
from languages.english.augmentation import Augmentation, finish
from languages.english.grammar.changes import like, replace
from languages.english.grammar.verbs import lexicon

_LEXICON = "augcse/colors"


class Color(Augmentation):
    """Replace every colour by another of the W3C's 147 colour names (AugCSE, Table 3: ColorTransformation).

    Only what is a colour is replaced: a lower-case adjective, or a noun that names nothing else. Left alone: names (`Red Cross`),
    fixed phrases (*red tape*, *white wine*, people's skin), metals, fruit and plants.
    """

    name = "color"
    meaning = "changed"
    lexicons = (_LEXICON,)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence in other colours, None if it has none."""
        words, changes = lexicon(_LEXICON), []
        for token in doc:
            if _is_color(token):
                equal = {token.lower_, *(name for pair in words["same"] if token.lower_ in pair for name in pair)}
                name = rng.choice([n for n in words["names"] if n not in equal])
                changes.append(replace(token.i, like(token.text, name)))
        return finish(doc, changes) if changes else None


def _is_color(token: Any) -> bool:
    words, low, doc, i = lexicon(_LEXICON), token.lower_, token.doc, token.i
    plain = low in words["plain"]
    if not plain and low not in words["modifiers"]:
        return False
    following = doc[i + 1] if i + 1 < len(doc) else None
    before = doc[i - 1] if i else None
    if token.text[:1].isupper() and (i or not token.text[1:].islower()):
        return False
    if (before is not None and not before.whitespace_ and before.text not in ("(", '"', "“")) or (
        following is not None
        and not token.whitespace_
        and following.text not in (".", ",", ";", ":", ")", '"', "”", "!", "?")
    ):
        return False
    if following is not None and following.text[:1].isupper() and following.text != "I":
        return False
    pairs = {
        f"{low} {following.lower_}" if following is not None else "",
        f"{before.lower_} {low}" if before is not None else "",
    }
    if pairs & set(words["idioms"]) or token.pos_ in ("VERB", "PROPN") or token.tag_ in ("NNS", "NNP"):
        return False
    if low in ("black", "white") and following is not None and following.lower_ in words["people"]:
        return False
    if before is not None and before.lower_ in ("light", "dark", "bright", "deep", "pale"):
        return False
    if plain:
        return token.pos_ in ("ADJ", "NOUN")
    noun = following is not None and following.pos_ in ("NOUN", "ADJ") and following.text.islower()
    return token.pos_ == "ADJ" and noun
