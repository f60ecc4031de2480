"""Operators that get in each other's way, keep state, or cannot run here."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import stub_pack
from broken_packs import battery, pack_with, parse_short_only, with_pack
from stub_pack import Bang, Drop, Stub

from harness.errors import Skipped
from harness.protocols import TokenOperator


@pytest.fixture
def folder(tmp_path):
    return stub_pack.write_pack(tmp_path)


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
