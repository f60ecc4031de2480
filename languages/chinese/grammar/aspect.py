"""What follows the verb: aspect marks 了 着 过, complements (收 到, 看 不 见), final particles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from languages.chinese.grammar.labels import form
from languages.chinese.grammar.pieces import Piece

_COMPLEMENTS = set("到见完成好住掉开起出入进上下来去回过给为于在自向往得走死满光错懂清")


@dataclass(frozen=True)
class Aspect:
    """The aspect of a predicate.

    mark      了, 着, 过 or ""
    at        character `[start, end)` of that mark, None without one
    end       character behind verb and complement, where 了 would go
    final     character span of a 了 that ends the piece, None without one
    """

    mark: str
    at: tuple[int, int] | None
    end: int
    final: tuple[int, int] | None


def aspect_of(piece: Piece, verb: Any) -> Aspect:
    """Return the aspect of `verb` in its piece."""
    doc = piece.doc
    text = form(verb)
    final = _final(piece, verb)
    if len(text) > 1 and text[-1] in "了着过" and text not in _WHOLE:
        end = verb.idx + len(text)
        return Aspect(text[-1], (end - 1, end), end - 1, final if final != (end - 1, end) else None)
    end = verb.idx + len(verb.text)
    i = verb.i + 1
    while i < piece.end and i <= verb.i + 3:
        word = form(doc[i])
        if word in ("了", "着", "过") and doc[i].pos_ != "NOUN":
            at = (doc[i].idx, doc[i].idx + 1)
            return Aspect(word, at, end, final if final != at else None)
        if len(word) > 1 and word[-1] in "了着过" and word[0] in _COMPLEMENTS and len(word) <= 3:
            at = (doc[i].idx + len(word) - 1, doc[i].idx + len(word))
            return Aspect(word[-1], at, at[0], final if final != at else None)
        if not (
            word[0] in _COMPLEMENTS
            and len(word) <= 2
            and doc[i].pos_ in ("VERB", "ADP", "SCONJ", "ADV", "PART", "ADJ", "AUX")
        ):
            break
        if word in ("在", "于", "来", "去", "为", "给", "自", "过去", "上", "下") and not _aspect_next(piece, i):
            break
        end = doc[i].idx + len(word)
        i += 1
    return Aspect("", None, end, final)


#: words that end in one of the marks and are whole
_WHOLE = {
    "不过",
    "为了",
    "了",
    "度过",
    "意味着",
    "执着",
    "掠过",
    "接着",
    "横过",
    "沿着",
    "流过",
    "渡过",
    "着",
    "穿过",
    "算了",
    "经过",
    "绕过",
    "罢了",
    "胜过",
    "走过",
    "超过",
    "越过",
    "跨过",
    "路过",
    "跳过",
    "过",
    "透过",
    "通过",
    "错过",
    "附着",
    "除了",
    "随着",
    "难过",
    "飞过",
}


def _aspect_next(piece: Piece, i: int) -> bool:
    return i + 1 < piece.end and form(piece.doc[i + 1]) in ("了", "过")


def _final(piece: Piece, verb: Any) -> tuple[int, int] | None:
    last = piece.doc[piece.end - 1]
    while last.i > verb.i + 1 and form(last) in ("吗", "吧", "呢", "啊", "呀", "么"):
        last = last.nbor(-1)
    if last.i > verb.i and form(last) == "了":
        return last.idx, last.idx + 1
    return None
