"""How does a sentence end with a mark of its own? `。` becomes `！`, an end without a mark gets `！`, an
unmarked question `？`.

An ellipsis, a sentence that ends with `！`, and an end that is no word (markup, an address, a formula) are
left as they are; a question that has its mark takes `！` behind it (`？！`) where nothing else can be done.
A text that asks is never given `！`: `如何下载漫画` takes `？`, and one that may or may not ask takes
nothing.
"""

from __future__ import annotations

from typing import Any

from harness.protocols import Change
from languages.chinese.grammar.lexicon import lexicon, words
from languages.chinese.grammar.script import simplified
from languages.chinese.marks.characters import CLOSING, OPENING, QUOTES, STRAIGHT, has_han, is_han
from languages.chinese.marks.gaps import Place

_PLAIN = frozenset("。｡．；;，,、：:")
_ENDED = frozenset("！!？?…⋯")
_TRAILING = CLOSING | STRAIGHT


def final_place(doc: Any) -> Place | None:
    """Return the place at the end of the text: `！` or, for a question without its mark, `？`; None where
    neither fits.

    Its rule is `final`, or `odd final` where the mark stands in a quotation or behind a question mark
    (`？！`, GB/T 15834-2011
    §4.2.3.3) and a reader may stumble.
    """
    last = len(doc) - 1
    while last >= 0 and not doc[last].text.strip():
        last -= 1
    if last < 0 or not has_han(doc.text) or doc[last].text.strip() != doc[last].text:
        return None
    core = last
    while core > 0 and doc[core].text in _TRAILING:
        core -= 1
    text = doc[core].text
    if text in ("？", "?"):
        plain = core == last and not _open(doc) and (core == 0 or doc[core - 1].text[-1:].isalnum())
        return Place("odd final", (Change("insert", last + 1, last + 1, "！"),)) if plain and core > 0 else None
    asks = asking(doc[_sentence_start(doc, core) : core + 1].text)
    if text in _PLAIN or (text == "." and core > 0 and is_han(doc[core - 1].text[-1:])):
        change = _replaced(doc, core, last) if asks is False else None
        return None if change is None else Place("odd final" if core < last or _open(doc) else "final", (change,))
    if core < last and (doc[last].text in QUOTES or _opened(doc, core)):
        # `他说：“走吧”` and `（…）`: the mark goes behind all
        return None if asks is not False else Place("odd final", (Change("insert", last + 1, last + 1, "！"),))
    if not _ends_in_word(text) or asks is None:
        return None
    change = Change("insert", last + 1, last + 1, "？" if asks else "！")
    return Place("odd final" if _open(doc) else "final", (change,))


def asking(text: str) -> bool | None:
    """Tell whether a sentence asks something, by its words; None if it has a word that asks but may be a statement."""
    whole = simplified(text).strip()
    plain = whole.rstrip("。.,，；; ！!”’」』）)")
    # `他在看书呢。` is a statement
    states = plain.endswith("呢") and whole[-1:] in "。.！!"
    if (
        not states
        and plain.endswith(("？", "?", "吗", "呢", "么"))
        and not plain.endswith(("什么", "那么", "这么", "多么", "怎么"))
    ):
        return True
    if not states and plain.startswith("请问"):
        return True
    first = min((plain.find(word) for word in lexicon("punctuation")["interrogatives"] if word in plain), default=None)
    if first is None:
        return False
    if whole.rstrip("”’」』）) ")[-1:] in ("。", ".", "！", "!"):
        # who wrote a full stop meant a statement, unless it begins like a question
        return None if first == 0 else False
    embedded = any(0 <= plain.find(word) < first for word in words("punctuation", "embedding"))
    return None if embedded else True


def _sentence_start(doc: Any, end: int) -> int:
    """The first token of the sentence that holds token `end`."""
    for i in range(end - 1, -1, -1):
        if doc[i].text[-1:] in "。！？!?" and doc[i].text:
            return i + 1
    return 0


def _replaced(doc: Any, stop: int, last: int) -> Change | None:
    before = stop - 1
    while before >= 0 and (not doc[before].text.strip() or doc[before].text in _TRAILING):
        before -= 1
    if before < 0 or doc[before].text[-1:] in _ENDED | _PLAIN:
        return None
    if stop < last and doc[stop].text in "，,、：:；;":
        return None
    return Change("replace", stop, stop + 1, "！")


def _opened(doc: Any, core: int) -> bool:
    """Whether what closes behind token `core` was opened in the text."""
    return any(token.text in OPENING | STRAIGHT for token in doc[: core + 1])


def _open(doc: Any) -> bool:
    """Whether a quotation or bracket is begun and not closed."""
    depth = 0
    for token in doc:
        depth += sum(c in OPENING for c in token.text) - sum(c in CLOSING for c in token.text)
    return depth > 0


def _ends_in_word(text: str) -> bool:
    """Whether a mark may follow a token: a word that is no address; Latin words and numbers in a Chinese text are."""
    if "://" in text or text.lower().startswith("www.") or "@" in text:
        return False
    return text[-1].isalnum() or text[-1] in "》〉%％℃°"
