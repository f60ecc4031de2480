"""Can this file be read at all: no link, of a sane size, strict JSON, not nested without end, with no text out of bounds?"""

from __future__ import annotations

import json
import math
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pydantic import BaseModel, ValidationError

#: bytes of a record; the largest of ours (20,000 items with gold scores) has well under one MB
MOST_BYTES = 32 * 2**20
#: nesting of lists and objects
MOST_DEPTH = 24
#: characters of a text; packed arrays are bounded by the file
MOST_TEXT = 10_000
#: characters of a name: a suite, row, task, method, language, encoder
MOST_NAME = 200
_PACKED = ("packed_predictions", "packed_gold")
# C0 and C1 controls but tab and newlines, and the characters that turn the direction of text around
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MARKUP = re.compile(r"<\s*[/!?a-zA-Z]")


@dataclass(frozen=True)
class Finding:
    """What is to be said about a file; `problem`: the submission cannot be taken like this."""

    path: Path
    text: str
    problem: bool = True


class Refused(Exception):
    """A file that cannot be looked into any further; the message says why."""


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object of a file. Raises Refused if it is a link, too large, no strict JSON, or nested too deeply."""
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            raise Refused("it is a symbolic link; put the file itself there")
        if not stat.S_ISREG(found.st_mode):
            raise Refused("it is no regular file")
        if found.st_size > MOST_BYTES:
            raise Refused(f"it has {found.st_size:,} bytes, at most {MOST_BYTES:,} are read")
        raw = path.read_bytes()
    except OSError as error:
        raise Refused(error.strerror or str(error)) from error
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"it is not UTF-8 ({error.reason} at byte {error.start})") from error
    depth = _depth(text)
    if depth > MOST_DEPTH:
        raise Refused(f"it is nested more than {MOST_DEPTH} deep")
    try:
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise Refused(f"it is no strict JSON: {error}") from error
    if not isinstance(value, dict):
        raise Refused(f"expected a JSON object, got a {type(value).__name__}")
    return value


def parse(value: dict[str, Any], kind: type[BaseModel]) -> Any:
    """Return the record of a JSON object. Raises Refused, naming the first fields that are wrong or unknown."""
    unknown = sorted(set(value) - set(kind.model_fields))
    if unknown:
        raise Refused(f"unknown field{'s' * (len(unknown) > 1)} {', '.join(_short(name) for name in unknown[:5])}")
    try:
        # not lax: "5" is no number, 1 is no truth value
        return kind.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        found = [f"{'.'.join(map(str, one['loc'])) or 'the record'}: {one['msg']}" for one in error.errors()[:5]]
        raise Refused("; ".join(_short(text, 300) for text in found)) from error
    except ValueError as error:
        raise Refused(_short(str(error), 300)) from error


def texts(value: Any, at: str = "") -> Iterator[str]:
    """Yield what is wrong with the texts and numbers anywhere in a JSON value."""
    if isinstance(value, str):
        limit = value if at in _PACKED else value[: MOST_TEXT + 1]
        if len(limit) > MOST_TEXT and at not in _PACKED:
            yield f"{at}: a text of {len(value):,} characters, at most {MOST_TEXT:,} are taken"
        elif _CONTROL.search(limit):
            yield f"{at}: control characters in a text"
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{at}: not a finite number"
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        yield f"{at}: a number out of all bounds"
    elif isinstance(value, dict):
        for key, item in value.items():
            if len(key) > MOST_NAME or _CONTROL.search(key):
                yield f"{at}: a field name that is too long or has control characters"
                continue
            yield from texts(item, f"{at}.{key}" if at else key)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from texts(item, f"{at}[{number}]")


def names(listed: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield what is wrong with names (field, name): markup, paths out of a folder, formulas, blanks, length."""
    for field, name in listed:
        if not name.strip() or len(name) > MOST_NAME:
            yield f"{field}: expected a name of 1 to {MOST_NAME} characters, got {len(name):,}"
        elif _MARKUP.search(name):
            yield f"{field}: markup in a name: {_short(name)}"
        elif ".." in re.split(r"[/\\]", name) or name.startswith(("/", "\\", "~")) or "\n" in name:
            yield f"{field}: a name that is a path: {_short(name)}"
        elif name.lstrip().startswith(("=", "@", "+", "-", "＝", "＠", "＋", "－")):
            yield f"{field}: a name that a spreadsheet would compute: {_short(name)}"


def _depth(text: str) -> int:
    """How deeply lists and objects are nested; strings are passed over. Linear, and not recursive."""
    depth = most = 0
    for mark in re.finditer(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', text, re.DOTALL):
        if mark[0] in "[{":
            depth += 1
            most = max(most, depth)
            if most > MOST_DEPTH:
                break
        elif mark[0] in "]}":
            depth -= 1
    return most


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field stands there twice")
    return found


def _short(text: str, length: int = 60) -> str:
    shown = text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text
    return repr(shown[:length] + "…") if len(shown) > length else repr(shown) if length == 60 else shown
