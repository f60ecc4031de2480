"""What do analyses and sweeps say about augmentation: coverage, consistency and diversity, sensitivity, attention to negation?

Records of analyses are read as data; those that do not hold what a picture needs are named with the reason and left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from harness.errors import AugBenchError
from harness.records.store import Broken
from harness.statistics import over_seeds

if TYPE_CHECKING:
    import pandas as pd

    from harness.analyses.records import AnalysisRecord
    from harness.reports.table import Table

COVERAGE, PLANE = "sda-table2", "augmentation-quality"
#: suite -> (hyper-parameter on the x axis, its name for people)
SWEEPS: Mapping[str, tuple[str, str]] = {
    "sda-figure5a": ("proportion", "share of sentences augmented"),
    "sda-figure5b": ("margin", "margin δ of the negation"),
}
ATTENTION = "negation-attention@"
#: in place of a task: the mean of the test tasks
MEAN = "mean"
#: files of analyses larger than this are no records of ours
_MOST_BYTES = 32 * 1024**2


def read_analyses(folders: Iterable[Path], on_broken: Callable[[Broken], None]) -> list[AnalysisRecord]:
    """Return the readable analyses of some results folders, the oldest first, each once."""
    from harness.analyses.records import FOLDER, read_record

    found: dict[str, AnalysisRecord] = {}
    for folder in folders:
        for path in sorted((folder / FOLDER).glob("*.json")):
            if path.is_symlink() or path.stat().st_size > _MOST_BYTES:
                on_broken(Broken(path, "a link, or larger than a record can be"))
                continue
            record = read_record(path, on_broken)
            if record is not None:
                found[f"{record.suite}-{record.analysis_id}"] = record
    return sorted(found.values(), key=lambda record: (record.finished, record.analysis_id))


def analysis_tables(record: AnalysisRecord) -> list[Table]:
    """Return the tables of an analysis, as `augbench report` prints them.

    Raises AugBenchError, saying why, if this version has no such suite or the record's result is of another version.
    """
    from harness.analyses.run import tables_of
    from harness.analyses.suites import AnalysisSuite
    from harness.suite import load_suite, suite_names

    # a name from a record must not become a path
    if record.suite not in suite_names():
        raise AugBenchError(f"this version has no suite called {record.suite[:80]!r}")
    suite = load_suite(record.suite)
    if not isinstance(suite, AnalysisSuite) or suite.kind != record.kind:
        raise AugBenchError(f"the suite {record.suite!r} is of another kind than the record ({record.kind[:40]!r})")
    try:
        return tables_of(suite, record)
    except ValidationError as error:
        raise AugBenchError(f"its result is of another version ({error.error_count()} fields differ)") from None


def table_frame(table: Table) -> pd.DataFrame:
    """Return a table as a frame of numbers, one row per line; headings that repeat get the one before them in front."""
    import pandas as pd

    names: list[str] = []
    last = ""
    for heading in table.headings:
        name = heading.title
        if heading.kind == "interval":
            name = f"{last}, {name}"
        else:
            last = name
        names.append(name if name not in names else f"{name} ({names.count(name) + 1})")
    rows: list[dict[str, Any]] = [
        {"row": line.label, **{name: cell.mean for name, cell in zip(names, line.cells, strict=True)}}
        for line in table.lines
    ]
    return pd.DataFrame(rows, columns=["row", *names])


def plane(record: AnalysisRecord) -> pd.DataFrame:
    """Return where an analysis puts each operator: operator, consistency, diversity and their 95 % intervals (`…_low`, `…_high`).

    Read from `result.operators`, whatever else stands there. Raises AugBenchError if there is no such list.
    """
    import pandas as pd

    listed = record.result.get("operators")
    if not isinstance(listed, list):
        raise AugBenchError("its result holds no list `operators`")
    rows = []
    for one in listed:
        if not isinstance(one, dict) or not isinstance(one.get("operator"), str):
            continue
        row: dict[str, Any] = {"operator": one["operator"][:80]}
        for name in ("consistency", "diversity"):
            place = one.get(name)
            ends = place if isinstance(place, dict) else {"value": place}
            row |= {
                name: _number(ends.get("value")),
                **{f"{name}_{end}": _number(ends.get(end)) for end in ("low", "high")},
            }
        if row["consistency"] is not None and row["diversity"] is not None:
            rows.append(row)
    if not rows:
        raise AugBenchError("no operator in it has a consistency and a diversity")
    return pd.DataFrame(rows)


def settings_of(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores with what their methods' configuration says: operator, negation (yes or no), proportion, margin."""
    configs = {text: _config(text) for text in scores["config"].dropna().unique()}
    out = scores.copy()
    for name in ("operator", "proportion", "margin"):
        out[name] = [_plain(configs.get(text, {}).get(name)) for text in scores["config"]]
    out["negation"] = [configs.get(text, {}).get("negation") is not None for text in scores["config"]]
    return out


