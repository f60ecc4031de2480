"""What of a results folder is handed to others: records that say as much as before in a fraction of the space?

Left out are weights, checkpoints, tracebacks, runs that are no results (failed, plumbing, run again later by other code) and
folders of this machine in texts. Predictions go to half precision, or to fewer digits, where every score that follows from
them still comes out within `ROUNDING`; others stay as they are. Sentences of test data are in no record.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import UsageError
from harness.index import Index, refresh
from harness.records.files import write_atomic
from harness.records.schema import ScoreRecord, pack, strict
from harness.records.store import Broken, Run, read_run
from harness.submission.scores import recomputed

if TYPE_CHECKING:
    import numpy as np

#: by how much (points) a score may come out differently from half precision: half of the last printed digit
ROUNDING = 0.005
_ANALYSES = "analyses"
_NO_PREDICTIONS: Mapping[str, Any] = {"packed_predictions": "", "packed_gold": None, "groups": {}}
#: fields of an analysis that hold a number for every line of a text: pictures and tables need the means only
_PER_LINE = ("lines_similarity", "lines_words")
#: fields of a run's record whose texts may name places of the machine; `identity` cannot change, as the run is named after it
_MAY_NAME_PLACES = ("spec", "reason", "hardware", "notes", "problems")
_PLACE = re.compile(r"(?<![\w.:/-])(?:~|/[\w.@+-]+)(?:/[\w.@+-]+)*/([\w.@+-]+)")


@dataclass(frozen=True)
class Packed:
    """What was written: runs, scores, those with predictions in half precision, analyses, bytes; and what was left out, why."""

    runs: int
    scores: int
    halved: int
    analyses: int
    size: int
    left_out: Mapping[str, int] = field(default_factory=dict)


def pack_results(source: Path, target: Path, *, suites: Collection[str] = (), bare: Collection[str] = ()) -> Packed:
    """Write the results of `source` to `target`, a new or empty folder, in the layout of a results folder.

    suites  only runs and analyses of these (default: all); a run that other suites share then stands in the rows of these only
    bare    runs that no other suite has are written without predictions: their scores can be shown, but not tested or checked

    Raises UsageError if `source` is no folder, holds nothing to hand in, or if `target` is taken; StoreError on a full disk.
    """
    source, target = source.expanduser(), target.expanduser()
    if not source.is_dir():
        raise UsageError(f"there is no results folder {source}. Give one that `augbench run` wrote.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} exists and is not an empty folder; choose a new one.")
    index = refresh([source])
    left: Counter[str] = Counter()
    places = _chosen(index, suites, left)
    scores = halved = size = 0
    for place in places:
        run = read_run(source / place, lambda broken: left.update(["damaged"]))
        if run is None:
            continue
        lean = {listing.suite for listing in run.record.listings} <= set(bare)
        done = _write_run(_listed(run, suites), target / place, left, bare=lean)
        scores, halved, size = scores + done[0], halved + done[1], size + done[2]
    analyses, more = _write_analyses(source, target, suites, left)
    if not places and not analyses:
        reasons = ", ".join(f"{count} {why}" for why, count in left.items()) or "it is empty"
        raise UsageError(f"{source} holds nothing to hand in ({reasons}). Run a suite first: augbench run quickstart")
    return Packed(len(places), scores, halved, analyses, size + more, dict(left))


def halved(record: ScoreRecord) -> ScoreRecord:
    """Return a score record with its predictions in half precision, in single precision if a score would come out differently.

    Of the binary digits of either those go whose loss no score shows. Scores that do not follow from the predictions cannot
    be checked: then every prediction must be held exactly.
    """
    import numpy as np

    if not record.packed_predictions:
        return record
    values, before = record.predictions, recomputed(record)
    stated = {(score.metric, score.aggregation): score.value for score in record.scores}
    for small in _shorter(values):
        dtype = f"<f{small.itemsize}"
        changed = {"predictions_dtype": dtype, "packed_predictions": pack(small, dtype)}
        new = ScoreRecord.model_validate(record.model_dump() | changed)
        if np.array_equal(small.astype(np.float32), values):
            return new
        if record.main not in before:
            continue
        after = recomputed(new)
        same = all(_close(value, after.get(name)) for name, value in before.items())
        if same and all(_close(stated[name], value) for name, value in after.items()):
            return new
    return record


def _shorter(values: np.ndarray) -> Iterator[np.ndarray]:
    """The values with the fewest digits first; whole numbers (classes, clusters) keep all of theirs."""
    import numpy as np

    with np.errstate(over="ignore"):
        if np.array_equal(values, np.round(values)):
            half = values.astype(np.float16)
            if np.array_equal(half.astype(np.float32), values):
                yield half
        else:
            parts, exponents = np.frexp(values)
            for digits, kind in [(n, np.float16) for n in range(7, 12)] + [(n, np.float32) for n in range(12, 19)]:
                yield np.ldexp(np.round(np.ldexp(parts, digits)), exponents - digits).astype(kind)
    yield values.astype(np.float32)


def _chosen(index: Index, suites: Collection[str], left: Counter[str]) -> list[str]:
    """The run folders to hand in, sorted; the others are counted by reason."""
    runs = index.runs
    left.update({"damaged": len(index.broken)} if len(index.broken) else {})
    wanted = runs[runs["suite"].isin(list(suites))] if suites else runs
    out = []
    for _, listings in wanted.groupby("place"):
        first = listings.iloc[0]
        if first["status"] != "ok":
            left[first["status"]] += 1
        elif isinstance(first["plumbing"], str):
            left["plumbing"] += 1
        elif bool(listings["older"].all()):
            left["run again later"] += 1
        else:
            out.append(str(first["place"]))
    return sorted(out)


def _listed(run: Run, suites: Collection[str]) -> Run:
    """The run with those of its rows that are in `suites` (all if there are none)."""
    kept = [at for at in run.record.listings if not suites or at.suite in suites]
    spec = run.record.spec.model_copy(update=kept[0].model_dump())
    return Run(run.folder, run.record.model_copy(update={"spec": spec, "also": tuple(kept[1:])}))


def _write_run(run: Run, target: Path, left: Counter[str], *, bare: bool) -> tuple[int, int, int]:
    """One run: number of scores, of those in half precision, and bytes."""

    def damaged(_: Broken) -> None:
        left["damaged"] += 1

    record: dict[str, Any] = strict(run.record)
    record |= {name: without_places(record[name]) for name in _MAY_NAME_PLACES} | {"traceback": None}
    size = _write(target / "run.json", record)
    curves = run.folder / "curves.parquet"
    if curves.is_file():
        raw = curves.read_bytes()
        write_atomic(target / curves.name, raw)
        size += len(raw)
    count = small = 0
    for path, score in run.score_files(damaged):
        new = score.model_copy(update=_NO_PREDICTIONS) if bare else halved(score)
        size += _write(target / "scores" / path.name, strict(new))
        count, small = count + 1, small + (new.predictions_dtype == "<f2")
    return count, small, size


def _write_analyses(source: Path, target: Path, suites: Collection[str], left: Counter[str]) -> tuple[int, int]:
    from harness.analyses.records import read_record

    count = size = 0
    for path in sorted((source / _ANALYSES).glob("*.json")):
        record = read_record(path, lambda broken: left.update(["damaged"]))
        if record is None or (suites and record.suite not in suites):
            continue
        if record.plumbing:
            left["plumbing"] += 1
            continue
        value = strict(record)
        value["result"] = _without_lines(value["result"])
        size += _write(target / _ANALYSES / path.name, value)
        count += 1
    return count, size


def without_places(value: Any) -> Any:
    """Return a JSON value whose texts name no folders of a machine: of a path, the last part stays."""
    if isinstance(value, str):
        return _PLACE.sub(r"\1", value)
    if isinstance(value, dict):
        return {key: without_places(item) for key, item in value.items()}
    return [without_places(item) for item in value] if isinstance(value, list) else value


def _without_lines(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: "" if key in _PER_LINE else _without_lines(item) for key, item in value.items()}
    return [_without_lines(item) for item in value] if isinstance(value, list) else value


def _write(path: Path, value: dict[str, Any]) -> int:
    raw = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"
    write_atomic(path, raw)
    return len(raw)


def _close(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) <= ROUNDING
