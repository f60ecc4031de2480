"""A pack that is not ours is announced before it is loaded: once, and never by workers."""

from __future__ import annotations

import logging

import pytest

from harness import foreign
from harness.foreign import WORKER, announce_pack
from harness.languages import open_pack
from harness.protocols import registry


class FakeDistribution:
    def __init__(self, name, version="1.0"):
        self.name, self.version = name, version


class FakeEntry:
    def __init__(self, name, distribution, load=None):
        self.name, self.value, self.dist, self.load = name, f"{name}:load", distribution, load


@pytest.fixture
def entries(monkeypatch):
    """Entry points of language packs by name, as if they were installed; nothing has been said yet."""
    found = {}
    monkeypatch.setattr(registry, "_entries", lambda group: found)
    monkeypatch.setattr(foreign, "_said", [])
    monkeypatch.delenv(WORKER, raising=False)
    return found


def test_one_line_for_all_packs_of_others(entries, caplog):
    entries["german"] = FakeEntry("german", FakeDistribution("augbench-german", "0.2"))
    entries["french"] = FakeEntry("french", FakeDistribution("somebody"))
    for name in ("german", "german", "french"):
        announce_pack(name)
    assert [record.getMessage() for record in caplog.records] == [
        "the language pack german comes with augbench-german 0.2 and not with AugBench; packs are code and run with your rights."
    ]
    assert caplog.records[0].levelno == logging.WARNING


def test_our_own_packs_unknown_names_and_workers_need_no_word(entries, caplog, monkeypatch):
    entries["english"] = FakeEntry("english", FakeDistribution("augbench"))
    entries["german"] = FakeEntry("german", FakeDistribution("augbench-german"))
    announce_pack("english")
    announce_pack("nothing")
    monkeypatch.setenv(WORKER, "1")
    announce_pack("german")
    assert not caplog.records
    monkeypatch.delenv(WORKER)
    announce_pack("german")
    assert len(caplog.records) == 1


def test_an_entry_point_of_nobody_is_somebody_elses(entries, caplog):
    entries["german"] = FakeEntry("german", None)
    announce_pack("german")
    assert "comes with an unknown package" in caplog.text


def test_the_line_comes_before_the_code_runs(entries, caplog):
    def load():
        assert "packs are code" in caplog.text
        raise RuntimeError("loaded")

    entries["german"] = FakeEntry("german", FakeDistribution("augbench-german"), load)
    with pytest.raises(RuntimeError, match="loaded"):
        open_pack("german")


def test_packs_of_this_distribution_are_ours():
    assert {registry.distribution("languages", name).split()[0] for name in ("english", "chinese")} == {foreign.OWN}
    assert registry.distribution("languages", "nothing") is None


def test_workers_know_that_they_are():
    import sys

    from harness.views.workers import Workers

    assert sys.executable
    with Workers(_environment, WORKER, jobs=1) as workers:
        assert list(workers.map([None])) == ["1"]


def _environment(name):
    import os

    return lambda call: os.environ.get(name)
