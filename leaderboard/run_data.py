"""What does one run say about itself, how is it done again, and what sets it apart from another?"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from harness.records.schema import RunRecord, ScoreRecord

#: a value is shown up to here
MAX_TEXT = 300
#: points of a curve that are drawn: more cannot be seen
MAX_POINTS = 1500
#: how deep a record is unfolded
_DEEPEST = 8
_MOST_ENTRIES = 2000
#: what a scale calls the pack's own text -> its file name
_SAMPLE = {"sample": "sample.txt"}


@dataclass(frozen=True)
class Command:
    """A command line, and what must be known to give it elsewhere."""

    line: str
    remarks: tuple[str, ...]


def command(record: RunRecord) -> Command:
    """Return the command that makes this run again, and what its reader has to fill in."""
    from harness.suite import Suite, load_suite, suite_names

    spec = record.spec
    remarks = []
    words = [
        "augbench",
        "run",
        spec.suite,
        "--scale",
        spec.scale,
        "--language",
        spec.language,
        "--seeds",
        str(spec.seed),
    ]
    words += ["--encoder", spec.encoder.name]
    suite = load_suite(spec.suite) if spec.suite in suite_names() else None
    scale = suite.scales.get(spec.scale) if isinstance(suite, Suite) else None
    if suite is None:
        remarks.append("The suite is none of this version's: give the path of its TOML file.")
    elif scale is None:
        remarks.append("The suite has no such scale in this version.")
    if suite is None or any(row.label == spec.row for row in getattr(suite, "rows", ())):
        words += ["--row", spec.row]
    else:
        remarks.append(f"The suite has no row {spec.row!r} in this version: the command runs every row with this seed.")
    if scale is None or _SAMPLE.get(scale.corpus, scale.corpus.rpartition("/")[2]) != spec.corpus.name:
        words += ["--corpus", spec.corpus.name]
        remarks.append("Corpus: the file's name as recorded; give the place where it lies.")
    if spec.encoder.name.removeprefix("random:") != "mini":
        remarks.append("Encoder: the name as recorded; give its folder, or the id of the hub.")
    if scale is None or scale.data != "sample":
        remarks.append("Data: AUGBENCH_DATA names the data folder, or add --data DIR.")
    for key, value in {**spec.overrides, **_chosen(spec.settings)}.items():
        option = {"device": "--device", "precision": "--precision", "checkpoint_every": "--checkpoint-every"}.get(key)
        words += [option, str(value)] if option else ["--set", f"{key}={_toml(value)}"]
    if record.keep != "best":
        words += ["--keep", record.keep]
    if record.plumbing:
        remarks.append("It is marked as no result; a reason that was given with --plumbing has to be given again.")
    return Command(shlex.join(words), tuple(remarks))


def filled(record: RunRecord) -> dict[str, dict[str, str]]:
    """Return what a run says about itself, by section, each value as one line of text."""
    spec = record.spec
    described = record.embedder.describe if record.embedder else {}
    sections: dict[str, Mapping[str, Any]] = {
        "Hyper-parameters": spec.config,
        "Settings": {**spec.settings, **{f"set: {key}": value for key, value in spec.overrides.items()}},
        "Tasks read": {"text": spec.text, "probe": spec.probe},
        "Embedder": described,
        "Versions": {**record.versions, "code revision": record.code_revision},
        "Hardware": record.hardware,
    }
    return {name: flat(values) for name, values in sections.items() if values}


def hashes(record: RunRecord, scores: Sequence[ScoreRecord]) -> pd.DataFrame:
    """Return the fingerprints of what went in and what came out: what, name, sha."""
    import pandas as pd

    spec = record.spec
    rows = [
        ("run", "everything that decides the result", record.train_id),
        ("corpus", f"{spec.corpus.name}, {spec.corpus.rows:,} sentences used", spec.corpus.sha),
        ("encoder", spec.encoder.name, spec.encoder.sha or ""),
        ("core code", "AugBench", _text(record.identity.get("core"))),
        ("method code", spec.method, _text(record.identity.get("method_code"))),
    ]
    if record.embedder:
        rows.append(("embedder", "the weights and settings that were scored", record.embedder.sha))
    rows += [("test data", f"{score.task_id} ({score.protocol})", score.data_sha) for score in scores]
    return pd.DataFrame([row for row in rows if row[2]], columns=["what", "name", "sha256 (or the beginning of it)"])


def score_frame(scores: Sequence[ScoreRecord]) -> pd.DataFrame:
    """Return every score of a run: task, protocol, metric, aggregation, value, items, and whether tables show it."""
    import pandas as pd

    rows = [
        (s.task_id, s.protocol, v.metric, v.aggregation, v.value, v.items, (v.metric, v.aggregation) == s.main)
        for s in scores
        for v in s.scores
    ]
    return pd.DataFrame(rows, columns=["task", "protocol", "metric", "aggregation", "value", "items", "main"])


def facts(scores: Sequence[ScoreRecord]) -> pd.DataFrame:
    """Return what was measured beside the scores: task, fact, value; and notes of the evaluation."""
    import pandas as pd

    rows: list[tuple[str, str, str]] = []
    for score in scores:
        rows += [(score.task_id, name, "undefined" if v is None else f"{v:g}") for name, v in score.facts.items()]
        rows += [(score.task_id, "note", _cut(note)) for note in score.notes]
    return pd.DataFrame(rows, columns=["task", "fact", "value"])


def curve_frame(rows: Sequence[Mapping[str, Any]]) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return training curves with at most `MAX_POINTS` points each, evenly chosen; and for every curve that was thinned its size.

    Points without a value, and rows that are no points, are left out.
    """
    import pandas as pd

    points = [
        (row["step"], str(row["name"])[:80], float(row["value"]))
        for row in rows
        if {"step", "name", "value"} <= row.keys() and row["step"] is not None and _finite(row["value"])
    ]
    frame = pd.DataFrame(points, columns=["step", "name", "value"])
    thinned: dict[str, int] = {}
    kept = []
    for name, curve in frame.groupby("name", sort=True):
        if len(curve) > MAX_POINTS:
            thinned[str(name)] = len(curve)
            every = math.ceil(len(curve) / MAX_POINTS)
            curve = pd.concat([curve.iloc[:-1:every], curve.iloc[-1:]])
        kept.append(curve)
    return (pd.concat(kept, ignore_index=True) if kept else frame), thinned


