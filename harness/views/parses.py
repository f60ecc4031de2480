"""Which sentences were parsed before, and where do their parses lie? Shards of some hundred documents, found by text.

A shard is a safetensors file: `keys` (n, uint64), a hash of each text, and `docs` (bytes), what the pack makes of n documents.
Its name is the hash of its content, so processes may write side by side and damage is seen when it is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.cache import atomic_write, content_key
from harness.errors import AugBenchError, DataError
from harness.protocols import Doc, LanguagePack
from harness.provenance import code_digest

log = logging.getLogger(__name__)

_FORMAT = 1
_SUFFIX = ".safetensors"


class UnusableShard(Exception):
    """A shard that is damaged or gone; the message says which and why."""


@dataclass(frozen=True)
class Places:
    """Where the parses of n texts lie: `shard` (n, int32) points into `shards`, -1 for none; `place` (n, int32)."""

    shards: Sequence[str]
    shard: np.ndarray
    place: np.ndarray


class ParseCache:
    """The stored parses of one pack, in `folder`. `ParseCache.of` names the folder after all that a parse depends on."""

    def __init__(self, folder: Path, pack: LanguagePack) -> None:
        self.folder = folder
        self.pack = pack
        self._index: tuple[np.ndarray, Places] | None = None

    @classmethod
    def of(cls, root: Path, pack: LanguagePack) -> ParseCache:
        """Return the cache of a pack's parses below `root`: another parser, tokeniser or version has another folder."""
        key = content_key({"format": _FORMAT, "pack": pack.fingerprint(), "code": code_digest(pack)})
        return cls(root / key, pack)

    def look_up(self, texts: Sequence[str]) -> Places:
        """Return where each text's parse lies. What is stored is listed at the first call and not again."""
        if self._index is None:
            self._index = self._list()
        keys, stored = self._index
        wanted = _keys(texts)
        shard, place = np.full(len(texts), -1, np.int32), np.zeros(len(texts), np.int32)
        if len(keys):
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            known = keys[at] == wanted
            shard[known], place[known] = stored.shard[at[known]], stored.place[at[known]]
        return Places(stored.shards, shard, place)

    def load(self, shard: str, places: Sequence[int]) -> list[Doc]:
        """Return documents of one shard. Raises UnusableShard; the file is then gone."""
        from safetensors.numpy import load

        path = self.folder / shard
        try:
            content = path.read_bytes()
            if _name(content) != shard:
                raise ValueError("its content is not what was written")
            return list(self.pack.load_docs(load(content)["docs"].tobytes(), places))
        except AugBenchError:
            raise  # the pack cannot be used at all, which is not the shard's fault
        except Exception as error:
            raise self._drop(path, error) from error

    def save(self, texts: Sequence[str], docs: Sequence[Doc]) -> None:
        """Store the parses of `texts`, unless the pack's cannot be. Raises DataError if the folder cannot be written."""
        from safetensors.numpy import save

        data = self.pack.store_docs(docs)
        if data is None:
            return
        content = save({"keys": _keys(texts), "docs": np.frombuffer(data, np.uint8)})
        try:
            atomic_write(self.folder / _name(content), content)
        except DataError as error:
            # without the name of the shard: the same sentence for all of them
            cause = error.__cause__
            reason = cause.strerror if isinstance(cause, OSError) else str(error)
            raise DataError(f"parses are not kept: cannot write to {self.folder} ({reason})") from error

    def _list(self) -> tuple[np.ndarray, Places]:
        from safetensors import safe_open

        shards: list[str] = []
        found: list[np.ndarray] = []
        for path in sorted(self.folder.glob(f"*{_SUFFIX}")):
            try:
                with safe_open(path, "np") as file:
                    keys = file.get_tensor("keys")
                if keys.dtype != np.uint64 or keys.ndim != 1:
                    raise ValueError("its keys are not hashes")
            except Exception as error:
                log.warning("%s", self._drop(path, error))
                continue
            shards.append(path.name)
            found.append(keys)
        sizes = [len(keys) for keys in found]
        keys = np.concatenate(found) if found else np.zeros(0, np.uint64)
        shard = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        place = np.concatenate([np.arange(n, dtype=np.int32) for n in sizes]) if found else np.zeros(0, np.int32)
        order = np.argsort(keys, kind="stable")
        return keys[order], Places(shards, shard[order], place[order])

    def _drop(self, path: Path, error: Exception) -> UnusableShard:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        reason = (getattr(error, "strerror", None) or str(error) or type(error).__name__).partition("\n")[0]
        return UnusableShard(f"the cached parses {path} are damaged ({reason}); these sentences are parsed anew")


def _keys(texts: Iterable[str]) -> np.ndarray:
    # 64 bits suffice to find a text; whoever loads its parse compares the whole text
    made = (hashlib.blake2b(t.encode("utf-8", "surrogatepass"), digest_size=8).digest() for t in texts)
    return np.frombuffer(b"".join(made), dtype="<u8").astype(np.uint64)


def _name(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest() + _SUFFIX
