"""How much memory did a phase need at its peak?"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

_MIB = 1024**2


def reset_peak() -> None:
    """Start measuring anew, where the system can (Linux; on a GPU always)."""
    with contextlib.suppress(OSError):  # the peak is then the one of the whole process
        Path("/proc/self/clear_refs").write_text("5")
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()


def peak_mib() -> dict[str, float]:
    """Return the peak since `reset_peak` in MiB: `host` (resident memory) and, on a GPU, `device`."""
    found: dict[str, float] = {}
    host = _host_peak()
    if host is not None:
        found["host"] = round(host, 1)
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        found["device"] = round(torch.cuda.max_memory_allocated() / _MIB, 1)
    return found


def _host_peak() -> float | None:
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except (OSError, ValueError):
        pass
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / _MIB if sys.platform == "darwin" else peak / 1024
