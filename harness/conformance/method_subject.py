"""A method under test: a small corpus, a small encoder, and what every check begins with."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from harness.corpus import Corpus
from harness.encoder import load_text_encoder
from harness.mini import encoder_folder
from harness.protocols import BuildContext, LanguagePack, Method, Step
from harness.protocols.scripts import joined
from harness.seeds import numpy_rng
from harness.stages import Outcome, Settings, StageContext
from harness.training.data import TrainingData
from harness.training.loop import TrainResult, train


@dataclass
class _Watched(StageContext):
    """Remembers what the stages of a method train: (method, text columns, numbers), in order."""

    trained: list[tuple[Method, Mapping[str, Sequence[str]] | None, Mapping[str, np.ndarray] | None]] = field(
        default_factory=list
    )

    def train(
        self,
        method: Method,
        columns: Mapping[str, Sequence[str]] | None = None,
        numbers: Mapping[str, np.ndarray] | None = None,
    ) -> Any:
        """As ever, and remembered."""
        self.trained.append((method, columns, numbers))
        return super().train(method, columns, numbers)


class Subject:
    """One method class on a small corpus with a small encoder; every check starts from fresh weights."""

    def __init__(
        self, method: type[Method], pack: LanguagePack, encoder: str, texts: Sequence[str], settings: dict[str, Any]
    ) -> None:
        self.cls, self.pack, self.encoder, self.texts = method, pack, encoder_folder(encoder, pack), list(texts)
        self.given = settings
        self._data: TrainingData | None = None
        self._last: tuple[Method, Mapping[str, Sequence[str]], Mapping[str, np.ndarray]] | None = None

    def method(self, **changes: Any) -> Method:
        """A configured instance; settings of the checks apply where the method has them."""
        fields = self.cls.Config.model_fields
        base = {"batch_size": 16, "epochs": 2, "eval_every": 0, "select": "last", "learning_rate": 1e-3}
        own = getattr(self.cls, "check_settings", {})
        return self.cls(**{k: v for k, v in {**base, **own, **self.given, **changes}.items() if k in fields})

    def load(self, dropout: float | None = None) -> Any:
        """A fresh base encoder."""
        return load_text_encoder(self.encoder, dropout=dropout)

    def data(self) -> TrainingData:
        """The token arrays of the method's views."""
        if self._data is None:
            from harness.encoder import fingerprint
            from harness.prepare import prepare

            method, columns, numbers = self._learnt()
            self._data = prepare(
                method,
                columns,
                pack=self.pack,
                encoder=self.encoder,
                encoder_sha=fingerprint(self.encoder),
                vocabulary=self.load().vocabulary,
                seed=0,
                numbers=numbers,
            )
        return self._data

    def learner(self) -> Method:
        """What the loop trains: the method itself or, of one that works in stages, what its last stage trains."""
        method, _, _ = self._learnt()
        return type(method)(method.config)

    def _learnt(self) -> tuple[Method, Mapping[str, Sequence[str]], Mapping[str, np.ndarray]]:
        if self._last is None:
            method, rows = self.method(), self.texts
            if self.cls.data == "documents":
                rows = [joined(rows[i : i + 4]) for i in range(0, len(rows), 2)]
            self._last = (method, {"text": rows}, {})
            if len(method.stages()) > 1:
                last, columns, numbers = self._watch(method)[-1]
                self._last = (last, columns or {"text": rows}, numbers or {})
        return self._last

    def _watch(self, method: Method) -> list[Any]:
        """Run the stages of a method and return what they train."""
        with tempfile.TemporaryDirectory() as folder:
            context = _Watched(
                corpus=Corpus("check", list(self.texts)),
                pack=self.pack,
                encoder=self.encoder,
                seed=0,
                settings=Settings(device="cpu", precision="fp32"),
                workdir=Path(folder),
                dev=None,
                identity="check",
                outcome=Outcome(embedder=None),  # type: ignore[arg-type]
            )
            for stage in method.stages():
                context.stage = stage.name
                context.artefacts[stage.name] = stage.run(context)
        assert context.trained, "no stage calls context.train, yet the method says it is trained; set trained = False"
        return context.trained

    def run(self, folder: Path, settings: Settings | None = None, seed: int = 0, **options: Any) -> TrainResult:
        """Train through the ordinary loop."""
        return train(
            options.pop("method", None) or self.learner(),
            self.data(),
            load_encoder=self.load,
            seed=seed,
            workdir=folder,
            settings=settings or Settings(device="cpu", precision="fp32"),
            **options,
        )

    def step(self, dropout: float | None = None) -> tuple[Method, torch.nn.Module, Any, Step]:
        """A built module and the batch of step 0."""
        method = self.learner()
        torch.manual_seed(0)
        encoder = self.load(dropout)
        context = BuildContext(
            encoder, partial(self.load, dropout), encoder.hidden_size, encoder.vocabulary, total_steps=4, seed=0
        )
        module = method.build(context)
        method.train_mode(module)
        rows = self.data().rows(np.arange(min(16, len(self.data()))))
        return method, module, method.collate(rows, encoder.vocabulary, numpy_rng(0, "collate", 0)), Step(0, 4, 0, 0)
