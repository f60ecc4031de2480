"""DINO and RISE: make pairs, weight them by how human they look, train on them. Three stages, one method each.

    dino    pairs → train                DINO: all pairs count the same
    rise    pairs → classify → train     RISE: a pair counts as much as its second sentence looks human; or the paper's controls:
                                         without the least human tenth (`weighting = "filtered"`), weights at random (`random`)

The first stage reads a file of pairs, has them written by a language model, or by the pack's rules (ours, see `rule_pairs`).
Schick and Schütze, "Generating Datasets with Pretrained Language Models", EMNLP 2021; Kim et al., "Reweighting Strategy Based on
Synthetic Data Identification for Sentence Similarity", COLING 2022.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from baselines.synthetic import debiasing, deciles, generation, importance, language_model, regression, rule_pairs, sdi
from baselines.synthetic import instructions as instructing
from baselines.synthetic import pairs as pairing
from baselines.synthetic.config import MINI, RULES, WRITING, WRITTEN, DinoConfig, RiseConfig
from baselines.synthetic.pairs import Pairs, read_pairs
from baselines.synthetic.regression import LABEL, LEFT, RIGHT, WEIGHT, DevPairs, PairRegression
from baselines.synthetic.sdi import HUMAN, TEXT, Sdi, SdiDev, sdi_parts
from harness.cache import cache_dir, content_key
from harness.encoder import fingerprint
from harness.errors import DataError
from harness.prepare import operators_of
from harness.protocols import Method, MethodConfig, Stage, View
from harness.provenance import code_digest, digest
from harness.seeds import numpy_rng

log = logging.getLogger(__name__)

#: modules that decide the pairs, and those that decide their weights
_PAIR_CODE = (pairing, rule_pairs, instructing, debiasing, language_model, generation, regression)
_WEIGHT_CODE = (sdi, importance)
_SHIPPED = Path(instructing.__file__).with_name("instructions.toml")


class Made(NamedTuple):
    """What the first stage leaves: pairs to train on, and pairs to choose weights with (None: the suite's dev split)."""

    train: Pairs
    dev: Pairs | None


class Dino(Method):
    """Regression on synthetic pairs that all count the same."""

    name = "dino"
    Config: ClassVar[type[MethodConfig]] = DinoConfig
    citation = "Schick and Schütze, Generating Datasets with Pretrained Language Models, EMNLP 2021"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"mini": MINI}

    def views(self) -> Sequence[View]:
        """The corpus sentence and what rules make of it: what the pairs depend on. Training sees pairs (`PairRegression`)."""
        specs = (*self.config.same, *self.config.half) if self.config.source == RULES else ()
        return (View("sentence"), *(View(spec, operator=spec, on_refusal="missing") for spec in dict.fromkeys(specs)))

    def stages(self) -> Sequence[Stage]:
        """Make pairs, train on them."""
        return (Stage("pairs", self.make_pairs), Stage("train", self.regress))

    def fingerprint(self) -> dict[str, Any]:
        """The config with contents in the place of paths, and the code of all stages. Raises what opening a file raises."""
        config, cfg = self.config.model_dump(mode="json"), self.config
        if cfg.source == WRITTEN:
            config["model"] = fingerprint(cfg.model)
            own = Path(cfg.instructions) if cfg.instructions else _SHIPPED
            config["instructions"] = _file_sha(own)
        elif cfg.source != RULES:
            config["source"] = {"sha256": _file_sha(Path(cfg.source))}
        unread = {"writes", "source_corpus"}
        unread |= set() if cfg.source == WRITTEN else set(WRITING)
        unread |= set() if cfg.source == RULES else {"same", "half", "neighbours"}
        config = {name: value for name, value in config.items() if name not in unread}
        return {"method": self.name, "config": config, "code": [code_digest(module) for module in self._code()]}

    def _code(self) -> Sequence[Any]:
        return _PAIR_CODE

    # -- stages -------------------------------------------------------------------------------------------------------
    def make_pairs(self, context: Any) -> Made:
        """Read, generate or derive pairs; clean, smooth and complete them; keep some apart for the choice of weights."""
        cfg, seed = self.config, context.seed
        raw, notes = self._raw(context)
        kept = pairing.clean(raw, most=cfg.most, rng=numpy_rng(seed, "pairs", "clean"))
        if not len(kept):
            raise DataError(
                f"none of the {len(raw)} pairs has two different texts; give others with --set source=FILE."
            )
        kept = pairing.smooth(kept, cfg.smoothing)
        every = pairing.add_random(kept, cfg.random_pairs, numpy_rng(seed, "pairs", "random"))
        dev: Pairs | None = None
        if cfg.dev == "pairs":
            every, dev = pairing.split_by_left(every, cfg.dev_share, numpy_rng(seed, "pairs", "dev"))
        context.outcome.notes["pairs"] = {
            **notes,
            "source": cfg.source if cfg.source in (RULES, WRITTEN) else "file",
            "ours": cfg.source == RULES,
            "raw": len(raw),
            "kept": len(kept),
            "train": len(every),
            "dev": 0 if dev is None else len(dev),
            "by_origin": every.counts(),
        }
        return Made(every, dev)

    def _raw(self, context: Any) -> tuple[Pairs, dict[str, Any]]:
        cfg = self.config
        if cfg.source == RULES:
            known = operators_of(self, context.pack, context.encoder)
            same, half = ([known[spec] for spec in specs] for specs in (cfg.same, cfg.half))
            return rule_pairs.rule_pairs(
                context.sentences,
                pack=context.pack,
                same=same,
                half=half,
                neighbours=cfg.neighbours,
                seed=context.seed,
                progress=context.progress,
            )
        if cfg.source == WRITTEN:
            return self._generate(context)
        return read_pairs(cfg.source), {}

    def _generate(self, context: Any) -> tuple[Pairs, dict[str, Any]]:
        from harness.encoder.precision import choose_device

        cfg = self.config
        own = Path(cfg.instructions).expanduser() if cfg.instructions else None
        asked = instructing.instructions(context.pack.code, cfg.kind, own)
        opened = language_model.LanguageModel(cfg.model, device=choose_device(context.settings.device)[0])
        sentences = list(dict.fromkeys(context.sentences))[: cfg.inputs or None]
        sampling = cfg.sampling()
        # rows that differ in weighting alone share what was written
        key = content_key(
            {
                "model": opened.sha,
                "sentences": digest(sentences),
                "sampling": sampling.model_dump(),
                "instructions": [[str(label), text] for label, text in asked.levels.items()],
                "seed": context.seed,
            }
        )
        return generation.generate(
            sentences,
            asked,
            opened,
            file=cache_dir() / "pairs" / f"{key}.jsonl",
            seed=context.seed,
            sampling=sampling,
            batch=cfg.writes,
            progress=_logged,
        )

    def weights(self, context: Any) -> tuple[Pairs, np.ndarray]:
        """Return the pairs to train on and their weights (pairs,)."""
        train = context.artefacts["pairs"].train
        return train, np.ones(len(train), dtype=np.float32)

    def regress(self, context: Any) -> Any:
        """Train the encoder on the weighted pairs."""
        pairs, weights = self.weights(context)
        learner = PairRegression(
            MethodConfig(**{name: getattr(self.config, name) for name in MethodConfig.model_fields})
        )
        dev = context.artefacts["pairs"].dev
        if dev is not None:
            context = dataclasses.replace(context, dev=DevPairs(dev))
        columns = {LEFT: list(pairs.left), RIGHT: list(pairs.right)}
        return context.train(learner, columns, {LABEL: pairs.label, WEIGHT: weights.astype(np.float32)})


