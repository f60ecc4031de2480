"""What does the real SentEval toolkit say about the same embedder? For users who have it; we ship none of it.

Its `engine.SE(params, batcher, prepare).eval(task)` is given our vectors, so that the only difference left is the scoring.
Upstream and the fork that SimCSE uses return differently shaped results; both are read.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import UsageError
from harness.protocols import Embedder

#: our names -> the toolkit's
TASKS: Mapping[str, str] = {
    **{
        name: name
        for name in ("STS12", "STS13", "STS14", "STS15", "STS16", "MR", "CR", "SUBJ", "MPQA", "SST2", "TREC", "MRPC")
    },
    "STS-B": "STSBenchmark",
    "SICK-R": "SICKRelatedness",
}
#: SimCSE's mode `test`, which the tables of SimCSE and SDA are computed in
PARAMETERS: Mapping[str, Any] = {
    "usepytorch": True,
    "kfold": 10,
    "classifier": {"nhid": 0, "optim": "adam", "batch_size": 64, "tenacity": 5, "epoch_size": 4},
}
_BATCH = 128


@dataclass(frozen=True)
class Outcome:
    """One task as the toolkit scores it: (metric, aggregation) -> value × 100."""

    task: str
    values: Mapping[tuple[str, str], float]


def toolkit() -> Any:
    """Return the module `senteval.engine`. Raises UsageError, saying how to get it, if it cannot be imported."""
    try:
        return importlib.import_module("senteval.engine")
    except Exception as error:  # old versions fail in many ways on a current Python
        raise UsageError(
            f"--engine senteval needs the SentEval toolkit, which cannot be imported ({type(error).__name__}: {error}). It is "
            f"not on the package index: clone github.com/facebookresearch/SentEval (or the fork in SimCSE) and put its folder "
            f"on PYTHONPATH; without it, leave the option out."
        ) from error


def run(embedder: Embedder, tasks: Sequence[str], *, folder: Path) -> list[Outcome]:
    """Return the toolkit's scores of our tasks (test splits), in order.

    folder  its data folder, with `downstream/` in it

    Raises UsageError for tasks it does not have, a folder that is not its own, or if the toolkit itself fails.
    """
    unknown = [task for task in tasks if task not in TASKS]
    if unknown:
        raise UsageError(f"SentEval has no {', '.join(unknown)}; it has {', '.join(TASKS)}.")
    if not (folder / "downstream").is_dir():
        raise UsageError(f"{folder} has no downstream/ in it, expected the data folder that SentEval's scripts make.")
    engine = toolkit()

    def batcher(params: Any, batch: Sequence[Sequence[Any]]) -> Any:
        del params
        words = (
            [token.decode("utf-8") if isinstance(token, bytes) else token for token in sentence] for sentence in batch
        )
        # an empty sentence is a full stop to SimCSE's batcher
        return embedder.encode([" ".join(sentence) or "." for sentence in words])

    def prepare(params: Any, samples: Any) -> None:
        del params, samples

    parameters = {"task_path": str(folder), "batch_size": _BATCH, **PARAMETERS}
    outcomes = []
    for task in tasks:
        try:
            found = engine.SE(dict(parameters), batcher, prepare).eval(TASKS[task])
        except Exception as error:
            raise UsageError(
                f"SentEval failed on {TASKS[task]} ({type(error).__name__}: {error}); it needs CUDA unless it was changed."
            ) from error
        outcomes.append(Outcome(task, read_result(found)))
    return outcomes


def read_result(found: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """Return (metric, aggregation) -> value × 100 of a result of the toolkit. Raises UsageError for an unknown shape.

    Accuracies and F1 are × 100 already; correlations come plain, as SciPy results, or per aggregation under `all`.
    """
    values: dict[tuple[str, str], float] = {}
    names = {"acc": ("accuracy", "all"), "f1": ("f1", "all"), "devacc": ("accuracy", "dev")}
    values |= {place: float(found[key]) for key, place in names.items() if key in found}
    place = found.get("all", found.get("test", found))
    for metric in ("spearman", "pearson"):
        if isinstance(place, Mapping) and metric in place and "acc" not in found:
            given = place[metric]
            parts = given if isinstance(given, Mapping) else {"all": given}
            values |= {(metric, key): 100.0 * _coefficient(value) for key, value in parts.items()}
    if not values:
        raise UsageError(f"SentEval returned a result of unknown form, with {', '.join(map(str, found))}.")
    return values


def _coefficient(value: Any) -> float:
    """A plain number, or the first entry of what SciPy returns (coefficient, p)."""
    return float(value[0]) if isinstance(value, tuple | list) else float(value)
