"""What stands in the file of an analysis suite? `kind = "coverage"`, "overlap", "quality" or "advice" in its `[suite]`.

Read through `harness.suite.load_suite`, like the suites that train.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from harness.suite import SCALES


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Reference(_Part):
    """A printed number: a row of the published tables (`method`, `task`), or its `value` where a paper has it in its text.

    Numbers of tables live in the published collections and are looked up there; a number in running text has no row
    there, so it stands in the suite with its source.
    """

    source: str
    method: str | None = None
    task: str | None = None
    encoder: str | None = None
    value: float | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Reference:
        looked_up = self.method is not None and self.task is not None
        if looked_up == (self.value is not None):
            raise ValueError("a printed number has either `method` and `task` (its row) or a `value`")
        return self


class AnalysisSuite(_Part):
    """What every analysis suite has. `kind` says what is measured; `options` of the command line it has a use for."""

    kind: str
    name: str
    title: str
    paper: str = ""
    note: str = ""
    language: str = "english"
    default_scale: str = "small"
    scales: Mapping[str, Any] = Field(min_length=1)
    rows: tuple[Any, ...] = Field(min_length=1)

    options: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[Mapping[str, type[BaseModel]]] = {}

    @model_validator(mode="after")
    def _scales_and_rows(self) -> AnalysisSuite:
        for name in self.scales:
            if name not in SCALES:
                raise ValueError(f"unknown scale {name!r}; scales are called {', '.join(SCALES)}")
        if self.default_scale not in self.scales:
            raise ValueError(f"default_scale {self.default_scale!r} is none of its scales: {', '.join(self.scales)}")
        labels = [row.label for row in self.rows]
        repeated = sorted({label for label in labels if labels.count(label) > 1})
        if repeated:
            raise ValueError(f"two rows are called {repeated[0]!r}")
        return self


# -- coverage ---------------------------------------------------------------------------------------------------------
class CoverageRow(_Part):
    """An operator (`name@variant`). `group` names the table by construction it has a column in."""

    label: str
    operator: str
    group: str = "ours"
    published: Reference | None = None


class CoverageScale(_Part):
    """How much is counted.

    corpus  file below `corpus/<language>/` of the data folder, or `sample` = the pack's own
    lines   how many lines, drawn at random (None = all);  seeds: of the operators' choices
    """

    corpus: str = "wiki.txt"
    lines: int | None = Field(None, ge=1)
    seeds: tuple[int, ...] = Field((0,), min_length=1)


class CoverageSuite(AnalysisSuite):
    """How many lines of a corpus does each operator change, by the construction of the line?"""

    kind: Literal["coverage"]
    scales: Mapping[str, CoverageScale] = Field(min_length=1)
    rows: tuple[CoverageRow, ...] = Field(min_length=1)

    options: ClassVar[tuple[str, ...]] = ("language", "corpus", "data", "scale", "seeds", "jobs")
    parts: ClassVar[Mapping[str, type[BaseModel]]] = {"rows": CoverageRow, "scales": CoverageScale}

    @model_validator(mode="after")
    def _operators_once(self) -> CoverageSuite:
        _once(row.operator for row in self.rows)
        return self

    @property
    def groups(self) -> dict[str, list[CoverageRow]]:
        """The rows by group, groups in the order of their first row."""
        found: dict[str, list[CoverageRow]] = {}
        for row in self.rows:
            found.setdefault(row.group, []).append(row)
        return found


# -- overlap ----------------------------------------------------------------------------------------------------------
Unit = Literal["words", "tokens", "tokens-lower", "pieces", "pieces-special"]


class OverlapRow(_Part):
    """A way to count: which text variant of the sets, and what of a sentence is the set that is compared.

    words           the pack's words, lower-cased;  tokens: split at blanks;  tokens-lower: the same, lower-cased
    pieces          an encoder's word pieces;  pieces-special: with the special tokens it puts around a sentence
    """

    label: str
    text: Literal["original", "senteval"] = "original"
    unit: Unit = "words"


class OverlapColumn(_Part):
    """A set of sentence pairs (`SICK-R`, `STS-B:dev`); `average` columns make up the average column."""

    title: str
    task: str
    average: bool = False
    published: Reference | None = None


class OverlapScale(_Part):
    """Where the sets lie: the user's data folder, or the pack's samples. What is given replaces the suite's."""

    data: Literal["sample", "user"] = "user"
    columns: tuple[OverlapColumn, ...] | None = Field(None, min_length=1)
    splits: tuple[str, ...] | None = None
    texts: tuple[Literal["original", "senteval"], ...] | None = None


