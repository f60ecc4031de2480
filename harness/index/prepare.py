"""Which paired tests will a board ask for first? Computed ahead, so that its pages need not."""

from __future__ import annotations

from collections.abc import Callable

from harness.index.cells import Parts
from harness.index.places import places_of
from harness.index.tables import Index


def prepare(index: Index, *, progress: Callable[[int, int], None] | None = None) -> int:
    """Compute the tests of every setting's tasks and of the average of its test tasks; return the number of columns.

    Only systems that no later run has replaced and that are results, as a board shows them at first; what was computed
    before is not computed again.
    """
    scores = index.scores
    scores = scores[~scores["older"] & (scores["listing"] == 0)]
    if scores["plumbing"].isna().any():
        scores = scores[scores["plumbing"].isna()]
    work: list[tuple[str, Parts]] = []
    for setting, part in scores.groupby("setting", observed=True):
        kinds = part[["task", "measure", "metric", "split"]].drop_duplicates(["task", "measure"])
        pairs: list[tuple[str, str]] = list(zip(kinds["task"], kinds["measure"], strict=True))
        work += [(str(setting), (pair,)) for pair in pairs]
        tests = kinds[kinds["split"] == "test"]
        for _, of in tests.groupby("measure", observed=True):
            if len(of) > 1 and of["metric"].nunique() == 1:
                work.append((str(setting), tuple(zip(of["task"], of["measure"], strict=True))))
    for number, (setting, parts) in enumerate(work, start=1):
        places_of(scores[scores["setting"] == setting], parts)
        if progress is not None:
            progress(number, len(work))
    return len(work)