def run_values(scores: pd.DataFrame, task: str) -> pd.DataFrame:
    """Return one row per run with its score on a task, or its mean over the test tasks (`MEAN`) that every run has, as `score`.

    Runs without it are left out; a mean over fewer tasks is never taken.
    """
    if task != MEAN:
        return scores[(scores["task"] == task) & scores["value"].notna()].assign(score=lambda frame: frame["value"])
    import pandas as pd

    tests = scores[(scores["split"] == "test") & (scores["metric"] == _commonest(scores)) & scores["value"].notna()]
    if tests.empty:
        return tests.assign(score=pd.Series(dtype=float))
    wide = tests.pivot_table(
        index=["train_id", "listing"], columns=["task", "protocol"], values="value", aggfunc="first"
    )
    means = wide.dropna(axis=1).mean(axis=1).rename("score") if not wide.dropna(axis=1).empty else None
    first = tests.drop_duplicates(["train_id", "listing"])
    if means is None:
        return first.iloc[:0].assign(score=pd.Series(dtype=float))
    return first.merge(means.reset_index(), on=["train_id", "listing"], how="inner")


def mean_tasks(scores: pd.DataFrame) -> list[str]:
    """Return the tasks that `MEAN` is taken over."""
    tests = scores[(scores["split"] == "test") & (scores["metric"] == _commonest(scores)) & scores["value"].notna()]
    if tests.empty:
        return []
    wide = tests.pivot_table(index=["train_id", "listing"], columns=["task"], values="value", aggfunc="first")
    return list(wide.dropna(axis=1).columns)


def summarised(values: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return mean, sample standard deviation, 95 % t interval and number of seeds of `score` in groups of rows."""
    import pandas as pd

    rows = []
    for key, group in values.groupby(list(by), dropna=False, sort=True):
        found = over_seeds([float(value) for value in group["score"]])
        numbers = {"mean": found.mean, "std": found.std, "low": found.low, "high": found.high, "seeds": found.seeds}
        rows.append({**dict(zip(by, key, strict=True)), **numbers})
    return pd.DataFrame(rows, columns=[*by, "mean", "std", "low", "high", "seeds"])


def sensitivity(scores: pd.DataFrame, suite: str, task: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the curves of a sweep (operator, x, mean, …) and the rows it is compared with (row, mean, …).

    scores  of one setting, with the columns of `settings_of`. A share of 0 is the same training for every operator and begins
            every curve; rows without negation have no margin and are compared with.
    """
    import pandas as pd

    name = SWEEPS[suite][0]
    values = run_values(scores[scores["suite"] == suite], task)
    swept = values["operator"].notna() & values[name].notna()
    if name == "margin":
        swept &= values["negation"]
    curves = summarised(values[swept].assign(x=lambda frame: frame[name].astype(float)), ["operator", "x"])
    beside = summarised(values[~swept], ["row"])
    if name == "proportion":
        none = curves[curves["x"] == 0]
        others = [operator for operator in curves["operator"].unique() if operator not in set(none["operator"])]
        if len(none) == 1:
            shared = [none.assign(operator=operator) for operator in others]
            curves = pd.concat([curves, *shared], ignore_index=True).sort_values(["operator", "x"], ignore_index=True)
    return curves, beside


def attention(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the attention to negation words by task and row: mean ratio over seeds (1 is no interest), and spread."""
    found = scores[scores["protocol"].fillna("").str.startswith(ATTENTION) & scores["value"].notna()]
    return summarised(found.assign(score=found["value"]), ["task", "row"])


def downstream(values: pd.DataFrame, *, negation: bool) -> pd.DataFrame:
    """Return operator, row, mean, … of runs that train with an operator; with or without negations as hard negatives."""
    kept = values[values["operator"].notna() & (values["negation"] == negation)]
    if "proportion" in kept:
        full = kept["proportion"].isna() | (kept["proportion"].astype(float) == 1.0)
        kept = kept[full]
    return summarised(kept, ["operator", "row"])


def _commonest(scores: pd.DataFrame) -> str:
    counts = scores.loc[(scores["split"] == "test"), "metric"].value_counts()
    return "" if counts.empty else str(counts.index[0])


def _config(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}  # a configuration that was too long for the index
    return found if isinstance(found, dict) else {}


def _plain(value: Any) -> Any:
    return value[:80] if isinstance(value, str) else _number(value)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
