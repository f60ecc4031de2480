"""What can be chosen about training on synthetic pairs? The defaults are those of DINO's and RISE's code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from baselines.synthetic.generation import Sampling
from baselines.synthetic.importance import Weighting
from harness.protocols import MethodConfig

RULES, WRITTEN = "rules", "generated"
#: settings that matter only to pairs which a language model writes
WRITING = ("model", "kind", "instructions", "inputs", *Sampling.model_fields)

#: settings for the packs' mini encoders: SimCSE's batch and reading, so that tables compare equals; see docs/synthetic-pairs.md.
#: The rate is the best of three (3e-4, 1e-3, 3e-3) for DINO on STS-B dev, one seed
MINI: Mapping[str, Any] = {
    "pooler": "avg_embed_last",
    "learning_rate": 1e-3,
    "batch_size": 128,
    "max_length": 14,
    "dropout": 0.02,
    "epochs": 1,
    # 6,400 sentences would make some 260; SimCSE has 50 steps of 128 sentences in twos from them
    "max_steps": 50,
    "eval_every": 10,
    "dev": "suite",
}
#: RISE's temperature and instructions for the corpus whose sentences were rewritten
SOURCES: Mapping[str, Mapping[str, Any]] = {
    "stsb": {"temperature": 0.5, "kind": "sentences"},
    "qqp": {"temperature": 0.9, "kind": "questions"},
    "mrpc": {"temperature": 0.7, "kind": "sentences"},
}


class DinoConfig(MethodConfig):
    """DINO's settings; the defaults are its code's for RoBERTa-base.

    source       where pairs come from: `rules` (ours: the language pack's operators), `generated` (by `model`), or a TSV file
    source_corpus   `stsb`, `qqp`, `mrpc`: RISE's instructions and temperature for it, where they are not given
    same, half   operators whose views are pairs with label 1 and ½;  neighbours: so are lines that follow each other (½)
    model        folder or hub id of the causal language model;  kind: of instructions (`sentences`, `questions`);
                 instructions: a TOML file of your own;  inputs: corpus sentences it rewrites (0 = all);  writes: prompts at a time
    times, longest, top_p, top_k, decay, floor   how it writes, see `Sampling`
    most         second sentences kept per first one and label (0 = all);  random_pairs: added per first one, with label 0
    smoothing    moves labels towards ½;  0.2 makes 0.1, 0.5 and 0.9
    dev          what `select = "dev"` looks at: `pairs`, a share `dev_share` of the pairs kept apart, or the suite's dev split
    """

    learning_rate: float = Field(2e-5, gt=0)
    batch_size: int = Field(32, ge=2)
    warmup: float = Field(0.1, ge=0, lt=1)
    weight_decay: float = Field(0.01, ge=0)
    max_length: int = Field(128, ge=4)
    pooler: str = "avg"
    eval_every: int = Field(100, ge=0)
    source: str = RULES
    source_corpus: Literal["", "stsb", "qqp", "mrpc"] = ""
    same: tuple[str, ...] = ("pi", "mv", "dn")
    half: tuple[str, ...] = ("negation",)
    neighbours: bool = True
    model: str = ""
    kind: str = "sentences"
    instructions: str = ""
    inputs: int = Field(10_000, ge=0)
    writes: int = Field(8, ge=1)
    times: int = Field(5, ge=1)
    longest: int = Field(40, ge=1)
    top_p: float = Field(0.9, gt=0, le=1)
    top_k: int = Field(5, ge=0)
    decay: float = Field(100.0, ge=0)
    floor: float = Field(0.01, gt=0, le=1)
    most: int = Field(2, ge=0)
    random_pairs: int = Field(2, ge=0)
    smoothing: float = Field(0.2, ge=0, le=1)
    dev: Literal["pairs", "suite"] = "pairs"
    dev_share: float = Field(0.1, gt=0, lt=1)

    @model_validator(mode="before")
    @classmethod
    def _known_source(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and values.get("source_corpus") in SOURCES:
            known = SOURCES[values["source_corpus"]]
            return {**{name: value for name, value in known.items() if name in cls.model_fields}, **values}
        return values

    @field_validator("pooler")
    @classmethod
    def _no_head(cls, value: str) -> str:
        if value == "cls_head":
            raise ValueError("pair regression trains no head; give another pooler, e.g. avg")
        return value

    @model_validator(mode="after")
    def _source_is_complete(self) -> DinoConfig:
        if self.source == WRITTEN and not self.model:
            raise ValueError(
                'source = "generated" needs a causal language model: --set model=PATH|ID (make a small one with `augbench '
                "pretrain-lm`), or take --set source=rules"
            )
        if not self.source:
            raise ValueError(f"source is empty; expected {RULES}, {WRITTEN} or the path of a TSV file")
        if self.source == RULES and not (self.same or self.half or self.neighbours):
            raise ValueError(
                "source = rules, but no operator in `same` or `half` and no neighbours: nothing makes a pair"
            )
        return self

    def sampling(self) -> Sampling:
        """Return how the language model writes."""
        return Sampling(**{name: getattr(self, name) for name in Sampling.model_fields})


class RiseConfig(DinoConfig):
    """RISE's settings: DINO's, three epochs, and the classifier's.

    weighting    `human`: w = p(human) of the second sentence;  `filtered`: the share `filtered_share` with the lowest p(human)
                 left out, the others all 1;  `random`: w ~ U(0, 1), the paper's control
    temperature  τ of the importance, or `fitted` on the classifier's dev part
    classifier   folder or id of the encoder it starts from ("" = the run's own; the paper: bert-base-uncased)
    classifier_rate, _batch, _epochs, _length   its learning rate, batch size, epochs and word pieces
    """

    epochs: int = Field(3, ge=1)
    weighting: Weighting = "human"
    temperature: float | Literal["fitted"] = 0.5
    filtered_share: float = Field(0.1, ge=0, lt=1)
    classifier: str = ""
    classifier_rate: float = Field(1e-5, gt=0)
    classifier_batch: int = Field(32, ge=2)
    classifier_epochs: int = Field(5, ge=1)
    classifier_length: int = Field(128, ge=4)

    @field_validator("temperature")
    @classmethod
    def _above_zero(cls, value: float | str) -> float | str:
        if not isinstance(value, str) and not value > 0:
            raise ValueError(f"the temperature is {value:g}, expected a number above 0 or `fitted`")
        return value
