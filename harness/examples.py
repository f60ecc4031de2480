"""What should an operator make of this sentence? A pack's examples, which are its documentation and its tests at once.

A pack keeps them in `examples/<operator>.jsonl`, one JSON object per line:

    {"operator": "pi", "text": "He left.", "accept": ["He, left.", null], "construction": "noun subject"}

`operator` is the operator's name, or `name@variant`; `accept` lists every acceptable output, null where leaving the sentence
alone is acceptable; `construction` says in a few words what the example shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.corpus import open_text, read_lines
from harness.errors import DataError, UsageError
from harness.operators import split_spec
from harness.protocols import Doc, LanguagePack, Operator
from harness.seeds import python_rng

FOLDER = "examples"
#: the seeds under which an example has to hold
SEEDS = range(10)
_KEYS = {"operator": str, "text": str, "accept": list, "construction": str}


@dataclass(frozen=True)
class Example:
    """One sentence and what an operator may make of it; None in `accept` means that it may leave it alone."""

    operator: str
    text: str
    accept: tuple[str | None, ...]
    construction: str
    #: file name and line, for messages
    place: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """The operator without its variant."""
        return split_spec(self.operator)[0]

    @property
    def refusal_only(self) -> bool:
        """Whether the operator must leave the sentence alone."""
        return all(output is None for output in self.accept)


def read_examples(path: Path | str) -> list[Example]:
    """Return the examples of one file, in order.

    Raises DataError, with file and line, for what is not an example: other keys or types, a blank line, an empty list,
    an output twice or equal to the text, the same text twice for one operator, an operator that is not the file's.
    """
    path = Path(path)
    examples: list[Example] = []
    seen: dict[tuple[str, str], int] = {}
    with open_text(path) as stream:
        for number, line in enumerate(read_lines(stream, str(path)), start=1):
            place = f"{path}, line {number}"
            example = _example(line, place, f"{path.name}:{number}")
            if example.name != path.stem:
                raise DataError(f"{place}: an example of {example.operator!r}; it belongs into {example.name}.jsonl.")
            before = seen.setdefault((example.operator, example.text), number)
            if before != number:
                raise DataError(f"{place}: the same operator and text as line {before}; merge the two.")
            examples.append(example)
    if not examples:
        raise DataError(f"{path} holds no example; write at least one, or delete the file.")
    return examples


def pack_examples(pack: LanguagePack) -> list[Example]:
    """Return all examples of a pack (`examples/*.jsonl`, by file name); an empty list if it has none.

    Raises DataError as `read_examples` does.
    """
    return [example for path in sorted((pack.folder / FOLDER).glob("*.jsonl")) for example in read_examples(path)]


def outputs(example: Example, operator: Operator, doc: Doc, seeds: Iterable[int] = SEEDS) -> dict[int, str | None]:
    """Return seed -> what the operator makes of the parsed example, None where it leaves it alone.

    The random numbers are those of `augbench augment --seed`, so that what an example shows can be tried there.
    """
    found: dict[int, str | None] = {}
    for seed in seeds:
        edit = operator.apply(doc, python_rng(seed, operator.spec, example.text))
        found[seed] = None if edit is None else edit.text
    return found


def violations(example: Example, found: dict[int, str | None]) -> list[str]:
    """Return one sentence for every output of `outputs` that the example does not accept, each output once."""
    wrong = {output: seed for seed, output in reversed(found.items()) if output not in example.accept}
    return [
        f"{example.place}: {example.operator} of {example.text!r} under seed {seed}: "
        f"{_shown(output)}; expected {' or '.join(map(_shown, example.accept))} ({example.construction})"
        for output, seed in sorted(wrong.items(), key=lambda item: item[1])
    ]


def change_rate(examples: Sequence[Example], found: Sequence[dict[int, str | None]]) -> float | None:
    """Return the share of the examples that may be changed which at least one seed does change, None if there is none.

    found  one result of `outputs` per example, in order
    """
    changed = [
        any(output is not None for output in of_one.values())
        for example, of_one in zip(examples, found, strict=True)
        if not example.refusal_only
    ]
    return sum(changed) / len(changed) if changed else None


def _shown(output: str | None) -> str:
    return "left alone" if output is None else repr(output)


def _example(line: str, place: str, short_place: str) -> Example:
    try:
        row = json.loads(line, object_pairs_hook=_unique_keys)
    except ValueError as error:
        raise DataError(f"{place} is not one JSON object ({error}); expected keys {', '.join(_KEYS)}.") from None
    if not isinstance(row, dict):
        raise DataError(f"{place} is a JSON {type(row).__name__}, expected an object with keys {', '.join(_KEYS)}.")
    wrong = [key for key, kind in _KEYS.items() if not isinstance(row.get(key), kind)]
    if wrong or len(row) > len(_KEYS):
        unknown = [key for key in row if key not in _KEYS]
        raise DataError(
            f"{place}: "
            + "; ".join(
                [f"{key} is missing or not a {_KEYS[key].__name__}" for key in wrong]
                + [f"unknown key {k!r}" for k in unknown]
            )
            + f". An example has the keys {', '.join(_KEYS)}."
        )
    accept = row["accept"]
    if not accept or not all(output is None or isinstance(output, str) for output in accept):
        raise DataError(f"{place}: accept must list at least one output, each a string or null (left alone).")
    if len(set(accept)) < len(accept):
        raise DataError(f"{place}: accept lists an output twice; keep one of them.")
    if row["text"] in accept:
        raise DataError(f"{place}: accept lists the text itself; write null where it may be left alone.")
    if not row["construction"].strip():
        raise DataError(f"{place}: construction is empty; say in a few words what the example shows.")
    try:
        split_spec(row["operator"])
    except UsageError as error:
        raise DataError(f"{place}: {error}") from None
    return Example(row["operator"], row["text"], tuple(accept), row["construction"], short_place)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError("a key is there twice")
    return row
