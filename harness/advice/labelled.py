"""Which pairs with scores did the user give: a file of their own, or the dev split of a task?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.data import DataFolder, open_data
from harness.data.readers import read_scored_pairs
from harness.errors import UsageError
from harness.protocols import LanguagePack

# a user's own scale may be any
_WIDEST = 1e6
_FEWEST = 10


@dataclass(frozen=True)
class Labelled:
    """Pairs of sentences with graded scores; higher is more alike.

    gold  shape (n,), float64;  sha: hash of the content
    """

    name: str
    gold: np.ndarray
    pairs: tuple[tuple[str, str], ...]
    sha: str


def read_labelled_pairs(given: str, pack: LanguagePack, data: Path | None) -> Labelled:
    """Return the pairs in a file `score<TAB>sentence1<TAB>sentence2`, or of a task `NAME:dev` (`SampleSTS:dev` is the pack's).

    Raises DataError, naming file and line, and UsageError for a test split, a task without scored pairs, and fewer than ten
    pairs or scores that are all equal.
    """
    path = Path(given).expanduser()
    if given.endswith(".tsv") or path.is_file():
        found = read_scored_pairs(path, low=-_WIDEST, high=_WIDEST)
        labelled = Labelled(path.name, found.gold, found.pairs, found.sha256())
    else:
        labelled = _task(given, pack, data)
    if len(labelled.pairs) < _FEWEST or np.ptp(labelled.gold) == 0:
        raise UsageError(
            f"--labelled {given} has {len(labelled.pairs)} pairs, expected at least {_FEWEST} with scores that differ."
        )
    return labelled


def _task(given: str, pack: LanguagePack, data: Path | None) -> Labelled:
    from harness.tasks import resolve_tasks

    name, _, split = given.partition(":")
    if split in ("", "test"):
        raise UsageError(
            f"--labelled {given}: an augmentation must not be chosen on test data; name a dev split ({name}:dev) or a "
            "file score<TAB>sentence1<TAB>sentence2 whose name ends in .tsv."
        )
    samples = DataFolder(pack.samples) if pack.samples.is_dir() else None
    own = samples is not None and name in samples.sts_sets(pack.code)
    folder = samples if own and samples is not None else open_data(data)
    (task,) = resolve_tasks([given], data=folder, language=pack.code)
    pairs, gold = getattr(task, "pairs", None), getattr(task, "gold", None)
    if pairs is None or gold is None:
        raise UsageError(f"--labelled {given}: that task has no scored pairs; name an STS set such as STS-B:dev.")
    return Labelled(task.id, np.asarray(gold, dtype=np.float64), tuple(pairs), task.data_sha)
