"""How does the pack get its word segmenter? From treebanks, as a model that spacy-pkuseg opens.

Plain text did not help: lines cut by a tagger on the pack's encoder made the model worse on held-out trees, for that
encoder knows less of words than the treebank does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from harness.parsing.tokeniser import Reporter
from harness.parsing.treebank import Sentence
from harness.seeds import numpy_rng
from languages.chinese.segment.crf import CrfSettings, train, write
from languages.chinese.segment.features import build, index, keep
from languages.chinese.segment.runs import Run, begins, f1, places, runs_of


@dataclass(frozen=True)
class SegmenterSettings:
    """How much is kept: features met no more often than `rare` are left out; of the others the `features` of largest weight."""

    rare: int = 1
    features: int = 60_000
    crf: CrfSettings = field(default_factory=CrfSettings)


def learn(
    gold: Sequence[Sentence],
    dev: Sequence[Sentence],
    folder: Path,
    *,
    settings: SegmenterSettings,
    seed: int,
    report: Reporter,
) -> dict[str, Any]:
    """Write a model for pkuseg to `folder` and return what to say about it: settings, sizes and F1 on `dev`."""
    runs = list(runs_of(gold))
    extractor = build(runs, rare=settings.rare)
    data = [(index(extractor, "".join(run)), places(run)) for run in runs]
    weights, transitions = train(
        data,
        len(extractor.feature_to_idx),
        settings.crf,
        numpy_rng(seed, "segmenter"),
        progress=lambda *now: report("training the segmenter", *now),
    )
    chosen = _heaviest(weights, settings.features)
    keep(extractor, chosen)
    write(folder, extractor, weights[chosen], transitions)
    held_out = list(runs_of(dev))
    wanted = [begins(places(run)) for run in held_out]
    return {
        "settings": asdict(settings),
        "runs": len(runs),
        "features": len(chosen),
        "f1": round(f1(wanted, _starts(folder, held_out)), 2),
    }


def _heaviest(weights: np.ndarray, limit: int) -> np.ndarray:
    """Numbers of the features whose tags differ most in weight, ascending; feature 0 is always among them."""
    spread = weights.max(axis=1) - weights.min(axis=1)
    spread[0] = np.inf
    return np.sort(np.argsort(-spread, kind="stable")[:limit])


def _starts(folder: Path, runs: Sequence[Run]) -> Iterator[list[bool]]:
    """Where pkuseg itself cuts each run, with the model that was written."""
    import spacy_pkuseg

    model = spacy_pkuseg.pkuseg(str(folder), user_dict=None)
    for run in runs:
        yield begins(places(model.cut("".join(run))))
