"""One run of one method: its stages in order, with the corpus, the pack and the base encoder of the run.

This is where the three axes meet: a language pack makes the views, the training core fits them, a task's dev split selects.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from harness.corpus import Corpus
from harness.encoder import TextEmbedder, TextEncoder, load_text_encoder
from harness.encoder import fingerprint as encoder_fingerprint
from harness.encoder.precision import choose_device, choose_precision
from harness.encoder.settle import settle_precision
from harness.errors import AugBenchError, DataError
from harness.mini import RANDOM, encoder_folder
from harness.prepare import operators_of, prepare
from harness.protocols import Embedder, LanguagePack, Method, Task
from harness.protocols.scripts import joined
from harness.provenance import code_digest, digest
from harness.seeds import numpy_rng
from harness.training import Settings, train
from harness.training.loop import PROBE_ROWS, Progress, dev_scorer

__all__ = ["Outcome", "Settings", "StageContext", "execute", "identity"]

log = logging.getLogger(__name__)

_SHORTEST = 8  # sentences; fewer leave no batch beside the held-out ones


@dataclass
class Outcome:
    """What a run leaves: the embedder, curves {"step", "name", "value"}, notes (JSON) and seconds by phase."""

    embedder: Embedder
    curves: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass
class StageContext:
    """What a stage may use. `encoder` is the folder or id of the base encoder; `artefacts` holds earlier stages' results."""

    corpus: Corpus
    pack: LanguagePack
    encoder: str
    seed: int
    settings: Settings
    workdir: Path
    dev: Task | None
    identity: str
    outcome: Outcome
    stage: str = ""
    progress: bool = False
    on_step: Progress | None = None
    artefacts: dict[str, Any] = field(default_factory=dict)

    @property
    def sentences(self) -> list[str]:
        """The sentences of the run's corpus."""
        return self.corpus.sentences

    def train(
        self,
        method: Method,
        columns: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, np.ndarray] | None = None,
    ) -> TextEmbedder:
        """Run the ordinary loop for `method`, on the run's corpus or on the text columns given; return the embedder.

        Some corpus rows (up to 512, at most one in twenty) are held out for the monitors and label-free selection.
        """
        seconds = self.outcome.seconds
        start = time.perf_counter()
        device, _ = choose_device(self.settings.device)
        precision, _ = choose_precision(device, self.settings.precision)

        base = RANDOM + self.encoder if method.config.weights == "random" else self.encoder

        def load() -> TextEncoder:
            return load_text_encoder(
                base,
                pooler=method.config.pooler,
                dropout=method.config.dropout,
                layout="padded" if self.settings.compile else self.settings.layout,
                device=device,
            )

        vocabulary = load().vocabulary
        if columns is None:
            columns = {"text": _rows_of(self.corpus, method)}
        columns, numbers, held_out = _hold_out(columns, numbers or {})
        data = prepare(
            method,
            columns,
            pack=self.pack,
            encoder=self.encoder,
            encoder_sha=encoder_fingerprint(self.encoder),
            vocabulary=vocabulary,
            seed=self.seed,
            numbers=numbers,
            progress=self.progress,
        )
        seconds["prepare"] = seconds.get("prepare", 0.0) + time.perf_counter() - start
        result = train(
            method,
            data,
            load_encoder=load,
            seed=self.seed,
            workdir=self.workdir / self.stage if self.stage != "train" else self.workdir,
            settings=self.settings,
            dev_score=dev_look(self.dev, vocabulary, method.config.pooler, precision) if self.dev else None,
            probe=vocabulary.rows(held_out, method.config.max_length),
            identity=f"{self.identity}/{self.stage}",
            progress=self.on_step,
        )
        self.outcome.curves.extend(result.curves)
        self.outcome.notes.update(result.notes, views=dict(data.notes), training_rows=len(data), held_out=len(held_out))
        for phase, spent in result.seconds.items():
            seconds[phase] = seconds.get(phase, 0.0) + spent
        return TextEmbedder(result.encoder, pooler=method.config.pooler, precision=self.settings.precision)


