"""In which portions is a corpus worked on, and how much work is it? Parses that are stored are fetched shard by shard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from harness.views.making import Chunk, Maker
from harness.views.parses import Places

# a sentence whose parse is stored, or that needs none, is this much less work than one to be parsed
CHEAPER = 10
# with fewer new sentences a shard is not worth its file, nor the search for it
_WORTH_KEEPING = 100


class Plan:
    """How the unique texts of a corpus are portioned out. `work` is how much there is to do, in sentences to be parsed."""

    def __init__(self, texts: Sequence[str], maker: Maker) -> None:
        self._texts = texts
        self._found = _look_up(texts, maker)
        old = 0 if self._found is None else int((self._found.shard >= 0).sum())
        self.work = len(texts) - old + old / CHEAPER if maker.needs_parse else len(texts) / CHEAPER

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Yield chunks of at most `size` sentences; those whose parses are stored come first, shard by shard."""
        texts, found = self._texts, self._found
        if found is None:
            yield from (Chunk(texts[start : start + size]) for start in range(0, len(texts), size))
            return
        old, new = np.flatnonzero(found.shard >= 0), np.flatnonzero(found.shard < 0)
        old = old[np.lexsort((found.place[old], found.shard[old]))]
        groups = [*np.split(old, np.flatnonzero(np.diff(found.shard[old])) + 1), new]
        for group in (part[start : start + size] for part in groups for start in range(0, len(part), size)):
            yield _chunk([texts[i] for i in group.tolist()], group, found, len(new))


def locate(texts: Sequence[str], maker: Maker) -> Chunk:
    """Return one chunk of texts in their order, for texts that come portion by portion."""
    found = _look_up(texts, maker)
    if found is None:
        return Chunk(texts)
    return _chunk(texts, np.arange(len(texts)), found, int((found.shard < 0).sum()))


def _look_up(texts: Sequence[str], maker: Maker) -> Places | None:
    if maker.parses is None or not maker.needs_parse or len(texts) < _WORTH_KEEPING:
        return None
    return maker.parses.look_up(texts)


def _chunk(texts: Sequence[str], indices: np.ndarray, found: Places, new: int) -> Chunk:
    stored: dict[str, list[tuple[int, int]]] = {}
    for row, index in enumerate(indices.tolist()):
        if found.shard[index] >= 0:
            stored.setdefault(found.shards[found.shard[index]], []).append((row, int(found.place[index])))
    return Chunk(texts, stored, save=new >= _WORTH_KEEPING)
