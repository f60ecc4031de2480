"""Checkpoints from which a run continues to the same weights: tensors as safetensors, the rest as JSON, written atomically.

A checkpoint is one folder that appears by a rename; a process killed at any moment leaves the previous one intact.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from harness.errors import TrainingError

FORMAT = 1


def pack_optimizer(optimizer: torch.optim.Optimizer) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Split an optimiser's state into tensors (by `index/name`) and JSON values."""
    state = optimizer.state_dict()
    tensors: dict[str, torch.Tensor] = {}
    values: dict[str, Any] = {"param_groups": state["param_groups"], "state": {}}
    for index, entry in state["state"].items():
        for name, value in entry.items():
            if isinstance(value, torch.Tensor):
                tensors[f"{index}/{name}"] = value
            else:
                values["state"].setdefault(str(index), {})[name] = value
    return tensors, values


def unpack_optimizer(
    optimizer: torch.optim.Optimizer, tensors: Mapping[str, torch.Tensor], values: Mapping[str, Any]
) -> None:
    """Load what `pack_optimizer` returned."""
    state: dict[int, dict[str, Any]] = {int(i): dict(entry) for i, entry in values["state"].items()}
    for key, tensor in tensors.items():
        index, name = key.split("/", 1)
        state.setdefault(int(index), {})[name] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": values["param_groups"]})


def save(folder: Path, parts: Mapping[str, Mapping[str, torch.Tensor]], values: Mapping[str, Any]) -> None:
    """Write a checkpoint: one safetensors file per part, and `state.json`."""
    fresh, old = folder.with_name(folder.name + ".new"), folder.with_name(folder.name + ".old")
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh.mkdir(parents=True)
    for name, tensors in parts.items():
        kept = {key: value.detach().cpu().contiguous().clone() for key, value in tensors.items()}
        save_file(kept, fresh / f"{name}.safetensors")
    text = json.dumps({"format": FORMAT, **values}, allow_nan=False)
    with (fresh / "state.json").open("w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def find(folder: Path) -> Path | None:
    """The newest complete checkpoint at `folder`, also if a kill fell between the two renames."""
    for candidate in (folder, folder.with_name(folder.name + ".new"), folder.with_name(folder.name + ".old")):
        if (candidate / "state.json").is_file():
            return candidate
    return None


def load(folder: Path, *, device: torch.device) -> tuple[dict[str, dict[str, torch.Tensor]], dict[str, Any]]:
    """Read a checkpoint. Raises TrainingError if it is damaged or of another format."""
    try:
        values = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        parts = {file.stem: load_file(file, device=str(device)) for file in sorted(folder.glob("*.safetensors"))}
    except Exception as error:
        raise TrainingError(
            f"the checkpoint {folder} is damaged ({error}); delete that folder to start this run anew."
        ) from error
    if values.get("format") != FORMAT:
        raise TrainingError(
            f"the checkpoint {folder} has format {values.get('format')}, expected {FORMAT}; delete that folder."
        )
    return parts, values
