"""How a run computes: device, numbers, memory. What decides the result enters the run's identity; the rest does not."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """Numerics and bookkeeping of the loop. Frozen; unknown names are refused.

    device            auto, cpu, cuda, cuda:1, mps;  precision: auto, fp32, bf16, fp16 (losses are fp32 in any case)
    layout            auto, flat (no padding), padded (bucket widths);  compile: torch.compile, implies padded
    micro_batch       0, or rows per forward: gradients stay those of the whole batch (gradient caching)
    checkpoint_every  steps between checkpoints (what a kill can cost);  log_every: steps between points of a curve
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    device: str = "auto"
    precision: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    layout: Literal["auto", "flat", "padded"] = "auto"
    compile: bool = False
    micro_batch: int = Field(0, ge=0)
    checkpoint_every: int = Field(100, ge=1)
    log_every: int = Field(10, ge=1)

    def identity(self) -> dict[str, Any]:
        """The settings that change the trained weights, with automatic ones resolved."""
        from harness.encoder.precision import choose_device, choose_precision

        device, _ = choose_device(self.device)
        flat = self.layout == "flat" or (self.layout == "auto" and device.type == "cpu" and not self.compile)
        return {
            "device": device.type,
            "precision": choose_precision(device, self.precision)[0],
            "layout": "flat" if flat else "padded",
            "compile": self.compile,
            "micro_batch": self.micro_batch,
        }
