"""Which runs may stand beside each other, and which are one row of a board?

    setting  what runs share that are compared: language, corpus, encoder, scale and settings. A method without an encoder
             stands in every setting of its language, corpus and scale
    system   one row of a board: a row of a suite in a setting, by one code; its runs differ in their seeds only
    older    a system whose row was run again later by other code or with another configuration

The same run found in two results folders counts once.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

#: what is added to a run's row by `listed`
ADDED = ("setting", "system", "listing", "older")


def listed(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one row per run and place it is listed in: the columns of a run's row and those of `ADDED`.

    setting  name of the setting;  system: name of the row within it
    listing  0 for one row of a run: the one that most runs like it (seeds apart) stand in, else the one it was first run for
    older    whether a later run took the row's place

    Damaged runs (status `broken`) belong to no setting and are left out.
    """
    import pandas as pd

    every = _together(_spread(_once(runs[runs["status"] != "broken"])))
    # damaged runs have no seed, so the column came as floats; -1 stands for a number out of all bounds
    every = every.assign(**{name: every[name].fillna(-1).astype("int64") for name in ("seed", "sentences")})
    own = every["encoder_sha"].notna()
    shared = ["language", "corpus_sha", "sentences", "scale"]
    parts = [every[own].assign(setting=lambda f: f["frame"])]
    settings = parts[0][[*shared, "encoder", "setting"]].drop_duplicates()
    # a method without an encoder belongs into every setting; a run that failed before its encoder was read, into those of
    # its encoder's name
    finished = every["status"] == "ok"
    for rest, on in ((every[~own & finished], shared), (every[~own & ~finished], [*shared, "encoder"])):
        joined = rest.merge(settings[[*on, "setting"]].drop_duplicates(), on=on, how="left")
        parts.append(joined.assign(setting=joined["setting"].fillna(joined["frame"])))
    out = pd.concat(parts, ignore_index=True)
    out["system"] = _names(out, ["setting", "suite", "row", "method", "config", "code"])
    out["older"] = _older(out)
    return out


def scored(runs: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores joined to the rows of `listed`: one row per run, listing and score.

    measure  what scores of one column share: the protocol, and the data where one task was scored on several versions of it
    """
    import pandas as pd

    kinds = scores.groupby(["task_language", "task", "protocol"])["data_sha"].transform("nunique")
    several = scores["protocol"] + "#" + scores["data_sha"].str.slice(0, 8)
    scores = scores.assign(measure=pd.Series(scores["protocol"]).where(kinds < 2, several))
    return runs.merge(scores.drop(columns="train_id"), on=["folder", "place"], how="inner")


def _once(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run once: a finished one before others, the latest of several."""
    order = runs.assign(_ok=runs["status"] == "ok").sort_values(["_ok", "finished"], kind="stable")
    kept = order.drop_duplicates("train_id", keep="last").drop(columns="_ok")
    return kept.sort_index()


def _spread(runs: pd.DataFrame) -> pd.DataFrame:
    """One row per listing: the run's own, and those of `also`."""
    import pandas as pd

    runs = runs.assign(listing=0)
    also = runs[runs["also"].fillna("[]") != "[]"]
    more = []
    for position, listings in zip(also.index, also["also"], strict=True):
        for number, (suite, scale, row) in enumerate(json.loads(listings), start=1):
            more.append((position, suite, scale, row, number))
    if not more:
        return runs.reset_index(drop=True)
    extra = runs.loc[[one[0] for one in more]].copy()
    for column, values in zip(("suite", "scale", "row", "listing"), list(zip(*more, strict=True))[1:], strict=True):
        extra[column] = list(values)
    return pd.concat([runs, extra], ignore_index=True)


def _together(runs: pd.DataFrame) -> pd.DataFrame:
    """Number the listings of a run anew, so that seeds first run for different suites come first in one row."""
    row = ["frame", "method", "config", "code", "suite", "row"]
    keys = runs[row].fillna("").astype(str)
    groups = keys.assign(run=runs["train_id"], own=runs["listing"] == 0).groupby(row)
    # of rows that hold as many runs, the one that more were first run for
    keys = keys.assign(_held=-groups["run"].transform("nunique"), _own=-groups["own"].transform("sum"))
    order = keys.sort_values(["_held", "_own", "suite", "row"], kind="stable").index
    return runs.assign(listing=runs.loc[order].groupby("train_id").cumcount())


def _names(frame: pd.DataFrame, columns: list[str]) -> pd.Series:
    """A short name for every combination of columns, the same today and tomorrow."""
    import pandas as pd

    hashed = pd.util.hash_pandas_object(frame[columns].fillna("").astype(str), index=False)
    return hashed.map(lambda value: f"{value:016x}"[:12]).astype("str")


def _older(runs: pd.DataFrame) -> pd.Series:
    """Whether another system of the same row has a finished run, and the latest one."""
    import pandas as pd

    row = ["setting", "suite", "row"]
    ranked = runs.assign(_ok=runs["status"] == "ok").sort_values(["_ok", "finished"], kind="stable")
    newest = ranked.drop_duplicates(row, keep="last")[[*row, "system"]].rename(columns={"system": "_newest"})
    matched = runs.merge(newest, on=row, how="left")["_newest"]
    return pd.Series((runs["system"].to_numpy() != matched.to_numpy()), index=runs.index)
