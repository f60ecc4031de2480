"""A discrete augmentation in SimCSE's frame: the positive is the sentence after an operator (SDA Tables 8 and 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from baselines.simcse import SimCSE, SimCSEConfig
from harness.protocols.method import MethodConfig, View


class DiscreteConfig(SimCSEConfig):
    """SimCSE's settings, the operator (`crop@10`, `delete@20`, …) and the share of sentences it is tried on."""

    operator: str
    proportion: float = Field(1.0, ge=0, le=1)


class Discrete(SimCSE):
    """Pairs (x, A(x)), dropout on both; a sentence the operator cannot change is paired with itself."""

    name = "discrete"
    Config: ClassVar[type[MethodConfig]] = DiscreteConfig
    citation = "Zhu et al., SDA, Tables 8 and 9 (frame: SimCSE)"

    def views(self) -> Sequence[View]:
        """The sentence and its augmented version."""
        cfg = self.config
        return (View("anchor"), View("positive", operator=cfg.operator, proportion=cfg.proportion))
