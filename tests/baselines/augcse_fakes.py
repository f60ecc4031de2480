"""Operators whose outputs can be told from token counts, and a run of a method."""

from __future__ import annotations

from harness.corpus import Corpus
from harness.protocols import Change, Edit, Operator, Step
from harness.stages import Settings, execute

STEP = Step(3, 10, 0, 7)
TEXTS = ["the dog runs", "a bird flies", "they sell bread", "we write a letter", "the bus leaves", "a cat sleeps"]


class Comma(Operator):
    name = "comma"

    def apply(self, doc, rng):
        return Edit.of(doc, [Change("insert", 1, 1, ",")])


class Dots(Operator):
    """Leaves sentences with a `cat` alone."""

    name = "dots"

    def apply(self, doc, rng):
        return None if "cat" in doc.text else Edit.of(doc, [Change("insert", len(doc), len(doc), " . .")])


class Empty(Operator):
    name = "empty"

    def apply(self, doc, rng):
        return Edit("", (Change("delete", 0, len(doc)),))


class Capitals(Operator):
    """Changes nothing that an uncased encoder sees."""

    name = "capitals"

    def apply(self, doc, rng):
        return Edit.of(doc, [Change("replace", 0, 1, doc[0].text.upper())])


class Never(Operator):
    name = "never"

    def apply(self, doc, rng):
        return None


OPERATORS = {kind.name: kind for kind in (Comma, Dots, Empty, Capitals, Never)} | {"negation": Dots, "pi": Comma}


def run(method, pack, encoder, texts, folder):
    return execute(
        method,
        corpus=Corpus("test", list(texts)),
        pack=pack,
        encoder=str(encoder),
        seed=0,
        settings=Settings(device="cpu", precision="fp32"),
        workdir=folder,
    )
