"""What an operator writes must be the same in another process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import stub_pack
from broken_packs import PROCESS, battery

from harness.conformance import operators as operator_battery
from harness.foreign import WORKER
from harness.protocols import registry


@pytest.fixture
def folder(tmp_path):
    return stub_pack.write_pack(tmp_path)


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
    assert all(call["env"][WORKER] for call in calls)
    assert os.environ.get("PYTHONHASHSEED") != "2"


def test_a_failing_process_is_a_failed_check(installed, monkeypatch):
    pack = installed("careful")
    monkeypatch.setattr(operator_battery, "_CHILD", "raise SystemExit('out of luck')")
    with pytest.raises(AssertionError, match="out of luck"):
        battery(pack)[PROCESS]()
