"""How is Traditional text read by a parser that only knows simplified? Character by character, and the text stays.

One character stands for one, so tokens keep their places. The list is OpenCC's, see `pack.toml`. White space that is no word is
kept from the parser too, and put back.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

_LIST = Path(__file__).parent / "lexicon" / "traditional.tsv"


@cache
def _table() -> dict[int, str]:
    lines = _LIST.read_text(encoding="utf-8").split("\n")
    return {ord(line[0]): line[2] for line in lines if line}


def simplified(text: str) -> str:
    """Return the text with simplified characters; its length stays."""
    return text if text.isascii() else text.translate(_table())


def readable(text: str) -> str:
    """Return what the parser gets to see: simplified, with single blanks."""
    return " ".join(simplified(text).split())


def restored(doc: Any, text: str) -> Any:
    """Return a document made from `readable(text)` with all of `text`, and `norm_` as it was read.

    White space beyond a blank behind a word is a token (`SPACE`) that hangs on the one before, or the first word.
    """
    if doc.text == text:
        return doc
    words, spaces, places = _laid_out(doc, text)
    columns: dict[str, Any] = {"words": words, "spaces": spaces}
    if doc.has_annotation("DEP"):
        # where each token of `doc` has come to stand
        new = {old: i for i, old in enumerate(places) if old is not None}
        for name in ("tags", "pos", "deps", "morphs", "heads"):
            columns[name] = []
        for i, old in enumerate(places):
            token = doc[old] if old is not None else None
            columns["tags"].append(token.tag_ if token is not None else "_SP")
            columns["pos"].append(token.pos_ if token is not None else "SPACE")
            columns["deps"].append(token.dep_ if token is not None else "dep" if new else "ROOT")
            columns["morphs"].append(str(token.morph) if token is not None else "")
            columns["heads"].append(new[token.head.i] if token is not None else (i - 1 if i else new.get(0, 0)))
    elif len(doc) and doc.has_annotation("SENT_START"):
        columns["sent_starts"] = [i == 0 for i in range(len(words))]
    return normalise(type(doc)(doc.vocab, **columns))


def normalise(doc: Any) -> Any:
    """Set `norm_` of the tokens that are not simplified, and return the document."""
    for token in doc:
        if (norm := simplified(token.text)) != token.text:
            token.norm_ = norm
    return doc


def _laid_out(doc: Any, text: str) -> tuple[list[str], list[bool], list[int | None]]:
    """Words and blanks of `text`, and for each word which token of `doc` it is; None for white space."""
    words: list[str] = []
    spaces: list[bool] = []
    places: list[int | None] = []
    end = 0

    def blanks(run: str) -> None:
        if run[:1] == " " and words:
            spaces[-1], run = True, run[1:]
        if run:
            words.append(run)
            spaces.append(False)
            places.append(None)

    for token in doc:
        start = end
        while text[start].isspace():
            start += 1
        blanks(text[end:start])
        end = start + len(token.text)
        words.append(text[start:end])
        spaces.append(False)
        places.append(token.i)
    blanks(text[end:])
    return words, spaces, places
