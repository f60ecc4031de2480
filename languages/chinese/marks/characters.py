"""What kind of character is this: a mark that ends a sentence, one that cuts a clause, one that encloses, or Chinese?

Full-width marks and their half-width twins count alike wherever a text is read; what is written is always full-width.
"""

from __future__ import annotations

import re

#: marks that end a sentence, and marks that cut it into clauses
STOPS = frozenset("。！？．｡.!?…⋯；;")
CUTS = frozenset("，,：:—–─～~")
#: opening mark -> closing mark
PAIRS = {
    "“": "”",
    "‘": "’",
    "「": "」",
    "『": "』",
    "《": "》",
    "〈": "〉",
    "（": "）",
    "(": ")",
    "【": "】",
    "[": "]",
    "〔": "〕",
    "｛": "｝",
    "{": "}",
    "〖": "〗",
    "«": "»",
    "［": "］",
    "﹁": "﹂",
}
OPENING = frozenset(PAIRS)
CLOSING = frozenset(PAIRS.values())
#: quotation marks that look alike at both ends
STRAIGHT = frozenset("\"＂'＇")
QUOTES = frozenset('“”‘’「」『』"＂﹁﹂')


def is_han(character: str) -> bool:
    """Tell whether a character is a Chinese one (an ideograph, `〇` or `々`)."""
    point = ord(character)
    return (
        0x4E00 <= point <= 0x9FFF
        or 0x3400 <= point <= 0x4DBF
        or 0x20000 <= point <= 0x323AF
        or 0xF900 <= point <= 0xFAFF
        or character in "〇々"
    )


def has_han(text: str) -> bool:
    """Tell whether a text has a Chinese character at all."""
    return any(map(is_han, text))


_COUNTED = re.compile(
    r"[0-9０-９一两三四五六七八九十百千万几数这那每某各]+[个名位只种条群些对辆座张本件支杯头匹家间部首颗把艘架]"
)


def counts(text: str) -> bool:
    """Tell whether a text is a number or demonstrative with its classifier (`三只`), which wants a noun behind it."""
    return _COUNTED.fullmatch(text) is not None
