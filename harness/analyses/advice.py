"""Which augmentation makes the best positives for this text? No labels are needed; where there are some, they decide.

Every row is trained on the same lines with the same budget, under several seeds: pairs of a line and its view under an operator,
dropout on both; `plain` is dropout alone. Lines that nobody trained on are then looked at with dropout off:

    windows     does a line's beginning find its ending among those of all lines, and the other way? Mean reciprocal rank.
                No operator makes such a pair (`harness.advice.windows`); the recommendation goes by it
    others      do the views made by every *other* row's operator find their line? Never those of the row's own operator
    alignment, uniformity   Wang and Isola (2020): of these pairs, and of the lines
    labelled    Spearman with the scores of labelled pairs; where there are any, the recommendation goes by them

What the operators do to the text stands beside it: share of lines changed, consistency (cosine of line and view under the
encoder before training) and diversity (edit distance of words).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.advice.labelled import read_labelled_pairs
from harness.advice.material import Material, Scores
from harness.advice.planes import planes
from harness.advice.result import AdviceResult, RowAdvice
from harness.advice.split import split
from harness.advice.verdict import judge
from harness.advice.windows import windows
from harness.analyses.job import SAMPLES, Job, Request, pack_fact, pack_of
from harness.analyses.lines import corpus_file
from harness.analyses.operators import operator_code, text_operators
from harness.analyses.suites import AdviceRow, AdviceSuite
from harness.cache import cache_dir
from harness.corpus import read_corpus
from harness.errors import Skipped, UsageError
from harness.mini import encoder_folder
from harness.protocols import LanguagePack, Method
from harness.provenance import code_digest, digest
from harness.records.schema import pack as packed
from harness.runs.workbench import encoder_name
from harness.seeds import derive
from harness.views import build_views

#: held-out lines per operator whose views look for their line among all
LOOKED_AT = 100
#: the views that are looked at are drawn from a seed that nobody trains with
VIEWS_SEED = derive(0, "which-augmentation", "views")


class AdviceJob(Job):
    """The rows of a suite, trained and compared on the user's text."""

    suite: AdviceSuite

    def __init__(self, suite: AdviceSuite, scale: str, request: Request) -> None:
        self.suite, self.scale = suite, scale
        self.pack = pack_of(suite, request)
        chosen = suite.scales[scale]
        self.seeds = request.seeds or chosen.seeds
        self._sample = request.corpus is None
        if self._sample and chosen.corpus != "sample":
            raise UsageError(
                f"{suite.name} compares augmentations on your own text: give it with --corpus FILE (UTF-8, one sentence "
                "per line), or try it on the pack's samples with --scale smoke."
            )
        path = request.corpus.expanduser() if request.corpus else corpus_file("sample", None, self.pack)
        self.train, self.held_out, self.of = split(read_corpus(path), chosen.sentences, chosen.held_out, chosen.most)
        self.windows = windows(self.held_out)
        self.encoder = request.encoder or self.pack.default_encoder
        folder = encoder_folder(self.encoder, self.pack)
        self.operators, self.skipped = text_operators(
            (row.operator for row in suite.rows if row.operator), self.pack, encoder=folder
        )
        self.labelled = None
        if request.labelled is not None:
            self.labelled = read_labelled_pairs(request.labelled, self.pack, request.data)
        self.methods = {row.label: self._method(row) for row in suite.rows}
        self._jobs = request.jobs

    @property
    def plumbing(self) -> str | None:
        """Samples are ours; they say nothing about other text."""
        return SAMPLES if self._sample else None

    def data(self) -> dict[str, Any]:
        """Return the hashes of lines, encoder and labelled pairs, the seeds, and every row's filled settings."""
        from harness.encoder import fingerprint

        return {
            "train": self.train.sha,
            "held out": digest(self.held_out),
            "seeds": list(self.seeds),
            "encoder": fingerprint(encoder_folder(self.encoder, self.pack)),
            "labelled": None if self.labelled is None else self.labelled.sha,
            "rows": {label: method.fingerprint() for label, method in self.methods.items()},
        }

    def facts(self) -> dict[str, str]:
        """Return scale, text, pack, encoder and labelled pairs."""
        used = len(self.train) + len(self.held_out)
        facts = {
            "scale": self.scale,
            "text": f"{self.train.name} ({used:,} of {self.of:,} different lines)",
            "pack": pack_fact(self.pack),
            "encoder": encoder_name(self.encoder),
        }
        return facts | ({"labelled": self.labelled.name} if self.labelled else {})

    def plan(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        """Return one row per way to make positives."""
        rows: list[Sequence[str]] = []
        for row in self.suite.rows:
            seeds = "" if row.untrained else " ".join(map(str, self.seeds))
            method = "as it is" if row.untrained else self.methods[row.label].name
            skipped = self.skipped.get(row.operator or "", "")
            rows.append((row.label, method, row.operator or "", f"{len(self.train):,}", seeds, skipped))
        return ("Row", "Method", "Operator", "Lines", "Seeds", "Skipped because"), rows

    def measure(self, *, progress: bool = False) -> AdviceResult:
        """Train every row under every seed and look at the held-out lines."""
        from harness.advice.bar import run_bar
        from harness.advice.trial import trained, untrained

        views = self._views(progress)
        some = {spec: dict(list(made.items())[:LOOKED_AT]) for spec, made in views.items()}
        material = Material(self.held_out, self.windows, some, self.labelled)
        found: dict[str, list[Scores]] = {}
        notes: dict[str, list[dict[str, Any]]] = {}
        skipped: dict[str, str] = {}
        rows = [row for row in self.suite.rows if (row.operator or "") not in self.skipped]
        runs = [(row, seed) for row in rows for seed in ((0,) if row.untrained else self.seeds)]
        with run_bar(progress, len(runs)) as advance:
            for row, seed in runs:
                if row.label in skipped:
                    continue
                advance(f"{row.label}, seed {seed}")
                method = self.methods[row.label]
                if row.untrained:
                    pooler = method.config.pooler
                    one = untrained(pack=self.pack, encoder=self.encoder, pooler=pooler, material=material)
                    found[row.label], notes[row.label] = [one], []
                    continue
                try:
                    scores, told = trained(
                        method,
                        corpus=self.train,
                        pack=self.pack,
                        encoder=self.encoder,
                        seed=seed,
                        material=material,
                    )
                except Skipped as reason:
                    skipped[row.label] = str(reason)
                    continue
                found.setdefault(row.label, []).append(scores)
                notes.setdefault(row.label, []).append(told)
        if len(found) < 2:
            raise Skipped(f"nothing to compare: {next(iter([*skipped.values(), *self.skipped.values()]), 'one row')}")
        return self._result(found, notes, skipped, views)

    def _result(
        self,
        found: dict[str, list[Scores]],
        notes: dict[str, list[dict[str, Any]]],
        skipped: dict[str, str],
        views: dict[str, dict[int, str]],
    ) -> AdviceResult:
        seeds = {label: list(self.seeds) if notes[label] else [0] for label in found}
        labels = self.labelled
        by_windows = judge({label: np.stack([one.windows for one in ones]) for label, ones in found.items()}, seeds)
        by_labels = None
        if labels is not None:
            cosines = {
                label: np.stack([one.labelled for one in ones if one.labelled is not None])
                for label, ones in found.items()
            }
            by_labels = judge(cosines, seeds, gold=labels.gold, measure="spearman")
        from harness.encoder import open_embedder

        pooler = next(iter(self.methods.values())).config.pooler
        places = planes(self.held_out, views, open_embedder(encoder_folder(self.encoder, self.pack), pooler=pooler))
        told = [one["steps"] for ones in notes.values() for one in ones]
        rows = []
        for row in self.suite.rows:
            why = skipped.get(row.label) or self.skipped.get(row.operator or "")
            if why:
                rows.append(RowAdvice(label=row.label, operator=row.operator, skipped=why))
                continue
            ones, own = found[row.label], row.operator
            consistency, diversity = places.get(own or "", (None, None))
            rows.append(
                RowAdvice(
                    label=row.label,
                    operator=own,
                    seeds=() if row.untrained else self.seeds,
                    windows=tuple(100 * float(one.windows.mean()) for one in ones),
                    others=tuple(one.others(own) for one in ones),
                    alignment=tuple(one.alignment(own) for one in ones),
                    uniformity=tuple(one.uniformity for one in ones),
                    labelled=tuple(one.correlation(labels.gold) for one in ones) if labels else (),
                    changed=tuple(one["changed"] for one in notes[row.label]) if own else (),
                    consistency=consistency,
                    diversity=diversity,
                    per_line=tuple(packed(one.windows, "<f2") for one in ones),
                    alarms=tuple(dict.fromkeys(a for one in notes[row.label] for a in one["alarms"])),
                )
            )
        return AdviceResult(
            rows=tuple(rows),
            trained_on=len(self.train),
            held_out=len(self.held_out),
            window=self.windows.size,
            windows=len(self.windows.rows),
            steps=told[0] if told else None,
            seeds=self.seeds,
            labelled=labels.name if labels else None,
            by_windows=by_windows,
            by_labels=by_labels,
        )

    def _views(self, progress: bool) -> dict[str, dict[int, str]]:
        """Operator -> held-out line's number -> its view, for the lines it changes."""
        cache = cache_dir()
        columns = build_views(
            self.held_out,
            self.operators,
            pack=self.pack,
            seed=VIEWS_SEED,
            cache=cache / "views",
            parses=cache / "parses",
            jobs=self._jobs,
            progress=progress,
        )
        return {
            spec: {
                row: view
                for row, (text, view) in enumerate(zip(self.held_out, column.texts, strict=True))
                if view is not None and view != text
            }
            for spec, column in columns.items()
        }

    def _method(self, row: AdviceRow) -> Method:
        """The method of a row, with the settings of its encoder's family, the suite and the scale."""
        from harness.runs.plan import fill, method_class, preset_of

        name = self.suite.method if row.operator else self.suite.plain
        method = method_class(name)
        _, preset = preset_of(method, self.encoder)
        own = {"operator": row.operator} if row.operator else {}
        config = fill(
            name,
            {**preset, **self.suite.config, **self.suite.scales[self.scale].config, **own},
            where=f"row {row.label!r}",
        )
        return method(method.Config(**config))

    @staticmethod
    def code(suite: AdviceSuite, scale: str, pack: LanguagePack) -> dict[str, Any]:
        """Return operators, pack, methods, training core and the looking, as hashes."""
        from harness import stages
        from harness.advice import verdict
        from harness.advice.trial import looking_code
        from harness.runs.plan import method_class

        return {
            "operators": operator_code((row.operator for row in suite.rows if row.operator), pack),
            "pack": digest([pack.fingerprint(), code_digest(pack)]),
            "methods": [code_digest(method_class(name)) for name in (suite.method, suite.plain)],
            "core": stages.core_digest(),
            "looking": [
                *looking_code(),
                *(code_digest(part) for part in (verdict, planes, split, sys.modules[__name__])),
            ],
        }
