"""How much energy did training take? Measured where codecarbon is installed (`pip install codecarbon`), never guessed here.

codecarbon reads the counters of GPU and CPU where it may, and estimates the rest from the processor's rated power and its load;
on virtual machines most of it is an estimate. Only energy is recorded: what it emits depends on the place.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

log = logging.getLogger(__name__)

_SECONDS = 5.0  # between two readings


@contextmanager
def metered() -> Iterator[dict[str, Any]]:
    """Yield a mapping that holds `kwh`, `cpu_kwh`, `gpu_kwh`, `ram_kwh` and `tool` after the block; empty without codecarbon.

    A meter that fails never fails the run: a warning is logged, and nothing is recorded.
    """
    found: dict[str, Any] = {}
    tracker = _start()
    try:
        yield found
    finally:
        if tracker is not None:
            try:
                tracker.stop()
                found.update(_read(tracker))
            except Exception as error:
                log.warning("the energy of this run is not recorded: codecarbon failed (%s)", error)


def _start() -> Any | None:
    try:
        codecarbon = import_module("codecarbon")
    except ImportError:
        return None
    try:
        # the country decides emissions only, which are not recorded
        tracker = codecarbon.OfflineEmissionsTracker(
            country_iso_code="FRA",
            tracking_mode="process",
            measure_power_secs=_SECONDS,
            save_to_file=False,
            allow_multiple_runs=True,
            log_level="critical",
        )
        tracker.start()
    except Exception as error:
        log.warning("the energy of this run is not recorded: codecarbon failed (%s)", error)
        return None
    return tracker


def _read(tracker: Any) -> dict[str, Any]:
    data = tracker.final_emissions_data
    return {
        "kwh": float(data.energy_consumed),
        "cpu_kwh": float(data.cpu_energy),
        "gpu_kwh": float(data.gpu_energy),
        "ram_kwh": float(data.ram_energy),
        "tool": f"codecarbon {data.codecarbon_version}",
    }
