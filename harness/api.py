"""The doors of AugBench in Python: `evaluate`, `train`, `augment`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.augmentation import augment
from harness.corpus import Corpus
from harness.data import DataFolder, open_data
from harness.errors import UsageError
from harness.evaluation.evaluator import Evaluation
from harness.evaluation.evaluator import evaluate as _evaluate
from harness.languages import open_pack
from harness.mini import NAME as MINI
from harness.mini import encoder_folder
from harness.protocols import Method, Task
from harness.runs.plan import fill, method_class, preset_of
from harness.stages import Outcome, Settings, execute
from harness.tasks import resolve_tasks
from harness.tasks.presets import choose_options

__all__ = ["augment", "evaluate", "train"]

#: the parts of a data folder that hold sets
_SETS = ("sts", "transfer", "clustering", "intent", "other")


def evaluate(
    encoder: Any,
    tasks: str | Sequence[str | Task] = "sts",
    *,
    data: Path | str | None = None,
    language: str = "en",
    text: str | None = None,
    protocol: str | None = None,
    probe: str | None = None,
    progress: bool = False,
) -> Evaluation:
    """Score any encoder on tasks; every unique sentence is encoded once.

    encoder  a folder or hub id (mean pooling unless AugBench saved it), `mini` for the language pack's own, an embedder, a
             `SentenceTransformer`, or any callable texts -> array (n, d)
    tasks    names as on the command line (`sts`, `STS12`, `STS-B:dev`) or task objects
    data     data folder; default: the environment variable AUGBENCH_DATA, or the pack's samples for the sets they hold
    protocol `simcse`, `senteval`, `sda` or `mteb` fills the options of the tasks; `text` and `probe` go on top of it

    Raises AugBenchError with the next step (unknown names, missing data, vectors of the wrong shape or with NaN).
    """
    names = [tasks] if isinstance(tasks, str) else list(tasks)
    pack = open_pack(language)
    options = choose_options(protocol, text=text, probe=probe)
    resolved: list[Task] = [task for task in names if isinstance(task, Task)]
    wanted = [name for name in names if isinstance(name, str)]
    sampled = [name for name in wanted if name.partition(":")[0] in _sample_tasks(pack.samples, pack.code)]
    if sampled:
        resolved += resolve_tasks(sampled, data=DataFolder(pack.samples), language=pack.code, options=options)
    if rest := [name for name in wanted if name not in sampled]:
        resolved += resolve_tasks(rest, data=open_data(data), language=pack.code, options=options)
    if isinstance(encoder, str):
        encoder = encoder_folder(encoder, pack)
    return _evaluate(encoder, resolved, pack=pack, progress=progress)


def train(
    method: str | Method,
    sentences: Sequence[str] | Corpus,
    *,
    encoder: str = MINI,
    language: str = "en",
    dev: Task | None = None,
    seed: int = 0,
    settings: Settings | None = None,
    workdir: Path | str | None = None,
    progress: bool = False,
    **config: Any,
) -> Outcome:
    """Train a method on sentences; the outcome holds the embedder (`outcome.embedder.encode(texts)`, `.save(folder)`).

    method   a registered name with its hyper-parameters as keywords (the others: its preset for the encoder, if it has one, and
             its defaults), or a configured `Method`
    encoder  folder or hub id of the base encoder; `mini` is the one the language pack ships
    dev      task on a dev split for selection; without one, `select` defaults to the last step
    workdir  where checkpoints go; name one to be able to continue after an interruption
    """
    if isinstance(method, str):
        found = method_class(method)
        if dev is None and "select" in found.Config.model_fields:
            config.setdefault("select", "last")
        method = found(found.Config(**fill(method, {**preset_of(found, encoder)[1], **config})))
    elif config:
        raise UsageError(f"hyper-parameters {sorted(config)} were given beside a configured method; put them into it.")
    if isinstance(sentences, str):
        raise UsageError("sentences must be a list of texts, got one text; wrap it: [text].")
    corpus = sentences if isinstance(sentences, Corpus) else Corpus("python", list(sentences))

    def run(folder: Path) -> Outcome:
        return execute(
            method,
            corpus=corpus,
            pack=open_pack(language),
            encoder=encoder,
            seed=seed,
            settings=settings or Settings(),
            workdir=folder,
            dev=dev,
            progress=progress,
        )

    if workdir is not None:
        return run(Path(workdir))
    with tempfile.TemporaryDirectory(prefix="augbench-") as folder:
        return run(Path(folder))


def _sample_tasks(samples: Path, code: str) -> list[str]:
    """The names of the sets in a pack's samples; none where there are no samples."""
    found = [entry for part in _SETS for entry in sorted((samples / part / code).glob("*"))]
    return [
        entry.stem if entry.is_file() else entry.name for entry in found if entry.is_dir() or entry.suffix == ".tsv"
    ]
