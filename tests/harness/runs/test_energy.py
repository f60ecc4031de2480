from __future__ import annotations

import logging
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from harness.runs.energy import metered


def install(monkeypatch: pytest.MonkeyPatch, tracker: type) -> None:
    module = ModuleType("codecarbon")
    module.OfflineEmissionsTracker = tracker  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "codecarbon", module)


class Tracker:
    started = False

    def __init__(self, **options: Any) -> None:
        assert options["save_to_file"] is False  # nothing is written beside the results

    def start(self) -> None:
        self.started = True

    def stop(self) -> float:
        assert self.started
        self.final_emissions_data = SimpleNamespace(
            energy_consumed=0.5, cpu_energy=0.3, gpu_energy=0.0, ram_energy=0.2, codecarbon_version="9.9"
        )
        return 0.1


def test_without_codecarbon_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "codecarbon", None)
    with metered() as found:
        assert found == {}
    assert found == {}


def test_energy_and_its_parts_are_recorded_with_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Tracker)
    with metered() as found:
        pass
    assert found == {"kwh": 0.5, "cpu_kwh": 0.3, "gpu_kwh": 0.0, "ram_kwh": 0.2, "tool": "codecarbon 9.9"}


@pytest.mark.parametrize("method", ["start", "stop"])
def test_a_meter_that_fails_fails_no_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    def broken(self: Any) -> None:
        raise RuntimeError("no counter")

    install(monkeypatch, type("Broken", (Tracker,), {method: broken}))
    with caplog.at_level(logging.WARNING), metered() as found:
        pass
    assert found == {}
    assert "not recorded: codecarbon failed (no counter)" in caplog.text


def test_an_error_of_the_run_stays_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Tracker)
    with pytest.raises(ValueError, match="of the run"), metered():
        raise ValueError("of the run")
