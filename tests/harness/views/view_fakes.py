"""A language pack and operators that other processes can open by name, without spaCy: quick to start."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.errors import DataError
from harness.protocols import Change, Edit, LanguagePack, Operator, registry

PARSED: list[str] = []
LOADED: list[str] = []


@dataclass(frozen=True)
class Word:
    text: str
    whitespace_: str
    i: int
    tag_: str | None = None


@dataclass(frozen=True)
class Words:
    """Blank-separated words; parsed, each has the number of its letters for a tag."""

    words: tuple[Word, ...]

    @classmethod
    def of(cls, text, *, parsed):
        pieces = text.split(" ")
        return cls(
            tuple(
                Word(piece, " " if i < len(pieces) - 1 else "", i, str(len(piece)) if parsed else None)
                for i, piece in enumerate(pieces)
            )
        )

    @property
    def text(self):
        return "".join(word.text + word.whitespace_ for word in self.words)

    def __len__(self):
        return len(self.words)

    def __iter__(self):
        return iter(self.words)

    def __getitem__(self, index):
        return self.words[index]


class Toy(LanguagePack):
    """Answers to `toy` while the fixture `toy` is used."""

    name = "toy"
    code = "ty"
    folder = Path(__file__).parent
    default_encoder = "mini"
    default_tasks = ()
    samples = folder
    licences: dict[str, str] = {}  # noqa: RUF012
    version = 1
    storable = True

    def parse(self, texts):
        for text in texts:
            PARSED.append(text)
            yield Words.of(text, parsed=True)

    def tokenise_all(self, texts):
        return (Words.of(text, parsed=False) for text in texts)

    def store_docs(self, docs):
        return json.dumps([doc.text for doc in docs]).encode() if self.storable else None

    def load_docs(self, data, places):
        texts = json.loads(data)
        LOADED.extend(texts[place] for place in places)
        return [Words.of(texts[place], parsed=True) for place in places]

    def operators(self):
        return {found.name: found for found in (Tag, Pick, Die, Boom, Odd, Refuse, Print, Sleep, Model, Pid)}

    def fingerprint(self):
        return {"pack": self.name, "version": self.version}


class Tag(Operator):
    """Writes the tag of the first word behind it: needs the parse."""

    name = "tag"

    def apply(self, doc, rng):
        return Edit.of(doc, [Change("insert", 1, 1, f" {doc[0].tag_}")])


class Pick(Operator):
    """Deletes a random word; refuses texts of one word; reads tokens only."""

    name = "pick"
    needs_parse = False

    def apply(self, doc, rng):
        place = rng.randrange(len(doc))
        return None if len(doc) < 2 else Edit.of(doc, [Change("delete", place, place + 1)])


class Pid(Operator):
    """Names the process it works in."""

    name = "pid"
    needs_parse = False

    def apply(self, doc, rng):
        return Edit.of(doc, [Change("insert", 0, 0, f"{os.getpid()} {os.environ.get('OMP_NUM_THREADS')} ")])


class Die(Pick):
    name = "die"

    def apply(self, doc, rng):
        if doc.text == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().apply(doc, rng)


class Boom(Pick):
    name = "boom"

    def apply(self, doc, rng):
        return super().apply(doc, rng) if doc.text != "boom" else {}["no such key"]


class Odd(Pick):
    """Its exception cannot be pickled."""

    name = "odd"

    def apply(self, doc, rng):
        class LocalError(Exception):
            pass

        raise LocalError("cannot travel")


class Refuse(Pick):
    name = "refuse"

    def apply(self, doc, rng):
        raise DataError("no lexicon; get one")


class Print(Pick):
    name = "print"

    def apply(self, doc, rng):
        print("a library talks")  # noqa: T201
        os.write(1, b"and so does its C code\n")
        return super().apply(doc, rng)


class Sleep(Pick):
    """Says where it is and sleeps for a long time."""

    name = "sleep"

    def apply(self, doc, rng):
        folder = Path(doc.text)
        (folder / str(os.getpid())).touch()
        try:
            time.sleep(600)
        finally:
            (folder / f"{os.getpid()}.left").touch()


class Model(Pid):
    name = "model"

    def apply_batch(self, docs, rngs):
        return super().apply_batch(docs, rngs)


def load():
    return Toy()


@pytest.fixture
def toy(tmp_path_factory, monkeypatch):
    """The pack, registered for this process and for those it starts."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "toy_pack-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-pack\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[augbench.languages]\ntoy = view_fakes:load\n")
    monkeypatch.syspath_prepend(str(folder))
    registry._entries.cache_clear()
    PARSED.clear()
    LOADED.clear()
    yield Toy()
    registry._entries.cache_clear()