class OverlapSuite(AnalysisSuite):
    """How much of their words do the two sentences of a pair share, set by set?

    average  titles the mean over the `average` columns, with its printed number `published_average`
    splits   sets of which every split is shown beside the test split, and all of them together
    """

    kind: Literal["overlap"]
    average: str = ""
    published_average: Reference | None = None
    columns: tuple[OverlapColumn, ...] = Field(min_length=1)
    splits: tuple[str, ...] = ()
    scales: Mapping[str, OverlapScale] = Field(min_length=1)
    rows: tuple[OverlapRow, ...] = Field(min_length=1)

    options: ClassVar[tuple[str, ...]] = ("language", "data", "encoder", "scale")
    parts: ClassVar[Mapping[str, type[BaseModel]]] = {
        "columns": OverlapColumn,
        "rows": OverlapRow,
        "scales": OverlapScale,
    }

    def columns_at(self, scale: str) -> tuple[OverlapColumn, ...]:
        """Return the sets in the tables at a scale."""
        return self.scales[scale].columns or self.columns

    def splits_at(self, scale: str) -> tuple[str, ...]:
        """Return the sets shown split by split at a scale."""
        own = self.scales[scale].splits
        return self.splits if own is None else own

    def rows_at(self, scale: str) -> tuple[OverlapRow, ...]:
        """Return the ways to count at a scale: those whose text variant is there."""
        texts = self.scales[scale].texts
        return tuple(row for row in self.rows if texts is None or row.text in texts)

    @model_validator(mode="after")
    def _rows_everywhere(self) -> OverlapSuite:
        for scale in self.scales:
            if not self.rows_at(scale):
                raise ValueError(f"scale {scale!r} has no rows: none reads one of its texts")
        return self


# -- quality ----------------------------------------------------------------------------------------------------------
class QualityRow(_Part):
    """An operator on text (`name@variant`); `anchor` rows are no positives and frame the others (negation)."""

    label: str
    operator: str
    anchor: bool = False


class QualityScale(CoverageScale):
    """How much is measured: lines and seeds as for coverage.

    perplexity  changed lines per operator that the masked language model judges (its costliest number); 0 = none
    """

    perplexity: int = Field(500, ge=0)


class QualitySuite(AnalysisSuite):
    """What do operators do to text: how much do they change, and how much of it stays?

    pooler  sentence vector of the reference encoder, unless it is a folder of AugBench's that brings its own
    """

    kind: Literal["quality"]
    pooler: str = "avg"
    scales: Mapping[str, QualityScale] = Field(min_length=1)
    rows: tuple[QualityRow, ...] = Field(min_length=1)

    options: ClassVar[tuple[str, ...]] = ("language", "corpus", "data", "encoder", "scale", "seeds", "jobs")
    parts: ClassVar[Mapping[str, type[BaseModel]]] = {"rows": QualityRow, "scales": QualityScale}

    @model_validator(mode="after")
    def _operators_once(self) -> QualitySuite:
        _once(row.operator for row in self.rows)
        return self


# -- advice -----------------------------------------------------------------------------------------------------------
class AdviceRow(_Part):
    """A way to make positives: an operator on text, or none (dropout alone); `untrained` is the encoder as it is."""

    label: str
    operator: str | None = None
    untrained: bool = False


class AdviceScale(_Part):
    """How much is trained and looked at.

    corpus     `sample` = the pack's own, `user` = the file of `--corpus`
    sentences  lines used at most, drawn at random;  held_out: share of them nobody trains on, `most` of them at most
    seeds      of training;  config: hyper-parameters of the methods, equal for all rows
    """

    corpus: Literal["sample", "user"] = "user"
    sentences: int = Field(2000, ge=200)
    held_out: float = Field(0.25, gt=0, lt=1)
    most: int = Field(1000, ge=50)
    seeds: tuple[int, ...] = Field((0, 1, 2), min_length=1)
    config: dict[str, Any] = Field(default_factory=dict)


class AdviceSuite(AnalysisSuite):
    """Which augmentation makes the best positives for this text?

    method  makes positives with an operator (it has a setting `operator`);  plain: the method without one
    config  hyper-parameters of both, over their presets for the encoder
    """

    kind: Literal["advice"]
    method: str = "discrete"
    plain: str = "simcse"
    config: dict[str, Any] = Field(default_factory=dict)
    scales: Mapping[str, AdviceScale] = Field(min_length=1)
    rows: tuple[AdviceRow, ...] = Field(min_length=2)

    options: ClassVar[tuple[str, ...]] = (
        "language",
        "corpus",
        "data",
        "encoder",
        "scale",
        "seeds",
        "jobs",
        "labelled",
    )
    parts: ClassVar[Mapping[str, type[BaseModel]]] = {"rows": AdviceRow, "scales": AdviceScale}

    @model_validator(mode="after")
    def _rows_differ(self) -> AdviceSuite:
        _once(row.operator for row in self.rows if row.operator)
        if any(row.untrained and row.operator for row in self.rows):
            raise ValueError("an untrained row has no operator")
        if sum(not row.untrained for row in self.rows) < 2:
            raise ValueError("there are fewer than two rows to compare")
        return self


def _once(operators: Iterable[str]) -> None:
    """Raise ValueError if an operator is named twice."""
    specs = list(operators)
    repeated = sorted({spec for spec in specs if specs.count(spec) > 1})
    if repeated:
        raise ValueError(f"two rows count the operator {repeated[0]!r}")


#: what `kind` may say, beside `training`
KINDS: Mapping[str, type[AnalysisSuite]] = {
    "coverage": CoverageSuite,
    "overlap": OverlapSuite,
    "quality": QualitySuite,
    "advice": AdviceSuite,
}
