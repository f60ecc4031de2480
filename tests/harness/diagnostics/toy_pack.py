"""A pack of three rules and no parser, for the tests of diagnostics."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from harness.languages import SpacyPack
from harness.protocols import Change, Edit, Operator

TOML = """
name = "toy"
code = "en"
default_encoder = "mini"
default_tasks = []
parser = "none"
{}
[licences]
"""
WORDS = """negation_words = ["not", "-n't", "never"]
not_negation = ["not only"]"""


class Negate(Operator):
    """`not` behind the first word of two and more."""

    name = "negation"
    needs_parse: ClassVar[bool] = False

    def apply(self, doc, rng):
        return Edit.of(doc, [Change("insert", 1, 1, " not")]) if len(doc) > 1 else None


class Exclaim(Operator):
    """A mark behind a text of three words and more."""

    name = "pi"
    needs_parse: ClassVar[bool] = False

    def apply(self, doc, rng):
        return Edit.of(doc, [Change("insert", len(doc), len(doc), "!")]) if len(doc) > 2 else None


class Must(Operator):
    """A modal in front of a text of four words and more."""

    name = "mv"
    needs_parse: ClassVar[bool] = False

    def apply(self, doc, rng):
        return Edit.of(doc, [Change("insert", 0, 0, "must ")]) if len(doc) > 3 else None


class Toy(SpacyPack):
    own: ClassVar[dict] = {"negation": Negate, "pi": Exclaim, "mv": Must}

    def operators(self):
        return self.own


def toy(folder: Path, words: str = WORDS) -> Toy:
    """Write the pack's settings into `folder` and return the pack."""
    (folder / "pack.toml").write_text(TOML.format(words), encoding="utf-8")
    return Toy(folder)
