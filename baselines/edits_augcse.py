"""Which of AugCSE's augmentations know nothing of grammar? Random swap, substitution and word, sentence reordering.

They work in any language with a tokeniser. Deletion and crop are `delete` and `crop` (`baselines.edits`); contextual words are
`mask`. A word is a token with a letter or digit.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from baselines.edits import Crop, Delete, RateEdit
from harness.protocols import Change, Doc, Edit, Operator, OperatorTools
from harness.protocols.scripts import is_unspaced
from harness.words import word_positions

#: nlpaug never changes more words of one text
MOST = 30
_ENDS = set(".!?。！？…؟।")
_CLOSING = set("\"'”’)]»」』）》")


class RandomSwap(RateEdit):
    """Exchange neighbouring words: `random-swap@k`, k % of the words are drawn, at least one and at most 30 (AugCSE: RandomSwap).

    Each drawn word changes places with a neighbour, left or right at random, one after another, so that a word may travel.
    Capitals stay at their places: the first word of a sentence keeps a capital letter, a name inside loses none. `swap` is SDA's
    baseline: its rate is the share of words that move, no word moves twice, and spelling is not adapted.
    """

    name = "random-swap"
    default = 10
    meaning: ClassVar[Literal["near"]] = "near"

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the reordered sentence, None with fewer than two words or where every exchange is undone by another."""
        places = word_positions(doc)
        if len(places) < 2:
            return None
        order = list(places)
        drawn = min(max(1, self.count(len(places), rng)), MOST, len(places))
        for i in rng.sample(range(len(places)), drawn):
            j = 1 if i == 0 else i - 1 if i == len(places) - 1 else i + rng.choice((-1, 1))
            order[i], order[j] = order[j], order[i]
        changes = []
        for place, source in zip(places, order, strict=True):
            text = _cased(doc[source].text, first=place == places[0], was_first=source == places[0])
            if text != doc[place].text:
                changes.append(Change("replace", place, place + 1, text))
        return Edit.of(doc, changes) if changes else None

    def fingerprint(self) -> dict[str, Any]:
        """The name as written, the rate and the limit."""
        return {**super().fingerprint(), "most": MOST, "least": 1}


def _cased(text: str, *, first: bool, was_first: bool) -> str:
    """The word as it is written at its new place; only a capital that a sentence's beginning asks for comes or goes."""
    if first and not was_first:
        return text[:1].upper() + text[1:] if len(text[:1].upper()) == 1 else text
    if was_first and not first and text[:1].isupper() and text[1:].islower() and text != "I":
        return text[:1].lower() + text[1:] if len(text[:1].lower()) == 1 else text
    return text


class RandomSubstitution(RateEdit):
    """Put `_` in the place of `random-substitution@k` k % of the words, at least one, at most 30 (AugCSE, 60 %)."""

    name = "random-substitution"
    default = 60
    meaning: ClassVar[Literal["changed"]] = "changed"

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the sentence with gaps, None if it has no word."""
        words = word_positions(doc)
        if not words:
            return None
        count = min(max(1, self.count(len(words), rng)), MOST, len(words))
        return Edit.of(doc, [Change("replace", word, word + 1, "_") for word in rng.sample(words, count)])


class RandomWord(RateEdit):
    """Swap, delete or crop, one of them at random: `random-word@k` with k % of the words (AugCSE: RandomWordAugmentation, 15 %)."""

    name = "random-word"
    default = 15
    meaning: ClassVar[Literal["near"]] = "near"

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        super().__init__(variant, tools)
        rate = variant or f"{self.default:g}"
        self._members = tuple(kind(rate, tools) for kind in (RandomSwap, Delete, Crop))

    @property
    def members(self) -> Sequence[Operator]:
        """Random swap, deletion and crop, at this rate."""
        return self._members

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return what the chosen edit makes of the sentence, None if that leaves it alone."""
        return rng.choice(self._members).apply(doc, rng)

    def fingerprint(self) -> dict[str, Any]:
        """The rate and the members."""
        return {**super().fingerprint(), "members": [member.fingerprint() for member in self._members]}


class SentenceReordering(Operator):
    """Shuffle the sentences of a text that has several (AugCSE, Table 3: SentenceReordering).

    A sentence ends behind a token of closing marks (`.`, `?`, `。` …) and the quotation marks and brackets that follow it, where a
    blank or a script without blanks goes on; abbreviations are one token with their full stop. Sentences stay as they are, and
    so do the blanks between them; nothing is done about pronouns that point back, as in the original's default.
    """

    name = "sentence-reordering"
    needs_parse = False
    meaning: ClassVar[Literal["near"]] = "near"

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """Takes no variant. Raises ValueError for any."""
        if variant is not None:
            raise ValueError(f"{variant!r} is no variant; write sentence-reordering.")
        super().__init__(variant, tools)

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the text with its sentences in another order, None if it is one sentence or all are the same."""
        spans = sentence_spans(doc)
        if len(spans) < 2:
            return None
        texts = [_text(doc, *span) for span in spans]
        order = list(range(len(spans)))
        if len(set(texts)) < 2:
            return None
        while [texts[i] for i in order] == texts:
            rng.shuffle(order)
        changes = []
        for (start, end), source in zip(spans, order, strict=True):
            if texts[source] != _text(doc, start, end):
                changes.append(Change("replace", start, end, texts[source]))
        return Edit.of(doc, changes)


def sentence_spans(doc: Doc) -> list[tuple[int, int]]:
    """Return [start, end) of the sentences of a text, without blank tokens between them.

    The last one counts only if it ends in a closing mark too, so that no sentence without one lands in front of another. Empty
    if there is any other rest.
    """
    spans: list[tuple[int, int]] = []
    start, i, size = 0, 0, len(doc)
    while i < size:
        if start == i and doc[i].text.isspace():
            start = i = i + 1
            continue
        end = i + 1
        if i > start and set(doc[i].text) <= _ENDS:
            while end < size and set(doc[end].text) <= _CLOSING | _ENDS and not doc[end - 1].whitespace_:
                end += 1
            parted = (
                end == size or doc[end - 1].whitespace_ or doc[end].text.isspace() or is_unspaced(doc[end].text[:1])
            )
            if parted and _begins(doc, end):
                spans.append((start, end))
                start = end
        i = end
    return spans if start == size else []


def _begins(doc: Doc, index: int) -> bool:
    """Whether a sentence may begin here: the end of the text, or no small letter."""
    while index < len(doc) and (doc[index].text.isspace() or not doc[index].text[:1].isalnum()):
        index += 1
    return index == len(doc) or not doc[index].text[:1].islower()


def _text(doc: Doc, start: int, end: int) -> str:
    return "".join(t.text + t.whitespace_ for t in (doc[i] for i in range(start, end - 1))) + str(doc[end - 1].text)
