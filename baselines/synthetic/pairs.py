"""What is a set of synthetic pairs, how is it read from a file, and how is it cleaned before a model is trained on it?

A file of pairs is UTF-8 text without quoting, one pair per line: `text_a<TAB>text_b<TAB>label`, the label a number in [0, 1];
a first line that says `text_a<TAB>text_b<TAB>label` is taken for a header. The clean-up is that of DINO's code.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.cache import atomic_write
from harness.corpus import open_text, read_lines
from harness.errors import DataError

COLUMNS = ("text_a", "text_b", "label")
_HEADER = "\t".join(COLUMNS)
#: where a pair is from: a file, a language model, the next line of the corpus, `add_random`; else the operator's name
FILE, GENERATED, NEIGHBOUR, RANDOM = "file", "generated", "neighbour", "random"
_TRIES = 20


@dataclass(frozen=True)
class Pairs:
    """Scored pairs, column by column.

    left, right  the given sentence and the one made for it
    label        how similar they are meant to be, float32 (pairs,), in [0, 1]
    origin       what made the right sentence: an operator, `neighbour`, `generated`, `random`, `file`
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    label: np.ndarray
    origin: tuple[str, ...]

    def __post_init__(self) -> None:
        sizes = {len(self.left), len(self.right), len(self.label), len(self.origin)}
        if len(sizes) != 1:
            raise ValueError(f"the columns of pairs must have the same length, got {sorted(sizes)}")

    def __len__(self) -> int:
        return len(self.left)

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, float, str]]) -> Pairs:
        """Return the pairs of rows (left, right, label, origin)."""
        listed = list(rows)
        left, right, label, origin = zip(*listed, strict=True) if listed else ((), (), (), ())
        return cls(tuple(left), tuple(right), np.asarray(label, dtype=np.float32), tuple(origin))

    def rows(self) -> list[tuple[str, str, float, str]]:
        """Return (left, right, label, origin) of every pair."""
        return list(zip(self.left, self.right, self.label.tolist(), self.origin, strict=True))

    def take(self, index: Sequence[int] | np.ndarray) -> Pairs:
        """Return the pairs at `index`, in that order."""
        places = np.asarray(index, dtype=np.int64).tolist()
        return Pairs(
            tuple(self.left[i] for i in places),
            tuple(self.right[i] for i in places),
            self.label[places],
            tuple(self.origin[i] for i in places),
        )

    def __add__(self, other: Pairs) -> Pairs:
        return Pairs(
            self.left + other.left,
            self.right + other.right,
            np.concatenate([self.label, other.label]),
            self.origin + other.origin,
        )

    def counts(self) -> dict[str, int]:
        """Return how many pairs each origin has, most first."""
        return dict(Counter(self.origin).most_common())


def read_pairs(path: Path | str) -> Pairs:
    """Return the pairs of a file, in its order.

    Raises DataError, with file and line, for a missing or empty file, a line without three fields, an empty text, and a label
    that is no number in [0, 1].
    """
    path = Path(path).expanduser()
    rows: list[tuple[str, str, float, str]] = []
    with open_text(path) as stream:
        for number, line in enumerate(read_lines(stream, str(path)), start=1):
            if number == 1 and line == _HEADER:
                continue
            rows.append(_row(line, f"{path}, line {number}"))
    if not rows:
        raise DataError(f"{path} holds no pair; expected lines text_a<TAB>text_b<TAB>label.")
    return Pairs.of(rows)


def _row(line: str, where: str) -> tuple[str, str, float, str]:
    fields = line.split("\t")
    if len(fields) != len(COLUMNS):
        raise DataError(f"{where}: {len(fields)} fields, expected three: text_a<TAB>text_b<TAB>label.")
    left, right, label = (field.strip() for field in fields)
    if not left or not right:
        raise DataError(f"{where}: {'text_a' if not left else 'text_b'} is empty; expected a sentence on both sides.")
    try:
        value = float(label)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise DataError(f"{where}: the label is {label!r}, expected a number from 0 (unrelated) to 1 (same meaning).")
    return left, right, value, FILE


def write_pairs(pairs: Pairs, path: Path | str) -> None:
    """Write a file that `read_pairs` reads, with a header; tabs and line ends inside a text become one blank."""
    lines = [_HEADER]
    for left, right, label, _ in pairs.rows():
        lines.append("\t".join([" ".join(left.split()), " ".join(right.split()), f"{label:.6g}"]))
    atomic_write(Path(path), ("\n".join(lines) + "\n").encode("utf-8"))


def clean(pairs: Pairs, *, most: int, rng: np.random.Generator) -> Pairs:
    """Drop pairs of equal texts and repeated pairs, and keep at most `most` (0 = all) per left sentence and label.

    Which ones are kept is drawn from `rng`; the result is in the order of the input.
    """
    seen: set[tuple[str, str, float]] = set()
    have: dict[tuple[str, float], int] = defaultdict(int)
    rows, kept = pairs.rows(), []
    for place in rng.permutation(len(rows)).tolist():
        left, right, label, _ = rows[place]
        if left == right or (left, right, label) in seen:
            continue
        seen.add((left, right, label))
        if most and have[left, label] >= most:
            continue
        have[left, label] += 1
        kept.append(place)
    return pairs.take(sorted(kept))


def smooth(pairs: Pairs, amount: float) -> Pairs:
    """Move labels towards ½: y ← (1 − amount) · y + amount / 2. DINO's 0.2 makes 0.1, 0.5 and 0.9 of 0, ½ and 1."""
    label = ((1 - amount) * pairs.label.astype(np.float64) + amount / 2).astype(np.float32)
    return Pairs(pairs.left, pairs.right, label, pairs.origin)


def add_random(pairs: Pairs, count: int, rng: np.random.Generator) -> Pairs:
    """Add `count` pairs of every left sentence with a right one drawn from all pairs, label 0 exactly (never smoothed).

    A right sentence that the left one has already, or that equals it, is drawn again, twenty times at most.
    """
    own: dict[str, set[str]] = defaultdict(set)
    for left, right in zip(pairs.left, pairs.right, strict=True):
        own[left].add(right)
    rows: list[tuple[str, str, float, str]] = []
    for left, taken in own.items():
        taken.add(left)
        for _ in range(count):
            for place in rng.integers(0, len(pairs), size=_TRIES).tolist():
                if pairs.right[place] not in taken:
                    taken.add(pairs.right[place])
                    rows.append((left, pairs.right[place], 0.0, RANDOM))
                    break
    return pairs + Pairs.of(rows)


def split_by_left(pairs: Pairs, share: float, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
    """Return (rest, part): `part` has all pairs of a random share of the left sentences, so that no sentence is in both.

    Raises DataError if there are fewer than two left sentences.
    """
    lefts = list(dict.fromkeys(pairs.left))
    if len(lefts) < 2:
        raise DataError(
            f"the pairs have {len(lefts)} different first sentences; a dev part needs at least 2. Give more pairs, or choose the "
            "weights on the suite's dev split with --set dev=suite."
        )
    count = min(len(lefts) - 1, max(1, round(share * len(lefts))))
    chosen = {lefts[i] for i in rng.permutation(len(lefts))[:count].tolist()}
    inside = np.array([left in chosen for left in pairs.left], dtype=bool)
    return pairs.take(np.flatnonzero(~inside)), pairs.take(np.flatnonzero(inside))
