"""Which sentences does a new pack begin with? spaCy's examples of the language if it has some, else placeholders.

They make the pack work before its author has given any; README and licences say that they are to be replaced.
"""

from __future__ import annotations

import importlib
import json
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from harness.protocols.scripts import is_unspaced

#: final marks and what `pi` makes of them
_FINAL = {".": "!", "。": "！", "।": "!", "۔": "!", "።": "!", "။": "!", "។": "!", "։": "!"}
_PLACEHOLDERS = tuple(f"{word} {number}." for number in range(1, 6) for word in ("Abc", "Def"))
_FEWEST = 4


@dataclass(frozen=True)
class Samples:
    """Sentences to begin with, where they come from, and what the author is told."""

    sentences: tuple[str, ...]
    licence: str
    about: str
    note: str

    @property
    def wide(self) -> bool:
        """Whether the sentences are in a script with full-width marks: Chinese and Japanese, but neither Korean nor Thai."""
        letters = "".join(self.sentences)
        return any(is_unspaced(letter) and unicodedata.east_asian_width(letter) == "W" for letter in letters)

    def values(self) -> dict[str, str]:
        """What templates fill in."""
        return {
            "samples_licence": self.licence,
            "samples_note": self.about,
            "marks": "。；？：！，" if self.wide else ".;?:!,",
            "exclamation": "！" if self.wide else "!",
            "comma": "，" if self.wide else ",",
            "final": "\n".join(f'"{mark}" = "{new}"' for mark, new in _FINAL.items()),
        }

    def files(self, code: str) -> Iterator[tuple[str, str]]:
        """Yield (place, content) of the sample corpus, the sample task and the examples of `pi`.

        The pairs of the task are made of the sentences: each with itself but for its end (5) and with another one (0).
        """
        yield f"samples/corpus/{code}/sample.txt", _lines(self.sentences)
        half = len(self.sentences) // 2
        for split, chosen in (("dev", self.sentences[:half]), ("test", self.sentences[half:])):
            rows = []
            for i, sentence in enumerate(chosen):
                rows += [f"5.0\t{sentence}\t{_opened(sentence)}", f"0.0\t{sentence}\t{chosen[i - 1]}"]
            yield f"samples/sts/{code}/SampleSTS/{split}.tsv", _lines(rows)
        yield "examples/pi.jsonl", _lines(map(self._example, self.sentences[:_FEWEST]))

    def _example(self, sentence: str) -> str:
        mark = _FINAL.get(sentence[-1])
        output = sentence[:-1] + mark if mark else sentence + ("！" if self.wide else "!")
        row = {"operator": "pi", "text": sentence, "accept": [output], "construction": "the end of a sentence"}
        return json.dumps(row, ensure_ascii=False)


def samples_for(code: str) -> Samples:
    """Return spaCy's example sentences of a language that are one line each, or placeholders if it has too few."""
    try:
        found = importlib.import_module(f"spacy.lang.{code}.examples").sentences
    except (ImportError, AttributeError):
        found = []
    sentences = tuple(
        dict.fromkeys(text for sentence in found if (text := " ".join(sentence.split())) and _plain(text))
    )
    if len(sentences) >= _FEWEST:
        about = "They begin with spaCy's example sentences, and pairs made of these: replace both."
        return Samples(sentences, "MIT; spaCy's example sentences, some quoted from elsewhere", about, "")
    return Samples(
        _PLACEHOLDERS,
        "placeholders, free of rights",
        "They begin with placeholders: replace them.",
        f"spaCy has no example sentences in {code!r}; samples/ holds placeholders.",
    )


def _plain(text: str) -> bool:
    """Whether a sentence ends in a letter, a digit or one of the final marks, so that it is clear what `pi` makes of it."""
    return text[-1].isalnum() or (text[-1] in _FINAL and text[-2:-1].isalnum())


def _opened(sentence: str) -> str:
    return sentence[:-1] if sentence[-1] in _FINAL else f"{sentence} …"


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)
