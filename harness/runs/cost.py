"""What will a plan cost? Seconds and memory of runs to come, from the records of runs that were.

Only records of the same method, encoder and machine count; of these the ones whose settings are nearest. Training is taken to
grow with the sentences read and with the looks at the dev split, scoring to be that of the same tasks with the same encoder.
Where there is no such record nothing is predicted. Other work on the machine, then or now, is not known.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.records.schema import RunRecord
from harness.records.store import Run, Store
from harness.runs.cells import encoder_sha
from harness.runs.runner import Planned
from harness.runs.workbench import Workbench, encoder_name

_MACHINE = ("cpu", "cores", "gpu")
# phases that grow with the looks at the dev split, not with the sentences
_LOOKS = ("dev", "monitor")


@dataclass(frozen=True)
class Prediction:
    """The cost of one planned run.

    train, score  seconds, 0 where there is nothing to do, None where it is not known
    memory_mib    the highest peak of the records it was predicted from, by kind (`host`, `device`)
    rate          sentences per second of training in these records
    basis         what it was predicted from, or why it was not
    """

    train: float | None
    score: float | None
    memory_mib: Mapping[str, float]
    rate: float | None
    basis: str

    @property
    def seconds(self) -> float | None:
        """Both together, None unless both are known."""
        return None if self.train is None or self.score is None else self.train + self.score


@dataclass(frozen=True)
class Total:
    """The cost of a plan, one run after the other.

    seconds  of what could be predicted;  unknown: runs without any prediction;  unscored: runs without one of their scoring
    """

    seconds: float
    memory_mib: Mapping[str, float]
    unknown: int
    unscored: int


@dataclass(frozen=True)
class _Past:
    run: Run
    sentences: float
    looks: int
    tasks: frozenset[str]


def read_sentences(config: Mapping[str, Any], rows: int) -> float:
    """Return how many sentences a run reads: epochs times the corpus, or what its steps allow; once without training."""
    total = rows * config.get("epochs", 1)
    most = config.get("max_steps", 0) * config.get("batch_size", 0)
    return float(min(total, most) if most else total)


def sentences_per_second(record: RunRecord) -> float | None:
    """Return how many sentences of the corpus training took in per second (views of a sentence count once), None if not trained."""
    spent, rows = record.seconds.get("train"), record.notes.get("training_rows")
    if not spent or not isinstance(rows, int):
        return None
    return read_sentences(record.spec.config, rows) / spent


def predict(plan: Sequence[Planned], bench: Workbench, store: Store) -> tuple[list[Prediction], Total]:
    """Return a prediction for every run of a plan, in order, and their total (a run that stands in two rows counts once)."""
    from harness.provenance import hardware

    here, past = hardware(), []
    for run in store.iter_runs():
        if run.record.status == "ok" and _same_machine(run.record.hardware, here):
            past.append(_remember(run))
    found = [_predict(planned, bench, past) for planned in plan]
    unique = {planned.cell.train_id: one for planned, one in reversed(list(zip(plan, found, strict=True)))}
    seconds = sum((one.train or 0.0) + (one.score or 0.0) for one in unique.values())
    unscored = sum(one.train is not None and one.score is None for one in unique.values())
    highest = _highest(one.memory_mib for one in unique.values())
    total = Total(seconds, highest, sum(one.train is None for one in unique.values()), unscored)
    return found, total


def _same_machine(record: Mapping[str, Any], here: Mapping[str, Any]) -> bool:
    return all(record.get(key) == here.get(key) for key in _MACHINE)


def _remember(run: Run) -> _Past:
    record = run.record
    looks = (record.notes.get("selection") or {}).get("looks") or 0
    tasks = frozenset(score.task_id for score in run.scores()) | frozenset(record.problems)
    return _Past(run, read_sentences(record.spec.config, record.spec.corpus.rows), int(looks), tasks)


def _predict(planned: Planned, bench: Workbench, past: Sequence[_Past]) -> Prediction:
    if planned.todo.step == "nothing":
        return Prediction(0.0, 0.0, {}, None, "done")
    if planned.cell.skipped is not None:
        return Prediction(0.0, 0.0, {}, None, "cannot run here")
    spec = planned.cell.spec
    alike = [one for one in past if _same_encoder(one.run.record, planned)]
    wanted = frozenset(task.id for task in planned.todo.tasks)
    scoring = [one for one in alike if one.tasks == wanted and "score" in one.run.record.seconds]
    # encoding is the same for every method of an encoder, but not for bags of words
    scoring = [o for o in scoring if o.run.record.spec.method == spec.method] or scoring
    score = statistics.median(o.run.record.seconds["score"] for o in scoring) if scoring else None
    if planned.todo.step == "score":
        basis = (
            _counted(len(scoring), "runs scored on the same tasks") if scoring else "no run was scored on these tasks"
        )
        return Prediction(0.0, score, _highest(o.run.record.peak_memory_mib for o in scoring), None, basis)
    trained = [
        one for one in alike if one.run.record.spec.method == spec.method and one.run.record.seconds.get("total")
    ]
    if not trained:
        return Prediction(None, score, {}, None, f"no earlier run of {spec.method} with this encoder on this machine")
    nearest = _nearest(trained, spec.config)
    sentences = read_sentences(spec.config, len(bench.corpus(spec)))
    looks = _looks(spec.config, sentences)
    rates = [rate for one in nearest if (rate := sentences_per_second(one.run.record)) is not None]
    sizes = sorted({one.run.record.spec.corpus.rows for one in nearest})
    basis = _counted(len(nearest), "earlier runs") + f" of {' and '.join(f'{size:,}' for size in sizes)} sentences"
    if score is None:
        basis += "; scoring these tasks is not known"
    return Prediction(
        statistics.median(_scaled(one, sentences, looks) for one in nearest),
        score,
        _highest(one.run.record.peak_memory_mib for one in nearest),
        statistics.median(rates) if rates else None,
        basis,
    )


def _same_encoder(record: RunRecord, planned: Planned) -> bool:
    sha = encoder_sha(planned.cell.identity)
    if sha is not None and record.spec.encoder.sha is not None:
        return sha == record.spec.encoder.sha
    # methods without an encoder have no hash of one
    return sha == record.spec.encoder.sha and encoder_name(planned.cell.spec.encoder) == record.spec.encoder.name


def _nearest(past: Sequence[_Past], config: Mapping[str, Any]) -> list[_Past]:
    """Those that differ in the fewest settings."""
    different = [sum(one.run.record.spec.config.get(k) != v for k, v in config.items()) for one in past]
    return [one for one, count in zip(past, different, strict=True) if count == min(different)]


def _looks(config: Mapping[str, Any], sentences: float) -> int:
    every, batch = config.get("eval_every", 0), config.get("batch_size", 0)
    return (int(sentences // batch) // every if every and batch else 0) + 1


def _scaled(one: _Past, sentences: float, looks: int) -> float:
    seconds = one.run.record.seconds
    looking = sum(seconds.get(phase, 0.0) for phase in _LOOKS)
    reading = max(0.0, seconds["total"] - looking)
    return reading * sentences / max(one.sentences, 1.0) + looking * looks / max(one.looks, 1)


def _highest(found: Iterable[Mapping[str, float]]) -> dict[str, float]:
    highest: dict[str, float] = {}
    for peaks in found:
        for kind, mib in peaks.items():
            highest[kind] = max(mib, highest.get(kind, 0.0))
    return highest


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number != 1 else f"1 {what.replace('runs', 'run', 1)}"
