"""`hypernym` and `hyponym`: *a dog* → *an animal*, *a dog* → *a poodle*."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any

from harness.protocols import Edit, OperatorTools
from languages.english.augcse.wordnet import Synset, WordNet, open_wordnet
from languages.english.augmentation import Augmentation, finish, plain, quoted
from languages.english.grammar.changes import like, replace
from languages.english.grammar.inflection import bases_of, forms

#: the top of WordNet says nothing (`a physical entity`)
_TOO_GENERAL = 3
_FIXED = {"compound", "flat", "flat:name", "fixed", "goeswith", "nn", "mwe"}
_NO_NOUNS = {"one", "lot", "number", "part", "kind", "type", "sort", "way", "thing", "time", "example", "pair", "couple",
             "member", "end", "rest", "order", "addition", "case", "fact", "place", "view", "role", "use", "top", "side",
             "front", "back", "percent", "year", "day", "month", "century", "people", "other", "others", "half", "majority",
             "variety", "series", "set", "list", "name", "while", "entirety", "district", "lifetime", "mortal", "own"}  # fmt: skip


class Hypernymy(Augmentation):
    """A noun gives way to one above or below it in WordNet, in the same number, if it has one sense only."""

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """Takes no variant. Raises ValueError for any, and Skipped where there is no WordNet."""
        super().__init__(variant, tools)
        self.wordnet: WordNet = open_wordnet(self.name)

    def fingerprint(self) -> dict[str, Any]:
        """The name, what becomes of the meaning, and the hash of the WordNet."""
        return {**super().fingerprint(), "wordnet": self.wordnet.sha}

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence with one other noun, None if no noun has one."""
        if not plain(doc):
            return None
        inside = quoted(doc)
        places = [(t.i, words) for t in doc if not inside[t.i] and _is_noun(t) for words in [self._fitting(t)] if words]
        if not places:
            return None
        index, words = rng.choice(places)
        return finish(doc, [replace(index, like(doc[index].text, rng.choice(words)))])

    def _fitting(self, token: Any) -> tuple[str, ...]:
        """The words for a token, without those that would repeat the word in front (`praying praying mantis`)."""
        before = token.nbor(-1).lower_ if token.i else ""
        return tuple(word for word in self.words(token.lower_, token.tag_) if word.split()[0] != before)

    def words(self, form: str, tag: str) -> tuple[str, ...]:
        """Return the words that can take the place of a noun form, inflected."""
        return _words(self.wordnet, form, tag, above=isinstance(self, Hypernym))


class Hypernym(Hypernymy):
    """Replace one noun by its hypernym (AugCSE, Figure 6: ReplaceHypernyms)."""

    name = "hypernym"
    meaning = "near"


class Hyponym(Hypernymy):
    """Replace one noun by one of its hyponyms, at random (AugCSE, Figure 6: ReplaceHyponyms)."""

    name = "hyponym"
    meaning = "changed"


@lru_cache(maxsize=50_000)
def _words(wordnet: WordNet, form: str, tag: str, *, above: bool) -> tuple[str, ...]:
    base = _singular(form, tag)
    senses = wordnet.senses(base) if base and base not in _NO_NOUNS else ()
    if len(senses) != 1:
        return ()  # which of several senses is meant cannot be told
    own = wordnet.synset(senses[0])
    found = []
    for offset in (own.above if above else own.below)[: 1 if above else None]:
        other = wordnet.synset(offset)
        if above and _depth(wordnet, other) < _TOO_GENERAL:
            continue
        # the first word that a reader takes in this sense
        word = next(
            (w for w in other.words if _fits(w) and wordnet.senses(w)[:1] == (offset,) and w not in own.words), None
        )
        if word is not None:
            plural = _plural(word) if tag == "NNS" else word
            if plural:
                found.append(plural)
    return tuple(found)


def _fits(word: str) -> bool:
    return word.replace(" ", "").isalpha() and word.islower() and len(word.split()) <= 2


def _depth(wordnet: WordNet, synset: Synset) -> int:
    depth = 0
    while synset.above and depth < 30:
        synset, depth = wordnet.synset(synset.above[0]), depth + 1
    return depth


def _singular(form: str, tag: str) -> str | None:
    if tag == "NN":
        return form
    found = bases_of(form, "NOUN", "NNS")
    return found[0] if found and found[0] != form else None


def _plural(word: str) -> str | None:
    first, blank, last = word.rpartition(" ")
    if last.endswith("man") and last not in ("human", "german", "roman", "shaman", "caiman"):
        return f"{first}{blank}{last[:-2]}en"
    found = forms(last, "NNS")
    return f"{first}{blank}{found[0]}" if found else None


def _is_noun(token: Any) -> bool:
    """A common noun that stands for itself: no part of a compound, a name or a hyphenated word."""
    doc, i = token.doc, token.i
    if token.tag_ not in ("NN", "NNS") or token.pos_ != "NOUN" or token.dep_ in _FIXED or not token.text.isalpha():
        return False
    if (
        any(child.dep_ in _FIXED for child in token.children)
        or not token.text[1:].islower()
        or (i != token.sent.start and token.text[:1].isupper())
    ):
        return False
    before, following = doc[i - 1] if i else None, doc[i + 1] if i + 1 < len(doc) else None
    glued = (before is not None and not before.whitespace_ and before.text not in ("(", '"', "“")) or (
        following is not None
        and not token.whitespace_
        and following.text not in (".", ",", ";", ":", ")", '"', "”", "!", "?", "'s", "’s", "'", "’")
    )
    if token.tag_ == "NNS" and following is not None and following.text in ("'s", "’s"):
        return False  # `women's` → `females'`
    if glued or (following is not None and (following.pos_ in ("NOUN", "PROPN") or following.text == "-")):
        return False
    if token.tag_ == "NNS":
        return True
    return any(c.i < i and c.dep_ in ("det", "poss", "nmod:poss", "amod") for c in token.children)
