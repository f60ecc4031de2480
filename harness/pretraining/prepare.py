"""From text files to everything the loop reads: tokeniser, segments, first embeddings. Done once, kept in a folder, read again."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness.cache import content_key
from harness.data.folder import DataFolder
from harness.data.leakage import SetOverlap, find_overlap, sets_digest
from harness.errors import DataError
from harness.pretraining.cooccurrence import cooccurrences, embeddings, ppmi
from harness.pretraining.packing import Segments, cut_segments
from harness.pretraining.pieces import count_words, learn_pieces
from harness.pretraining.settings import Recipe
from harness.pretraining.text import Text, TextFile, read_text
from harness.pretraining.tokeniser import encode_lines, make_tokeniser
from harness.pretraining.words import word_starts
from harness.seeds import numpy_rng

log = logging.getLogger(__name__)

Say = Callable[[str], None]
_VERSION = 1
_ARRAYS = ("ids", "word_starts", "train_starts", "train_ends", "held_starts", "held_ends", "counts")


@dataclass(frozen=True)
class Prepared:
    """What pre-training reads.

    key              stands for the text and all settings that shaped it
    train, held_out  segments;  counts: how often each piece occurs in the training part, int64 (pieces,)
    vectors          first embeddings (pieces, width) or None;  tokeniser: its folder
    files, overlap   where the text came from, and what was taken out of it (None: not checked);  removed: lines taken out
    """

    key: str
    train: Segments
    held_out: Segments
    counts: np.ndarray
    vectors: np.ndarray | None
    tokeniser: Path
    files: tuple[TextFile, ...]
    overlap: tuple[SetOverlap, ...] | None
    removed: int


def prepare(
    files: Sequence[Path], recipe: Recipe, work: Path, *, language: str, data: DataFolder | None, say: Say = log.info
) -> Prepared:
    """Read, clean, tokenise and pack text, or load what an earlier call with the same text and settings left in `work`.

    data: test sets to keep out of the text (None: not checked). Raises DataError for unusable text.
    """
    say("reading the text")
    text = read_text(files)
    shas = [file.sha256 for file in text.files]
    chosen = recipe.model_dump(include={"pieces", "lowercase", "cooccurrence", "held_out", "seed"})
    key = content_key(
        {
            "files": shas,
            "recipe": chosen,
            "positions": recipe.shape.positions,
            "width": recipe.shape.width,
            "tests": None if data is None else [language, sets_digest(data, language)],
            "version": _VERSION,
        }
    )
    folder = work / f"text-{key[:12]}"
    if not (folder / "text.json").is_file():
        _make(text, recipe, folder, language, data, say)
    return _load(folder, key)


def _make(text: Text, recipe: Recipe, folder: Path, language: str, data: DataFolder | None, say: Say) -> None:
    files, removed, overlap = text.files, 0, None
    if data is not None:
        say("looking for test sentences in the text")
        stay, overlap = find_overlap(text.lines, data, language)
        removed = int((~stay).sum())
        text = text.keep(stay)
    held = _held_out(text.documents, recipe)
    if held.all() or not held.any():
        raise DataError(
            "the text is too short to keep a part of it for the perplexity; give more, or raise --held-out."
        )
    say("learning the vocabulary")
    training = text.keep(~held)
    pieces = learn_pieces(count_words(training.lines, lowercase=recipe.lowercase), recipe.pieces)
    tokeniser = make_tokeniser(pieces, folder / "tokeniser", lowercase=recipe.lowercase, limit=recipe.shape.positions)
    say("tokenising")
    ids, ends = encode_lines(tokeniser, text.lines)
    arrays: dict[str, np.ndarray] = {"ids": ids, "word_starts": word_starts(tokeniser, ids, np.r_[0, ends[:-1]])}
    starts = np.r_[0, ends[:-1]]
    longest = recipe.shape.positions - 2
    for name, part in (("train", ~held), ("held", held)):
        arrays[f"{name}_starts"], arrays[f"{name}_ends"] = _segments(starts, ends, text.documents, part, longest)
        if not len(arrays[f"{name}_starts"]):
            raise DataError("the text is too short to make a single segment of three pieces; give more.")
    inside = np.repeat(~held, ends - starts)
    arrays["counts"] = np.bincount(ids[inside], minlength=len(pieces))
    if recipe.cooccurrence:
        say("counting which pieces stand together")
        lines = np.cumsum(np.r_[0, (ends - starts)[~held]])[:-1]
        counts = cooccurrences(ids[inside], np.unique(lines[lines < inside.sum()]), len(pieces))
        arrays["vectors"] = embeddings(ppmi(counts), recipe.shape.width, seed=recipe.seed)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    facts = {
        "files": [asdict(file) for file in files],
        "overlap": None if overlap is None else [asdict(found) for found in overlap],
        "removed": removed,
    }
    (folder / "text.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")


def _held_out(documents: np.ndarray, recipe: Recipe) -> np.ndarray:
    """Draw whole documents for the held-out part: bool (lines,)."""
    numbers, which = np.unique(documents, return_inverse=True)
    drawn = numpy_rng(recipe.seed, "held-out").random(len(numbers)) < recipe.held_out
    if not drawn.any() and len(drawn) > 1:
        drawn[-1] = True
    result: np.ndarray = drawn[which]
    return result


def _segments(
    starts: np.ndarray, ends: np.ndarray, documents: np.ndarray, part: np.ndarray, longest: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return starts and ends of the segments of the lines in `part`."""
    chosen = np.flatnonzero(part)
    first: list[np.ndarray] = []
    last: list[np.ndarray] = []
    # lines in the other part leave gaps in `ids`: each block of neighbouring lines is cut by itself
    for block in np.split(np.arange(len(chosen)), np.flatnonzero(np.diff(chosen) != 1) + 1):
        if len(block):
            offset = starts[chosen[block[0]]]
            a, b = cut_segments(ends[chosen[block]] - offset, documents[chosen[block]], longest)
            first.append(a + offset)
            last.append(b + offset)
    empty = np.empty(0, dtype=np.int64)
    return np.concatenate([empty, *first]), np.concatenate([empty, *last])


def _load(folder: Path, key: str) -> Prepared:
    arrays: dict[str, Any] = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}
    facts = json.loads((folder / "text.json").read_text(encoding="utf-8"))
    vectors = folder / "vectors.npy"
    overlap = facts["overlap"]
    return Prepared(
        key,
        Segments(arrays["ids"], arrays["word_starts"], arrays["train_starts"], arrays["train_ends"]),
        Segments(arrays["ids"], arrays["word_starts"], arrays["held_starts"], arrays["held_ends"]),
        np.asarray(arrays["counts"]),
        np.load(vectors) if vectors.is_file() else None,
        folder / "tokeniser",
        tuple(TextFile(**file) for file in facts["files"]),
        None if overlap is None else tuple(SetOverlap(**found) for found in overlap),
        facts["removed"],
    )
