"""The English operators do what their examples say; all examples are parsed once, in one batch."""

from __future__ import annotations

from functools import cache

import pytest

from harness.errors import Skipped
from harness.examples import Example, change_rate, outputs, pack_examples, violations
from harness.operators import resolve
from languages.english import load

PACK = load()
EXAMPLES = pack_examples(PACK)
OWN = sorted(PACK.operators())
#: SDA's operators are what the pack is for; every other one shows at least this much
SDA = ("pi", "mv", "dn", "negation", "synonym")
ENOUGH = {name: 60 if name in SDA else 15 for name in OWN}


@cache
def lacking() -> frozenset[str]:
    """The operators that cannot be made on this machine (no WordNet)."""
    missing = set()
    for name in OWN:
        try:
            resolve([name], PACK)
        except Skipped:
            missing.add(name)
    return frozenset(missing)


@cache
def found() -> dict[Example, dict[int, str | None]]:
    """Every example with its outputs under all seeds."""
    specs = sorted({example.operator for example in EXAMPLES if example.name not in lacking()})
    operators = dict(zip(specs, resolve(specs, PACK), strict=True))
    ready = [example for example in EXAMPLES if example.operator in operators]
    docs = PACK.parse(example.text for example in ready)
    return {e: outputs(e, operators[e.operator], doc) for e, doc in zip(ready, docs, strict=True)}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.place)
def test_example(example):
    if example.name in lacking():
        pytest.skip("needs WordNet")
    assert not (wrong := violations(example, found()[example])), "\n".join(wrong)


@pytest.mark.parametrize("name", OWN)
def test_there_are_enough_examples_and_they_show_something(name):
    mine = [example for example in EXAMPLES if example.name == name and example.operator == name]
    assert len(mine) >= ENOUGH[name]
    assert any(None in example.accept for example in mine)
    if name in lacking():
        pytest.skip("needs WordNet")
    rate = change_rate(mine, [found()[example] for example in mine])
    assert rate is not None
    assert rate >= 0.8


def test_every_example_is_of_an_operator_of_the_pack():
    assert {example.name for example in EXAMPLES} <= set(OWN)
