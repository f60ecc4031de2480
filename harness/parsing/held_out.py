"""Does plain text hold sentences that the parser will be measured on? Then it is not learnt from, not even without a tree.

A line goes if its letters and digits are those of a held-out sentence, at least 13 of them ("Yes, it is." occurs anywhere), or
if it shares a run of 13 words with one (26 where words are single characters of a script without blanks).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from harness.protocols.scripts import is_unspaced, pieces

_RUN = 13
_SHORTEST = 13


def keeps_out(held_out: Iterable[str]) -> Callable[[str], bool]:
    """Return a test for lines: may this one be learnt from when the texts `held_out` are not to be seen?"""
    whole: set[str] = set()
    runs: set[tuple[str, ...]] = set()
    for text in held_out:
        words = pieces(text.casefold())
        whole.add("".join(words))
        runs.update(_runs(words))

    def stays(line: str) -> bool:
        words = pieces(line.casefold())
        letters = "".join(words)
        return not (len(letters) >= _SHORTEST and letters in whole) and runs.isdisjoint(_runs(words))

    return stays


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    single = sum(map(is_unspaced, words))
    length = 2 * _RUN if 2 * single > len(words) else _RUN
    for first in range(len(words) - length + 1):
        yield tuple(words[first : first + length])
