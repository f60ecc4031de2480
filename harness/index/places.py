"""Which systems of a setting are best at a task, which are tied with the best, and how sure is each place?

The paired tests of `harness.statistics` need every prediction of every run, so what they found is kept in the cache folder,
named by what was compared (the ids of the evaluations, which name vectors, items and protocol): it never goes stale, and a
board that shows only some of the systems corrects the p values for those. Scores that do not follow from stored predictions
(another metric, no gold scores) are compared over their seeds alone, and `reason` says so.
"""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from harness.cache import atomic_write, cache_dir, content_key
from harness.errors import DataError
from harness.index.cells import Parts
from harness.records.itemwise import Itemwise, NotItemwise, itemwise
from harness.records.schema import ScoreRecord
from harness.records.store import read_score
from harness.statistics import Draws, Place, average_draws, draw_scores, fixed_draws, gaps_of, places, score_estimate
from harness.statistics.items import RESAMPLES

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger(__name__)

#: more systems than this are not compared with each other: the board says so
MOST = 120
#: raised when what is kept, or how it is computed, changes
_VERSION = 2
#: how many tasks' draws are kept for averages that are formed of them (about 1 MB each)
_DRAWS = 16


@dataclass(frozen=True)
class Standing:
    """A system in one column of a setting.

    mean, low, high  mean over the seeds and its 95 % interval over seeds and items, × 100
    place            its rank, the interval of it, and whether it is tied with the best
    """

    mean: float
    low: float | None
    high: float | None
    place: Place


@dataclass(frozen=True)
class Tests:
    """The paired tests between all systems of a setting in one column.

    means, intervals  by system;  p: uncorrected, by pair
    reason            why the intervals know nothing of the items, or why nothing was compared; else None
    """

    means: Mapping[str, float]
    intervals: Mapping[str, tuple[float | None, float | None]]
    p: Mapping[tuple[str, str], float | None]
    reason: str | None = None
    _found: dict[frozenset[str], dict[str, Standing]] = field(default_factory=dict, compare=False, repr=False)

    def standings(self, systems: Collection[str] | None = None) -> dict[str, Standing]:
        """Return the standings of some of the systems (default: all), best first, p values corrected for these."""
        wanted = {name: mean for name, mean in self.means.items() if systems is None or name in systems}
        asked = frozenset(wanted)
        if asked not in self._found:
            # a board asks for the same ones at every click
            self._found[asked] = self._placed(wanted)
        return self._found[asked]

    def _placed(self, wanted: Mapping[str, float]) -> dict[str, Standing]:
        if not self.p and len(wanted) > 1:
            return {}
        p = {pair: value for pair, value in self.p.items() if pair[0] in wanted and pair[1] in wanted}
        return {name: Standing(wanted[name], *self.intervals[name], place) for name, place in places(wanted, p).items()}


