"""A small language pack that keeps every promise, written into any folder; tests break one promise at a time.

It lives in a module of its own so that another process can open it too.
"""

from __future__ import annotations

import json
import os
import random
from functools import cache
from pathlib import Path
from typing import ClassVar

from harness.languages import SpacyPack
from harness.protocols import Change, Edit, Operator
from harness.words import word_positions

FOLDER = "STUB_PACK_FOLDER"
TOML = """name = "stub"
code = "st"
default_encoder = "mini"
default_tasks = ["StubSTS"]
[licences]
"samples/" = "Apache-2.0; written here"
"examples/" = "Apache-2.0; written here"
"tokeniser" = "MIT; spaCy's, not shipped"
"""
SENTENCES = [
    "A small boat left the harbour early.",
    "Nobody saw it go, for the fog was thick.",
    "The lamp in the tower still burned!",
    "Later, two men asked where it had gone.",
    "They were told to wait.",
]


class Bang(Operator):
    """Ends the sentence in `!` (or, `@loud`, in `!!`); a random comma behind a word comes with it."""

    name = "bang"
    variants = ("loud",)
    changes_only = "punctuation"

    def __init__(self, variant=None, tools=None):
        if variant not in (None, "loud"):
            raise ValueError(f"{variant!r} is no variant; write bang or bang@loud")
        super().__init__(variant, tools)

    def apply(self, doc, rng: random.Random):
        # a comma inside a run without blanks, which the parser may have cut, would part a word
        words = [i for i in word_positions(doc) if doc[i].whitespace_ or i + 1 == len(doc) or doc[i + 1].text == "."]
        if not words:
            return None
        place = rng.choice(words)
        marks = "!!" if self.variant else "!"
        changes = [Change("insert", place + 1, place + 1, ",")]
        if doc[len(doc) - 1].text == ".":
            changes.append(Change("replace", len(doc) - 1, len(doc), marks))
        return Edit.of(doc, changes)


class Drop(Operator):
    """Deletes one word of two and more."""

    name = "drop"

    def __init__(self, variant=None, tools=None):
        if variant is not None:
            raise ValueError("drop has no variants")
        super().__init__(variant, tools)

    def apply(self, doc, rng: random.Random):
        words = word_positions(doc)
        if len(words) < 2:
            return None
        word = rng.choice(words)
        return Edit.of(doc, [Change("delete", word, word + 1)])


@cache
def pipeline():
    import spacy

    return spacy.blank("xx")


class Stub(SpacyPack):
    parser = "spacy.blank(xx)"
    own: ClassVar[dict] = {"bang": Bang, "drop": Drop}

    def load_pipeline(self):
        return pipeline()

    def operators(self):
        return self.own


def load() -> Stub:
    return Stub(Path(os.environ[FOLDER]))


def jsonl(*rows) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def example(operator, text, accept, construction="any"):
    return {"operator": operator, "text": text, "accept": accept, "construction": construction}


def write_pack(folder: Path) -> Path:
    """Write the pack into `folder/stub` and return that."""
    folder = folder / "stub"
    (folder / "samples/corpus/st").mkdir(parents=True)
    (folder / "samples/sts/st/StubSTS").mkdir(parents=True)
    (folder / "examples").mkdir()
    (folder / "pack.toml").write_text(TOML)
    (folder / "README.md").write_text("# Stub\n")
    (folder / "samples/corpus/st/all.txt").write_text("".join(f"{s}\n" for s in SENTENCES))
    pairs = [f"{score:.1f}\t{SENTENCES[score]}\t{SENTENCES[score - 1]}\n" for score in range(5)]
    for split in ("dev", "test"):
        (folder / f"samples/sts/st/StubSTS/{split}.tsv").write_text("".join(pairs))
    bang = [example("bang", "Go on.", ["Go, on!", "Go on,!"]), example("bang@loud", "Go.", ["Go,!!"])]
    (folder / "examples/bang.jsonl").write_text(jsonl(*bang))
    (folder / "examples/drop.jsonl").write_text(
        jsonl(example("drop", "Go on.", ["Go.", "on."]), example("drop", "Go.", [None]))
    )
    return folder
