"""Is the fast number format good enough? It is tried on some sentences before it is used for all.

A format passes if the similarities it gives rank pairs of sentences as fp32 does: Spearman × 100 between the two at least
100 - 0.02. Where it does not, the embedder goes back to fp32 and its description says why.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.encoder.embedder import TextEmbedder
from harness.statistics import spearman

TOLERANCE = 0.02  # points of Spearman × 100
_SENTENCES = 256


def is_settled(embedder: TextEmbedder) -> bool:
    """Tell whether the format needs no trial: it is fp32, or the user asked for it."""
    return embedder.precision == "fp32" or embedder.precision_reason == "as asked"


def settle_precision(embedder: TextEmbedder, texts: Sequence[str]) -> TextEmbedder:
    """Return `embedder` if its format passes on an even sample of `texts`, else one in fp32 with the reason.

    Fewer than three texts have no ranks to compare and settle nothing.
    """
    if is_settled(embedder) or len(texts) < 3:
        return embedder
    exact = TextEmbedder(embedder.encoder, pooler=embedder.pooler, max_length=embedder.max_length, precision="fp32")
    sample = [texts[i] for i in np.linspace(0, len(texts) - 1, min(_SENTENCES, len(texts))).astype(int)]
    agreement = spearman(_similarities(embedder.encode(sample)), _similarities(exact.encode(sample)))
    share = "undefined" if agreement is None else f"{agreement:.3f}"
    said = f"ranks of similarities on {len(sample)} sentences agree with fp32 by {share} of 100"
    if agreement is not None and agreement >= 100.0 - TOLERANCE:
        embedder.precision_reason = f"{embedder.precision_reason}; {said}"
        return embedder
    exact.precision_reason = f"{embedder.precision} was tried and dropped: {said}, wanted {100.0 - TOLERANCE:.2f}"
    return exact


def _similarities(vectors: np.ndarray) -> np.ndarray:
    units = vectors.astype(np.float64)
    units /= np.maximum(np.linalg.norm(units, axis=1, keepdims=True), 1e-30)
    return (units @ units.T)[np.triu_indices(len(units), k=1)]
