"""AugCSE's sets: as large as their names say, nested, and every member an operator of English."""

from __future__ import annotations

import re

import pytest

from baselines.augcse_sets import augmentation_sets, augmentations, keeps_meaning, members_of
from harness.languages import open_pack
from harness.operators import available
from harness.protocols import registry

SETS = augmentation_sets()


@pytest.mark.parametrize("name", SETS)
def test_a_set_has_as_many_members_as_its_name_says(name):
    found = re.fullmatch(r"aug(\d+)(?:-(\d+))?", name)
    assert found
    members = members_of(name)
    assert len(members) == int(found[1]) - int(found[2] or 0)
    assert len(set(members)) == len(members)
    assert SETS[name].note
    for member in members:
        assert augmentations()[member].paper


def test_smaller_sets_lie_in_larger_ones():
    four, eight, twelve = (set(members_of(name)) for name in ("aug4", "aug8", "aug12"))
    assert four < eight < twelve


@pytest.mark.parametrize(("rules", "whole"), [("aug8-2", "aug8"), ("aug12-2", "aug12"), ("aug4-1", "aug4")])
def test_what_is_taken_away_are_the_generators(rules, whole):
    known = augmentations()
    kept = tuple(member for member in members_of(whole) if not known[member].generator)
    assert members_of(rules) == kept
    assert not any(known[member].generator for member in members_of(rules))


def test_the_sets_say_what_is_inferred_and_sixteen_is_not_made_up():
    assert all("inferred" in SETS[name].note for name in ("aug8", "aug8-2"))
    assert not any(name.startswith("aug16") for name in SETS)
    assert not SETS["aug4-1"].paper


def test_operators_with_a_variant_have_the_class_of_their_name():
    assert keeps_meaning("pi@paper")
    assert not keeps_meaning("negation")
    with pytest.raises(ValueError, match="asks whether 'mine@3' keeps the meaning"):
        keeps_meaning("mine@3")


@pytest.mark.parametrize("name", SETS)
def test_every_member_is_an_operator_of_english(name):
    there = available(open_pack("english"))
    assert [member for member in members_of(name) if member not in there] == []


def test_what_operators_say_of_the_meaning_is_what_the_table_says():
    """AugCSE's augmentations carry their class themselves: `kept`, `near` or `changed`."""
    own = open_pack("english").operators()
    found = {name: own.get(name) or registry.load("operators", name) for name in augmentations()}
    classes = {name: meaning for name, one in found.items() if (meaning := getattr(one, "meaning", None)) is not None}
    assert classes
    assert {name: keeps_meaning(name) for name in classes} == {name: m != "changed" for name, m in classes.items()}
