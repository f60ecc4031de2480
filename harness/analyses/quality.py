"""What does each operator do to a sentence: how much of its wording changes, how much of its meaning stays?

SDA's hypothesis is that a good positive is semantically consistent and diverse in expression. Nothing measures either
directly; what is measured is named for what it is:

    similarity       cosine of line and view under a reference encoder, × 100 (consistency, as far as that encoder sees it)
    edit distance    of characters and of words, divided by the longer length, × 100 (diversity)
    BLEU             of the view against its line;  self-BLEU: of a line's views under different seeds against each other
    length           change of the number of words, in percent
    perplexity       of views and of their lines under the pack's masked language model (see `harness.encoder.pseudo_likelihood`)

All are about the lines an operator changes. In the plane of consistency and diversity the lines it leaves alone count too,
with similarity 100 and distance 0: that is what a method trains on.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from harness.analyses import judging
from harness.analyses.job import SAMPLES, Job, Request, pack_fact, pack_of
from harness.analyses.judging import Likelihood, open_judge
from harness.analyses.lines import corpus_file, read_all_lines
from harness.analyses.operators import operator_code, text_operators
from harness.analyses.quality_result import OperatorQuality, Place, QualityResult, Values
from harness.analyses.suites import QualitySuite
from harness.cache import cache_dir
from harness.diagnostics import surface
from harness.diagnostics.surface import corpus_bleu, relative_distance, self_bleu, surface_units
from harness.errors import Skipped
from harness.mini import NAME, encoder_folder
from harness.protocols import Edit, LanguagePack
from harness.provenance import code_digest, digest
from harness.records.schema import pack as packed
from harness.runs.workbench import encoder_name
from harness.statistics import hierarchical_score
from harness.views import build_views

#: per-line values are stored for so many lines at most
KEPT = 5_000


class QualityJob(Job):
    """The quality of a suite's operators on the lines of a corpus."""

    suite: QualitySuite

    def __init__(self, suite: QualitySuite, scale: str, request: Request) -> None:
        self.suite, self.scale = suite, scale
        self.pack = pack_of(suite, request)
        own = None if self.pack.encoder is None else str(self.pack.encoder)
        self._masked_lm = own
        self.operators, self.skipped = text_operators((row.operator for row in suite.rows), self.pack, encoder=own)
        if not self.operators:
            raise Skipped(f"no operator of {suite.name!r} can be tried here: {next(iter(self.skipped.values()))}")
        chosen = suite.scales[scale]
        self.seeds = request.seeds or chosen.seeds
        self._sample = request.corpus is None and chosen.corpus == "sample"
        path = request.corpus.expanduser() if request.corpus else corpus_file(chosen.corpus, request.data, self.pack)
        self.lines = read_all_lines(path, limit=chosen.lines)
        # what equals another line, or holds no word, has nothing to add
        self.texts = [text for text in dict.fromkeys(self.lines.texts) if any(map(str.isalnum, text))]
        self.encoder = request.encoder or NAME
        self._jobs = request.jobs

    @property
    def plumbing(self) -> str | None:
        """Samples are ours; they say nothing about other text."""
        return SAMPLES if self._sample else None

    @cached_property
    def embedder(self) -> Any:
        """The reference encoder, opened. Raises EncoderError if it cannot be."""
        from harness.encoder import open_embedder

        folder = encoder_folder(self.encoder, self.pack)
        brings_pooler = (Path(folder).expanduser() / "augbench.json").is_file()
        return open_embedder(folder, pooler=None if brings_pooler else self.suite.pooler)

    def data(self) -> dict[str, Any]:
        """Return the hashes of the lines and of the two models, the seeds, and how many lines are judged."""
        return {
            "lines": self.lines.sha,
            "seeds": list(self.seeds),
            "embedder": self._reference(),
            "perplexity": self.suite.scales[self.scale].perplexity,
        }

    def facts(self) -> dict[str, str]:
        """Return scale, corpus, pack and reference encoder."""
        taken, of = len(self.texts), self.lines.of
        return {
            "scale": self.scale,
            "corpus": f"{self.lines.name} ({taken:,} different lines of {of:,})",
            "pack": pack_fact(self.pack),
            "similarity": f"{encoder_name(self.encoder)}, {self.embedder.pooler} ({digest(self._reference())[:8]})",
        }

    def _reference(self) -> dict[str, Any]:
        """What decides the vectors: the contents of the encoder's folder, and how it is read."""
        from harness.encoder import fingerprint

        opened = self.embedder
        return {
            "sha": fingerprint(encoder_folder(self.encoder, self.pack)),
            "pooler": opened.pooler,
            "max_length": opened.max_length,
            "precision": opened.precision,
        }

    def plan(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        """Return one row per operator."""
        lines, seeds = f"{len(self.texts):,}", " ".join(map(str, self.seeds))
        rows: list[Sequence[str]] = [
            (row.label, row.operator, lines, seeds, self.skipped.get(row.operator, "")) for row in self.suite.rows
        ]
        return ("Row", "Operator", "Lines", "Seeds", "Skipped because"), rows

    def measure(self, *, progress: bool = False) -> QualityResult:
        """Make every view of every line under every seed, and compare them."""
        cosines = Similarity(self.embedder, self.texts, progress=progress)
        judge, no_judge = open_judge(self._masked_lm, self.pack)
        count = self.suite.scales[self.scale].perplexity
        if not count:
            judge, no_judge = None, f"the scale {self.scale!r} asks for no perplexity"
        views = [self._views(seed, progress) for seed in self.seeds]
        units = [surface_units(text) for text in self.texts]
        found = []
        for operator in self.operators:
            columns = [made[operator.spec] for made in views]
            likelihood = judge.compare(self.texts, columns[0], count) if judge else None
            found.append(compare(operator.spec, self.texts, units, columns, cosines, likelihood))
        return QualityResult(
            lines=len(self.texts),
            of=self.lines.of,
            seeds=self.seeds,
            apart=cosines.apart,
            embedder={**self.embedder.describe(), **self._reference()},
            judge=judge.fingerprint if judge else None,
            no_judge=no_judge,
            operators=tuple(found),
            skipped=self.skipped,
        )

    def _views(self, seed: int, progress: bool) -> dict[str, list[str]]:
        """Operator -> the view of each text, the text itself where it does not apply."""
        cache = cache_dir()
        columns = build_views(
            self.texts,
            self.operators,
            pack=self.pack,
            seed=seed,
            cache=cache / "views",
            parses=cache / "parses",
            jobs=self._jobs,
            progress=progress,
        )
        return {
            spec: [text if view is None else view for text, view in zip(self.texts, column.texts, strict=True)]
            for spec, column in columns.items()
        }

    @staticmethod
    def code(suite: QualitySuite, scale: str, pack: LanguagePack) -> dict[str, Any]:
        """Return the operators, the pack with its masked language model, and the measuring, as hashes."""
        from harness.encoder import fingerprint, pseudo_likelihood

        measuring = (sys.modules[__name__], judging, surface, Edit, pseudo_likelihood)
        return {
            "operators": operator_code((row.operator for row in suite.rows), pack),
            "pack": digest([pack.fingerprint(), code_digest(pack)]),
            "masked language model": None if pack.encoder is None else fingerprint(str(pack.encoder)),
            "measuring": digest([code_digest(part) for part in measuring]),
        }


class Similarity:
    """Cosines of texts with lines, from vectors of length 1; a vector of zeros has cosine 0 with everything."""

    def __init__(self, embedder: Any, texts: Sequence[str], *, progress: bool = False) -> None:
        self.embedder, self.progress = embedder, progress
        self.units = self._encode(texts)

    @property
    def apart(self) -> float | None:
        """The mean cosine × 100 of two different lines."""
        from harness.diagnostics.geometry import anisotropy

        found = anisotropy(self.units)
        return None if found is None else 100 * found

    def with_lines(self, views: Sequence[str], changed: np.ndarray) -> np.ndarray:
        """Return the cosine of each view with its line, shape (n,); 1 where it was not changed."""
        values = np.ones(len(views))
        rows = np.flatnonzero(changed)
        if len(rows):
            values[rows] = (self._encode([views[i] for i in rows.tolist()]) * self.units[rows]).sum(axis=1)
        return values

    def _encode(self, texts: Sequence[str]) -> np.ndarray:
        vectors = np.asarray(self.embedder.encode(list(texts), progress=self.progress), dtype=np.float64)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)


