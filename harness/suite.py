"""What is a suite? A table as data: its rows (methods), its columns (tasks), its scales (how much of it is run).

A suite file is TOML. `[suite]` names it, `[[columns]]` and `[[rows]]` are the table, `[scales.NAME]` say what a scale
changes, `[config]` holds hyper-parameters for every method that has them. Suites are found by name in the package, or by
the path of a file of your own. `harness.runs.plan` turns a suite and the user's options into runs. A file whose `[suite]` says
`kind = "coverage"` (or another kind of `harness.analyses.suites`) trains nothing and is an `AnalysisSuite`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.errors import DataError, UsageError
from harness.protocols.registry import suggest

if TYPE_CHECKING:
    from harness.analyses.suites import AnalysisSuite

SCALES = ("smoke", "small", "paper")
#: the kind of a suite that does not say one
TRAINING = "training"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Column(_Part):
    """A column: the main score of a task (`STS-B:dev`), or a number the run notes about itself.

    note       dotted place in the run's notes (`selection.last_score`) instead of a task
    published  the task's name in the published tables, where rows have published values
    average    whether the column takes part in the average column
    """

    title: str
    task: str | None = None
    note: str | None = None
    published: str | None = None
    average: bool = True

    @model_validator(mode="after")
    def _one_source(self) -> Column:
        if (self.task is None) == (self.note is None):
            raise ValueError("a column has either `task` or `note`")
        return self


class PublishedRow(_Part):
    """The row of a published table that belongs beside a row of ours."""

    source: str
    method: str
    encoder: str | None = None


class Row(_Part):
    """A row: a method with settings. `extra` rows are ours, the paper does not have them; `anchor` rows frame a table.

    transductive  its training has seen the texts of the tests (without their scores), which the table says
    """

    label: str
    method: str
    settings: dict[str, Any] = Field(default_factory=dict, alias="set")
    published: PublishedRow | None = None
    anchor: bool = False
    extra: bool = False
    transductive: bool = False


class Scale(_Part):
    """How much of the suite is run.

    sentences  rows of the corpus used (None = all);  seeds: run seeds when the user names none
    corpus     file below `corpus/<language>/` of the data folder, or `sample` = the pack's own
    data       where the tasks lie: the user's data folder, or the pack's own samples
    config     hyper-parameters for this scale
    columns, select_on, average, text, probe   replace the suite's (sample tasks differ); average = "" is no average column
    """

    sentences: int | None = Field(None, ge=2)
    seeds: tuple[int, ...] = (0,)
    corpus: str = "wiki.txt"
    data: Literal["sample", "user"] = "user"
    encoder: str | None = None
    config: dict[str, Any] = Field(default_factory=dict)
    columns: tuple[Column, ...] | None = None
    select_on: str | None = None
    average: str | None = None
    text: Literal["original", "senteval"] | None = None
    probe: Literal["logreg", "senteval-mlp"] | None = None


class PaperSettings(_Part):
    """What the paper measured its published values with, as far as it says so; None where it does not.

    The reproduction report lists what a run does otherwise, and gives no verdict on the paper's ordering unless encoder and
    corpus size are the paper's. Left out, both are taken from the rows' published values and the scale `paper`.

    encoder_family  beginning of the encoder's name (`bert-base-uncased`);  sentences: size of the training corpus
    pooler, text, aggregation, probe  by our names (`cls`, `senteval`, `all`);  seeds: how many runs a value is the mean of
    """

    encoder_family: str | None = None
    sentences: int | None = Field(None, ge=1)
    pooler: str | None = None
    text: Literal["original", "senteval"] | None = None
    aggregation: Literal["all", "mean", "wmean"] | None = None
    probe: Literal["logreg", "senteval-mlp"] | None = None
    seeds: int | None = Field(None, ge=1)


class Suite(_Part):
    """A suite file, checked.

    select_on  the dev task that training may look at
    text, probe  which text variant of the tasks is read, and which classifier transfer tasks train (see `TaskOptions`)
    without_tests  leave lines of the corpus out that are in, or nearly in, a test set of the data folder
    average    titles an average column;  published_average: the average's name in the published tables
    paper_settings  what the published values were measured with
    """

    name: str
    title: str
    paper: str = ""
    paper_settings: PaperSettings = PaperSettings()
    note: str = ""
    language: str = "english"
    default_scale: str = "small"
    text: Literal["original", "senteval"] = "original"
    probe: Literal["logreg", "senteval-mlp"] = "logreg"
    select_on: str | None = None
    without_tests: bool = False
    average: str | None = None
    published_average: str | None = None
    config: dict[str, Any] = Field(default_factory=dict)
    columns: tuple[Column, ...] = ()
    rows: tuple[Row, ...] = Field(min_length=1)
    scales: dict[str, Scale] = Field(min_length=1)

    kind: ClassVar[str] = TRAINING
    parts: ClassVar[Mapping[str, type[BaseModel]]] = {
        "columns": Column,
        "rows": Row,
        "scales": Scale,
        "paper_settings": PaperSettings,
    }

    @model_validator(mode="after")
    def _consistent(self) -> Suite:
        labels = [row.label for row in self.rows]
        repeated = {label for label in labels if labels.count(label) > 1}
        if repeated:
            raise ValueError(f"two rows are called {sorted(repeated)[0]!r}")
        if self.default_scale not in self.scales:
            raise ValueError(f"default_scale {self.default_scale!r} is none of its scales: {', '.join(self.scales)}")
        for name in self.scales:
            if name not in SCALES:
                raise ValueError(f"unknown scale {name!r}; scales are called {', '.join(SCALES)}")
            if not self.columns_at(name):
                raise ValueError(f"scale {name!r} has no columns")
            dev = self.select_on_at(name)
            if dev is not None and (dev.endswith(":test") or ":" not in dev):
                raise ValueError(f"select_on = {dev!r}: selection must not look at test data; name a split, NAME:dev")
        return self

    def columns_at(self, scale: str) -> tuple[Column, ...]:
        """Return the columns of the table at a scale."""
        own = self.scales[scale].columns
        return self.columns if own is None else own

    def select_on_at(self, scale: str) -> str | None:
        """Return the dev task training may look at, at a scale."""
        return self.scales[scale].select_on or self.select_on

    def average_at(self, scale: str) -> str | None:
        """Return the title of the average column at a scale, None if there is none."""
        own = self.scales[scale].average
        return (self.average if own is None else own) or None

    def published_average_at(self, scale: str) -> str | None:
        """Return what the published tables call the average at a scale, None where there is none or its columns differ."""
        same = self.scales[scale].columns is None and self.average_at(scale)
        return self.published_average if same else None

    def text_at(self, scale: str) -> str:
        """Return the text variant of the tasks at a scale."""
        return self.scales[scale].text or self.text

    def probe_at(self, scale: str) -> str:
        """Return the classifier of transfer tasks at a scale."""
        return self.scales[scale].probe or self.probe

    def tasks_at(self, scale: str) -> tuple[str, ...]:
        """Return the tasks to score at a scale, each once, in column order."""
        return tuple(dict.fromkeys(c.task for c in self.columns_at(scale) if c.task))


def suite_names() -> list[str]:
    """Return the names of the suites that come with the package, sorted."""
    return sorted(_shipped())


def load_suite(name: str) -> Suite | AnalysisSuite:
    """Return a suite by name or by the path of its TOML file.

    Raises UsageError on an unknown name (with close ones) and DataError, with file and line, on a malformed file.
    """
    if name.endswith(".toml") or "/" in name or "\\" in name:
        path = Path(name).expanduser()
        try:
            return parse_suite(path.read_bytes(), str(path))
        except OSError as error:
            raise DataError(
                f"the suite file {path} cannot be read ({error.strerror}); see `augbench ls suites`."
            ) from error
    shipped = _shipped()
    if name not in shipped:
        raise UsageError(f"unknown suite {name!r}. {suggest(name, shipped)} A suite of your own is given as FILE.toml.")
    return parse_suite(shipped[name], f"{name}.toml")


def _shipped() -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (Path(__file__).parent / "suites").glob("*.toml")}


def parse_suite(content: bytes, where: str) -> Suite | AnalysisSuite:
    """Return the suite in a file's content. Raises DataError naming `where` and the line or key that is wrong."""
    try:
        table = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(f"{where}, line {line}: not UTF-8; save the file as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(found[1]) if found else content.count(b"\n") + 1
        reason = re.sub(r" \(at .*\)$", "", str(error))
        raise DataError(f"{where}, line {line}: not valid TOML ({reason}).") from error
    head = table.pop("suite", None)
    if not isinstance(head, Mapping):
        raise DataError(f"{where}: no [suite] table; a suite begins with [suite], name = … and title = ….")
    clash = sorted(head.keys() & table.keys())
    if clash:
        raise DataError(f"{where}: {clash[0]!r} stands both in [suite] and by itself; keep one of them.")
    model, head = _model(dict(head), where)
    try:
        return model.model_validate({**head, **table})
    except ValidationError as error:
        raise DataError(f"{where}: {_first(error, model)}.") from error


def _model(head: dict[str, Any], where: str) -> tuple[type[Suite] | type[AnalysisSuite], dict[str, Any]]:
    """What kind of suite it is, and its `[suite]` as that kind reads it."""
    if head.get("kind", TRAINING) == TRAINING:
        head.pop("kind", None)
        return Suite, head
    # imported where it is needed: the analyses' models are written with those here
    from harness.analyses.suites import KINDS

    kind = head["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise DataError(f"{where}: kind = {kind!r} is no kind of suite. {suggest(str(kind), [TRAINING, *KINDS])}")
    return KINDS[kind], head


def _first(error: ValidationError, model: type[Suite] | type[AnalysisSuite]) -> str:
    """The first problem in words, with the place in the file and the key that was perhaps meant."""
    # a misspelt key explains a missing one
    detail = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
    place = ".".join(str(part + 1) if isinstance(part, int) else part for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        part = model.parts.get(str(detail["loc"][0]), model) if len(detail["loc"]) > 1 else model
        known = [field.alias or key for key, field in part.model_fields.items()]
        return f"unknown key {place}. {suggest(str(detail['loc'][-1]), known)}"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
