"""What does the base encoder score before any training? The anchor every trained row has to beat."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from harness.protocols import FittedConfig, FittedMethod


class UntrainedConfig(FittedConfig):
    """How the untrained encoder is read out; its poolers differ by up to 20 points, so a row names its pooler.

    pooler       how a sentence vector is made: `cls`, `avg`, `avg_first_last`, `avg_top2`, `cls_pooler` …
    eval_length  word pieces, specials included; None = the encoder's own limit
    """

    pooler: str = "avg"
    eval_length: int | None = Field(None, ge=4)


class Untrained(FittedMethod):
    """The base encoder as it is, pooled; nothing is learned from the corpus."""

    name: ClassVar[str] = "untrained"
    Config = UntrainedConfig

    def fit(self, context: Any) -> Any:
        """Open `context.encoder` with the configured pooler, on the run's device and precision if it names them."""
        from harness.encoder import open_embedder

        settings = getattr(context, "settings", None)
        return open_embedder(
            str(context.encoder),
            pooler=self.config.pooler,
            max_length=self.config.eval_length,
            precision=getattr(settings, "precision", "auto"),
            device=getattr(settings, "device", "auto"),
            layout=getattr(settings, "layout", "auto"),
        )
