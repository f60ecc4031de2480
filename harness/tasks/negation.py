"""Is a sentence nearer to itself with a comma or a modal verb than to its negation? Tasks `STS-B-negation`, in every language.

The sentences are up to 1,000 of an STS set, chosen by hash; the pack's operators `negation`, `pi` and `mv` make the others
(`harness.diagnostics.negation`). A sentence that cannot be negated, or has no such view, is left out and counted.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from harness.data import DataFolder
from harness.data.readers import hash_rows
from harness.diagnostics.negation import (
    NEGATION,
    SAMPLE,
    Probe,
    identity,
    make_probe,
    operators_of,
    sample,
    sensitivity,
)
from harness.errors import Skipped
from harness.protocols import LanguagePack, Protocol, Score, Task, TaskOptions, TaskResult
from harness.provenance import code_digest, digest
from harness.tasks.beside_sts import beside_sts, with_pack
from harness.tasks.resolve import Family
from harness.tasks.sts import cosine

SEED = 0


class NegationTask(Task):
    """The negation probe on the sentences of one STS set.

    Score `sensitivity`, in percent: how often a view is more similar to the sentence than the negation is; 50 is chance, ties count
    half; by view (aggregations `pi`, `mv`) and over both (`all`, every view of every sentence counted once). Predictions are the
    similarity to the view minus that to the negation, block by block (`groups`). Facts: mean similarities, and sentences left out.
    """

    main = ("sensitivity", "all")

    def __init__(self, base: Any, pack: LanguagePack) -> None:
        self.name, self.language, self.split = f"{base.name}-negation", base.language, base.split
        self.pack = pack
        self._texts = sample(text for pair in base.pairs for text in pair)
        self.data_sha = hash_rows([text] for text in self._texts)
        details = {
            "operators": identity(operators_of(pack)),
            "pack": digest([pack.fingerprint(), code_digest(pack)]),
            "sample": SAMPLE,
            "seed": SEED,
        }
        self.protocol = Protocol("negation-probe", 1, text=base.protocol.text, details=details)

    @cached_property
    def probe(self) -> Probe:
        """The sentences with their negations and views. Raises Skipped if the pack cannot make them."""
        probe = make_probe(self._texts, self.pack, seed=SEED)
        if not any(view is not None for views in probe.views.values() for view in views):
            raise Skipped(
                f"no operator of the pack {self.pack.name!r} gives a view of any of the sentences of {self.id}."
            )
        return probe

    def sentences(self) -> list[str]:
        """The sentences, their negations, and the views of each operator one after the other. Raises Skipped as `probe` does."""
        views = [view for found in self.probe.views.values() for view in found if view is not None]
        return [*self.probe.texts, *self.probe.negations, *views]

    def score(self, vectors: Any) -> TaskResult:
        """Score `vectors`, one row per sentence of `sentences()`, dense or CSR; an undefined similarity counts as 0."""
        probe, count = self.probe, len(self.probe.texts)
        wanted = len(self.sentences())
        if vectors.shape[0] != wanted:
            raise ValueError(f"{self.id} has {wanted} sentences, got {vectors.shape[0]} vectors")
        original = vectors[:count]
        # float32, as everywhere: similarities that differ by rounding alone are ties
        negated, undefined = _similarity(original, vectors[count : 2 * count])
        blocks: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        start = 2 * count
        for name, views in probe.views.items():
            there = np.flatnonzero([view is not None for view in views])
            near, missing = _similarity(original[there], vectors[start : start + len(there)])
            blocks[name] = negated[there], near
            start, undefined = start + len(there), undefined + missing
        far, near = (np.concatenate([block[side] for block in blocks.values()]) for side in (0, 1))
        scores = (
            Score("sensitivity", "all", sensitivity(far, near), len(near)),
            *(Score("sensitivity", name, sensitivity(*block), len(block[1])) for name, block in blocks.items()),
        )
        facts: dict[str, float | None] = {
            "sentences": float(count),
            f"refused: {NEGATION}": float(probe.refused),
            f"mean similarity: {NEGATION}": float(100 * negated.mean(dtype=np.float64)),
        }
        for name, (_, similar) in blocks.items():
            facts[f"refused: {name}"] = float(count - len(similar))
            facts[f"mean similarity: {name}"] = float(100 * similar.mean(dtype=np.float64)) if len(similar) else None
        notes = (f"{undefined} similarities were undefined (zero vectors) and count as 0",) if undefined else ()
        return TaskResult(
            scores, near - far, {name: len(block[1]) for name, block in blocks.items()}, notes, facts=facts
        )


def _similarity(first: Any, second: Any) -> tuple[np.ndarray, int]:
    cosines, undefined = cosine(first, second)
    return cosines.astype(np.float32), undefined


def family(data: DataFolder, language: str, options: TaskOptions) -> Family:
    """Return a task for every STS set; `negation` stands for STS-B, or the pack's own SampleSTS."""

    def make(base: Any) -> Task:
        return with_pack(
            base, language, lambda pack: NegationTask(base, pack), suffix="negation", main=NegationTask.main
        )

    return beside_sts(data, language, options, suffix="negation", make=make)
