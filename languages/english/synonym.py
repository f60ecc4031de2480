"""Which word can another take the place of? `synonym`, the synonym replacement of SDA's Tables 8 and 9.

One content word (`synonym@20`: 20 % of the words, at least one) gives way to a WordNet synonym of its part of speech in
the same inflection and casing; *a* or *an* in front follows. The table holds only words that can stand for one another in
most sentences (`lexicon/synonyms.tsv`, best first; licence in `lexicon/WORDNET-LICENSE`). Names, auxiliaries, compounds,
particle verbs, governed prepositions and idioms stay as they are, so does all inside quotation marks and brackets.
"""

from __future__ import annotations

import hashlib
import math
import random
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar

from harness.protocols import Doc, Edit, Operator, OperatorTools
from harness.words import word_positions
from languages.english.grammar import labels
from languages.english.grammar.changes import like, replace
from languages.english.grammar.inflection import bases_of, forms
from languages.english.grammar.verbs import lexicon, lexicon_sha
from languages.english.marks.gaps import Gaps

_TABLE = Path(__file__).parent / "lexicon" / "synonyms.tsv"
_PERCENT = re.compile(r"[0-9]{1,2}(\.[0-9]+)?")
#: Penn tags a replacement can be inflected to, by part of speech
_TAGS = {
    "NOUN": {"NN", "NNS"},
    "VERB": {"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"},
    "ADJ": {"JJ"},
    "ADV": {"RB", "RBR"},
}
_BASE_TAGS = {"NN", "JJ", "RB", "RBR", "VB", "VBP"}
_FIXED = {"compound", "compound:prt", "prt", "fixed", "flat", "flat:name", "goeswith", "nn", "mwe"}
_COMPLEMENT = {"xcomp", "ccomp", "dative", "oprd"}


