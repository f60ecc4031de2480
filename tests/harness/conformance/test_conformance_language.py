"""A good pack passes the battery, and for every check there is a broken pack that fails it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import stub_pack
from broken_packs import BROKEN, PROCESS, battery
from stub_pack import Stub

from harness.conformance.language import check_language_pack
from harness.errors import Skipped


@pytest.fixture
def folder(tmp_path):
    return stub_pack.write_pack(tmp_path)


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
