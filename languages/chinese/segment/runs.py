"""What does a segmenter learn from? Runs of words without blanks, and the place of each character in its word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from harness.parsing.treebank import Sentence

#: pkuseg's names, in the order of its numbers: first of several, the only one, inner, last, second of three or more
TAGS = ("B", "B_single", "I", "I_end", "I_first")
_BEGINS = frozenset((0, 1))
Run = tuple[str, ...]


def runs_of(sentences: Iterable[Sentence]) -> Iterator[Run]:
    """Yield the runs of each sentence: pkuseg sees text cut at blanks. A word that holds a blank itself is left out."""
    for sentence in sentences:
        run: list[str] = []
        for word, blank in zip(sentence.words, sentence.spaces, strict=True):
            odd = any(map(str.isspace, word))
            if not odd:
                run.append(word)
            if (blank or odd) and run:
                yield tuple(run)
                run = []
        if run:
            yield tuple(run)


def places(words: Sequence[str]) -> list[int]:
    """Return the number of the tag of each character."""
    found: list[int] = []
    for word in words:
        if len(word) == 1:
            found.append(1)
        elif len(word) == 2:
            found += (0, 3)
        else:
            found += (0, 4, *[2] * (len(word) - 3), 3)
    return found


def begins(tags: Sequence[int]) -> list[bool]:
    """Tell of each character whether it begins a word; the first of a run does."""
    return [i == 0 or tag in _BEGINS for i, tag in enumerate(tags)]


def f1(gold: Iterable[Sequence[bool]], found: Iterable[Sequence[bool]]) -> float:
    """F1 of words in percent; both sides give the beginnings of words in the same runs."""
    right = wanted = got = 0
    for ours, theirs in zip(gold, found, strict=True):
        a, b = _spans(ours), _spans(theirs)
        right, wanted, got = right + len(a & b), wanted + len(a), got + len(b)
    return 200 * right / max(wanted + got, 1)


def _spans(starts: Sequence[bool]) -> set[tuple[int, int]]:
    cuts = [i for i, start in enumerate(starts) if start or i == 0]
    return set(zip(cuts, [*cuts[1:], len(starts)], strict=True))