class Synonym(Operator):
    """Replace one word by a synonym, or `synonym@k` k % of the words (at least one)."""

    name: ClassVar[str] = "synonym"
    variants: ClassVar[tuple[str, ...]] = ("20",)

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        super().__init__(variant, tools)
        if variant is not None and not (_PERCENT.fullmatch(variant) and 1 <= float(variant) <= 99):
            raise ValueError(
                f"{variant!r} is no rate; write synonym for one word, or synonym@PERCENT with a number from 1 to 99, "
                "e.g. synonym@20."
            )
        self.percent = None if variant is None else float(variant)

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the sentence with other words in the place of some, or None if no word has a safe synonym."""
        found = candidates(doc)
        if not found:
            return None
        positions = sorted(rng.sample(sorted(found), min(self._count(doc, rng), len(found))))
        changes = []
        for i in positions:
            words = found[i]
            word = rng.choices(words, [1 / (rank + 1) for rank in range(len(words))])[0]
            if i and (article := _article(doc[i - 1], word)) is not None:
                changes.append(replace(i - 1, article))
            changes.append(replace(i, word))
        return Edit.of(doc, changes)

    def _count(self, doc: Doc, rng: random.Random) -> int:
        if self.percent is None:
            return 1
        exact = self.percent * len(word_positions(doc)) / 100
        return max(1, math.floor(exact) + (rng.random() < exact % 1))

    def fingerprint(self) -> dict[str, Any]:
        """The rate in percent (None: one word), the table and the exceptions."""
        table = hashlib.sha256(_TABLE.read_bytes()).hexdigest()
        return {"operator": self.spec, "percent": self.percent, "table": table, "lexicon": lexicon_sha("synonym")}


def candidates(doc: Any) -> dict[int, tuple[str, ...]]:
    """Return, per token that can be replaced, the words that can stand there, inflected and cased, best first."""
    inside, kept = Gaps(doc).inside, _idiomatic(doc)
    found = {}
    for token in doc:
        if token.tag_ in _TAGS.get(token.pos_, ()) and not inside[token.i] and token.i not in kept:
            words = _synonyms(token.lower_, token.pos_, token.tag_)
            if words and _stands_free(token) and _FRAMES[token.pos_](token):
                found[token.i] = tuple(like(token.text, word) for word in words)
    return found


@cache
def table() -> dict[tuple[str, str], tuple[str, ...]]:
    """Return (lemma, part of speech) -> synonyms, best first."""
    rows = (line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines())
    return {(lemma, pos): tuple(words.split(",")) for lemma, pos, words in rows}


@lru_cache(maxsize=100_000)
def _synonyms(form: str, pos: str, tag: str) -> tuple[str, ...]:
    """Return the synonyms of a lower-case form in the inflection of `tag`; none if the form has two readings."""
    lemmas = _lemmas(form, pos, tag)
    if len(lemmas) != 1:
        return ()
    words = (_inflected(word, pos, tag) for word in table().get((lemmas[0], pos), ()))
    return tuple(word for word in words if word and word != form)


def _lemmas(form: str, pos: str, tag: str) -> list[str]:
    return [form] if tag in _BASE_TAGS else bases_of(form, pos, tag)


def _inflected(word: str, pos: str, tag: str) -> str | None:
    if tag in _BASE_TAGS:
        return word
    if tag == "VBN" and word in lexicon("synonym")["no_participle"]:
        return None
    found = forms(word, tag)
    return found[0] if found else None


def _stands_free(token: Any) -> bool:
    """Tell whether a token is a whole word of running text: no part of a name, compound, idiom or hyphenated word."""
    text, i, doc = token.text, token.i, token.doc
    sentence_start = i == 0 or token.is_sent_start or not text[0].isupper()
    if not sentence_start or not (text.islower() or text[1:].islower()) or token.dep_ in _FIXED or not token.dep_:
        return False
    if any(child.dep_ in _FIXED for child in token.children) and not _heads_compound(token):
        return False
    glued_before = i > 0 and not doc[i - 1].whitespace_ and doc[i - 1].text not in _OPENING
    glued_behind = not token.whitespace_ and i + 1 < len(doc) and doc[i + 1].text not in _CLOSING
    return not (glued_before or glued_behind)


def _heads_compound(token: Any) -> bool:
    """Tell whether a noun is one that keeps its meaning behind another (`a silent film`, `the football team`)."""
    base = next(iter(_lemmas(token.lower_, token.pos_, token.tag_)), token.lower_)
    return base in lexicon("synonym")["compound_heads"] and all(
        child.dep_ not in _FIXED or (child.dep_ == "compound" and child.i < token.i and child.text.islower())
        for child in token.children
    )


_OPENING = {"(", "[", '"', "“", "‘", "'", "—", "–"}
_CLOSING = {".", ",", ";", ":", "!", "?", ")", "]", '"', "”", "’", "'", "…", "...", "—", "–", "'s", "’s"}


def _noun(noun: Any) -> bool:
    """Nouns with a determiner, a possessive or a modifier in front, or in the plural: bare singulars live in idioms."""
    before = noun.doc[noun.i - 1] if noun.i else None
    if (
        noun.i + 1 < len(noun.doc)
        and noun.doc[noun.i + 1].pos_ in ("NOUN", "PROPN")
        and noun.dep_ in ("nmod", "nn", "compound")
    ):
        return False
    if noun.lower_ in lexicon("synonym")["before_of"] and (
        noun.i + 1 == len(noun.doc) or noun.doc[noun.i + 1].lower_ != "of"
    ):
        return False
    if (
        before is not None
        and before.pos_ in ("NOUN", "PROPN")
        and not (before.dep_ == "compound" and before.head.i == noun.i)
    ):
        return False
    if noun.tag_ == "NNS":
        return True
    return any(c.i < noun.i and c.dep_ in ("det", "poss", "nmod:poss", "amod") for c in noun.children)


def _verb(verb: Any) -> bool:
    """Verbs with an object or alone: particles, governed prepositions and complement clauses belong to one verb only."""
    if verb.dep_ in labels.AUXILIARY or verb.dep_ in ("cop", "amod"):
        return False
    words = lexicon("synonym")
    behind = verb.doc[verb.i + 1] if verb.i + 1 < len(verb.doc) else None
    form = _base(verb.lower_, verb.tag_)
    complement = [c for c in verb.children if c.dep_ in _COMPLEMENT]
    if complement:
        infinitive = behind is not None and behind.lower_ == "to" and form in words["infinitive_verbs"]
        return infinitive and len(complement) == 1
    if form in words["only_infinitive"]:
        return False
    if behind is None or not (behind.pos_ in ("ADP", "PART", "SCONJ") or behind.tag_ in ("RP", "TO", "IN")):
        return True
    if form in words["free_verbs"]:
        return behind.tag_ not in ("RP", "TO") and behind.dep_ not in _FIXED
    passive = any(c.dep_ in labels.PASSIVE_AUXILIARY for c in verb.children)
    return passive and behind.lower_ in words["passive_prepositions"]


@cache
def _base(form: str, tag: str) -> str:
    return next(iter(_lemmas(form, "VERB", tag)), form)


def _adjective(adjective: Any) -> bool:
    """Adjectives in front of their noun, or as a predicate with nothing that hangs on them (`aware of`, `likely to`)."""
    behind = adjective.doc[adjective.i + 1] if adjective.i + 1 < len(adjective.doc) else None
    if behind is not None and behind.lower_ in lexicon("synonym")["quantities"]:
        return False
    if adjective.dep_ == "amod":
        return behind is not None and behind.pos_ in ("NOUN", "ADJ") and behind.text.islower()
    if behind is not None and (behind.pos_ in ("ADP", "PART", "SCONJ", "NOUN") or behind.tag_ in ("IN", "TO")):
        return False
    return adjective.dep_ == "acomp" or any(c.dep_ == "cop" for c in adjective.children)


def _adverb(adverb: Any) -> bool:
    """Adverbs that modify something else than another adverb or a preposition of their own."""
    words = lexicon("synonym")
    before = adverb.doc[adverb.i - 1] if adverb.i else None
    if before is not None and before.lower_ in ("as", "so", "too", "how", "very", "more", "most", "less", "not", "n't"):
        return False
    if adverb.lower_ in words["before_verb"]:
        behind = adverb.doc[adverb.i + 1] if adverb.i + 1 < len(adverb.doc) else None
        if behind is None or behind.pos_ not in ("VERB", "AUX"):
            return False
        if before is not None and (before.pos_ == "NUM" or before.lower_ in words["times"]):
            return False  # `two years later`
    return all(child.dep_ == "punct" for child in adverb.children) and adverb.dep_ in ("advmod", "discourse")


_FRAMES = {"NOUN": _noun, "VERB": _verb, "ADJ": _adjective, "ADV": _adverb}


def _idiomatic(doc: Any) -> set[int]:
    """Return the tokens that belong to a listed idiom."""
    words = [token.lower_ for token in doc]
    kept: set[int] = set()
    for first, phrases in _idioms().items():
        if first in words:
            for start in (i for i, word in enumerate(words) if word == first):
                kept.update(
                    i for p in phrases if words[start : start + len(p)] == p for i in range(start, start + len(p))
                )
    return kept


@cache
def _idioms() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for phrase in lexicon("synonym")["idioms"]:
        found.setdefault(phrase.split()[0], []).append(phrase.split())
    return found


def _article(before: Any, word: str) -> str | None:
    """Return the other form of an indefinite article in front of `word`, None if it stays (or is none)."""
    if before.lower_ not in ("a", "an"):
        return None
    wanted = "an" if _begins_with_vowel(word.lower()) else "a"
    if wanted == before.lower_:
        return None
    return wanted.upper() if before.text == "AN" else like(before.text, wanted)


def _begins_with_vowel(word: str) -> bool:
    words = lexicon("synonym")
    if word.startswith((*words["sounds_like_vowel_after_all"], *words["sounds_like_vowel"])):
        return True
    return word[0] in "aeiou" and not word.startswith(tuple(words["sounds_like_consonant"]))
