"""For every check of the battery, packs that break the promise it is about: the stub with one thing wrong."""

from __future__ import annotations

import random
import re
from itertools import count

from stub_pack import Bang, Stub

from harness.conformance.language import check_language_pack
from harness.protocols import Change, Edit

PROCESS = "another process gives the same outputs"


def battery(pack):
    return dict(check_language_pack(pack))


def pack_with(folder, operator=Bang, **own):
    """The stub with one operator (or those of `own`) in place of its own."""
    pack = Stub(folder)
    pack.own = own or {operator.name: operator}
    return pack


def rewrite(old, new):
    def breaking(folder):
        text = (folder / "pack.toml").read_text()
        assert old in text
        (folder / "pack.toml").write_text(text.replace(old, new))
        return Stub(folder)

    return breaking


def add_file(name, content="x\n"):
    def breaking(folder):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return Stub(folder)

    return breaking


def with_pack(**members):
    return lambda folder: type("Broken", (Stub,), members)(folder)


def with_operator(base=Bang, **members):
    return lambda folder: pack_with(folder, type("Broken", (base,), members))


class Renamed(Stub):
    def __init__(self, folder):
        super().__init__(folder)
        self.code = "english"


def growing(self):
    self.calls = getattr(self, "calls", 0) + 1
    return {"calls": self.calls}


def numbered(self, made=count()):  # noqa: B008  (one counter for all operators is the point)
    return {"operator": next(made)}


def parse_stripped(self, texts):
    yield from Stub.parse(self, (text.strip() for text in texts))


def parse_short_only(self, texts):
    for doc in Stub.parse(self, texts):
        if len(doc.text) >= 10_000:
            raise MemoryError("too long")
        yield doc


def parse_with_memory(self, texts):
    before = None
    for doc in Stub.parse(self, texts):
        doc.user_data["before"] = before
        if before is not None and len(doc):
            doc[0].tag_ = f"T{len(before) % 7}"
        before = doc.text
        yield doc


def crash_on_emoji(self, doc, rng):
    if "🔥" in doc.text:
        raise IndexError("list index out of range")
    return Bang.apply(self, doc, rng)


def unfaithful(self, doc, rng):
    edit = Bang.apply(self, doc, rng)
    return edit and Edit(edit.text + "!", edit.changes)


def unchanged(self, doc, rng):
    return Edit(doc.text, ())


def overlapping(self, doc, rng):
    return Edit("x", (Change("delete", 0, 2), Change("delete", 1, 3))) if len(doc) > 3 else None


def empty_insert(self, doc, rng):
    edit = Bang.apply(self, doc, rng)
    return edit and Edit(edit.text, (Change("insert", 0, 0, ""), *edit.changes))


def joined(self, doc, rng):
    text = " ".join(doc.text.split()) + " !"
    return Edit.of(doc, [Change("replace", 0, len(doc), text)]) if len(doc) else None


def spaced(self, doc, rng):
    return Edit.of(doc, [Change("insert", 1, 1, " , ")]) if len(doc) > 2 else None


def globally_random(self, doc, rng):
    return Bang.apply(self, doc, random)


def swapped_rngs(self, docs, rngs):
    return [self.apply(doc, rngs[0]) for doc in docs]


def worded(self, doc, rng):
    return Edit.of(doc, [Change("insert", 0, 0, "Oh, ")]) if len(doc) else None


def cutting(self, doc, rng):
    words = [t for t in doc if len(t.text) > 3 and t.text.isalpha()]
    return Edit.of(doc, [Change("replace", w.i, w.i + 1, f"{w.text[:2]}-{w.text[2:]}") for w in words])


def any_variant(self, variant=None, tools=None):
    self.variant, self.tools = variant, tools


def wrong_error(self, variant=None, tools=None):
    self.variant, self.tools = None, tools
    if variant is not None:
        raise KeyError(variant)


def no_operators(self):
    raise RuntimeError("no lexicon")


def never(self, doc, rng):
    return None