def compare(
    spec: str,
    texts: Sequence[str],
    units: Sequence[Sequence[str]],
    columns: Sequence[Sequence[str]],
    cosines: Similarity,
    likelihood: Likelihood | None,
) -> OperatorQuality:
    """Return an operator's numbers.

    units    the words and marks of each text;  columns: per seed, the view of each text (itself where nothing was changed)
    """
    split = [[surface_units(view) for view in column] for column in columns]
    changed = np.array([[view != text for view, text in zip(column, texts, strict=True)] for column in columns])
    similar = np.stack([cosines.with_lines(column, there) for column, there in zip(columns, changed, strict=True)])
    letters, words = np.zeros(changed.shape), np.zeros(changed.shape)
    bleu: list[float | None] = []
    length: list[float | None] = []
    for seed, column in enumerate(columns):
        rows = np.flatnonzero(changed[seed]).tolist()
        for row in rows:
            letters[seed, row] = relative_distance(texts[row], column[row])
            words[seed, row] = relative_distance(units[row], split[seed][row])
        bleu.append(corpus_bleu([split[seed][row] for row in rows], [[units[row]] for row in rows]) if rows else None)
        before, after = (sum(len(part[row]) for row in rows) for part in (units, split[seed]))
        length.append(100 * (after - before) / before if before else None)
    some = np.flatnonzero(changed.any(axis=0)).tolist()
    keep = len(texts) <= KEPT
    return OperatorQuality(
        operator=spec,
        changed=tuple(changed.sum(axis=1).tolist()),
        similarity=_means(similar, changed),
        characters=_means(letters, changed),
        words=_means(words, changed),
        bleu=tuple(bleu),
        length=tuple(length),
        self_bleu=self_bleu([[one[row] for row in some] for one in split]),
        consistency=_place(similar),
        diversity=_place(words),
        perplexity=likelihood,
        lines_similarity=packed(similar[0], "<f2") if keep else "",
        lines_words=packed(words[0], "<f2") if keep else "",
    )


def _means(values: np.ndarray, changed: np.ndarray) -> Values:
    """The mean × 100 of each seed over the lines it changed."""
    return tuple(
        100 * float(row[there].mean()) if there.any() else None for row, there in zip(values, changed, strict=True)
    )


def _place(values: np.ndarray) -> Place:
    """Of values (seeds, lines): their mean × 100, with its interval over seeds and lines."""
    if values.shape[1] < 2:
        return Place(value=100 * float(values.mean()), low=None, high=None)
    found = hierarchical_score(np.zeros(values.shape[1]), values, metric="mean")
    return Place(value=found.value, low=found.low, high=found.high)
