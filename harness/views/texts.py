"""How do a million texts fit into memory? As one block of UTF-8 and where each begins: half of what a list of str takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np

# what no UTF-8 file can hold passes through unharmed all the same
_ERRORS = "surrogatepass"


class Texts(Sequence["str | None"]):
    """A sequence of texts and gaps (None), equal to any sequence with the same ones.

    `data` holds the texts; `start` (n, int64) and `size` (n, int64) say where each lies in it, size -1 is a gap.
    """

    def __init__(self, data: bytearray | memoryview, start: np.ndarray, size: np.ndarray) -> None:
        self._data = data
        self._start = start
        self._size = size

    @classmethod
    def gaps(cls, count: int) -> Texts:
        """Return `count` gaps, to be filled with `put`."""
        return cls(bytearray(), np.zeros(count, np.int64), np.full(count, -1, np.int64))

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Texts:
        """Return the given texts."""
        given = list(values)
        made = cls.gaps(len(given))
        made.put(np.arange(len(given)), given)
        return made

    def put(self, places: np.ndarray, values: Sequence[str | None]) -> None:
        """Fill gaps (not for texts that share their data with others)."""
        assert isinstance(self._data, bytearray)
        encoded = [b"" if value is None else value.encode("utf-8", _ERRORS) for value in values]
        sizes = np.array([len(data) for data in encoded], np.int64)
        self._start[places] = len(self._data) + np.cumsum(sizes) - sizes
        self._size[places] = np.where([value is None for value in values], -1, sizes) if len(values) else sizes
        self._data += b"".join(encoded)

    def take(self, rows: Sequence[int]) -> Texts:
        """Return the texts at `rows`, without copying them."""
        index = np.asarray(rows, np.int64)
        return Texts(memoryview(self._data), self._start[index], self._size[index])

    def block(self, start: int, stop: int) -> tuple[bytes, np.ndarray, np.ndarray]:
        """Return rows [start, stop) as Arrow has them: data, offsets (rows + 1, int64) and which are no gaps (rows, bool)."""
        sizes = self._size[start:stop]
        offsets = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(np.maximum(sizes, 0), out=offsets[1:])
        places = zip(self._start[start:stop].tolist(), sizes.tolist(), strict=True)
        return b"".join(self._data[at : at + size] for at, size in places if size > 0), offsets, sizes >= 0

    def __len__(self) -> int:
        return len(self._size)

    @overload
    def __getitem__(self, index: int) -> str | None: ...
    @overload
    def __getitem__(self, index: slice) -> list[str | None]: ...
    def __getitem__(self, index: int | slice) -> str | list[str | None] | None:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._text(int(self._start[index]), int(self._size[index]))

    def __iter__(self) -> Iterator[str | None]:
        return map(self._text, self._start.tolist(), self._size.tolist())

    def _text(self, start: int, size: int) -> str | None:
        return None if size < 0 else str(self._data[start : start + size], "utf-8", _ERRORS)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) or not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Texts.of({list(self)!r})"
