"""Which weights a run keeps: best on the dev split, best without labels, or the last."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import nn

from harness.errors import TrainingError

FILE = "best.safetensors"


@dataclass
class Selection:
    """Keeps the weights of the best look so far in `folder/best.safetensors` (higher scores are better).

    Rules: `dev` (score of the dev split), `label-free` (−(alignment + uniformity)), `last` (nothing is kept on the way).
    """

    rule: str
    folder: Path
    best_step: int | None = None
    best_score: float | None = None
    last_score: float | None = None
    looks: int = 0
    _fields: tuple[str, ...] = field(default=("best_step", "best_score", "last_score", "looks"), repr=False)

    def look(self, step: int, dev: float | None, label_free: float, encoder: nn.Module) -> None:
        """Take one look. Raises TrainingError if the rule is `dev` and the dev split gives no score."""
        self.looks += 1
        if self.rule == "dev" and dev is None:
            raise TrainingError(
                "select=dev needs a dev score, and there is none (no dev split given, or its score is undefined). Name data "
                "with a dev split, or use --set select=last or select=label-free."
            )
        score = dev if self.rule == "dev" else label_free
        assert score is not None
        self.last_score = dev if self.rule == "last" else score
        if self.rule != "last" and (self.best_score is None or score > self.best_score):
            self.best_step, self.best_score = step, score
            tensors = {k: v.detach().cpu().contiguous().clone() for k, v in encoder.state_dict().items()}
            fresh = self.folder / (FILE + ".new")
            save_file(tensors, fresh)
            fresh.replace(self.folder / FILE)

    def restore(self, encoder: nn.Module) -> None:
        """Put the chosen weights into `encoder` (nothing to do for `last`)."""
        if self.best_step is not None:
            encoder.load_state_dict(load_file(self.folder / FILE))

    def state(self) -> dict[str, Any]:
        """What a checkpoint stores."""
        return {name: getattr(self, name) for name in self._fields}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore what `state` returned."""
        for name in self._fields:
            setattr(self, name, state[name])

    def describe(self) -> dict[str, Any]:
        """What a record says."""
        return {"rule": self.rule, **self.state()}
