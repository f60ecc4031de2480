"""Into which pieces do marks cut a text? A Chinese sentence is a chain of pieces, most with a predicate of their own.

Pieces end at ， ； ： 。 ！ ？ and their half-width twins, never inside brackets, quotation marks or book-title marks; 、 does not
end one. Words inside such pairs are hidden from the rules unless the whole text is quoted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import words
from languages.chinese.grammar.script import simplified

STOPS = set("。！？!?…")
COMMAS = set("，,；;：:")
_PAIRS = {"（": "）", "(": ")", "[": "]", "【": "】", "《": "》", "〈": "〉", "「": "」", "『": "』", "“": "”", "‘": "’",
          "<": ">", "{": "}", "﹁": "﹂"}  # fmt: skip
_CLOSERS = set(_PAIRS.values())
_QUOTES = set('「『“‘"﹁')


@dataclass(frozen=True)
class Piece:
    """The tokens `[start, end)` of a document between two marks.

    mark      index of the token that ends the piece, None at the end of the text
    sentence  number of the sentence it belongs to, counted by 。！？
    visible   indices of its words that stand in no brackets or quotation marks
    """

    doc: Any
    start: int
    end: int
    mark: int | None
    sentence: int
    visible: tuple[int, ...]

    @property
    def tokens(self) -> list[Any]:
        """The visible words, in order."""
        return [self.doc[i] for i in self.visible]

    @property
    def text(self) -> str:
        """The piece as it stands, without its mark."""
        return str(self.doc[self.start : self.end].text)

    @property
    def ends_sentence(self) -> bool:
        """Whether 。！？ or the end of the text follows."""
        return self.mark is None or self.doc[self.mark].text[:1] in STOPS

    @property
    def subordinate(self) -> bool:
        """Whether it only says when, why or under which condition: 如果…, 因为…, …时, …后."""
        tokens = self.tokens
        if not tokens:
            return False
        if len(tokens) <= 3 and form(tokens[-1])[-1] == "着" and not self.ends_sentence:
            return True  # 说着，…
        tokens = tokens[1:] if form(tokens[0]) in words("clauses", "openers") and len(tokens) > 1 else tokens
        first = form(tokens[0])
        pair = first + form(tokens[1]) if len(tokens) > 1 else first
        opens = words("clauses", "subordinators")
        if (first in opens or pair in opens) and tokens[0].i <= self.start + 1:
            return True
        last = form(tokens[-1])
        if self.ends_sentence:
            return False
        text = simplified(self.text)
        if (
            text[-1:] in "时后前"
            and text[-2:] not in words("clauses", "not_closing")
            and self.visible[-1] == self.end - 1
        ):
            return True
        return last in words("clauses", "closing") or last.endswith(
            ("之后", "之前", "以后", "以前", "以来", "期间", "时候")
        )


def is_mark(token: Any) -> bool:
    """Whether a token ends a piece."""
    text = token.text
    return bool(text) and all(c in STOPS or c in COMMAS for c in text)


def is_word(token: Any) -> bool:
    """Whether a token has a letter, a digit or a Han character."""
    return any(map(str.isalnum, token.text))


def pieces(doc: Any) -> list[Piece]:
    """Return the pieces of a text that hold a word, in order."""
    hidden = hidden_tokens(doc)
    found: list[Piece] = []
    start = sentence = 0
    for token in doc:
        if not is_mark(token) or (token.i in hidden) or _in_number(token):
            continue
        _add(found, doc, start, token.i, token.i, sentence, hidden)
        start = token.i + 1
        if token.text[:1] in STOPS:
            sentence += 1
    _add(found, doc, start, len(doc), None, sentence, hidden)
    return found


def _add(found: list[Piece], doc: Any, start: int, end: int, mark: int | None, sentence: int, hidden: set[int]) -> None:
    while start < end and not is_word(doc[start]) and start not in hidden and doc[start].text not in _PAIRS:
        start += 1
    visible = tuple(i for i in range(start, end) if i not in hidden and is_word(doc[i]))
    if any(is_word(doc[i]) for i in range(start, end)):
        found.append(Piece(doc, start, end, mark, sentence, visible))


def _in_number(token: Any) -> bool:
    """`1,000` and `10:30` may be cut into tokens at their mark."""
    i, doc = token.i, token.doc
    around = 0 < i < len(doc) - 1 and doc[i - 1].text[-1:].isdigit() and doc[i + 1].text[:1].isdigit()
    return around and token.text in ",:" and not token.whitespace_


def hidden_tokens(doc: Any) -> set[int]:
    """Return the indices of tokens inside brackets and quotation marks, the marks included; those without a partner are none."""
    spans: list[tuple[int, int]] = []
    stack: list[tuple[int, str]] = []
    straight: int | None = None
    for token in doc:
        text = token.text
        if text in _PAIRS:
            stack.append((token.i, _PAIRS[text]))
        elif text in _CLOSERS:
            places = [n for n, (_, closer) in enumerate(stack) if closer == text]
            if places:
                spans.append((stack[places[-1]][0], token.i))
                del stack[places[-1] :]
        elif text == '"':
            if straight is None:
                straight = token.i
            else:
                spans.append((straight, token.i))
                straight = None
    hidden = {i for a, b in spans for i in range(a, b + 1)}
    if any(is_word(t) and t.i not in hidden for t in doc):
        return hidden
    # a text that is one quotation is read as if its marks were not there
    spans = [(a, b) for a, b in spans if doc[a].text not in _QUOTES]
    return {i for a, b in spans for i in range(a, b + 1)}
