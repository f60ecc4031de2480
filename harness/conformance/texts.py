"""Which texts has nobody thought of? Hard cases, random Unicode, and the pack's own sentences made strange.

`HARD_TEXTS` are hard in any language. What is made from a pack's sentences is in its language and script, whatever that is:
other spellings of each (`strange_sentences`), its characters at random (`random_texts` with an alphabet), and long lines and
mixtures of all (`script_texts`). Packs add what is hard in their language alone (`LanguagePack.challenges`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from harness.protocols.scripts import joined
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
    "apostrophes": "n't 's 'll I'm don't can’t o'clock '90s y'all'd've l’eau dell'arte",
    "abbreviations": "e.g. i.e. U.S. Dr. No. etc. z.B. p.ej. т.д.",
    "scripts without blanks": "我用iPhone和iPad上网2次。東京タワーへ行きましたฉันรักภาษาไทย",
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


#: the forms of common marks that East Asian type uses
_WIDE = str.maketrans(",.!?:;()", "，。！？：；（）")
_NARROW = str.maketrans("，。！？：；（）、", ",.!?:;(),")


def random_texts(count: int, *, seed: int = 0, longest: int = 60, alphabet: str = "") -> dict[str, str]:
    """Return `count` texts of random code points (no surrogates), named; the same ones for one seed.

    alphabet  characters to draw from instead of all of Unicode
    """
    rng = python_rng(seed, "conformance", "random texts")
    texts = {}
    for number in range(count):
        characters = []
        for _ in range(rng.randint(1, longest)):
            if rng.random() < 0.15:
                characters.append(" ")
            elif alphabet:
                characters.append(rng.choice(alphabet))
            else:
                point = rng.randint(*rng.choice(_RANGES))
                characters.append("\ufffd" if 0xD800 <= point <= 0xDFFF else chr(point))
        texts[f"random text {number}{' of its alphabet' if alphabet else ''}"] = "".join(characters)
    return texts


def alphabet_of(sentences: Sequence[str]) -> str:
    """Return the characters of some sentences (no blanks), each once, in the order of their code points."""
    return "".join(sorted({c for sentence in sentences for c in sentence if not c.isspace()}))


def strange_sentences(sentences: Sequence[str], tokens: Sequence[Sequence[str]] | None = None) -> dict[str, str]:
    """Return sentences in spellings that keep their grammar but not their looks, named.

    All capitals, lower case, doubled blanks, tabs, no blanks at all, blanks between all tokens, blanks at both ends, wide and
    narrow punctuation, no final mark, words in reverse, cut in the middle; a form that is the sentence itself is left out.

    tokens  the tokens of each sentence (default: what stands between blanks)
    """
    texts = {}
    for number, sentence in enumerate(sentences):
        words = list(tokens[number]) if tokens is not None else sentence.split()
        forms = {
            "in capitals": sentence.upper(),
            "in lower case": sentence.lower(),
            "with doubled blanks": sentence.replace(" ", "  "),
            "with tabs": sentence.replace(" ", "\t"),
            "without blanks": sentence.replace(" ", ""),
            "with blanks between tokens": " ".join(words),
            "with blanks around": f" \u00a0{sentence}  ",
            "with wide marks": sentence.translate(_WIDE),
            "with narrow marks": sentence.translate(_NARROW),
            "without its end": sentence.rstrip(".!?。！？؟।"),
            "backwards": joined(list(reversed(words))),
            "cut": sentence[: len(sentence) // 2],
        }
        texts.update({f"sentence {number} {form}": text for form, text in forms.items() if text != sentence})
    return texts


def script_texts(sentences: Sequence[str]) -> dict[str, str]:
    """Return texts in the script of some sentences, named: 10,000 characters with and without blanks, one letter over and over,
    and a sentence mixed with Latin words, digits, emoji and another script. Empty without sentences.
    """
    letters = [c for c in alphabet_of(sentences) if c.isalpha()]
    if not letters:
        return {}
    whole, half = joined(sentences), sentences[0][: len(sentences[0]) // 2]
    rest = sentences[0][len(half) :]
    bare = "".join(c for sentence in sentences for c in sentence if c.isalnum())
    return {
        "a long line of sentences": _filled(joined([whole, whole])),
        "a long line of letters without blanks": _filled(bare),
        "one letter over and over": letters[len(letters) // 2] * 500,
        "a sentence with Latin words": f"{half}iPhone 15{rest}ok",
        "a sentence with another script": f"{half}東京 где{rest}",
        "a sentence with emoji": f"😀{half}👩‍👩‍👧{rest}🔥",
        "a sentence in brackets": f"({sentences[0]}) “{sentences[-1]}” 《{sentences[0]}》",
        "a sentence in markup": f"<b>{half}</b>&nbsp;{rest}[1]",
    }


def _filled(text: str) -> str:
    return (text * (_LONG // len(text) + 1))[:_LONG]
