"""What the evaluators need of an encoder: texts in, vectors out, and a name for exactly this artefact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, runtime_checkable
from typing import Protocol as TypingProtocol


@runtime_checkable
class Embedder(TypingProtocol):
    """Template + encoder + pooler + post-processing. It belongs to the trained artefact, not to the evaluation."""

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Any:
        """Return the vectors of `texts`, shape (len(texts), d): float32 array or SciPy CSR matrix, rows in order."""

    def fingerprint(self) -> str:
        """Return a sha256 that changes with anything that changes the vectors."""

    def describe(self) -> dict[str, Any]:
        """Return what a record says about it (pooler, max_length, precision …), as JSON values."""
