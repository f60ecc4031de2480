"""How does anything that turns texts into vectors become an `Embedder`:

a path, a SentenceTransformer, a function?
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from harness.errors import EncoderError, UsageError
from harness.protocols import Embedder


def as_embedder(given: Any) -> Embedder:
    """Return an embedder for a folder or hub id, an `Embedder`, a SentenceTransformer, or a callable texts -> array.

    Raises EncoderError if a path or id cannot be opened and UsageError for anything else.
    """
    if isinstance(given, str | os.PathLike):
        from harness.encoder import open_embedder

        return open_embedder(os.fspath(given))
    if isinstance(given, Embedder) and not isinstance(given, type):
        return given
    if any(
        cls.__name__ == "SentenceTransformer" and cls.__module__.split(".")[0] == "sentence_transformers"
        for cls in type(given).__mro__
    ):
        return SentenceTransformerEmbedder(given)
    if callable(given) and not isinstance(given, type):
        return CallableEmbedder(given)
    hint = " Pass its encode method: evaluate(model.encode, …)." if callable(getattr(given, "encode", None)) else ""
    raise UsageError(
        f"cannot embed texts with {given!r} ({type(given).__name__}); expected a folder or model id, an Embedder, a "
        f"SentenceTransformer, or a callable that takes a list of texts and returns an array.{hint}"
    )


class SentenceTransformerEmbedder:
    """A `sentence_transformers.SentenceTransformer` with its own pooling, length and precision, taken as it is."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> np.ndarray:
        """Return vectors, float32, shape (len(texts), d)."""
        vectors = self.model.encode(
            list(texts), batch_size=64, show_progress_bar=progress, convert_to_numpy=True, precision="float32"
        )
        return np.asarray(vectors, dtype=np.float32)

    def fingerprint(self) -> str:
        """Return the sha256 of weights, modules, tokenizer and prompts."""
        import torch

        total = hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode())
        total.update(repr(self.model).encode())
        tokenizer = getattr(self.model, "tokenizer", None)
        if hasattr(tokenizer, "backend_tokenizer"):
            from harness.encoder.vocabulary import tokenizer_text

            total.update(tokenizer_text(tokenizer).encode())
        for name, tensor in sorted(self.model.state_dict().items()):
            total.update(f"{name}:{tuple(tensor.shape)}:{tensor.dtype}".encode())
            total.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
        return total.hexdigest()

    def describe(self) -> dict[str, Any]:
        """Return the settings a record keeps."""
        model = self.model
        return {
            "embedder": "sentence-transformers",
            "modules": [type(module).__name__ for module in model],
            "max_length": getattr(model, "max_seq_length", None),
            "similarity": "cosine",
            "prompts": dict(getattr(model, "prompts", None) or {}),
            "default_prompt": getattr(model, "default_prompt_name", None),
        }


class CallableEmbedder:
    """Any function texts -> array of shape (len(texts), d): NumPy, SciPy sparse, a torch tensor or nested lists.

    A function cannot be fingerprinted: its name identifies it, and `describe` says so.
    """

    def __init__(self, function: Callable[[list[str]], Any]) -> None:
        self.function = function
        named = function if hasattr(function, "__qualname__") else type(function)
        self.name = f"{named.__module__}.{named.__qualname__}"

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Any:
        """Return what the function returns, torch tensors as NumPy arrays."""
        vectors = self.function(list(texts))
        if hasattr(vectors, "detach"):
            vectors = vectors.detach().float().cpu().numpy()
        return vectors

    def fingerprint(self) -> str:
        """Return the function's name, marked: it says nothing about what the function does."""
        return f"callable:{self.name} (not fingerprinted)"

    def describe(self) -> dict[str, Any]:
        """Return the name and the caveat."""
        return {"embedder": "callable", "name": self.name, "note": "not fingerprinted"}


def check_vectors(vectors: Any, texts: Sequence[str]) -> Any:
    """Return `vectors` as float32, dense (len(texts), d) or CSR.

    Raises EncoderError if they are not 2-D, have another number of rows, or hold NaN or infinity (naming the
    first sentence with one).
    """
    from scipy.sparse import csr_matrix, issparse

    if issparse(vectors):
        vectors = csr_matrix(vectors).astype(np.float32)
    else:
        try:
            with np.errstate(over="ignore"):  # what does not fit float32 becomes inf and is reported below
                vectors = np.asarray(vectors, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise EncoderError(
                f"the encoder returned {type(vectors).__name__} that is no array of numbers ({error}); expected shape "
                f"({len(texts)}, dimensions)."
            ) from None
    if vectors.ndim != 2:
        raise EncoderError(
            f"the encoder returned an array of shape {vectors.shape}, expected ({len(texts)}, dimensions)."
        )
    if vectors.shape[0] != len(texts):
        raise EncoderError(
            f"the encoder returned {vectors.shape[0]} vectors for {len(texts)} sentences, expected one per sentence."
        )
    if vectors.shape[1] == 0:
        raise EncoderError("the encoder returned vectors of 0 dimensions, expected at least 1.")
    bad = _first_bad_row(vectors)
    if bad is not None:
        text = texts[bad] if len(texts[bad]) <= 60 else texts[bad][:60] + "…"
        raise EncoderError(
            f"the encoder returned NaN or infinity for sentence {bad} ({text!r}); try --precision fp32, or look at the "
            f"weights."
        )
    return vectors


def _first_bad_row(vectors: Any) -> int | None:
    if isinstance(vectors, np.ndarray):
        rows = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        return int(rows[0]) if len(rows) else None
    entries = np.flatnonzero(~np.isfinite(vectors.data))
    return int(np.searchsorted(vectors.indptr, entries[0], side="right") - 1) if len(entries) else None
