"""A pack's table of classes becomes factories that judge variants."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from harness.factories import operator_factories

CLASSES = {"one": {None: "rules:Own", "paper": "rules:Paper"}, "two": {None: "rules:Own"}}


class Made:
    """Remembers what it was made with."""

    def __init__(self, variant, tools):
        self.given = variant, tools


@pytest.fixture
def package(monkeypatch):
    rules = ModuleType("somepack.rules")
    rules.Own, rules.Paper = type("Own", (Made,), {}), type("Paper", (Made,), {})
    monkeypatch.setitem(sys.modules, "somepack", ModuleType("somepack"))
    monkeypatch.setitem(sys.modules, "somepack.rules", rules)
    return rules


def test_variants_choose_the_class(package):
    found = operator_factories("somepack", CLASSES)
    assert list(found) == ["one", "two"]
    assert type(found["one"](None, None)) is package.Own
    assert type(found["one"]("paper", None)) is package.Paper
    # alone under its name: it judges its variants itself
    assert found["two"]("20", "tools").given == ("20", "tools")


def test_unknown_variants_are_told_the_known_ones():
    # the module does not even exist: a wrong name is found before anything is loaded
    with pytest.raises(ValueError, match="'papr' is no variant of one; write one or one@paper"):
        operator_factories("no_such_pack", CLASSES)["one"]("papr", None)