def execute(
    method: Method,
    *,
    corpus: Corpus,
    pack: LanguagePack,
    encoder: str,
    seed: int,
    settings: Settings,
    workdir: Path,
    dev: Task | None = None,
    progress: bool = False,
    on_step: Progress | None = None,
) -> Outcome:
    """Run a method's stages and return its embedder with the story of the run; continues from checkpoints in `workdir`.

    Raises AugBenchError with a next step; Skipped where the method cannot run here.
    """
    identified = identity(method, corpus=corpus, pack=pack, encoder=encoder, seed=seed, settings=settings, dev=dev)
    outcome = Outcome(embedder=None)  # type: ignore[arg-type]
    context = StageContext(
        corpus=corpus,
        pack=pack,
        encoder=encoder_folder(encoder, pack),
        seed=seed,
        settings=settings,
        workdir=workdir,
        dev=dev if getattr(method.config, "select", "last") == "dev" or method.trained else None,
        identity=digest(identified),
        outcome=outcome,
        progress=progress,
        on_step=on_step,
    )
    last: Any = None
    for stage in method.stages():
        context.stage = stage.name
        start = time.perf_counter()
        last = context.artefacts[stage.name] = stage.run(context)
        outcome.seconds[f"stage:{stage.name}"] = time.perf_counter() - start
    if not isinstance(last, Embedder):
        raise AugBenchError(
            f"the last stage of method {method.name!r} returned {type(last).__name__}, expected an embedder; see "
            "harness/protocols/method.py, or run `augbench check method` on it."
        )
    if isinstance(last, TextEmbedder):
        # tried on the training text, so that it does not depend on which tasks are asked for first
        last = settle_precision(last, corpus.sentences)
    outcome.embedder = last
    outcome.notes.setdefault("embedder", last.describe())
    return outcome


def identity(
    method: Method,
    *,
    corpus: Corpus,
    pack: LanguagePack,
    encoder: str,
    seed: int,
    settings: Settings,
    dev: Task | None = None,
) -> dict[str, Any]:
    """Everything that decides the result of a run, as JSON; its digest names the run. Paths never enter."""
    folder = encoder_folder(encoder, pack) if method.uses_encoder else ""
    operators = operators_of(method, pack, folder) if method.trained else {}
    selects = method.trained and method.config.select == "dev" and dev is not None
    return {
        "method": method.fingerprint(),
        "method_code": code_digest(type(method)),
        "operators": {s: [op.fingerprint(), code_digest(op)] for s, op in operators.items()},
        "pack": [pack.fingerprint(), code_digest(pack)] if operators or not method.trained else None,
        "corpus": corpus.sha,
        "encoder": encoder_fingerprint(folder) if method.uses_encoder else None,
        "dev": [dev.id, dev.data_sha, dev.protocol.fingerprint()] if selects and dev is not None else None,
        "seed": seed if method.trained else None,
        "settings": settings.identity() if method.uses_encoder else None,
        "core": core_digest(),
    }


@cache
def core_digest() -> str:
    """sha256 of the code every trained result depends on (comments and docstrings left out)."""
    from harness import prepare as preparing
    from harness import seeds
    from harness.encoder import dropout, encode, heads, layout, text_encoder, vocabulary
    from harness.training import batches, gradcache, loop, monitors, objectives, selection
    from harness.views import making

    parts = (preparing, seeds, making, dropout, encode, heads, layout, text_encoder, vocabulary)
    core = (batches, gradcache, loop, monitors, objectives, selection)
    return digest([code_digest(module) for module in (*parts, *core)])


def _rows_of(corpus: Corpus, method: Method) -> list[str]:
    if method.data == "documents":
        if corpus.documents is None:
            raise DataError(
                f"method {method.name!r} needs documents; give a corpus in which blank lines part documents."
            )
        return [joined(document) for document in corpus.documents]
    return corpus.sentences


def _hold_out(
    columns: Mapping[str, Sequence[str]], numbers: Mapping[str, np.ndarray]
) -> tuple[dict[str, list[str]], dict[str, np.ndarray], list[str]]:
    """Split off rows for the monitors, the same for every seed and method on one corpus."""
    total = len(next(iter(columns.values())))
    if total < _SHORTEST:
        raise DataError(f"a corpus of {total} rows is too small to train on; give at least {_SHORTEST} sentences.")
    count = max(2, min(PROBE_ROWS, total // 20))
    out = np.zeros(total, dtype=bool)
    out[numpy_rng(0, "held-out", total).permutation(total)[:count]] = True
    first = next(iter(columns.values()))
    held = [first[i] for i in np.flatnonzero(out).tolist()]
    kept: list[int] = np.flatnonzero(~out).tolist()
    return (
        {name: [texts[i] for i in kept] for name, texts in columns.items()},
        {name: np.asarray(values)[kept] for name, values in numbers.items()},
        held,
    )


def dev_look(dev: Task, vocabulary: Any, pooler: str, precision: str) -> Any:
    """Score an encoder on the dev split: unique sentences, tokenised once for the whole run."""
    if dev.split == "test":
        raise DataError(f"selection would look at test data ({dev.id}); name a dev split, e.g. {dev.name}:dev.")
    sentences = dev.sentences()
    place: dict[str, int] = {}
    index = np.array([place.setdefault(s, len(place)) for s in sentences])
    rows = vocabulary.rows(list(place))

    def score(vectors: np.ndarray) -> float | None:
        scores = dev.score(vectors[index]).scores
        return next(s.value for s in scores if (s.metric, s.aggregation) == dev.main)

    return dev_scorer(rows, pooler, precision, score)
