"""Which runs does a suite stand for, given what the user asked? Suite + options -> a list of frozen `RunSpec`.

A `RunSpec` says everything about one run; nothing else may influence it. Hyper-parameters are filled from, in rising
order: the method's defaults, its preset for the encoder's family, the suite, the scale, the row, `--set`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import UsageError
from harness.mini import without_random
from harness.protocols import Method, registry
from harness.suite import Row, Scale, Suite

# a word, or the path of a file
_BARE = re.compile(r"[A-Za-z_./~][A-Za-z0-9_.@+/~-]*")


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Options(_Value):
    """What the user may choose; None leaves the choice to the suite, its scale or the language pack.

    overrides  hyper-parameters from `--set`;  settings: fields of `harness.stages.Settings`
    plumbing   the reason why these runs must not be published
    """

    language: str | None = None
    corpus: Path | None = None
    data: Path | None = None
    encoder: str | None = None
    scale: str | None = None
    seeds: tuple[int, ...] | None = None
    overrides: dict[str, Any] = Field(default_factory=dict)
    settings: dict[str, Any] = Field(default_factory=dict)
    plumbing: str | None = None


class CorpusSpec(_Value):
    """The training text: the pack's sample, a file of the data folder, or a file of the user's.

    without_tests  lines that equal a text of any test set of the data folder, or share a long run of words with one, are left out
    """

    source: Literal["sample", "data", "file"]
    name: str
    sentences: int | None = None
    without_tests: bool = False


class RunSpec(_Value):
    """One run: a method with its filled config on a corpus with an encoder and a seed, and the tasks to score.

    dev                the task training may look at
    text, probe        which text variant of the tasks is read; which classifier transfer tasks train
    published_encoder  the encoder behind the row's published values, if it has any
    notes              choices made while planning, with their reasons
    """

    suite: str
    scale: str
    row: str
    method: str
    config: dict[str, Any]
    language: str
    encoder: str
    corpus: CorpusSpec
    data: Literal["sample", "user"]
    data_path: Path | None
    tasks: tuple[str, ...]
    dev: str | None
    text: str
    seed: int
    probe: str = "logreg"
    settings: dict[str, Any] = Field(default_factory=dict)
    overrides: dict[str, Any] = Field(default_factory=dict)
    published_encoder: str | None = None
    plumbing: str | None = None
    notes: dict[str, Any] = Field(default_factory=dict)

    @property
    def title(self) -> str:
        """What a progress line calls it."""
        return f"{self.row} · seed {self.seed}"


def expand(suite: Suite, options: Options | None = None, *, default_encoder: str | None = None) -> list[RunSpec]:
    """Return the runs of a suite, row by row, seeds in order.

    default_encoder  used when neither the options nor the scale name one; None = the language pack's own

    Raises UsageError on unknown scales, methods, hyper-parameters (with close names) or values out of range.
    """
    options = options or Options()
    name = options.scale or suite.default_scale
    if name not in suite.scales:
        raise UsageError(f"suite {suite.name!r} has no scale {name!r}. {registry.suggest(name, suite.scales)}")
    scale = suite.scales[name]
    classes = {row.method: method_class(row.method) for row in suite.rows}
    _check_keys(suite.config, classes, f"[config] of suite {suite.name!r}")
    _check_keys(scale.config, classes, f"scale {name!r} of suite {suite.name!r}")
    _check_overrides(options.overrides, suite.rows, classes)

    language = options.language or suite.language
    encoder = options.encoder or scale.encoder or default_encoder or _pack_encoder(language)
    seeds = options.seeds or scale.seeds
    shared = {
        "suite": suite.name,
        "scale": name,
        "language": language,
        "encoder": encoder,
        "corpus": _corpus(options, scale, without_tests=suite.without_tests),
        "data": scale.data,
        "data_path": options.data,
        "tasks": suite.tasks_at(name),
        "dev": suite.select_on_at(name),
        "text": suite.text_at(name),
        "probe": suite.probe_at(name),
        "settings": options.settings,
        "overrides": options.overrides,
        "plumbing": options.plumbing,
    }
    specs = []
    for row in suite.rows:
        method = classes[row.method]
        family, preset = preset_of(method, encoder)
        given = {
            **preset,
            **_known(suite.config, method),
            **_known(scale.config, method),
            **row.settings,
            **_known(options.overrides, method),
        }
        filled = fill(row.method, given, where=f"row {row.label!r}")
        # what is not trained has nothing that differs between seeds
        for seed in seeds if method.trained else seeds[:1]:
            specs.append(
                RunSpec(
                    row=row.label,
                    method=row.method,
                    config=filled,
                    seed=seed,
                    published_encoder=row.published.encoder if row.published else None,
                    notes={"preset": f"{family}, by the encoder's name"} if family else {},
                    **shared,
                )
            )
    return specs


def only_rows(suite: Suite, labels: Collection[str]) -> Suite:
    """Return the suite with the rows of these labels (case aside), all where none is named.

    Raises UsageError on a label that the suite does not have.
    """
    if not labels:
        return suite
    known = {row.label.casefold(): row.label for row in suite.rows}
    for label in labels:
        if label.casefold() not in known:
            raise UsageError(f"suite {suite.name!r} has no row {label!r}. {registry.suggest(label, known.values())}")
    wanted = {label.casefold() for label in labels}
    return suite.model_copy(update={"rows": tuple(row for row in suite.rows if row.label.casefold() in wanted)})


def method_class(name: str) -> type[Method]:
    """Return a registered method. Raises UsageError on an unknown name, with close ones."""
    try:
        found = registry.load("methods", name)
    except registry.UnknownName as error:
        raise UsageError(f"{error} See `augbench ls methods`.") from None
    if not (isinstance(found, type) and issubclass(found, Method)):
        raise UsageError(f"{registry.origin('methods', name)} is registered as a method but is not a Method class.")
    return found


def fill(method: str, settings: Mapping[str, Any], *, where: str = "") -> dict[str, Any]:
    """Return the complete config of a method as JSON. Raises UsageError on unknown names or bad values."""
    config = method_class(method).Config
    try:
        return config(**settings).model_dump(mode="json")
    except ValidationError as error:
        # a misspelt name explains a missing one
        detail = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
        key = ".".join(map(str, detail["loc"]))
        place = f"{where}: " if where else ""
        if detail["type"] == "extra_forbidden":
            hint = registry.suggest(key, config.model_fields)
            raise UsageError(f"{place}method {method!r} has no setting {key!r}. {hint}") from None
        if detail["type"] == "missing":
            raise UsageError(f"{place}method {method!r} needs a setting {key!r}.") from None
        message = detail["msg"].removeprefix("Value error, ")
        raise UsageError(f"{place}{key or method} = {detail['input']!r}: {message}.") from None


def parse_seeds(text: str) -> tuple[int, ...]:
    """Return the seeds in `0-4`, `0,3,7` or a mixture, in order. Raises UsageError if it is none of these."""
    seeds: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*([0-9]{1,9})(?:\s*(?:-|\.\.)\s*([0-9]{1,9}))?\s*", part)
        if not found:
            raise UsageError(f"--seeds {text!r}: {part.strip()!r} is no seed; give for example 0-4 or 0,3,7.")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            raise UsageError(f"--seeds {text!r}: {part.strip()!r} runs backwards; did you mean {last}-{first}?")
        if last - first >= 1000:
            raise UsageError(f"--seeds {text!r} asks for more than 1,000 seeds; give for example 0-4.")
        seeds.extend(range(first, last + 1))
    repeated = [seed for seed in seeds if seeds.count(seed) > 1]
    if repeated:
        raise UsageError(f"--seeds {text!r} names seed {repeated[0]} twice.")
    return tuple(seeds)


def parse_overrides(pairs: Iterable[str]) -> dict[str, Any]:
    """Return `key=value` pairs, values typed as in TOML (`3e-5`, `true`, `"text"`; a bare word or path is text).

    Raises UsageError on a pair without `=`, a value that is not TOML or a key given twice.
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        key, separator, text = (part.strip() for part in pair.partition("="))
        if not separator or not key or not text:
            raise UsageError(f"--set {pair!r}: expected NAME=VALUE, for example --set batch_size=32.")
        if key in found:
            raise UsageError(f"--set {key} is given twice.")
        try:
            table = tomllib.loads(f"value = {text}")
        except tomllib.TOMLDecodeError:
            table = {"value": text} if _BARE.fullmatch(text) else {}
        if list(table) != ["value"]:
            raise UsageError(
                f'--set {pair!r}: the value is not TOML; write numbers as 3e-5, text as "text", lists as [1, 2].'
            )
        found[key] = table["value"]
    return found


