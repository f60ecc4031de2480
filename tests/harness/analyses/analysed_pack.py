"""A pack of three rules on whole texts, and samples in a folder: analyses are tested without a parser."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import spacy

from harness.errors import Skipped
from harness.protocols import Change, Doc, Edit, LanguagePack, Operator, OperatorTools

_NLP = spacy.blank("en")


class Shout(Operator):
    """Changes what ends in a word, and says which texts it saw."""

    name = "shout"
    seen: ClassVar[list[str]] = []

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        Shout.seen.append(doc.text)
        return Edit.of(doc, [Change("insert", len(doc), len(doc), "!")]) if doc[-1].is_alpha else None


class Coin(Operator):
    """Changes half of the texts, which half depends on the seed."""

    name = "coin"

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        return Edit(f"{doc.text} {doc.text}", ()) if rng.random() < 0.5 else None


class Echo(Operator):
    """Gives an edit that is no change."""

    name = "echo"

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        return Edit(doc.text, ())


def _lacking(variant: str | None, tools: OperatorTools) -> Operator:
    raise Skipped("lacking needs what is not here")


class Stub(LanguagePack):
    """English words, named by what stands at the end of a text."""

    name, code = "stub", "st"
    default_encoder, default_tasks, licences = "mini", (), {}

    def __init__(self, folder: Path) -> None:
        self.folder, self.samples = folder, folder / "samples"

    def parse(self, texts: Iterable[str]) -> Iterator[Doc]:
        yield from map(_NLP.make_doc, texts)

    def operators(self) -> dict[str, Any]:
        return {"shout": Shout, "coin": Coin, "echo": Echo, "lacking": _lacking}

    def fingerprint(self) -> dict[str, Any]:
        return {"pack": "stub", "version": 1}


class Naming(Stub):
    """The same pack, which names constructions."""

    name = "naming"

    def construction(self, doc: Doc) -> str | None:
        return {"?": "question", "…": None}.get(doc[-1].text, "statement")


def write_corpus(path: Path, lines: Iterable[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