BROKEN = [
    # check, what the message says, the broken pack
    ("pack.toml is complete", "no default_tasks", rewrite('["StubSTS"]', "[]")),
    ("pack.toml is complete", "expected an ISO 639", rewrite('"st"', '"ST1"')),
    ("pack.toml is complete", "name is 'other'", rewrite('"stub"', '"other"')),
    ("pack.toml is complete", "the pack says code is 'english'", Renamed),
    ("every shipped artefact has a licence", "lexicon/a.toml", add_file("lexicon/a.toml")),
    ("every shipped artefact has a licence", "parser/model", add_file("parser/model")),
    (
        "every shipped artefact has a licence",
        "licence of 'tokeniser' is empty",
        rewrite("MIT; spaCy's, not shipped", ""),
    ),
    ("every shipped artefact has a licence", "'nowhere/'", rewrite('"tokeniser"', '"nowhere/"')),
    ("samples can be read", "line 2", add_file("samples/sts/st/StubSTS/dev.tsv", "1.0\ta\tb\nx\ty\n")),
    ("samples can be read", "no sentence", add_file("samples/corpus/st/other.txt", "\n")),
    ("samples can be read", "no text file", rewrite('"st"', '"xx"')),
    ("default tasks exist", "'Nonsense'", rewrite('"StubSTS"', '"Nonsense"')),
    ("default tasks exist", "no default task", rewrite('["StubSTS"]', "[]")),
    ("the fingerprint is JSON and stable", "two fingerprints", with_pack(fingerprint=growing)),
    ("the fingerprint is JSON and stable", "path", with_pack(fingerprint=lambda self: {"where": str(self.folder)})),
    ("the fingerprint is JSON and stable", "not JSON", with_pack(fingerprint=lambda self: {"a": {1, 2}})),
    ("the fingerprint is JSON and stable", "survive JSON", with_pack(fingerprint=lambda self: {1: 2})),
    ("parse keeps every text exactly", "became", with_pack(parse=parse_stripped)),
    ("parse keeps every text exactly", "MemoryError", with_pack(parse=parse_short_only)),
    ("a parse does not depend on its batch", "another batch", with_pack(parse=parse_with_memory)),
    ("words have letters or digits", "is no word", with_pack(words=lambda self, text: text.split())),
    ("words have letters or digits", "has no words", with_pack(words=lambda self, text: [])),
    ("words have letters or digits", "IndexError", with_pack(words=lambda self, text: [re.findall(r"\w+", text)[0]])),
    ("operators can be listed", "no lexicon", with_pack(operators=no_operators)),
    ("bang: never crashes", "list index out of range", with_operator(apply=crash_on_emoji)),
    ("bang: never crashes", "cannot be made", with_operator(__init__=lambda self, variant, tools: 1 / 0)),
    ("bang: an edit is its changes", "the changes give", with_operator(apply=unfaithful)),
    ("bang: an edit is its changes", "as it was", with_operator(apply=unchanged)),
    ("bang: an edit is its changes", "overlaps", with_operator(apply=overlapping)),
    ("bang: an edit is its changes", "inserts nothing", with_operator(apply=empty_insert)),
    ("bang: an edit is its changes", "expected an Edit", with_operator(apply=lambda self, doc, rng: doc.text + "!")),
    ("bang: an edit is its changes", "changes none", with_operator(apply=never)),
    ("bang: blanks of untouched parts stay", "became", with_operator(apply=joined)),
    ("bang: blanks of untouched parts stay", "nobody needs", with_operator(apply=spaced)),
    ("bang: equal seeds give equal outputs", "keep no state", with_operator(apply=globally_random)),
    ("bang: batch, order and other operators do not matter", "in a batch", with_operator(apply_batch=swapped_rngs)),
    ("bang: batch, order and other operators do not matter", "0 edits", with_operator(apply_batch=lambda s, d, r: [])),
    ("bang: changes only punctuation", "more than punctuation", with_operator(apply=worded)),
    ("bang: changes only punctuation", "more than punctuation", with_operator(apply=cutting)),
    ("bang: the fingerprint is JSON and its own", "same fingerprint", with_operator(fingerprint=lambda self: {})),
    ("bang: the fingerprint is JSON and its own", "two fingerprints", with_operator(fingerprint=numbered)),
    ("bang: the fingerprint is JSON and its own", "not JSON", with_operator(fingerprint=lambda s: {"a": s.folder})),
    ("bang: the fingerprint is JSON and its own", "calls itself 'x'", with_operator(spec="x")),
    ("bang: unknown variants are refused", "is taken", with_operator(__init__=any_variant, variants=())),
    ("bang: unknown variants are refused", "raises KeyError", with_operator(__init__=wrong_error, variants=())),
    ("drop: examples hold for ten seeds", "no example of drop", add_file("examples/drop.jsonl", "")),
]
