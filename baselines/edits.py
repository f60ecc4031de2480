"""What do edits that know nothing of grammar do? Crop, delete, swap, insert: in any language with a tokeniser.

The baselines of SDA (Tables 8 and 9); crop and deletion as in SimCSE (Table 1). A word is a token with a letter or
digit, so punctuation is neither counted nor moved. Rates are percentages of the words of a sentence; the number of
words is rounded up or down at random, such that the expected share is exactly the rate, for short sentences too.
"""

from __future__ import annotations

import math
import random
import re
from typing import Any, ClassVar

from harness.protocols import Change, Doc, Edit, LanguagePack, Operator, OperatorTools
from harness.words import word_positions

_PERCENT = re.compile(r"[0-9]{1,2}(\.[0-9]+)?")


def parse_percent(name: str, variant: str) -> float:
    """Return the rate in `name@variant`, in percent. Raises ValueError unless it is a number from 1 to 99."""
    if not _PERCENT.fullmatch(variant) or not 1 <= float(variant) <= 99:
        raise ValueError(
            f"{variant!r} is no rate; write {name}@PERCENT with a number from 1 to 99, e.g. {name}@10 or {name}@12.5."
        )
    return float(variant)


def round_randomly(value: float, rng: random.Random) -> int:
    """Round `value` down or, with the probability of its fraction, up: the mean is `value`."""
    whole = math.floor(value)
    return whole + (rng.random() < value - whole)


class RateEdit(Operator):
    """An edit of a share of the words: `name@PERCENT`; the plain name has the rate of `default`."""

    needs_parse = False
    default: ClassVar[float]

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        super().__init__(variant, tools)
        self.percent = self.default if variant is None else parse_percent(self.name, variant)

    def fingerprint(self) -> dict[str, Any]:
        """The name as written and the rate in percent."""
        return {"operator": self.spec, "percent": self.percent}

    def count(self, words: int, rng: random.Random) -> int:
        """Return how many of `words` words to edit; its mean is the rate."""
        return round_randomly(self.percent * words / 100, rng)


class Crop(RateEdit):
    """Keep one block of neighbouring words, `crop@k` (100 - k) % of them; SimCSE, Table 1.

    The block's place is uniform and it keeps the punctuation inside it, and that at an end of the sentence it reaches.
    At least one word stays.
    """

    name = "crop"
    default = 10

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the block, or None if no word is cut off."""
        words = word_positions(doc)
        cut = min(self.count(len(words), rng), len(words) - 1)
        if cut <= 0:
            return None
        before = rng.randint(0, cut)
        after = cut - before
        changes = []
        if before:
            changes.append(Change("delete", 0, words[before]))
        if after:
            changes.append(Change("delete", words[-after - 1] + 1, len(doc)))
        return Edit.of(doc, changes)


class Delete(RateEdit):
    """Delete `delete@k` k % of the words, chosen at random; SimCSE, Table 1. At least one word stays."""

    name = "delete"
    default = 10

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the remaining words, or None if none is deleted."""
        words = word_positions(doc)
        count = min(self.count(len(words), rng), len(words) - 1)
        if count <= 0:
            return None
        return Edit.of(doc, [Change("delete", word, word + 1) for word in rng.sample(words, count)])


class Swap(RateEdit):
    """Exchange neighbouring words such that `swap@k` k % of the words change their place (SDA, Tables 8 and 9).

    No word moves twice, punctuation between two words stays where it is, and spelling (capitals) is not adapted. The
    paper does not define its rate. In a sentence with an odd number of words one word has no partner: rates above what
    that allows are cut to it.
    """

    name = "swap"
    default = 10

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the reordered sentence, or None if no pair is exchanged or the words of each pair are the same."""
        words = word_positions(doc)
        pairs = min(round_randomly(self.percent * len(words) / 200, rng), len(words) // 2)
        if pairs <= 0:
            return None
        # A set of disjoint neighbours is a choice of `pairs` of the (words - pairs) things left when each is one thing.
        starts = [s + k for k, s in enumerate(sorted(rng.sample(range(len(words) - pairs), pairs)))]
        changes = []
        for start in starts:
            left, right = words[start], words[start + 1]
            if doc[left].text != doc[right].text:
                changes.append(Change("replace", left, left + 1, doc[right].text))
                changes.append(Change("replace", right, right + 1, doc[left].text))
        return Edit.of(doc, changes)


class RandomPunctuation(Operator):
    """Insert punctuation at random: `punct`, SDA's "random insertion" (Table 9), whose marks and rate are not stated.

    After AEDA (Karimi et al., 2021): n marks, n uniform in 1 … max(1, words // 3), each one of . ; ? : ! , (or the language's
    own) and attached to the end of a different word.
    """

    name = "punct"
    needs_parse = False

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        if variant is not None:
            raise ValueError(f"{variant!r} is no variant; write punct, its rate is fixed (1 to a third of the words).")
        super().__init__(variant, tools)
        #: those of the language (`LanguagePack.marks`); without a pack, AEDA's
        self.marks: str = LanguagePack.marks if self.tools.pack is None else self.tools.pack.marks

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the sentence with at least one more mark, or None if it has no word."""
        words = word_positions(doc)
        if not words:
            return None
        chosen = rng.sample(words, rng.randint(1, max(1, len(words) // 3)))
        return Edit.of(doc, [Change("insert", w + 1, w + 1, rng.choice(self.marks)) for w in chosen])

    def fingerprint(self) -> dict[str, Any]:
        """The marks and the rate."""
        return {"operator": self.spec, "marks": self.marks, "count": "uniform 1..max(1, words // 3)"}
