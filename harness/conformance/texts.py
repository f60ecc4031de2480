"""Which texts has nobody thought of? Hard cases, random Unicode, and the pack's own sentences made strange."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from harness.seeds import python_rng

_LONG = 10_000

#: cases by name; every one is valid text that a corpus line or a library call may bring
HARD_TEXTS: dict[str, str] = {
    "empty": "",
    "a blank": " ",
    "blanks only": " \t  \n \u00a0\u2003 ",
    "one letter": "a",
    "one full stop": ".",
    "punctuation only": "... !? -- () [] \"\" '' «»",
    "digits": "3.14 1,000,000 2/3 10% 007 -5 ½ ² ٣",
    "blanks around": "  a b  c ",
    "tabs and line ends": "one\ttwo\nthree\r\nfour\u2028five\u0085six",
    "address": "https://example.org/a_b?c=d&e=%20#f,g. www.example.org/~x ftp://h",
    "mail, tag, path": "mail a.b+c@example.org #tag @name C:\\x\\y.txt /usr/bin/env",
    "emoji": "👍 👩‍👩‍👧‍👦 🇩🇪 1️⃣ ☺️ 🏳️‍🌈 :-) <3",
    "emoji only": "🔥🔥🔥",
    "mixed script": "abc где 東京 مرحبا שלום ไทย हिन्दी Ελλάδα",
    "right to left": "\u202bשלום עולם\u202c, مرحبا بالعالم\u061f",
    "direction marks": "a\u200eb\u200fc\u202ed\u202ce\u2066f\u2069g",
    "zero width": "a\u200bb \u200cc\u200d d\ufeff e\u2060f",
    "zero width only": "\u200b\u200d\ufeff",
    "control characters": "a\x00b\x01c\x07d\x1be\x1f f\x7fg\x80h\x9f",
    "combining marks": "e\u0301a\u0308 Z\u0351\u036b\u0343a\u0300\u0301\u0302l\u0334g\u0335o",
    "mark first": "\u0301abc",
    "full width": "ＡＢＣ　１２３！？，。「」",
    "casing without a pair": "ß ẞ İ ı ŉ ǰ ﬁ ŐŰ Σς ᾳ ǅ",
    "beyond the basic plane": "𝔸𝕓𝒞 𐍈 𓀀 𠀀 \U0010ffff \ufffd \ue000",
    "quotation marks": "\"a 'b' “c ‘d’” „e“ ‚f‘ «g» ‹h› `i´ ''j``",
    "brackets without a partner": "(((a [b {c <d",
    "dashes": "a-b a–b a—b a−b --- a - b",
    "contractions": "n't 's 'll I'm don't can’t o'clock '90s y'all'd've",
    "abbreviations": "e.g. i.e. U.S. Dr. No. etc.",
    "markup": '<p class="x">a &amp; b</p> [[c|d]] {{e}} \\n \\u0041 %s {0} $x^2$',
    "table row": "a | b || c ; d \t 1 \t 2",
    "one word over and over": "no " * 200,
    "one mark over and over": "," * 500,
    "a long line of words": ("word " * _LONG)[:_LONG],
    "a long line without blanks": "x" * _LONG,
    "a long line of marks": "!?" * (_LONG // 2),
    "a long line of emoji": "😀" * _LONG,
}

# where random characters come from: everyday Latin most often, then scripts, marks, symbols, controls, everything
_RANGES = (
    *[(0x20, 0x7E)] * 6,
    (0x00, 0x1F),
    (0x7F, 0xFF),
    (0x100, 0x24F),
    (0x300, 0x36F),
    (0x370, 0x6FF),
    (0x900, 0xE7F),
    (0x2000, 0x206F),
    (0x2070, 0x2BFF),
    (0x3000, 0x9FFF),
    (0xFE00, 0xFFFF),
    (0x1F000, 0x1FAFF),
    (0x10000, sys.maxunicode),
)


def random_texts(count: int, *, seed: int = 0, longest: int = 60) -> dict[str, str]:
    """Return `count` texts of random code points (no surrogates), named; the same ones for one seed."""
    rng = python_rng(seed, "conformance", "random texts")
    texts = {}
    for number in range(count):
        characters = []
        for _ in range(rng.randint(1, longest)):
            if rng.random() < 0.15:
                characters.append(" ")
                continue
            point = rng.randint(*rng.choice(_RANGES))
            characters.append("\ufffd" if 0xD800 <= point <= 0xDFFF else chr(point))
        texts[f"random text {number}"] = "".join(characters)
    return texts


def strange_sentences(sentences: Sequence[str]) -> dict[str, str]:
    """Return sentences in spellings that keep their grammar but not their looks, named.

    All capitals, lower case, doubled blanks, tabs, blanks at both ends, no final mark, words in reverse, cut in the
    middle, and one line of 10,000 characters made of all of them.
    """
    texts = {}
    for number, sentence in enumerate(sentences):
        words = sentence.split()
        forms = {
            "in capitals": sentence.upper(),
            "in lower case": sentence.lower(),
            "with doubled blanks": sentence.replace(" ", "  "),
            "with tabs": sentence.replace(" ", "\t"),
            "with blanks around": f" \u00a0{sentence}  ",
            "without its end": sentence.rstrip(".!?。！？"),
            "backwards": " ".join(reversed(words)),
            "cut": sentence[: len(sentence) // 2],
        }
        texts.update({f"sentence {number} {form}": text for form, text in forms.items()})
    if sentences:
        whole = " ".join(sentences)
        texts["a long line of sentences"] = (f"{whole} " * (_LONG // (len(whole) + 1) + 1))[:_LONG]
    return texts
