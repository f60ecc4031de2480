"""A good pack passes the battery, and for every check there is a broken pack that fails it."""

from __future__ import annotations

import os
import random
import sys
from itertools import count
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import stub_pack
from stub_pack import SENTENCES, Bang, Drop, Stub, example, jsonl

from harness.conformance import operators as operator_battery
from harness.conformance.language import check_language_pack
from harness.conformance.subject import Subject
from harness.errors import Skipped
from harness.protocols import Change, Edit, TokenOperator, registry
from harness.seeds import python_rng

PROCESS = "another process gives the same outputs"


@pytest.fixture
def folder(tmp_path):
    return stub_pack.write_pack(tmp_path)


def battery(pack):
    return dict(check_language_pack(pack))


def pack_with(folder, operator=Bang, **own):
    """The stub with one operator (or those of `own`) in place of its own."""
    pack = Stub(folder)
    pack.own = own or {operator.name: operator}
    return pack


def test_a_good_pack_passes(folder):
    names = []
    for name, check in check_language_pack(Stub(folder)):
        try:
            check()
        except Skipped:
            assert name == PROCESS
        names.append(name)
    assert len(names) == len(set(names))
    assert "bang@loud: changes only punctuation" in names
    assert "drop: changes only punctuation" not in names


# -- one broken pack per check ----------------------------------------------------------------------------------------
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
    ("words have letters or digits", "IndexError", with_pack(words=lambda self, text: [text.split()[0]])),
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


@pytest.mark.parametrize(("name", "words", "breaking"), BROKEN, ids=lambda x: x if isinstance(x, str) else "")
def test_a_broken_promise_is_noticed(folder, monkeypatch, name, words, breaking):
    monkeypatch.setattr("harness.conformance.subject._RANDOM", 20)  # enough for faults that show everywhere
    pack = breaking(folder)
    checks = battery(pack)
    if words == "no example of drop":
        (folder / "examples/drop.jsonl").unlink()
    with pytest.raises((AssertionError, TypeError, AttributeError)) as caught:
        checks[name]()
    if words != "not JSON":
        assert caught.type is AssertionError
        assert words in str(caught.value)


def test_every_check_has_a_broken_pack(folder):
    covered = {name for name, _, _ in BROKEN} | {PROCESS}
    general = {name for name in battery(Stub(folder)) if not name.startswith(("bang@loud", "drop"))}
    assert general - covered == {"bang: examples hold for ten seeds"}  # broken below, in many ways
    assert covered - general == {"operators can be listed", "drop: examples hold for ten seeds"}


# -- several operators ------------------------------------------------------------------------------------------------
def test_an_operator_that_leaves_marks_on_the_document_is_noticed(folder):
    class Marking(Drop):
        def apply(self, doc, rng):
            doc.user_data["seen"] = True
            return super().apply(doc, rng)

    class Reading(Bang):
        def apply(self, doc, rng):
            return None if doc.user_data.get("seen") else super().apply(doc, rng)

    check = battery(pack_with(folder, bang=Reading, drop=Marking))
    with pytest.raises(AssertionError, match="behind all operators"):
        check["bang: batch, order and other operators do not matter"]()


def test_an_operator_with_memory_is_noticed(folder):
    class Counting(Bang):
        calls = 0

        def apply(self, doc, rng):
            Counting.calls += 1
            return super().apply(doc, rng) if Counting.calls % 3 else None

    with pytest.raises(AssertionError, match="keep no state"):
        battery(pack_with(folder, Counting))["bang: equal seeds give equal outputs"]()


def test_the_global_generator_is_left_as_it_was(folder):
    random.seed(5)
    state = random.getstate()
    battery(Stub(folder))["bang: equal seeds give equal outputs"]()
    assert random.getstate() == state


def test_what_cannot_run_here_is_skipped_with_its_reason(folder):
    class NeedsModel(Bang):
        def __init__(self, variant=None, tools=None):
            raise Skipped("it needs a model")

    checks = battery(pack_with(folder, NeedsModel))
    for name in ("bang: never crashes", "bang: unknown variants are refused"):
        with pytest.raises(Skipped, match="needs a model"):
            checks[name]()


def test_operators_on_word_pieces_keep_only_the_promises_about_names(folder):
    def pieces(variant, tools):
        if variant is not None:
            raise ValueError("no variants")
        return TokenOperator("pieces", lambda ids, rng: None)

    checks = battery(pack_with(folder, pieces=pieces))
    with pytest.raises(Skipped, match="word pieces"):
        checks["pieces: never crashes"]()
    checks["pieces: the fingerprint is JSON and its own"]()
    checks["pieces: unknown variants are refused"]()


def test_texts_that_cannot_be_parsed_are_one_failure_not_many(folder):
    pack = with_pack(parse=parse_short_only)(folder)
    with pytest.raises(Skipped, match="see the check 'parse keeps every text exactly'"):
        battery(pack)["bang: never crashes"]()


