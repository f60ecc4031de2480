"""What must a segmenter never do? Join writing systems, cut a Latin word or a number, or hide a mark inside of a word.

A model knows only the characters it was trained on; emoji, half-width marks and words of other scripts are cut by rule.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.protocols.scripts import UNSPACED, is_unspaced

if TYPE_CHECKING:
    from spacy.vocab import Vocab

_RUN = re.compile(r"\S+|\s+")
# one token each: words of letters with their apostrophes and hyphens, numbers with their points, both mixed
_LETTERS = rf"[^\W_{UNSPACED}]+"
_WHOLE = re.compile(rf"{_LETTERS}(?:[.,:'’\-]{_LETTERS})*")
_PERCENT = frozenset("%％‰")
_JOINER = "\u200d"


class GuardedTokeniser:
    """A spaCy tokeniser around a pkuseg model: `tokeniser(text)` -> Doc, with exactly that text."""

    def __init__(self, model: Any, vocab: Vocab) -> None:
        self.model, self.vocab = model, vocab

    def __call__(self, text: str) -> Any:
        """Cut a text. A blank behind a word belongs to it; any other white space is a token."""
        from spacy.tokens import Doc

        words: list[str] = []
        spaces: list[bool] = []
        for match in _RUN.finditer(text):
            run = match.group()
            if not run.isspace():
                found = guarded(run, self.model.cut(run))
                words += found
                spaces += [False] * len(found)
                continue
            if run[0] == " " and words:
                spaces[-1], run = True, run[1:]
            if run:
                words.append(run)
                spaces.append(False)
        return Doc(self.vocab, words=words, spaces=spaces)


def guarded(run: str, words: Sequence[str]) -> list[str]:
    """Return the words of a run without blanks, cut again where two kinds of characters meet."""
    cuts: set[int] = set()
    place = 0
    for word in words:
        cuts.add(place)
        place += len(word)
    kinds = [_kind(character) for character in run]
    if all(kind == "h" for kind in kinds):
        return list(words)
    whole = [False] * len(run)
    for match in _WHOLE.finditer(run):
        start, end = match.span()
        whole[start + 1 : end] = [True] * (end - start - 1)
        if "l" in kinds[start:end]:  # the digits of `MP3` are letters
            kinds[start:end] = ["l"] * (end - start)
    starts = [0]
    for i in range(1, len(run)):
        if not whole[i] and _between(run, kinds, i, i in cuts):
            starts.append(i)
    return [run[a:b] for a, b in zip(starts, [*starts[1:], len(run)], strict=True)]


def _between(run: str, kinds: Sequence[str], i: int, cut: bool) -> bool:
    """Does a word begin at `i`? `cut` is what the model says."""
    before, here = kinds[i - 1], kinds[i]
    if here == "m" or run[i - 1] == _JOINER:  # belongs to the character before
        return False
    if before == "m":
        before = next((kind for kind in reversed(kinds[:i]) if kind != "m"), "s")
    if "s" in (before, here):
        if run[i] == run[i - 1] or (before == "d" and run[i] in _PERCENT):
            return cut
        return True
    # `3` `月` but `第3`: the model knows
    return cut if "l" not in (before, here) else "h" in (before, here)


def _kind(character: str) -> str:
    """`h` a letter of a script without blanks, `l` another letter, `d` a digit, `m` a mark on the character before, `s` else."""
    if is_unspaced(character):
        return "h"
    if character.isdecimal():
        return "d"
    if character.isalnum():
        return "l"
    return "m" if character == _JOINER or unicodedata.category(character) in ("Mn", "Mc", "Me", "Sk") else "s"
