"""Small edits at characters instead of tokens: segmentation differs (`则是`, `没有`), what a rule means does not.

A `Patch` replaces `[start, end)` of the text. `to_changes` turns patches into the token changes that `Edit` asks for: a
patch inside a token replaces that token, one between two tokens is an insertion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.protocols import Change
from languages.chinese.grammar.script import in_script_of


@dataclass(frozen=True)
class Patch:
    """Put `text` in the place of the characters `[start, end)`."""

    start: int
    end: int
    text: str = ""


def before(token: Any, words: str) -> Patch:
    """Words in front of a token."""
    return Patch(token.idx, token.idx, words)


def behind(token: Any, words: str) -> Patch:
    """Words behind a token."""
    end = token.idx + len(token.text)
    return Patch(end, end, words)


def instead(token: Any, words: str) -> Patch:
    """Words in the place of a token; none: the token goes."""
    return Patch(token.idx, token.idx + len(token.text), words)


def to_changes(doc: Any, patches: Sequence[Patch]) -> list[Change]:
    """Return the changes that apply `patches`, in the script of the text. Raises ValueError if two of them overlap."""
    ordered = [Patch(p.start, p.end, in_script_of(doc.text, p.text)) for p in sorted(patches, key=_place)]
    changes: list[Change] = []
    group: list[Patch] = []
    for patch in ordered:
        if group and patch.start < group[-1].end:
            raise ValueError(f"{patch} overlaps {group[-1]}")
        if group and not _share_token(doc, group, patch):
            changes.extend(_change(doc, group))
            group = []
        group.append(patch)
    if group:
        changes.extend(_change(doc, group))
    return changes


def _place(patch: Patch) -> tuple[int, int]:
    """Patches at one place stay in the order in which they were given."""
    return patch.start, patch.end


def _span(doc: Any, patches: Sequence[Patch]) -> tuple[int, int]:
    """The tokens `[first, last)` that the patches touch; empty for an insertion between tokens."""
    start, end = patches[0].start, max(p.end for p in patches)
    first = last = None
    for token in doc:
        begin, stop = token.idx, token.idx + len(token.text)
        inside = begin < end and start < stop
        if start == end:
            inside = begin < start < stop
        if inside:
            first = token.i if first is None else first
            last = token.i + 1
    if first is None or last is None:
        at = sum(1 for t in doc if t.idx < start)
        return at, at
    return first, last


def _share_token(doc: Any, group: Sequence[Patch], patch: Patch) -> bool:
    a, b = _span(doc, group), _span(doc, [patch])
    return a[0] < b[1] and b[0] < a[1]


def _change(doc: Any, patches: Sequence[Patch]) -> list[Change]:
    first, last = _span(doc, patches)
    if first == last:
        words = "".join(p.text for p in patches)
        return [Change("insert", first, first, words)] if words else []
    begin, stop = doc[first].idx, doc[last - 1].idx + len(doc[last - 1].text)
    # one insertion may stand at the edge of a token that another patch rewrites
    out, position = [], begin
    for patch in patches:
        out.append(doc.text[position : patch.start])
        out.append(patch.text)
        position = max(position, patch.end)
    words = "".join(out) + doc.text[position:stop]
    if not words.strip():
        return [Change("delete", first, last)]
    return [Change("replace", first, last, words)]
