"""The English pack passes the battery every pack must pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.conformance.language import check_language_pack
from harness.errors import Skipped
from harness.operators import resolve, variants
from harness.protocols.operator import render
from harness.seeds import python_rng
from languages.english import load

PACK = load()
#: need the files of WordNet, which the user brings
NEEDS = ("hypernym", "hyponym")
SPECS = [
    spec
    for name in PACK.operators()
    if name not in NEEDS
    for spec in (name, *(f"{name}@{v}" for v in variants(name, PACK)))
]


@pytest.mark.parametrize(("name", "check"), [pytest.param(n, c, id=n) for n, c in check_language_pack(PACK)])
def test_english_keeps_the_contract(name, check):
    try:
        check()
    except Skipped as reason:
        skipped = str(reason)
    else:
        return
    assert name.partition(":")[0] in NEEDS, f"{name} is skipped: {skipped}"
    pytest.skip(skipped)


@given(st.text(max_size=80), st.integers(0, 3))
def test_any_text_gives_an_edit_that_is_its_changes(text, seed):
    (doc,) = PACK.parse([text])
    for operator in resolve(SPECS, PACK):
        edit = operator.apply(doc, python_rng(seed, operator.spec, text))
        if edit is not None:
            assert edit.text == render(doc, edit.changes) != text
