"""How much of their words do the two sentences of a pair share? Jaccard's |A ∩ B| / |A ∪ B|, averaged over the pairs of a set.

SDA explains its scores on SICK-R by the lexical overlap of its pairs, but states neither tokeniser nor split nor text
variant, so a suite counts in several ways and says which comes closest. A and B are sets: a word counts once.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from harness.analyses.job import SAMPLES, Job, Request, pack_fact, pack_of
from harness.analyses.suites import OverlapRow, OverlapSuite, Unit
from harness.data import DataFolder, open_data
from harness.errors import DataError, Skipped
from harness.protocols import LanguagePack, Task
from harness.provenance import code_digest, digest
from harness.tasks import resolve_tasks

_SPLITS = ("train", "dev", "test")
#: name of all splits of a set together
WHOLE = "all"
_NEEDS_ENCODER = "word pieces are an encoder's: name one with --encoder PATH|ID (its tokeniser is all that is loaded)"
_PIECES: tuple[Unit, ...] = ("pieces", "pieces-special")


class SetOverlap(BaseModel):
    """The overlap of one set on one split: `value` is the mean × 100 over `pairs` pairs.

    undefined  pairs left out because neither sentence has a word
    """

    model_config = ConfigDict(frozen=True)

    name: str
    split: str
    value: float | None
    pairs: int
    undefined: int = 0

    @property
    def task(self) -> str:
        """`NAME` for the test split, else `NAME:split`, as in a suite's columns."""
        return self.name if self.split == "test" else f"{self.name}:{self.split}"


class RowOverlap(BaseModel):
    """What one way to count gives: set by set, or why it could not be done here."""

    model_config = ConfigDict(frozen=True)

    label: str
    text: str
    unit: str
    tokeniser: str
    sets: tuple[SetOverlap, ...] = ()
    skipped: str | None = None

    def value(self, task: str) -> float | None:
        """Return the overlap × 100 of a set by its task id, None if there is none."""
        return next((found.value for found in self.sets if found.task == task), None)


