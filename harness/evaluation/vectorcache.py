"""Has this embedder seen these sentences before? Vectors on disk, keyed by the embedder and its number format.

    <folder>/<32 hex digits of fingerprint>/<content>.safetensors   `keys` uint8 (n, 16), `vectors` float32 (n, d)

A part is written whole or not at all, and is never changed; several processes may write side by side. A part that cannot
be read is left out with a warning and its sentences are encoded again. Removing the folder is always safe.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness.cache import atomic_path, cache_dir
from harness.errors import UsageError
from harness.protocols import Embedder

log = logging.getLogger(__name__)
_PART = 50_000


class CachedEmbedder:
    """An embedder that encodes a sentence once in its life.

    Raises UsageError for embedders that have no fingerprint (callables) or give sparse vectors.
    """

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        self.embedder = embedder
        self.name = embedder.fingerprint()
        if "not fingerprinted" in self.name:
            raise UsageError(
                "the vectors of a function cannot be kept: nothing tells one function from another; leave out the cache."
            )
        key = hashlib.sha256(self.name.encode()).hexdigest()[:32]
        self.folder = (folder or cache_dir() / "vectors") / key
        self.hits = 0
        self.misses = 0

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> np.ndarray:
        """Return vectors, float32, shape (len(texts), d); only sentences that were never seen are encoded."""
        keys = [_key(text) for text in texts]
        known = self._read(set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        self.hits, self.misses = self.hits + len(set(keys)) - len(missing), self.misses + len(missing)
        if missing:
            names, wanted = list(missing), list(missing.values())
            vectors = self.embedder.encode(wanted, progress=progress)
            if not isinstance(vectors, np.ndarray):
                raise UsageError("sparse vectors cannot be kept; leave out the cache.")
            vectors = np.ascontiguousarray(vectors, dtype=np.float32)
            for start in range(0, len(names), _PART):
                self._write(names[start : start + _PART], vectors[start : start + _PART])
            known.update(zip(names, vectors, strict=True))
        if not keys:
            return np.asarray(self.embedder.encode([]), dtype=np.float32)
        return np.stack([known[key] for key in keys])

    def fingerprint(self) -> str:
        """The embedder's own: the same vectors."""
        return self.name

    def describe(self) -> dict[str, Any]:
        """The embedder's own description."""
        return self.embedder.describe()

    def _read(self, wanted: set[bytes]) -> dict[bytes, np.ndarray]:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        found: dict[bytes, np.ndarray] = {}
        for path in sorted(self.folder.glob("*.safetensors")):
            try:
                part = load_file(path)
                names = [row.tobytes() for row in part["keys"]]
                vectors = part["vectors"]
                if len(names) != len(vectors):
                    raise ValueError(f"{len(names)} keys for {len(vectors)} vectors")
            except (SafetensorError, OSError, KeyError, ValueError) as error:
                log.warning("%s is passed over, its sentences are encoded again: %s", path, error)
                continue
            found.update((name, vectors[i]) for i, name in enumerate(names) if name in wanted)
        return found

    def _write(self, names: Sequence[bytes], vectors: np.ndarray) -> None:
        from safetensors.numpy import save_file

        content = hashlib.sha256(b"".join(names)).hexdigest()[:32]
        keys = np.frombuffer(b"".join(names), dtype=np.uint8).reshape(len(names), 16)
        with atomic_path(self.folder / f"{content}.safetensors") as temporary:
            save_file({"keys": keys, "vectors": np.ascontiguousarray(vectors)}, temporary)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
