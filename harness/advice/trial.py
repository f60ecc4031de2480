"""One row, one seed: train for the budget, look at the material, keep the numbers. What was done before is not done again."""

from __future__ import annotations

import json
import logging
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from harness.advice.material import Material, Scores
from harness.cache import atomic_path, cache_dir, content_key
from harness.corpus import Corpus
from harness.errors import EncoderError
from harness.mini import encoder_folder
from harness.protocols import LanguagePack, Method
from harness.provenance import code_digest
from harness.records.schema import pack as packed
from harness.records.schema import unpack

log = logging.getLogger(__name__)
_TYPE = "<f4"


def trained(
    method: Method, *, corpus: Corpus, pack: LanguagePack, encoder: str, seed: int, material: Material
) -> tuple[Scores, dict[str, Any]]:
    """Return the scores of a method trained on `corpus`, and notes on its training: `steps`, `rows`, `changed` (share, or None).

    Raises the errors of training (Skipped where the operator lacks something).
    """
    from harness import stages

    settings = stages.Settings()
    identity = stages.identity(method, corpus=corpus, pack=pack, encoder=encoder, seed=seed, settings=settings)
    file = _file({"run": identity, "material": material.sha, "looking": looking_code()})
    known = _read(file)
    if known is not None:
        return known
    with tempfile.TemporaryDirectory(prefix="augbench-") as folder:
        outcome = stages.execute(
            method, corpus=corpus, pack=pack, encoder=encoder, seed=seed, settings=settings, workdir=Path(folder)
        )
    scores = material.score(outcome.embedder)
    positive = outcome.notes.get("views", {}).get("positive", {})
    notes = {
        "steps": outcome.notes.get("steps"),
        "rows": outcome.notes.get("training_rows"),
        "changed": positive.get("changed"),
        "alarms": [alarm["reason"] for alarm in outcome.notes.get("collapse_alarms") or []][:1],
    }
    _write(file, scores, notes)
    return scores, notes


def untrained(*, pack: LanguagePack, encoder: str, pooler: str, material: Material) -> Scores:
    """Return the scores of the encoder as it is. Raises EncoderError if it cannot be opened."""
    from harness.encoder import fingerprint, open_embedder

    folder = encoder_folder(encoder, pack)
    file = _file(
        {"encoder": fingerprint(folder), "pooler": pooler, "material": material.sha, "looking": looking_code()}
    )
    known = _read(file)
    if known is not None:
        return known[0]
    embedder = open_embedder(folder, pooler=pooler)
    if embedder.pooler != pooler:
        raise EncoderError(f"{encoder} is pooled by {embedder.pooler}, expected {pooler}; name the base encoder.")
    scores = material.score(embedder)
    _write(file, scores, {})
    return scores


def looking_code() -> list[str]:
    """Return the hashes of the code that looks at the material."""
    from harness.advice import material, retrieval, windows
    from harness.diagnostics import geometry

    return [code_digest(part) for part in (material, retrieval, windows, geometry)]


def _file(identity: Any) -> Path:
    return cache_dir() / "advice" / f"{content_key(identity)}.json"


def _write(file: Path, scores: Scores, notes: dict[str, Any]) -> None:
    content = {
        "windows": packed(scores.windows, _TYPE),
        "views": {spec: packed(found, _TYPE) for spec, found in scores.views.items()},
        "cosines": {spec: packed(found, _TYPE) for spec, found in scores.cosines.items()},
        "uniformity": scores.uniformity,
        "labelled": None if scores.labelled is None else packed(scores.labelled, _TYPE),
        "notes": notes,
    }
    try:
        with atomic_path(file) as temporary:
            temporary.write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    except OSError as error:
        log.warning("%s cannot be kept (%s); an interrupted comparison starts this run anew", file, error)


def _read(file: Path) -> tuple[Scores, dict[str, Any]] | None:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        scores = Scores(
            windows=_array(content["windows"]),
            views={spec: _array(text) for spec, text in content["views"].items()},
            cosines={spec: _array(text) for spec, text in content["cosines"].items()},
            uniformity=content["uniformity"],
            labelled=None if content["labelled"] is None else _array(content["labelled"]),
        )
        return scores, dict(content["notes"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        log.warning("%s is damaged (%s); that run is done anew", file, error)
        return None


def _array(text: str) -> np.ndarray:
    return unpack(text, _TYPE).astype(np.float64)