class Rise(Dino):
    """Regression on synthetic pairs, each as important as its second sentence looks human."""

    name = "rise"
    Config = RiseConfig
    citation = (
        "Kim et al., Reweighting Strategy Based on Synthetic Data Identification for Sentence Similarity, COLING 2022"
    )
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "mini": {
            **MINI,
            "temperature": "fitted",
            "classifier_rate": 5e-4,
            "classifier_batch": 64,
            "classifier_epochs": 2,
            "classifier_length": 64,
        },
    }

    def stages(self) -> Sequence[Stage]:
        """Make pairs, classify their second sentences (weights at random need no classifier), train."""
        first, last = super().stages()
        if self.config.weighting == "random":
            return (first, last)
        return (first, Stage("classify", self.classify), last)

    def fingerprint(self) -> dict[str, Any]:
        """As DINO's; the classifier's encoder by content. What a weighting does not read does not count."""
        found, cfg = super().fingerprint(), self.config
        config = found["config"]
        if cfg.classifier:
            config["classifier"] = fingerprint(cfg.classifier)
        if cfg.weighting != "filtered":
            del config["filtered_share"]
        if cfg.weighting == "random":
            for name in [name for name in config if name.startswith("classifier") or name == "temperature"]:
                del config[name]
        return found

    def _code(self) -> Sequence[Any]:
        return (*super()._code(), *_WEIGHT_CODE, deciles)

    def classify(self, context: Any) -> np.ndarray:
        """Train the classifier; return the importance of every training pair (pairs,), float64."""
        cfg, pairs = self.config, context.artefacts["pairs"].train
        train, dev = sdi_parts(context.sentences, pairs, context.seed)
        learner = Sdi(
            MethodConfig(
                learning_rate=cfg.classifier_rate,
                batch_size=min(cfg.classifier_batch, max(2, len(train) // 2)),
                epochs=cfg.classifier_epochs,
                max_length=cfg.classifier_length,
                warmup=0.1,
                pooler="cls_head",
                # once per epoch
                eval_every=max(1, round(0.95 * len(train) / cfg.classifier_batch)),
                select="dev",
            )
        )
        embedder = _apart(context, learner, train, dev, cfg.classifier or context.encoder)
        logits = embedder.encode(list(dev.texts))
        fitted = importance.fitted_temperature(logits, dev.human)
        temperature = fitted if cfg.temperature == "fitted" else float(cfg.temperature)
        found = importance.human_probability(embedder.encode(list(pairs.right)), temperature)
        context.outcome.notes["classifier"] = {
            "train": len(train),
            "dev": len(dev),
            "accuracy": round(SdiDev(dev).score(logits).scores[1].value or 0.0, 4),
            "temperature": round(temperature, 4),
            "fitted_temperature": round(fitted, 4),
            **{
                name: {
                    key: round(measure(logits, dev.human, t), 6) for key, t in (("at_1", 1.0), ("used", temperature))
                }
                for name, measure in (
                    ("log_loss", importance.log_loss),
                    ("calibration_error", importance.calibration_error),
                )
            },
        }
        context.outcome.notes["importance"] = _by_origin(pairs, found)
        context.outcome.notes["deciles"] = deciles.deciles(pairs, found, context.sentences, context.seed)
        return found

    def weights(self, context: Any) -> tuple[Pairs, np.ndarray]:
        """Return pairs and weights under the chosen weighting."""
        train, every = super().weights(context)
        if self.config.weighting == "random":
            return train, numpy_rng(context.seed, "weights").random(len(train)).astype(np.float32)
        found = context.artefacts["classify"]
        if self.config.weighting == "human":
            return train, found.astype(np.float32)
        stays = importance.keep_highest(found, self.config.filtered_share)
        context.outcome.notes["pairs"]["filtered_out"] = len(train) - len(stays)
        return train.take(stays), every[stays]


def _apart(context: Any, learner: Sdi, train: sdi.SdiPart, dev: sdi.SdiPart, encoder: str) -> Any:
    """Train the classifier without mixing its story with the encoder's: its curves get a name of their own."""
    from harness.stages import Outcome

    outcome = Outcome(embedder=None)  # type: ignore[arg-type]
    own = dataclasses.replace(context, dev=SdiDev(dev), encoder=encoder, outcome=outcome, on_step=None)
    loop, quiet = logging.getLogger("harness.training.loop"), _NoAlarms()
    loop.addFilter(quiet)
    try:
        embedder = own.train(learner, {TEXT: list(train.texts)}, {HUMAN: train.human})
    finally:
        loop.removeFilter(quiet)
    # the health of a space of two logits says nothing
    told = ("loss", "learning_rate", "gradient_norm", "dev")
    context.outcome.curves += [
        {**point, "name": f"classifier_{point['name']}"} for point in outcome.curves if point["name"] in told
    ]
    for phase, spent in outcome.seconds.items():
        context.outcome.seconds[f"classifier_{phase}"] = spent
    return embedder


def _by_origin(pairs: Pairs, found: np.ndarray) -> dict[str, Any]:
    origins = np.array(pairs.origin)
    means = {origin: round(float(found[origins == origin].mean()), 4) for origin in pairs.counts()}
    return {"mean": round(float(found.mean()), 4), "by_origin": means}


def _file_sha(path: Path) -> str:
    from harness.quality.sheet import corpus_facts

    return str(corpus_facts(path.expanduser())["sha256"])


class _NoAlarms(logging.Filter):
    """Keeps the loop's collapse alarm quiet: it is about a space of sentences, not about two logits."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let everything else through."""
        return not str(record.msg).startswith("collapse alarm")


def _logged(done: int, total: int) -> None:
    log.info("the language model has written for %d of %d prompts", done, total)
