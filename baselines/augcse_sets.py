"""Which augmentations does AugCSE draw from? Its sets by name, read from `augcse_sets.toml`, and who keeps the meaning."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from harness.protocols.registry import suggest

_FILE = Path(__file__).with_suffix(".toml")


class Augmentation(BaseModel):
    """What the paper says of one augmentation. `generator`: it needs a sequence-to-sequence model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    keeps_meaning: bool
    paper: str = ""
    generator: bool = False


class AugmentationSet(BaseModel):
    """Members in the paper's order, the paper's name (none: ours) and where the membership comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    members: tuple[str, ...] = Field(min_length=1)
    note: str
    paper: str = ""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    augmentations: Mapping[str, Augmentation]
    sets: Mapping[str, AugmentationSet]


@cache
def _table() -> _Table:
    return _Table.model_validate(tomllib.loads(_FILE.read_text(encoding="utf-8")))


def augmentation_sets() -> Mapping[str, AugmentationSet]:
    """Return every set by name."""
    return _table().sets


def augmentations() -> Mapping[str, Augmentation]:
    """Return what is known of augmentations, by the name of their operator."""
    return _table().augmentations


def members_of(wanted: str | Sequence[str]) -> tuple[str, ...]:
    """Return the operators a set's name, or a list of operators, stands for.

    Raises ValueError on an unknown set, with close ones, and on an operator that is named twice.
    """
    if isinstance(wanted, str):
        found = augmentation_sets().get(wanted)
        if found is None:
            raise ValueError(
                f"{wanted!r} is no set of augmentations. {suggest(wanted, augmentation_sets())} Operators of your own choice are "
                'given as a list, e.g. ["contraction", "crop@10"]'
            )
        return found.members
    repeated = sorted({spec for spec in wanted if list(wanted).count(spec) > 1})
    if repeated:
        raise ValueError(f"{repeated[0]!r} is named twice among the augmentations; name each once")
    return tuple(wanted)


def keeps_meaning(spec: str) -> bool:
    """Tell whether an augmentation (`name` or `name@variant`) keeps the meaning. Raises ValueError where nothing says so."""
    found = augmentations().get(spec.partition("@")[0])
    if found is None:
        raise ValueError(
            f"the discriminator 'positive' asks whether {spec!r} keeps the meaning, which nothing says; take discriminator=type or "
            f"augmentations out of {', '.join(augmentations())}"
        )
    return found.keeps_meaning