def places_of(scores: pd.DataFrame, parts: Parts, *, compute: bool = True) -> Tests | None:
    """Return the tests between the systems of one column: one (task, measure), or several that are averaged.

    scores   rows of `Index.scores` of one setting; only runs that have every score of the column count
    compute  False: None unless they were computed before (a page shows its table first, and what takes long later)
    """
    rows = _complete(scores, parts)
    systems = rows["system"].nunique()
    if not systems or systems > MOST:
        reason = f"{systems} systems are too many to compare each with each, at most {MOST} are" if systems else None
        return Tests({}, {}, {}, reason)
    key = _key(rows)
    kept = cache_dir() / "places" / f"{key}.json"
    try:
        return _parsed(json.loads(kept.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError):
        if not compute:
            return None
    computed = _computed(rows, parts)
    try:
        atomic_write(kept, json.dumps(computed).encode())
    except DataError as error:
        log.warning("the tests are not kept: %s", error)
    return _parsed(computed)


def _parsed(found: dict[str, Any]) -> Tests:
    intervals = {system: (low, high) for system, (low, high) in found["intervals"].items()}
    return Tests(found["means"], intervals, {(a, b): p for a, b, p in found["p"]}, found["reason"])


def _complete(scores: pd.DataFrame, parts: Parts) -> pd.DataFrame:
    """The scores of the column, of the runs that have all of them; each run of a system once."""
    import pandas as pd

    wanted = pd.DataFrame(list(parts), columns=["task", "measure"])
    rows = scores[scores["task"].isin(wanted["task"]) & scores["value"].notna()].merge(wanted, on=["task", "measure"])
    rows = rows.drop_duplicates(["system", "train_id", "task", "measure"])
    count = rows.groupby(["system", "train_id"])["task"].transform("size")
    return rows[count == len(parts)].sort_values(["system", "seed", "train_id", "task", "measure"], kind="stable")


def _key(rows: pd.DataFrame) -> str:
    named = [rows[column].tolist() for column in ("system", "seed", "task", "measure", "eval_id", "value")]
    return content_key([_VERSION, RESAMPLES, named])


def _computed(rows: pd.DataFrame, parts: Parts) -> dict[str, Any]:
    runs = rows.drop_duplicates(["system", "train_id"])[["system", "train_id", "seed"]]
    order = list(zip(runs["system"], runs["train_id"], strict=True))
    drawn, reason = [], None
    for task, measure in parts:
        part = rows[(rows["task"] == task) & (rows["measure"] == measure)]
        part = part.set_index(["system", "train_id"]).loc[order]
        try:
            drawn.append(_draws(part, task, measure))
        except NotItemwise as error:
            reason = f"{task}: {error}; its intervals are over the seeds alone"
            drawn.append(fixed_draws(part["value"].tolist()))
    draws = average_draws(drawn)
    positions: dict[str, list[int]] = {}
    for position, (system, _) in enumerate(order):
        positions.setdefault(system, []).append(position)
    systems = {system: draws.of(at) for system, at in positions.items()}
    seeds = {system: runs["seed"].iloc[at].tolist() for system, at in positions.items()}
    estimates = {system: score_estimate(found) for system, found in systems.items()}
    return {
        "means": {system: found.value for system, found in estimates.items() if found.value is not None},
        "intervals": {system: (found.low, found.high) for system, found in estimates.items()},
        "p": [[a, b, gap.p] for (a, b), gap in gaps_of(systems, seeds=seeds).items()],
        "reason": reason,
    }


_kept_draws: OrderedDict[str, Draws] = OrderedDict()


def _draws(rows: pd.DataFrame, task: str, measure: str) -> Draws:
    """The draws of runs at one task. Raises NotItemwise if the scores do not follow from stored items."""
    import numpy as np

    key = content_key([task, measure, rows["eval_id"].tolist()])
    if key in _kept_draws:
        return _kept_draws[key]
    places_ = zip(rows["folder"], rows["place"], rows["file"], strict=True)
    files = [Path(folder) / place / "scores" / name for folder, place, name in places_]
    read: dict[Path, Itemwise] = {}
    for path in files:
        if path not in read:
            read[path] = itemwise(_read(path))
    items = [read[path] for path in files]
    first = items[0]
    for one in items:
        if one.options != first.options or not np.array_equal(one.gold, first.gold):
            raise NotItemwise("runs were scored in different ways")
    predictions = np.stack([one.predictions for one in items])
    # every task its own resamples, the same ones whatever it is averaged with
    seed = [0, crc32(f"{task} {measure}".encode())]
    try:
        found = draw_scores(first.gold, predictions, resamples=RESAMPLES, seed=seed, **first.options)
    except ValueError as error:
        raise NotItemwise(str(error)) from error
    _kept_draws[key] = found
    while len(_kept_draws) > _DRAWS:
        _kept_draws.popitem(last=False)
    return found


def _read(path: Path) -> ScoreRecord:
    problems: list[str] = []
    record = read_score(path, lambda broken: problems.append(broken.reason))
    if record is None:
        raise NotItemwise(f"a score cannot be read ({problems[0]})")
    return record