def _corpus(options: Options, scale: Scale, *, without_tests: bool) -> CorpusSpec:
    if options.corpus is None and scale.corpus == "sample":
        return CorpusSpec(source="sample", name="sample", sentences=scale.sentences)
    return CorpusSpec(
        source="data" if options.corpus is None else "file",
        name=scale.corpus if options.corpus is None else str(options.corpus),
        sentences=scale.sentences,
        without_tests=without_tests and scale.data == "user",
    )


def _pack_encoder(language: str) -> str:
    from harness.languages import open_pack

    return open_pack(language).default_encoder


def preset_of(method: type[Method], encoder: str) -> tuple[str, Mapping[str, Any]]:
    """Return the family (the longest that an encoder's name begins with) and a method's settings for it; none: empty."""
    name = Path(without_random(encoder)).name.lower()
    matching = [family for family in method.presets if name.startswith(family.lower())]
    family = max(matching, key=len, default="")
    return family, method.presets.get(family, {})


def _known(settings: Mapping[str, Any], method: type[Method]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key in method.Config.model_fields}


def _check_keys(settings: Mapping[str, Any], classes: Mapping[str, type[Method]], where: str) -> None:
    """Raise UsageError on a setting that no method of the suite has."""
    known = {key for method in classes.values() for key in method.Config.model_fields}
    for key in settings:
        if key not in known:
            raise UsageError(f"{where}: no method here has a setting {key!r}. {registry.suggest(key, known)}")


def _check_overrides(overrides: Mapping[str, Any], rows: Sequence[Row], classes: Mapping[str, type[Method]]) -> None:
    _check_keys(overrides, classes, "--set")
    for key in overrides:
        fixed = [row.label for row in rows if key in row.settings]
        if fixed:
            raise UsageError(
                f"--set {key}: rows such as {fixed[0]!r} are defined by their own {key}, so it cannot be overridden; "
                "copy the suite file and give its path instead."
            )
