"""Which annotation does a teacher give to plain text? Sentences chosen by chance, parsed, the doubtful ones left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.corpus import open_text, read_lines
from harness.errors import DataError
from harness.parsing.teacher import Parse, Progress, Teacher
from harness.parsing.treebank import Sentence
from harness.seeds import python_rng

if TYPE_CHECKING:
    from spacy.tokens import Doc


@dataclass(frozen=True)
class SilverSettings:
    """Which sentences are chosen: `sentences` of them, of `shortest` to `longest` tokens, the surest `keep` of all parsed."""

    sentences: int = 40_000
    shortest: int = 3
    longest: int = 40
    keep: float = 0.9
    seed: int = 0


def choose(
    files: Sequence[Path],
    tokenise: Callable[[str], Doc],
    settings: SilverSettings,
    stays: Callable[[str], bool] = bool,
) -> list[tuple[tuple[str, ...], tuple[bool, ...]]]:
    """Return (words, spaces) of lines chosen at random from all files together; each line is one sentence.

    Left out are lines that `stays` does not want, and those with a doubled blank inside: their tokens would be blanks. Raises
    DataError for a file that is missing, empty or not UTF-8.
    """
    lines = sorted({line for file in files for line in _lines(file)})
    python_rng(settings.seed, "silver").shuffle(lines)
    chosen: list[tuple[tuple[str, ...], tuple[bool, ...]]] = []
    for line in lines:
        if len(chosen) >= settings.sentences:
            break
        if not stays(line):
            continue
        tokens = list(tokenise(line))
        if settings.shortest <= len(tokens) <= settings.longest and not any(token.is_space for token in tokens):
            chosen.append((tuple(t.text for t in tokens), tuple(bool(t.whitespace_) for t in tokens)))
    return chosen


def _lines(file: Path) -> Iterator[str]:
    with open_text(file) as stream:
        for line in read_lines(stream, str(file)):
            if line.strip():
                yield line.strip()


def annotate(
    teacher: Teacher,
    sentences: Sequence[tuple[Sequence[str], Sequence[bool]]],
    settings: SilverSettings,
    *,
    progress: Progress | None = None,
) -> list[Sentence]:
    """Return the teacher's parses in the order given, without the share it is least sure of.

    Raises DataError if the teacher can take none of the sentences.
    """
    parses: list[Parse] = [parse for parse in teacher.parse(sentences, progress=progress) if parse is not None]
    if not parses:
        raise DataError("the silver files hold no sentence that the teacher can parse; give other files with --silver.")
    ranked = sorted(parse.confidence for parse in parses)
    least = ranked[int(len(ranked) * (1 - settings.keep))]
    return [parse.sentence for parse in parses if parse.confidence >= least]
