"""What a user may choose about pre-training, with defaults that work on two cores."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Shape(BaseModel):
    """The size of the encoder.

    layers, width, heads, inner (of the feed-forward part);  positions: longest text in pieces;  dropout: also of attention
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    layers: int = Field(4, ge=1)
    width: int = Field(256, ge=8)
    heads: int = Field(4, ge=1)
    inner: int = Field(1024, ge=8)
    positions: int = Field(128, ge=16)
    dropout: float = Field(0.1, ge=0, lt=1)

    @model_validator(mode="after")
    def _divides(self) -> Shape:
        if self.width % self.heads:
            raise ValueError(f"width {self.width} cannot be divided among {self.heads} heads")
        return self


class Recipe(BaseModel):
    """How the encoder learns.

    pieces          size of the vocabulary;  lowercase: also drops accents
    tokens          pieces to read in all, padding not counted: the budget
    rows            rows of `positions` pieces per step;  rate: peak learning rate;  warmup: steps up to it
    decay           last share of the budget over which the rate falls to 0 (it is constant before)
    masked          share of pieces to guess; of these the share `hidden` becomes [MASK], `swapped` any piece, the rest stays.
                    BERT's 0.8 and 0.1 give visible words hardly any loss, so that their last vectors mean little and averages
                    over them too
    rarity          chance of a word to be guessed ~ frequency ^ -`rarity`; 0 is BERT's way, where a guess in
                    three is a word like `the`; with 0.5 sentence vectors hold what tells sentences apart
    cooccurrence    start embeddings from co-occurrences (one half; the other is noise, so that no two words are too close)
    held_out        share of documents kept for the perplexity;  seed: same seed, machine and thread count, same encoder
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pieces: int = Field(10_000, ge=50, le=65_535)
    lowercase: bool = True
    tokens: int = Field(20_000_000, ge=1)
    rows: int = Field(16, ge=1)
    rate: float = Field(1e-3, gt=0)
    warmup: int = Field(200, ge=1)
    decay: float = Field(0.3, gt=0, le=1)
    weight_decay: float = Field(0.01, ge=0)
    clip_norm: float = Field(1.0, gt=0)
    masked: float = Field(0.3, gt=0, lt=1)
    hidden: float = Field(0.5, gt=0, le=1)
    swapped: float = Field(0.2, ge=0, le=1)
    rarity: float = Field(0.5, ge=0, le=1)
    cooccurrence: bool = True
    held_out: float = Field(0.005, gt=0, lt=0.5)
    seed: int = 0
    shape: Shape = Shape()

    @model_validator(mode="after")
    def _shares(self) -> Recipe:
        if self.hidden + self.swapped > 1:
            raise ValueError(
                f"hidden {self.hidden:g} and swapped {self.swapped:g} are shares of one whole and add up to more"
            )
        return self

    def lasting(self) -> dict[str, Any]:
        """Everything that must stay the same when a run is continued; the budget may grow."""
        return self.model_dump(exclude={"tokens", "decay"})