def difference(first: RunRecord, second: RunRecord) -> pd.DataFrame:
    """Return the entries in which two runs differ: what, first, second; what decides a result in front."""
    import pandas as pd

    a, b = _comparable(first), _comparable(second)
    rows = [
        (key, a.get(key, "not there"), b.get(key, "not there"))
        for key in dict.fromkeys([*a, *b])
        if a.get(key) != b.get(key)
    ]
    return pd.DataFrame(rows, columns=["what", "first", "second"])


def flat(value: Any, *, prefix: str = "") -> dict[str, str]:
    """Return a record's values as lines of text under dotted names; what is too deep, long or much is cut, and says so."""
    out: dict[str, str] = {}
    for key, found in _walk(value, prefix, 0):
        if len(out) >= _MOST_ENTRIES:
            out["…"] = f"more than {_MOST_ENTRIES:,} entries; the rest is in the file"
            break
        out[key] = found
    return out


def _comparable(record: RunRecord) -> dict[str, str]:
    spec = record.spec
    parts = {
        "method": spec.method,
        "row": spec.row,
        "suite": spec.suite,
        "scale": spec.scale,
        "seed": spec.seed,
        "language": spec.language,
        "config": spec.config,
        "corpus": spec.corpus.model_dump(),
        "encoder": spec.encoder.model_dump(),
        "text": spec.text,
        "probe": spec.probe,
        "settings": spec.settings,
        "overrides": spec.overrides,
        "identity": {
            key: value for key, value in record.identity.items() if key not in {"method", "corpus", "encoder", "seed"}
        },
        "versions": record.versions,
        "code revision": record.code_revision,
        "hardware": record.hardware,
        "status": record.status,
        "notes": record.notes,
    }
    return flat(parts)


def _walk(value: Any, prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value and depth < _DEEPEST:
        for key, inner in value.items():
            name = _cut(str(key))
            yield from _walk(inner, f"{prefix}.{name}" if prefix else name, depth + 1)
    else:
        yield prefix or "value", _text(value)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _cut(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    try:
        return _cut(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError):
        return _cut(str(value))


def _cut(text: str) -> str:
    line = " ".join(text[: 4 * MAX_TEXT].split())
    return line if len(line) <= MAX_TEXT else line[: MAX_TEXT - 1] + "…"


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _chosen(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are not the command line's own."""
    from harness.settings import Settings

    defaults = Settings().model_dump()
    return {key: value for key, value in settings.items() if defaults.get(key) != value}


def _toml(value: Any) -> str:
    """A value as `--set` reads it: TOML, whose texts, numbers and lists are written as JSON's are."""
    return json.dumps(value, ensure_ascii=False)
