"""What is stored of augmentation quality? Operator by operator, seed by seed."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from harness.analyses.judging import Likelihood

Values = tuple[float | None, ...]


class Place(BaseModel):
    """A mean over all lines and seeds × 100, with its 95 % interval over both."""

    model_config = ConfigDict(frozen=True)

    value: float | None
    low: float | None
    high: float | None


class OperatorQuality(BaseModel):
    """What one operator did, seed by seed, on the lines it changed.

    changed      how many lines;  similarity, characters, words (edit distances), bleu: means × 100, None without a line
    length       change of the number of words in percent: Σ of the views over Σ of their lines
    self_bleu    over the lines that some seed changed, None with one seed
    consistency, diversity   similarity and edit distance of words over all lines
    lines_*      the values of every line under the first seed (fp16, packed), "" if there are too many lines
    """

    model_config = ConfigDict(frozen=True)

    operator: str
    changed: tuple[int, ...]
    similarity: Values
    characters: Values
    words: Values
    bleu: Values
    length: Values
    self_bleu: float | None
    consistency: Place
    diversity: Place
    perplexity: Likelihood | None = None
    lines_similarity: str = ""
    lines_words: str = ""


class QualityResult(BaseModel):
    """The operators of the suite, in order, without those in `skipped` (operator -> why).

    lines, of      different lines with a word, and lines of the file
    apart          mean similarity × 100 of two different lines, the floor
    embedder       the reference encoder: hash of its contents, and its description
    judge          fingerprint of the masked language model, or None and `no_judge` says why
    """

    model_config = ConfigDict(frozen=True)

    lines: int
    of: int
    seeds: tuple[int, ...]
    apart: float | None
    embedder: dict[str, Any]
    judge: str | None
    no_judge: str
    operators: tuple[OperatorQuality, ...]
    skipped: dict[str, str] = {}