class OverlapResult(BaseModel):
    """The rows of the suite at this scale, in order."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[RowOverlap, ...]


class OverlapJob(Job):
    """The overlap of a suite's sets, counted in every way the suite names."""

    suite: OverlapSuite

    def __init__(self, suite: OverlapSuite, scale: str, request: Request) -> None:
        self.suite, self.scale = suite, scale
        self.pack = pack_of(suite, request)
        self.rows = suite.rows_at(scale)
        self._sample = suite.scales[scale].data == "sample"
        folder = DataFolder(self.pack.samples) if self._sample else open_data(request.data)
        self.encoder = request.encoder
        self._tokenizer = None if request.encoder is None else _tokenizer(request.encoder, self.pack)
        self.skipped: dict[str, str] = {}
        self._tasks: dict[str, list[Any]] = {}
        for text in dict.fromkeys(row.text for row in self.rows):
            if folder.sts_sets(self.pack.code, text):
                tasks = resolve_tasks(_names(suite, scale), data=folder, language=self.pack.code, text=text)
                self._tasks[text] = [_with_pairs(task) for task in tasks]
        for row in self.rows:
            if row.text not in self._tasks:
                where = folder.sts(self.pack.code, row.text).relative_to(folder.path)
                self.skipped[row.label] = f"the data folder has no sets in {where.as_posix()}/"
            elif row.unit in _PIECES and self._tokenizer is None:
                self.skipped[row.label] = _NEEDS_ENCODER
        if len(self.skipped) == len(self.rows):
            raise Skipped(f"no row of {suite.name!r} can be counted here: {next(iter(self.skipped.values()))}.")

    @property
    def plumbing(self) -> str | None:
        """Samples are ours; no paper counted them."""
        return SAMPLES if self._sample else None

    def data(self) -> dict[str, Any]:
        """Return the hashes of the sets and of the tokeniser."""
        return {
            "sets": {text: {task.id: task.data_sha for task in tasks} for text, tasks in self._tasks.items()},
            "tokeniser": None if self._tokenizer is None else _tokenizer_sha(self._tokenizer),
        }

    def facts(self) -> dict[str, str]:
        """Return scale, pack and the encoder whose word pieces are counted."""
        facts = {"scale": self.scale, "pack": pack_fact(self.pack)}
        return facts | ({"word pieces of": _encoder_name(self.encoder)} if self.encoder else {})

    def plan(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        """Return one row per way to count."""
        rows: list[Sequence[str]] = []
        for row in self.rows:
            sets = " ".join(task.id for task in self._tasks.get(row.text, ()))
            rows.append((row.label, row.text, self._tokeniser(row), sets, self.skipped.get(row.label, "")))
        return ("Row", "Text", "Tokeniser", "Sets", "Skipped because"), rows

    def measure(self, *, progress: bool = False) -> OverlapResult:
        """Count every row. `progress` shows nothing: the seven English sets take seconds."""
        return OverlapResult(rows=tuple(self._row(row) for row in self.rows))

    def _row(self, row: OverlapRow) -> RowOverlap:
        told: dict[str, Any] = {
            "label": row.label,
            "text": row.text,
            "unit": row.unit,
            "tokeniser": self._tokeniser(row),
        }
        if row.label in self.skipped:
            return RowOverlap(skipped=self.skipped[row.label], **told)
        units = cache(unit_of(row.unit, self.pack, self._tokenizer))  # many sentences stand in several pairs
        overlaps = {(t.name, t.split): [jaccard(units(a), units(b)) for a, b in t.pairs] for t in self._tasks[row.text]}
        for name in self.suite.splits_at(self.scale):
            overlaps[name, WHOLE] = [value for split in _SPLITS for value in overlaps[name, split]]
        sets = [_mean(name, split, values) for (name, split), values in overlaps.items()]
        return RowOverlap(sets=tuple(sets), **told)

    def _tokeniser(self, row: OverlapRow) -> str:
        pieces = f"word pieces of {_encoder_name(self.encoder)}" if self.encoder else "word pieces of an encoder"
        return {
            "words": f"the {self.pack.name} pack's words (tokens with a letter or digit), lower-cased",
            "tokens": "split at blanks, as they stand, punctuation included",
            "tokens-lower": "split at blanks, lower-cased, punctuation included",
            "pieces": f"{pieces}, without special tokens",
            "pieces-special": f"{pieces}, with the special tokens around every sentence",
        }[row.unit]

    @staticmethod
    def code(suite: OverlapSuite, scale: str, pack: LanguagePack) -> dict[str, Any]:
        """Return the ways to count, the pack and the counting, as hashes."""
        return {
            "rows": digest([[row.label, row.text, row.unit] for row in suite.rows_at(scale)]),
            "sets": _names(suite, scale),
            "pack": digest([pack.fingerprint(), code_digest(pack)]),
            "counting": code_digest(sys.modules[__name__]),
        }


def jaccard(first: Collection[str], second: Collection[str]) -> float | None:
    """Return |A ∩ B| / |A ∪ B| of two collections taken as sets, None if both are empty."""
    a, b = frozenset(first), frozenset(second)
    union = len(a | b)
    return len(a & b) / union if union else None


def unit_of(unit: Unit, pack: LanguagePack, tokenizer: Any = None) -> Callable[[str], frozenset[str]]:
    """Return the function that turns a sentence into the set that is compared.

    tokenizer  a transformers tokeniser, needed for word pieces. Raises Skipped where it is needed and not there.
    """
    if unit in _PIECES:
        if tokenizer is None:
            raise Skipped(f"{_NEEDS_ENCODER}.")
        special = unit == "pieces-special"
        return lambda text: frozenset(
            tokenizer.convert_ids_to_tokens(tokenizer(text, add_special_tokens=special, verbose=False)["input_ids"])
        )
    if unit == "words":
        return lambda text: frozenset(pack.words(text))
    return lambda text: frozenset((text.lower() if unit == "tokens-lower" else text).split())


def _mean(name: str, split: str, values: Iterable[float | None]) -> SetOverlap:
    known = list(values)
    defined = [value for value in known if value is not None]
    mean = 100 * sum(defined) / len(defined) if defined else None
    return SetOverlap(name=name, split=split, value=mean, pairs=len(defined), undefined=len(known) - len(defined))


def _names(suite: OverlapSuite, scale: str) -> list[str]:
    """The tasks to read: those of the columns, and every split of the sets shown split by split."""
    names = [column.task for column in suite.columns_at(scale)]
    for name in suite.splits_at(scale):
        names += [name if split == "test" else f"{name}:{split}" for split in _SPLITS]
    return list(dict.fromkeys(names))


def _with_pairs(task: Task) -> Any:
    if not hasattr(task, "pairs"):
        raise DataError(f"{task.id} is no set of sentence pairs; overlap is counted on pairs (`augbench ls tasks`).")
    return task


def _tokenizer(encoder: str, pack: LanguagePack) -> Any:
    # imported when an encoder is named: words need no transformers
    from harness.encoder import load_tokenizer
    from harness.mini import encoder_folder

    return load_tokenizer(encoder_folder(encoder, pack))


def _tokenizer_sha(tokenizer: Any) -> str:
    # imported where a tokenizer is: words need no transformers
    from harness.encoder.vocabulary import tokenizer_text

    return hashlib.sha256(tokenizer_text(tokenizer).encode()).hexdigest()


def _encoder_name(encoder: str | None) -> str:
    from harness.runs.workbench import encoder_name

    return encoder_name(encoder or "")