# -- examples ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([example("bang", "Go on.", ["Go, on!"])], r"bang\.jsonl:1: .*'Go on,!'; expected 'Go, on!'"),
        ([example("bang", "Go.", [None])], r"'Go,!'; expected left alone \(any\)"),
        ([example("bang", "...", ["!"])], "left alone; expected '!'"),
        ([example("bang", "...", [None, "!"])], "only 0% of the examples"),
        ([example("bang@soft", "Go.", [None])], "'soft' is no variant"),
        ([example("drop", "Go.", [None])], r"bang\.jsonl, line 1: an example of 'drop'"),
    ],
)
def test_examples_that_do_not_hold_are_noticed(folder, rows, words):
    (folder / "examples/bang.jsonl").write_text(jsonl(*rows))
    with pytest.raises(AssertionError, match=words):
        battery(Stub(folder))["bang: examples hold for ten seeds"]()


def test_one_bad_seed_of_ten_is_enough_to_fail(folder):
    draws = [python_rng(seed, "bang", "Rare.").random() for seed in range(10)]
    assert draws.index(min(draws)) != 0

    class Rarely(Bang):
        def apply(self, doc, rng):
            return Edit.of(doc, [Change("insert", 0, 0, "x" if rng.random() <= min(draws) else "y")])

    (folder / "examples/bang.jsonl").write_text(jsonl(example("bang", "Rare.", ["yRare."])))
    with pytest.raises(AssertionError, match=f"under seed {draws.index(min(draws))}: 'xRare.'"):
        battery(pack_with(folder, Rarely))["bang: examples hold for ten seeds"]()


# -- another process --------------------------------------------------------------------------------------------------
MODULE = """
import os
from pathlib import Path
from stub_pack import Bang, Stub
from harness.protocols import Change, Edit

class FromASet(Bang):
    def apply(self, doc, rng):
        word = rng.choice(list({"ah", "oh", "hm", "er", "um", "well", "so", "now"}))
        return Edit.of(doc, [Change("insert", 0, 0, word)])

class Careless(Stub):
    own = {"bang": FromASet}

class Careful(Stub):
    pass

def careless():
    return Careless(Path(os.environ["STUB_PACK_FOLDER"]))

def careful():
    return Careful(Path(os.environ["STUB_PACK_FOLDER"]))
"""


@pytest.fixture
def installed(tmp_path, folder, monkeypatch):
    """Install the stub under its name, from a module written for it; returns a function that opens it."""

    def install(factory):
        site = tmp_path / factory
        (site / "stub-1.0.dist-info").mkdir(parents=True)
        (site / "stub-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: stub\nVersion: 1.0\n")
        (site / "stub-1.0.dist-info/entry_points.txt").write_text(
            f"[augbench.languages]\nstub = stub_module_{factory}:{factory}\n"
        )
        (site / f"stub_module_{factory}.py").write_text(MODULE)
        monkeypatch.setenv(stub_pack.FOLDER, str(folder))
        monkeypatch.syspath_prepend(str(site))
        registry._entries.cache_clear()
        return registry.load("languages", "stub")()

    yield install
    monkeypatch.undo()
    registry._entries.cache_clear()


def test_drawing_from_a_set_is_noticed(installed):
    with pytest.raises(AssertionError, match="never draw from a set"):
        battery(installed("careless"))[PROCESS]()


def test_an_installed_pack_is_opened_by_another_process(installed, monkeypatch):
    calls = []
    run = operator_battery.subprocess.run
    monkeypatch.setattr(operator_battery.subprocess, "run", lambda *a, **k: calls.append(k) or run(*a, **k))
    battery(installed("careful"))[PROCESS]()
    assert [call["env"]["PYTHONHASHSEED"] for call in calls] == ["1", "2"]
    assert os.environ.get("PYTHONHASHSEED") != "2"


def test_a_failing_process_is_a_failed_check(installed, monkeypatch):
    pack = installed("careful")
    monkeypatch.setattr(operator_battery, "_CHILD", "raise SystemExit('out of luck')")
    with pytest.raises(AssertionError, match="out of luck"):
        battery(pack)[PROCESS]()


# -- what the battery looks at ----------------------------------------------------------------------------------------
def test_the_texts_are_hard(folder):
    texts = Subject(Stub(folder)).texts
    every = "".join(texts.values())
    assert "" in texts.values()
    assert {len(text) for text in texts.values()} >= {0, 1, 10_000}
    assert any(text.isspace() for text in texts.values())
    for character in ("\x00", "\u200b", "\u202b", "🔥", "東", "ש", "م", "\u0301", "\U0010ffff", "\u2028"):
        assert character in every
    assert any("https://" in text for text in texts.values())
    assert SENTENCES[0].upper() in texts.values()
    assert SENTENCES[0].lower() in texts.values()
    assert len({ord(c) for c in every}) > 2_000
    every.encode()  # no half surrogate pairs: those are not text
    assert texts == Subject(Stub(folder)).texts


def test_ordinary_sentences_can_be_given(folder):
    pack = Stub(folder)
    given = dict(check_language_pack(pack, sentences=["Only this one."]))
    given["bang: an edit is its changes"]()
    assert list(Subject(pack, ["Only this one."]).plain.values()) == ["Only this one."]
