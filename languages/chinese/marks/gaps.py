"""May a comma or a pair of quotation marks be put between these two tokens?

Never inside a quotation, brackets or a title, never beside a mark that stands there already, never inside a
number or a run of Latin letters, and never at a blank: Chinese is written without, so a blank belongs to
something else (a table, a Latin word).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from languages.chinese.grammar.script import is_traditional
from languages.chinese.marks.characters import CLOSING, CUTS, OPENING, PAIRS, QUOTES, STOPS, STRAIGHT

#: what may stand beside an inserted mark, besides letters and digits
_LEFT = frozenset("》〉”’」』）)】］]%％℃°")
_RIGHT = frozenset("《〈“‘「『")


@dataclass(frozen=True)
class Place:
    """Changes that put in the marks of one place; `rule` says which of the rules licenses them."""

    rule: str
    changes: tuple[Any, ...]


@dataclass(frozen=True)
class Segment:
    """A run of tokens `[start, end)` between two marks that cut clauses, none of them inside brackets or
    quotation marks.

    begins  whether a sentence begins here
    stop    the mark behind it, "" at the end of the text
    """

    start: int
    end: int
    begins: bool
    stop: str


class Gaps:
    """The gaps of one document; gap `i` lies in front of token `i`."""

    def __init__(self, doc: Any) -> None:
        self.doc = doc
        texts = [token.text for token in doc]
        #: per gap: whether it lies inside quotation marks or brackets (or might, where they do not match)
        self.inside = _inside(texts)
        self.segments = _segments(texts, self.inside)
        characters = set(doc.text)
        corners = bool(characters & set("「」『』")) or (not characters & set("“”") and is_traditional(doc.text))
        self.opening, self.closing = ("「", "」") if corners else ("“", "”")

    def takes_comma(self, index: int) -> bool:
        """Tell whether a comma may be put behind token `index - 1`."""
        if not 0 < index < len(self.doc) or self.inside[index]:
            return False
        return self._touches(index) and self.fits(index)

    def fits(self, index: int) -> bool:
        """Tell whether the characters on both sides of a gap are such that a mark can stand between them."""
        left, right = self.doc[index - 1].text[-1:], self.doc[index].text[:1]
        if not left or not right or (left.isascii() and right.isascii()):
            return False  # inside a number, a Latin word, a formula
        return (left.isalnum() or left in _LEFT) and (right.isalnum() or right in _RIGHT)

    def takes_quotes(self, start: int, end: int) -> bool:
        """Tell whether the tokens `[start, end)` may be put in quotation marks; those at the very beginning or end too."""
        doc, size = self.doc, len(self.doc)
        if not 0 <= start < end <= size or self.inside[start] or self.inside[end]:
            return False
        if any(character in QUOTES for token in doc[start:end] for character in token.text):
            return False
        first, last = doc[start].text[:1], doc[end - 1].text[-1:]
        if not first.isalnum() and first not in "《〈":
            return False
        if not last.isalnum() and last not in "》〉）)":
            return False
        return self._free(start, doc[start - 1].text[-1:] if start else "", first) and self._free(
            end, last, doc[end].text[:1] if end < size else ""
        )

    def _free(self, index: int, left: str, right: str) -> bool:
        if not left or not right:
            return True
        if not self._touches(index) or (left.isascii() and right.isascii()):
            return False
        return left not in OPENING and right not in CLOSING and left not in STRAIGHT and right not in STRAIGHT

    def _touches(self, index: int) -> bool:
        return not self.doc[index - 1].whitespace_ and not self.doc[index - 1].text[-1:].isspace()


def attributive_behind(doc: Any, index: int, segment: Segment) -> bool:
    """Tell whether the words behind gap `index` may be the middle of a modifier (`在山坡上 | 走路的人们`,
    `一个 | 以商人为主的联盟`).

    A 的 of the segment whose clause, by the tree, began in front of the gap, or that closes a verb phrase
    which begins at the gap.
    """
    for i in range(index + 1, segment.end - 1):
        if doc[i].text != "的":
            continue
        head = doc[i].head
        if doc[i].dep_ in ("mark:rel", "mark", "case", "case:de") and head.i < i and head.left_edge.i < index <= head.i:
            return True
        verbal = doc[index].pos_ in ("VERB", "ADJ", "ADP") and not any(
            t.pos_ in ("NOUN", "PROPN", "PRON", "AUX") and t.dep_.startswith("nsubj") for t in doc[index:i]
        )
        # the first 的 decides: behind it the head of the modifier has come
        return (
            verbal
            and i - index < _NEAR
            and head.i >= index
            and doc[index].dep_.startswith(("acl", "case", "nmod", "mark", "advmod"))
        )
    return False


#: tokens within which a 的 may belong to the word behind a gap
_NEAR = 8


def _inside(texts: list[str]) -> list[bool]:
    """Return, per gap, whether a quotation or bracket is open there; unmatched marks are taken to reach furthest."""
    inside = [False] * (len(texts) + 1)
    stack: list[str] = []
    broken = 0
    for i, text in enumerate(texts):
        inside[i] = bool(stack)
        for mark in text:
            if mark in STRAIGHT:
                if mark in stack:
                    del stack[stack.index(mark) :]
                elif mark not in "'＇" or text == mark:
                    stack.append(mark)
            elif stack and mark == stack[-1]:
                stack.pop()
            elif mark in OPENING:
                stack.append(PAIRS[mark])
            elif mark in CLOSING and mark not in "＞":
                # closes what was never opened: all before it may be inside
                broken = i + 1
    inside[:broken] = [True] * broken
    inside[len(texts)] = False
    if stack:
        # never closed: everything may be inside
        return [True] * len(texts) + [False]
    return inside


def _segments(texts: list[str], inside: list[bool]) -> list[Segment]:
    found, start, begins = [], 0, True
    for i, text in enumerate(texts):
        mark = text[-1:]
        cuts = mark in STOPS or (mark in CUTS and text not in "、")
        if inside[i] or not (cuts or not text.strip()):
            continue
        if i > start:
            found.append(Segment(start, i, begins, text))
            begins = False
        start = i + 1
        begins = begins or mark in STOPS
    if start < len(texts):
        found.append(Segment(start, len(texts), begins, ""))
    return found
