"""How many lines of a corpus does each operator change, and in which constructions?

SDA, Table 2, reports the share of augmented lines of its training corpus. Every line of the file counts, once for each
time it occurs: a blank line is a line that no operator changes.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from harness.analyses.job import SAMPLES, Job, Request, pack_fact, pack_of
from harness.analyses.lines import corpus_file, read_all_lines
from harness.analyses.suites import CoverageSuite
from harness.cache import cache_dir
from harness.errors import Skipped, UsageError
from harness.operators import resolve
from harness.protocols import Doc, Edit, LanguagePack, Operator, OperatorTools
from harness.provenance import code_digest, digest, strip
from harness.views import build_views

BLANK = "(blank line)"
#: the one group of a pack that names no constructions, and the group of what a pack that names them leaves unnamed
ALL, OTHER = "all", "other"
# lines worked on at a time: views of a million lines need not fit into memory at once
_CHUNK = 65_536


class GroupCount(BaseModel):
    """The lines of one construction, and for each operator how many of them it changed, seed by seed."""

    model_config = ConfigDict(frozen=True)

    name: str
    lines: int
    changed: dict[str, tuple[int, ...]]


class CoverageResult(BaseModel):
    """What was counted.

    lines     all lines counted, of which `blank` are blank, `wordless` more hold no letter or digit, and `repeated` repeat
              an earlier line
    of        lines of the file they were drawn from
    skipped   operator -> why it could not be tried
    named     whether the pack names constructions
    """

    model_config = ConfigDict(frozen=True)

    lines: int
    of: int
    blank: int
    wordless: int
    repeated: int
    seeds: tuple[int, ...]
    groups: tuple[GroupCount, ...]
    skipped: dict[str, str] = {}
    named: bool = False

    def changed(self, spec: str) -> tuple[int, ...]:
        """Return how many lines an operator changed, seed by seed; empty if it was not counted."""
        by_group = [group.changed[spec] for group in self.groups if spec in group.changed]
        return tuple(sum(column) for column in zip(*by_group, strict=True))


class CoverageJob(Job):
    """The coverage of a suite's operators on the lines of a corpus."""

    suite: CoverageSuite

    def __init__(self, suite: CoverageSuite, scale: str, request: Request) -> None:
        self.suite, self.scale = suite, scale
        self.pack = pack_of(suite, request)
        self.operators, self.skipped = _operators(suite, self.pack)
        if not self.operators:
            raise Skipped(f"no operator of {suite.name!r} can be tried here: {next(iter(self.skipped.values()))}")
        chosen = suite.scales[scale]
        self.seeds = request.seeds or chosen.seeds
        self._sample = request.corpus is None and chosen.corpus == "sample"
        path = request.corpus.expanduser() if request.corpus else corpus_file(chosen.corpus, request.data, self.pack)
        self.lines = read_all_lines(path, limit=chosen.lines)
        self._jobs = request.jobs

    @property
    def plumbing(self) -> str | None:
        """Samples are ours; a share of them says nothing about English."""
        return SAMPLES if self._sample else None

    def data(self) -> dict[str, Any]:
        """Return the lines' hash and the seeds."""
        return {"lines": self.lines.sha, "seeds": list(self.seeds)}

    def facts(self) -> dict[str, str]:
        """Return scale, corpus and pack."""
        taken, of = len(self.lines.texts), self.lines.of
        lines = f"all {of:,} lines" if taken == of else f"{taken:,} of {of:,} lines"
        return {"scale": self.scale, "corpus": f"{self.lines.name} ({lines})", "pack": pack_fact(self.pack)}

    def plan(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        """Return one row per operator."""
        lines, seeds = f"{len(self.lines.texts):,}", " ".join(map(str, self.seeds))
        rows: list[Sequence[str]] = [
            (row.label, row.operator, lines, seeds, self.skipped.get(row.operator, "")) for row in self.suite.rows
        ]
        return ("Row", "Operator", "Lines", "Seeds", "Skipped because"), rows

    def measure(self, *, progress: bool = False) -> CoverageResult:
        """Apply every operator to every line under every seed, and count by construction."""
        sizes: dict[str, int] = {}
        counts: dict[str, dict[str, list[int]]] = {}
        for start in range(0, len(self.lines.texts), _CHUNK):
            chunk = self.lines.texts[start : start + _CHUNK]
            texts = [text for text in chunk if text]
            views = [self._views(texts, self.operators, seed, progress) for seed in self.seeds]
            # behind the views, when the parses are there
            names = self._constructions(texts, progress) | {"": BLANK}
            for text in chunk:
                sizes[names[text]] = sizes.get(names[text], 0) + 1
            for number, columns in enumerate(views):
                for spec, column in columns.items():
                    for text, view in zip(texts, column, strict=True):
                        group = counts.setdefault(names[text], {})
                        group.setdefault(spec, [0] * len(self.seeds))[number] += view is not None and view != text
        nothing = [0] * len(self.seeds)
        groups = [
            GroupCount(
                name=name,
                lines=sizes[name],
                changed={op.spec: tuple(counts.get(name, {}).get(op.spec, nothing)) for op in self.operators},
            )
            for name in sorted(sizes, key=lambda name: (name == BLANK, -sizes[name], name))
        ]
        return CoverageResult(
            lines=len(self.lines.texts),
            of=self.lines.of,
            blank=self.lines.blank,
            wordless=self.lines.wordless,
            repeated=self.lines.repeated,
            seeds=self.seeds,
            groups=tuple(groups),
            skipped=self.skipped,
            named=_names_constructions(self.pack),
        )

    def _views(
        self, texts: Sequence[str], operators: Sequence[Operator], seed: int, progress: bool, *, keep: bool = True
    ) -> dict[str, Sequence[str | None]]:
        """The texts of each operator's view; views are kept in the cache if `keep`, parses always."""
        cache = cache_dir()
        columns = build_views(
            texts,
            operators,
            pack=self.pack,
            seed=seed,
            cache=cache / "views" if keep else None,
            parses=cache / "parses",
            jobs=self._jobs,
            progress=progress,
        )
        return {spec: column.texts for spec, column in columns.items()}

    def _constructions(self, texts: Sequence[str], progress: bool) -> dict[str, str]:
        """Each text with the name of its construction."""
        if not _names_constructions(self.pack):
            return dict.fromkeys(texts, ALL)
        naming = _Naming(tools=OperatorTools(pack=self.pack))
        # not kept: the hash of a view knows the operator's code, and this one leaves the work to the pack
        names = self._views(texts, [naming], 0, progress, keep=False)[naming.spec]
        return {text: name or OTHER for text, name in zip(texts, names, strict=True)}

    @staticmethod
    def code(suite: CoverageSuite, scale: str, pack: LanguagePack) -> dict[str, Any]:
        """Return the operators, the pack and the counting, as hashes."""
        operators, skipped = _operators(suite, pack)
        return {
            "operators": {op.spec: digest([op.fingerprint(), code_digest(op)]) for op in operators},
            "skipped": sorted(skipped),
            "pack": digest([pack.fingerprint(), code_digest(pack)]),
            "constructions": _sources(pack) if _names_constructions(pack) else None,
            # Edit stands for the module that renders edits
            "counting": digest([code_digest(sys.modules[__name__]), code_digest(Edit)]),
        }


def _operators(suite: CoverageSuite, pack: LanguagePack) -> tuple[list[Operator], dict[str, str]]:
    """The operators of the rows, and why the others cannot be tried."""
    operators: list[Operator] = []
    skipped: dict[str, str] = {}
    for row in suite.rows:
        try:
            (operator,) = resolve([row.operator], pack)
        except Skipped as reason:
            skipped[row.operator] = str(reason)
            continue
        if not isinstance(operator, Operator):
            raise UsageError(
                f"row {row.label!r} of suite {suite.name!r}: {row.operator} works on an encoder's word pieces; coverage is "
                "counted on text. Name a text operator (`augbench ls operators`)."
            )
        operators.append(operator)
    return operators, skipped


def _names_constructions(pack: LanguagePack) -> bool:
    return type(pack).construction is not LanguagePack.construction


def _sources(pack: LanguagePack) -> str:
    """sha256 of the pack's own code and word lists: what names a construction may be spread over all of it."""
    files = sorted(path for suffix in ("py", "toml") for path in pack.folder.rglob(f"*.{suffix}"))
    contents = {}
    for path in files:
        text = path.read_text(encoding="utf-8")
        contents[path.relative_to(pack.folder).as_posix()] = strip(text) if path.suffix == ".py" else text
    return digest(contents)


class _Naming(Operator):
    """What the pack calls each text, asked in the form of an operator, so that stored parses are used: its text is the name."""

    name: ClassVar[str] = "construction"

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the name as an edit without changes, None where the pack has none."""
        name = self.tools.pack.construction(doc)
        return None if name is None else Edit(name, ())
