"""Examples have to hold under every seed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import stub_pack
from broken_packs import battery, pack_with
from stub_pack import Bang, Stub, example, jsonl

from harness.errors import Skipped
from harness.protocols import Change, Edit
from harness.seeds import python_rng


@pytest.fixture
def folder(tmp_path):
    return stub_pack.write_pack(tmp_path)


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


def test_examples_of_an_operator_that_lacks_something_are_skipped_with_its_reason(folder):
    class NeedsWords(Bang):
        def __init__(self, variant=None, tools=None):
            raise Skipped("it needs words")

    (folder / "examples/bang.jsonl").unlink()
    with pytest.raises(Skipped, match="needs words"):
        battery(pack_with(folder, NeedsWords))["bang: examples hold for ten seeds"]()
