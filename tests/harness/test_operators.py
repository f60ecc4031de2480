"""Resolving `name@variant` for a pack."""

from __future__ import annotations

import pytest

from harness.errors import Skipped, UsageError
from harness.languages import open_pack
from harness.operators import available, resolve, split_spec
from harness.protocols import Operator, OperatorTools

PACK = open_pack("english")


class Mine(Operator):
    name = "crop"

    def apply(self, doc, rng):
        return None


class Bad(Operator):
    name = "bad"

    def __init__(self, variant=None, tools=None):
        raise Skipped("no lexicon here")

    def apply(self, doc, rng):
        return None


@pytest.fixture
def pack(monkeypatch):
    pack = open_pack("english")
    monkeypatch.setattr(pack, "operators", lambda: {"crop": Mine, "bad": Bad}, raising=False)
    return pack


@pytest.mark.parametrize(
    ("spec", "parts"), [("crop", ("crop", None)), (" crop@10 ", ("crop", "10")), ("a@b@c", ("a", "b@c"))]
)
def test_specs_are_name_and_variant(spec, parts):
    assert split_spec(spec) == parts


@pytest.mark.parametrize("spec", ["", " ", "@10", "crop@"])
def test_incomplete_specs_are_refused(spec):
    with pytest.raises(UsageError, match="names no operator"):
        split_spec(spec)


def test_registered_operators_come_in_order_with_their_variants():
    operators = resolve(["swap@50", "crop", "swap@50"], PACK)
    assert [op.spec for op in operators] == ["swap@50", "crop", "swap@50"]
    assert all(op.tools.pack is PACK for op in operators)


def test_a_packs_own_operator_comes_first(pack):
    (operator,) = resolve(["crop@1"], pack)
    assert isinstance(operator, Mine)
    assert available(pack)["crop"] == "english"
    assert available()["crop"].startswith("baselines.")


def test_tools_are_handed_on():
    other = open_pack("english")
    (operator,) = resolve(["crop"], PACK, OperatorTools(pack=other, encoder="e"))
    assert operator.tools.pack is other
    assert operator.tools.encoder == "e"


def test_unknown_names_get_suggestions_from_pack_and_registry(pack):
    with pytest.raises(UsageError, match=r"english has no operator 'delet'\. Did you mean 'delete'"):
        resolve(["delet"], pack)
    with pytest.raises(UsageError, match="Did you mean 'bad'"):
        resolve(["bat"], pack)


def test_bad_variants_name_the_valid_form():
    with pytest.raises(UsageError, match=r"operator 'crop@lots': 'lots' is no rate; write crop@PERCENT"):
        resolve(["crop@lots"], PACK)


def test_what_an_operator_lacks_is_passed_on(pack):
    with pytest.raises(Skipped, match="no lexicon here"):
        resolve(["bad"], pack)
