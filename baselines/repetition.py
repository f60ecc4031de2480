"""What does ESimCSE's repetition of sub-words or words do to a sentence?

The point of the method is that the two views of a sentence differ in length (Wu et al., COLING 2022). Three readings:
`repeat` is what the released code does by default (sub-words), `repeat@paper` the formula of the paper, `repeat@word`
the released code's word variant.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from harness.protocols import Change, Doc, Edit, Operator, OperatorTools, TokenOperator
from harness.protocols.scripts import is_unspaced
from harness.words import is_word, word_positions

DUP_RATE = 0.32
CODE_LIMIT = 10

Formula = Literal["code", "paper"]


def repeat(variant: str | None = None, tools: OperatorTools | None = None) -> Operator | TokenOperator:
    """Return `repeat` or `repeat@paper` (on word pieces) or `repeat@word` (on text). Raises ValueError otherwise."""
    if variant == "word":
        return RepeatWords(variant, tools)
    if variant is None:
        return _on_pieces("code")
    if variant == "paper":
        return _on_pieces("paper")
    raise ValueError(f"{variant!r} is no variant; write repeat, repeat@paper or repeat@word.")


def _on_pieces(formula: Formula) -> TokenOperator:
    settings: dict[str, Any] = {"unit": "word piece", "formula": formula, "dup_rate": DUP_RATE}
    if formula == "code":
        settings["limit"] = CODE_LIMIT
    spec = "repeat" if formula == "code" else "repeat@paper"
    return TokenOperator(spec, partial(repeat_pieces, formula=formula), settings)


def repeat_pieces(ids: Sequence[int], rng: random.Random, *, formula: Formula = "code") -> list[int] | None:
    """Return the word pieces `ids` (special tokens first and last) with some written twice, or None if none is.

    With n ids and r = int(0.32 n): the code repeats m = randrange(min(10, r)) pieces and leaves the text alone where r
    is 0, the paper m ~ U[0, max(2, r)]. The m positions are distinct and never the first or last. It runs once, after
    truncation, so the result may exceed the maximum length.
    """
    rate = int(DUP_RATE * len(ids))
    if formula == "code":
        count = rng.randrange(min(CODE_LIMIT, rate)) if rate > 0 else 0
    else:
        # only the paper's formula can ask for more pieces than a very short text has
        count = min(rng.randint(0, max(2, rate)), max(0, len(ids) - 2))
    if count == 0:
        return None
    chosen = set(rng.sample(range(1, len(ids) - 1), count))
    return [piece for place, piece in enumerate(ids) for _ in range(2 if place in chosen else 1)]


class RepeatWords(Operator):
    """Write some words twice: `repeat@word`, the released code's `dup_type=word`.

    With n words: m = randrange(min(10, n, max(2, int(0.32 n)))), at m distinct places, never at the last word. Words
    come from the language pack's tokeniser (the code splits at blanks, which needs a language that has them).
    """

    name = "repeat"
    needs_parse = False

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the longer sentence, or None if nothing is repeated."""
        words = word_positions(doc)
        if not words:
            return None
        count = rng.randrange(min(CODE_LIMIT, len(words), max(2, int(DUP_RATE * len(words)))))
        places = rng.sample(words[:-1], count)
        return Edit.of(doc, [Change("insert", w + 1, w + 1, _blank(doc, w) + doc[w].text) for w in places])

    def fingerprint(self) -> dict[str, Any]:
        """Unit, formula, rate and limit."""
        return {"operator": self.spec, "unit": "word", "formula": "code", "dup_rate": DUP_RATE, "limit": CODE_LIMIT}


def _blank(doc: Doc, word: int) -> str:
    """What parts a word from its copy: a blank where this text puts blanks between words, nothing where it does not."""
    text = doc[word].text
    if is_unspaced(text[:1]) or is_unspaced(text[-1:]):
        return ""
    if not any(token.whitespace_ for token in doc):
        # a foreign word in a text of such a script, or a text that is no sentence
        return " " if any(is_unspaced(token.text[:1]) for token in doc) else ""
    if word == 0 or doc[word].whitespace_ or doc[word - 1].whitespace_:
        return " "
    # no blank on either side: between punctuation marks it is a word of its own, beside a word it is part of one
    left, right = doc[word - 1].text, doc[word + 1].text if word + 1 < len(doc) else ""
    touched = (is_word(left) and not is_unspaced(left[-1:])) or (is_word(right) and not is_unspaced(right[:1]))
    return "" if touched else " "
