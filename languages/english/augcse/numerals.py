"""How is this number said in English? Cardinals, ordinals, years, decimals."""

from __future__ import annotations

_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]  # fmt: skip
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SCALES = [(10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (1000, "thousand")]
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


def cardinal(number: int) -> str:
    """Return a number from 0 to 10**15 - 1 in words, British fashion (`one hundred and one`). Raises ValueError for others."""
    if not 0 <= number < 10**15:
        raise ValueError(f"{number} is out of range; cardinals go from 0 to 10**15 - 1.")
    for size, name in _SCALES:
        if number >= size:
            rest = number % size
            tail = "" if not rest else (" and " if rest < 100 else " ") + cardinal(rest)
            return f"{cardinal(number // size)} {name}{tail}"
    if number >= 100:
        rest = number % 100
        return f"{_ONES[number // 100]} hundred" + (f" and {cardinal(rest)}" if rest else "")
    if number < 20:
        return _ONES[number]
    return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")


def ordinal(number: int) -> str:
    """Return the ordinal of a number from 1 on: 21 -> `twenty-first`. Raises ValueError for others."""
    if number < 1:
        raise ValueError(f"{number} has no ordinal; ordinals begin at 1.")
    words = cardinal(number)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    if last in _ORDINALS:
        return words[:cut] + _ORDINALS[last]
    return words[:cut] + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def year(number: int) -> str:
    """Return a year from 1000 to 2999 as it is said: 1905 -> `nineteen oh five`, 2004 -> `two thousand and four`."""
    if not 1000 <= number <= 2999:
        raise ValueError(f"{number} is out of range; years go from 1000 to 2999.")
    century, rest = divmod(number, 100)
    if century % 10 == 0 and rest < 10:
        return cardinal(number)
    if rest == 0:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


def decimal(text: str) -> str:
    """Return a decimal (`3.05`) in words: `three point zero five`."""
    whole, _, places = text.partition(".")
    return f"{cardinal(int(whole))} point {' '.join(_ONES[int(digit)] for digit in places)}"
