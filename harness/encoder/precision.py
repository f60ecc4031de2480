"""Which device and which number format a computation uses, and why: every automatic choice has its reason in words."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from pathlib import Path

import torch

from harness.errors import UsageError

PRECISIONS = ("auto", "fp32", "bf16", "fp16")


def choose_device(wanted: str = "auto") -> tuple[torch.device, str]:
    """Return the device and the reason. Raises UsageError if the one asked for is not there."""
    if wanted == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda"), f"CUDA device {torch.cuda.get_device_name()}"
        if torch.backends.mps.is_available():
            return torch.device("mps"), "Apple GPU"
        return torch.device("cpu"), "no accelerator found"
    try:
        device = torch.device(wanted)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        first = str(error).splitlines()[0]
        raise UsageError(
            f"device {wanted!r} cannot be used ({first}). Use --device auto or cpu; see `augbench doctor`."
        ) from error
    return device, "as asked"


@lru_cache(maxsize=1)
def cpu_has_bf16() -> bool:
    """Whether this CPU multiplies bf16 matrices in hardware (AVX512-BF16, AMX, or Arm's bf16)."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split()
    except OSError:
        return False
    return any(flag in flags for flag in ("avx512_bf16", "amx_bf16", "bf16"))


def choose_precision(device: torch.device | str, wanted: str = "auto") -> tuple[str, str]:
    """Return `fp32`, `bf16` or `fp16` for `device`, and the reason. Similarities and losses stay in fp32 in any case.

    Raises UsageError for unknown names and for fp16 on a CPU (it is emulated there, a hundred times slower).
    """
    device = torch.device(device)
    if wanted not in PRECISIONS:
        raise UsageError(f"unknown precision {wanted!r}; choose one of {', '.join(PRECISIONS)}.")
    if wanted == "fp16" and device.type == "cpu":
        raise UsageError(
            "fp16 is emulated on a CPU and about a hundred times slower; use --precision auto, bf16 or fp32."
        )
    if wanted != "auto":
        return wanted, "as asked"
    if device.type == "cuda":
        if torch.cuda.is_bf16_supported(including_emulation=False):
            return "bf16", "the GPU multiplies bf16 natively"
        return "fp16", "the GPU has no native bf16"
    if device.type == "cpu" and cpu_has_bf16():
        return "bf16", "the CPU multiplies bf16 natively"
    return "fp32", "no native bf16 on this device"


def autocast(device: torch.device, precision: str) -> AbstractContextManager[object]:
    """Return the autocast context of a precision (nothing for fp32)."""
    if precision == "fp32":
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16 if precision == "bf16" else torch.float16)
