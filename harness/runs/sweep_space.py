"""Which settings does a sweep try? `--grid KEY=V1,V2` all combinations, `--random N` draws from `--space KEY=low..high[:log]`."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from harness.errors import UsageError
from harness.provenance import digest
from harness.runs.plan import parse_overrides
from harness.seeds import numpy_rng

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*(:log)?\s*")
_DIGITS = 3  # of a drawn number: enough for a rate, and short to type again
#: more than this is a mistake in typing, or work for a year
_MOST = 10_000


@dataclass(frozen=True)
class Interval:
    """Numbers from `low` to `high`, both included; whole ones if both ends are; `log`: evenly over the orders of magnitude."""

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def draw(self, u: float) -> float | int:
        """Return the number at `u` in [0, 1), to three significant digits."""
        if self.whole and not self.log:
            return int(self.low) + math.floor(u * (self.high - self.low + 1))
        value = self.low * (self.high / self.low) ** u if self.log else self.low + u * (self.high - self.low)
        rounded = min(max(float(f"{value:.{_DIGITS}g}"), self.low), self.high)
        return round(rounded) if self.whole else rounded


Values = Interval | tuple[Any, ...]


@dataclass(frozen=True)
class Sweep:
    """The settings to try, in order, the same for every row.

    kind, space  how they were made, as typed
    """

    kind: Literal["grid", "random"]
    space: tuple[str, ...]
    trials: tuple[Mapping[str, Any], ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The settings that vary, in the order given."""
        return tuple(self.trials[0])


def grid(given: Sequence[str]) -> Sweep:
    """Return every combination of `KEY=V1,V2` pairs, the last key fastest. Raises UsageError on what is none."""
    axes: dict[str, tuple[Any, ...]] = {}
    for key, values in _axes(given, "--grid").items():
        if isinstance(values, Interval):
            raise UsageError(
                f"--grid {key}: a grid has single values, KEY=V1,V2; intervals are for --random N --space."
            )
        axes[key] = values
    _check_size(math.prod(map(len, axes.values())), "--grid")
    combined = itertools.product(*axes.values())
    return Sweep("grid", tuple(given), tuple(dict(zip(axes, values, strict=True)) for values in combined))


def draws(count: int, given: Sequence[str]) -> Sweep:
    """Return `count` different draws from `KEY=low..high[:log]` or `KEY=V1,V2`.

    The draws are fixed: `count` + 1 are these and one more, and a key's values do not depend on the other keys. Raises
    UsageError on a space that is none, or has too few different settings.
    """
    if count < 1:
        raise UsageError(f"--random {count}: expected at least 1.")
    _check_size(count, "--random")
    axes = _axes(given, "--space")
    found: dict[str, dict[str, Any]] = {}
    for number in range(100 * count):
        trial = {key: _draw(values, float(numpy_rng(0, "sweep", key, number).random())) for key, values in axes.items()}
        found.setdefault(digest(trial), trial)
        if len(found) == count:
            return Sweep("random", (f"{count} draws", *given), tuple(found.values()))
    raise UsageError(f"--random {count}: the space has only {len(found)} different settings; use --grid, or widen it.")


def _draw(values: Values, u: float) -> Any:
    return values.draw(u) if isinstance(values, Interval) else values[math.floor(u * len(values))]


def _check_size(size: int, option: str) -> None:
    if size > _MOST:
        raise UsageError(f"{option} means {size:,} trials of every row; expected at most {_MOST:,}.")


def _axes(given: Sequence[str], option: str) -> dict[str, Values]:
    if not given:
        raise UsageError(f"{option}: nothing to vary; give for example {option} learning_rate=1e-5,3e-5.")
    axes: dict[str, Values] = {}
    for text in given:
        key, separator, values = (part.strip() for part in text.partition("="))
        if not (separator and key and values):
            raise UsageError(f"{option} {text!r}: expected KEY=V1,V2, for example learning_rate=1e-5,3e-5.")
        if key in axes:
            raise UsageError(f"{option} {key} is given twice.")
        axes[key] = _interval(values, f"{option} {text!r}") or _listed(key, values, f"{option} {text!r}")
    return axes


def _interval(text: str, where: str) -> Interval | None:
    found = _RANGE.fullmatch(text)
    if found is None:
        if ".." in text:
            raise UsageError(f"{where}: expected low..high or low..high:log, for example 1e-5..1e-3:log.")
        return None
    low, high, log = float(found[1]), float(found[2]), bool(found[3])
    if not low < high:
        raise UsageError(f"{where}: {found[1]} is not below {found[2]}.")
    if log and low <= 0:
        raise UsageError(f"{where}: on a log scale both ends are above 0.")
    return Interval(low, high, log, whole=not re.search(r"[.eE]", found[1] + found[2]))


def _listed(key: str, text: str, where: str) -> tuple[Any, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise UsageError(f"{where}: a value is empty; expected KEY=V1,V2.")
    try:
        values = tuple(parse_overrides([f"{key}={part}"])[key] for part in parts)
    except UsageError as error:
        raise UsageError(str(error).replace("--set", where.split(" ", 1)[0])) from None
    if len({digest(value) for value in values}) < len(values):
        raise UsageError(f"{where}: a value is given twice.")
    return values
