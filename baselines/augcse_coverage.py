"""Does every augmentation change at least one sentence? Asked before training, as a run that cannot be meant is long."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from harness.cache import cache_dir
from harness.errors import DataError
from harness.prepare import operators_of
from harness.protocols import LanguagePack, Method, Operator
from harness.views import stream_views

log = logging.getLogger(__name__)

_CHUNK = 512
# nearly every operator applies somewhere among so many sentences; only the others look at the rest
_FIRST = 2_048


def open_and_check(method: Method, context: Any, *, strict: bool) -> list[str]:
    """Return the augmentations of a method that apply to no sentence of the run's corpus; each costs a warning.

    Raises DataError if there are any and `strict`, or if it is all of them, and what opening an operator raises (Skipped).
    """
    operators = list(operators_of(method, context.pack, context.encoder).values())
    never = idle(context.sentences, operators, pack=context.pack, seed=context.seed)
    if not never:
        return []
    count = f"any of the {len(context.sentences):,} sentences"
    if strict or len(never) == len(operators):
        raise DataError(
            f"{' and '.join(never)} does not change {count}; take other augmentations, or give text that they apply to with "
            "--corpus FILE."
        )
    log.warning("%s does not change %s; its class never occurs", " and ".join(never), count)
    return never


def idle(texts: Sequence[str], operators: Sequence[Any], *, pack: LanguagePack, seed: int) -> list[str]:
    """Return the specs of the operators on text that change none of `texts`; it stops as soon as every one has changed one.

    Operators on word pieces are not asked: what they do depends on the encoder.
    """
    waiting = {operator.spec: operator for operator in operators if isinstance(operator, Operator)}
    for part in (texts[:_FIRST], texts[_FIRST:]):
        if not waiting:
            break
        chunks = _chunks(part)
        views = stream_views(chunks, list(waiting.values()), pack=pack, seed=seed, parses=cache_dir() / "parses")
        with closing(views):
            for _, columns in views:
                for spec, column in columns.items():
                    if any(text is not None for text in column.texts):
                        waiting.pop(spec, None)
                if not waiting:
                    break
    return list(waiting)


def _chunks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    return (texts[start : start + _CHUNK] for start in range(0, len(texts), _CHUNK))
