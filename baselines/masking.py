"""What does masking 15 % of the words do, and what comes in their place?

SimCSE (Table 1, "MLM 15 %") and SDA (Table 8, "mask") replace masked words by BERT's own predictions. So does this
operator wherever the run's encoder carries a masked-language-model head; where it does not, the mask token itself is
left in the text. Which of the two happened is in `filling` and in the fingerprint: they are different baselines.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

from baselines.edits import RateEdit
from harness.errors import Skipped
from harness.protocols import Change, Doc, Edit, OperatorTools
from harness.protocols.operator import render
from harness.words import word_positions


class Mask(RateEdit):
    """Mask `mask@k` k % of the words (15 by default) and fill them by the encoder's arg-max predictions.

    A word becomes as many mask tokens as it has word pieces; all masks of a sentence are filled in one go. A text that
    holds the mask token already is left alone, and words behind the encoder's length limit stay as they are.
    """

    name = "mask"
    default = 15

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """Raises ValueError for a bad rate and Skipped without an encoder; the encoder is loaded at the first use."""
        super().__init__(variant, tools)
        if self.tools.encoder is None:
            raise Skipped("mask lets an encoder fill the masked words and has none; add --encoder PATH|ID.")

    @cached_property
    def model(self) -> Any:
        """The encoder's masked language model. Raises Skipped if its tokenizer has no mask token."""
        # imported here: naming an operator must not cost the time torch takes to load
        from harness.encoder import load_masked_lm

        model = (self.tools.load_masked_lm or load_masked_lm)(str(self.tools.encoder))
        if not model.mask_token:
            raise Skipped(f"the tokenizer of {self.tools.encoder} has no mask token; give another --encoder.")
        return model

    @property
    def filling(self) -> Literal["predictions", "mask token"]:
        """What comes in place of masked words."""
        return "predictions" if self.model.available else "mask token"

    def fingerprint(self) -> dict[str, Any]:
        """The rate, what fills the masks, and the hash of the encoder if it does."""
        source = self.model.fingerprint() if self.model.available else self.model.mask_token
        return {**super().fingerprint(), "filling": self.filling, "from": source}

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the sentence with filled or bare masks, or None if no word is masked or all predictions are right."""
        return self.apply_batch([doc], [rng])[0]

    def apply_batch(self, docs: Sequence[Doc], rngs: Sequence[random.Random]) -> list[Edit | None]:
        """Return the edits of several sentences; the masks of all are filled together."""
        chosen = [self._choose(doc, rng) for doc, rng in zip(docs, rngs, strict=True)]
        if not self.model.available:
            mask = self.model.mask_token
            return [_replace(doc, [(word, mask) for word in words]) for doc, words in zip(docs, chosen, strict=True)]
        rows = [row for row, words in enumerate(chosen) if words]
        sizes = {row: [self.model.pieces(docs[row][word].text) for word in chosen[row]] for row in rows}
        predicted = self.model.fill([self._masked(docs[row], chosen[row], sizes[row]) for row in rows])
        edits: list[Edit | None] = [None] * len(docs)
        for row, pieces in zip(rows, predicted, strict=True):
            edits[row] = _replace(docs[row], self._read(chosen[row], sizes[row], pieces))
        return edits

    def _choose(self, doc: Doc, rng: random.Random) -> list[int]:
        words = word_positions(doc)
        if not words or self.model.mask_token in doc.text:
            return []
        return sorted(rng.sample(words, self.count(len(words), rng)))

    def _masked(self, doc: Doc, words: list[int], sizes: list[int]) -> str:
        mask = self.model.mask_token
        return render(doc, [Change("replace", w, w + 1, mask * size) for w, size in zip(words, sizes, strict=True)])

    def _read(self, words: list[int], sizes: list[int], pieces: Sequence[str]) -> list[tuple[int, str]]:
        found, start = [], 0
        for word, size in zip(words, sizes, strict=True):
            mine = pieces[start : start + size]
            start += size
            text = self.model.join(mine).strip() if len(mine) == size else ""
            if text:
                found.append((word, text))
        return found


def _replace(doc: Doc, words: list[tuple[int, str]]) -> Edit | None:
    return Edit.of(doc, [Change("replace", w, w + 1, text) for w, text in words if text != doc[w].text])
