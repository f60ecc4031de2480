"""Token arrays: a corpus tokenised once, stored flat, memory-mapped, addressed by row.

A million sentences of 32 pieces are 64 MB as uint16. A `TrainingData` folder is all a training machine needs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from harness.errors import DataError
from harness.protocols.method import Rows


@dataclass(frozen=True)
class TokenArray:
    """Rows of word-piece ids: `ids` (total,) uint16 or uint32, `offsets` (rows + 1,) int64."""

    ids: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[np.ndarray], vocabulary_size: int) -> TokenArray:
        """Store `rows` in the narrowest type that holds the vocabulary."""
        kind = np.uint16 if vocabulary_size <= 1 << 16 else np.uint32
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(r) for r in rows], out=offsets[1:])
        ids = np.concatenate([np.asarray(r, dtype=kind) for r in rows]) if len(rows) else np.empty(0, dtype=kind)
        return cls(ids, offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> np.ndarray:
        return self.ids[self.offsets[row] : self.offsets[row + 1]]

    def take(self, index: np.ndarray) -> list[np.ndarray]:
        """The rows at `index`, in that order."""
        return [self[int(i)] for i in index]


@dataclass(frozen=True)
class TrainingData:
    """The views of a corpus as token arrays; row i of every view belongs to row i of the corpus.

    present  view name -> bool (rows,), False where the view does not exist for that row
    numbers  extra numeric columns (rows,) by name
    notes    what preparation counted (coverage, truncation, identical views), as JSON values
    """

    views: Mapping[str, TokenArray]
    present: Mapping[str, np.ndarray]
    numbers: Mapping[str, np.ndarray] = field(default_factory=dict)
    notes: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns: list[TokenArray | np.ndarray] = [*self.views.values(), *self.present.values(), *self.numbers.values()]
        sizes = {len(column) for column in columns}
        if len(sizes) != 1:
            raise ValueError(f"views and columns must have the same number of rows, got {sorted(sizes)}")

    def __len__(self) -> int:
        return len(next(iter(self.views.values())))

    def rows(self, index: np.ndarray) -> Rows:
        """The rows at `index`, as a method's `collate` gets them."""
        return Rows(
            index=index,
            tokens={name: view.take(index) for name, view in self.views.items()},
            present={name: mask[index] for name, mask in self.present.items()},
            numbers={name: values[index] for name, values in self.numbers.items()},
        )

    def save(self, folder: Path) -> None:
        """Write one .npy pair per view and a `data.json`; arrays are opened memory-mapped by `load`."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, view in self.views.items():
            np.save(folder / f"view.{name}.ids.npy", view.ids)
            np.save(folder / f"view.{name}.offsets.npy", view.offsets)
        for kind, columns in (("present", self.present), ("number", self.numbers)):
            for name, values in columns.items():
                np.save(folder / f"{kind}.{name}.npy", values)
        listed = {
            "format": 1,
            "rows": len(self),
            "views": list(self.views),
            "present": list(self.present),
            "numbers": list(self.numbers),
            "notes": dict(self.notes),
        }
        (folder / "data.json").write_text(json.dumps(listed, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> TrainingData:
        """Open a folder written by `save`, memory-mapped. Raises DataError if a part is missing or damaged."""
        try:
            listed = json.loads((folder / "data.json").read_text(encoding="utf-8"))

            def array(name: str) -> np.ndarray:
                loaded: np.ndarray = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
                return loaded

            views = {n: TokenArray(array(f"view.{n}.ids"), array(f"view.{n}.offsets")) for n in listed["views"]}
            present = {n: array(f"present.{n}") for n in listed["present"]}
            return cls(views, present, {n: array(f"number.{n}") for n in listed["numbers"]}, listed["notes"])
        except (OSError, ValueError, KeyError) as error:
            raise DataError(
                f"{folder} is not a complete folder of token arrays ({error}); prepare it again."
            ) from error
