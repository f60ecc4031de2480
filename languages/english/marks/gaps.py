"""May a comma or a pair of quotation marks be put between these two tokens?

Never inside a quotation or brackets, never where a mark stands already, and only where there is a blank: tokens that
touch (`He's`, `3,000`, `and/or`, a URL) are one piece of text for the reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">", "«": "»", "“": "”", "„": "“", "「": "」", "『": "』", "《": "》"}
_BRACKETS = set(_CLOSING) | set(_CLOSING.values())
_TOGGLES = {'"', "``", "''", '""', "＂"}
_SINGLE = {"'", "`", "‘", "’"}
_DOUBLE = set('"“”„«»＂')
_MARKS = _BRACKETS | _SINGLE | _DOUBLE
#: what may stand right in front of an inserted comma beside letters and digits
_BEFORE_COMMA = set(")]%°")
#: what may stand right behind it beside letters and digits
_BEHIND_COMMA = set('"“‘$£€¥')


@dataclass(frozen=True)
class Place:
    """Changes that put in the marks of one place; `rule` says which of the three rules licenses them."""

    rule: str
    changes: tuple[Any, ...]


class Gaps:
    """The gaps of one document; gap `i` lies in front of token `i`."""

    def __init__(self, doc: Any) -> None:
        self.doc = doc
        #: per gap: whether it lies inside quotation marks or brackets (or might, where they do not match)
        text = doc.text
        characters = set(text)
        self.inside = _inside(doc) if characters & _MARKS else [False] * (len(doc) + 1)
        #: whether the text has double quotation marks of its own
        self.has_quotes = bool(characters & _DOUBLE) or ("''" in text or "``" in text)
        self.opening, self.closing = ("“", "”") if characters & {"’", "‘"} else ('"', '"')

    def takes_comma(self, index: int) -> bool:
        """Tell whether a comma may be put behind token `index - 1`."""
        doc = self.doc
        if not 0 < index < len(doc) or self.inside[index] or doc[index - 1].whitespace_ != " ":
            return False
        left, right = doc[index - 1].text, doc[index].text
        if is_address(left):
            return False
        before = left[-1].isalnum() or left[-1] in _BEFORE_COMMA or (left[-1] == "." and any(map(str.isalnum, left)))
        return before and (right[0].isalnum() or right[0] in _BEHIND_COMMA)

    def takes_quotes(self, start: int, end: int) -> bool:
        """Tell whether the tokens `[start, end)` may be put in double quotation marks."""
        doc = self.doc
        if self.has_quotes or not 0 <= start < end <= len(doc) or self.inside[start] or self.inside[end]:
            return False
        if (start and not doc[start - 1].whitespace_) or (end < len(doc) and doc[end - 1].whitespace_ != " "):
            return False
        last = doc[end - 1].text
        return bool(doc[start].text[0].isalnum() and last[-1].isalnum() and not is_address(last))


def is_address(text: str) -> bool:
    """Tell whether a token is a URL, an e-mail address or a path, which a mark would lengthen."""
    return "://" in text or text.lower().startswith("www.") or "@" in text[1:] or text.count("/") > 1


def _inside(doc: Any) -> list[bool]:
    """Return, per gap, whether a quotation or bracket is open there; unmatched marks are taken to reach furthest."""
    inside = [False] * (len(doc) + 1)
    stack: list[str] = []
    for i, token in enumerate(doc):
        inside[i] = bool(stack)
        for mark in _marks(token):
            if mark in _TOGGLES or mark == "'":
                _toggle(stack, mark)
            elif stack and mark == stack[-1]:
                stack.pop()
            elif mark in _CLOSING:
                stack.append(_CLOSING[mark])
            elif mark == "‘":
                stack.append("’")
            elif mark != "’":
                # closes what was never opened: all before it may be inside
                inside[: i + 1] = [True] * (i + 1)
    inside[len(doc)] = False
    if any(mark in _TOGGLES for mark in stack):
        return [True] * len(inside)
    return inside


def _toggle(stack: list[str], mark: str) -> None:
    if mark in stack:
        del stack[stack.index(mark) :]
    else:
        stack.append(mark)


def _marks(token: Any) -> list[str]:
    """Return the quotation marks and brackets of a token, doubled straight ones as one kind."""
    text = token.text
    if text in _TOGGLES:
        return [] if text == '""' else ['"']
    if text in _SINGLE:
        return _single(token)
    if len(text) > 1 and not any(map(str.isalnum, text)):
        return []  # an emoticon
    return [c for c in text if c in _BRACKETS or c in '"＂']


def _single(token: Any) -> list[str]:
    """Return a single quotation mark that stands alone, unless it is the apostrophe of a genitive."""
    text, i, doc = token.text, token.i, token.doc
    if token.tag_ == "POS" or text == "‘":
        return [text] if text == "‘" else []
    if text == "’":
        return ["’"]
    blank_before = i == 0 or bool(doc[i - 1].whitespace_)
    opens = blank_before and not token.whitespace_ and i + 1 < len(doc)
    closes = not blank_before
    return ["'"] if opens or (closes and _opened(doc, i)) else []


def _opened(doc: Any, index: int) -> bool:
    """Tell whether a straight single quotation mark stands open in front of token `index`."""
    for token in reversed(doc[:index]):
        if token.text in ("'", "`") and token.tag_ != "POS":
            return token.i == 0 or bool(doc[token.i - 1].whitespace_)
    return False
