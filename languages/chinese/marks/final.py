"""How does a sentence end with a mark of its own? `。` becomes `！`, an end without a mark gets `！`, a question without
its mark, or with `。` in its place, `？`.

A sentence that ends with `！`, and an end that is no word (markup, an address, a formula) are left as they are. Where
nothing else can be done, an ellipsis takes a mark behind it (`……！`) and so does a question that has its mark (`？！`).
A text that asks is never given `！`: `如何下载漫画` takes `？`, and one that may or may not ask takes nothing. A question
that is called out (`怎样才能当上明星！`) takes `？` where nothing else can be done.
"""

from __future__ import annotations

import re
from typing import Any

from harness.protocols import Change
from languages.chinese.grammar.lexicon import lexicon, words
from languages.chinese.grammar.script import simplified
from languages.chinese.marks.characters import CLOSING, OPENING, QUOTES, STRAIGHT, has_han, is_han
from languages.chinese.marks.gaps import Place

#: `什么也不干`, `谁都知道`, `爱去哪里就去哪里`: a word that asks, but says all or none
_ANYTHING = re.compile("(?:什么|什麼|谁|誰|哪[里裡儿兒个個]?|怎么|怎麼|怎样|怎樣|多少)[^，。！？]{0,4}[也都就]")
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
    # an opening mark at the very end is a closing one, mistyped
    core = last - 1 if last and doc[last].text in OPENING else last
    while core > 0 and doc[core].text in _TRAILING:
        core -= 1
    text = doc[core].text
    if text in ("？", "?"):
        plain = core == last and not _open(doc) and (core == 0 or doc[core - 1].text[-1:].isalnum())
        return Place("odd final", (Change("insert", last + 1, last + 1, "！"),)) if plain and core > 0 else None
    sentence = doc[_sentence_start(doc, core) : core + 1].text
    if text in ("！", "!") and core == last:
        called = not _open(doc) and _called_out(simplified(sentence).rstrip("！!"))
        return Place("odd final", (Change("replace", core, core + 1, "？"),)) if called else None
    asks = asking(sentence)
    if text in ("…", "……", "⋯", "⋯⋯") and core == last and asks is not None and not _open(doc):
        return Place("odd final", (Change("insert", last + 1, last + 1, "？" if asks else "！"),))
    if core < last and doc[last].text in OPENING and text not in _PLAIN:
        return None
    if text in _PLAIN or (text == "." and core > 0 and is_han(doc[core - 1].text[-1:])):
        # `么` may end a name
        doubtful = asks is None or (asks and (core < last or doc[core - 1].text[-1:] == "么"))
        change = None if doubtful else _replaced(doc, core, last, "？" if asks else "！")
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
    mark = whole.rstrip("”’」』）) ")[-1:]
    if mark in ("。", ".", "！", "!"):
        # who wrote a full stop meant a statement, unless it begins like a question
        if mark in "。." and first == 0 and plain.startswith(tuple(words("punctuation", "asks_first"))):
            return True if not any(c in plain for c in "，,；;：:") and not _ANYTHING.search(plain) else None
        return None if first == 0 and not _ANYTHING.search(plain) else False
    asked = plain.replace("问题", "  ").replace("请问", "  ")  # hold 问, and take no question as their object
    if any(0 <= asked.find(word) < first for word in words("punctuation", "embedding")):
        if plain.startswith(tuple(words("punctuation", "not_knowing"))):
            return False
        return True if plain.endswith(tuple(words("punctuation", "asks_last"))) else None
    return True


def _called_out(text: str) -> bool:
    """Whether a text that ends in `！` asks something: one clause, its word that asks at one of its ends."""
    ends = text[: 0 if text.startswith("哪怕") else 3] + "，" + text[-_NEAR_END:]
    near = any(word in ends for word in lexicon("punctuation")["interrogatives"])
    plain = not any(c in text for c in "，,、；;：:—") and not text.endswith(("呢", "呀", "哪", "么"))
    return near and plain and asking(text) is True and not _ANYTHING.search(text)


#: characters at the end of a question within which its word stands
_NEAR_END = 6


def _sentence_start(doc: Any, end: int) -> int:
    """The first token of the sentence that holds token `end`."""
    for i in range(end - 1, -1, -1):
        if doc[i].text[-1:] in "。！？!?" and doc[i].text:
            return i + 1
    return 0


def _replaced(doc: Any, stop: int, last: int, mark: str) -> Change | None:
    before = stop - 1
    while before >= 0 and (not doc[before].text.strip() or doc[before].text in _TRAILING):
        before -= 1
    if before < 0 or doc[before].text[-1:] in _ENDED | _PLAIN:
        return None
    if stop < last and doc[stop].text in "，,、：:；;":
        return None
    return Change("replace", stop, stop + 1, mark)


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
    return text[-1].isalnum() or text[-1] in "》〉%％℃°~～"
