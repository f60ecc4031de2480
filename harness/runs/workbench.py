"""How does a `RunSpec` become things to work with: the pack, the corpus, the method, the tasks, the run's identity?

Everything is opened once per process and shared by the runs that name the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from harness.errors import DataError, Skipped
from harness.mini import RANDOM, without_random
from harness.protocols import LanguagePack, Method, Task, TaskOptions
from harness.provenance import digest
from harness.runs.plan import CorpusSpec, RunSpec, method_class

_VAGUE = ("model", "encoder", "checkpoint", "best", "last", "output", "embedder")


@dataclass(frozen=True)
class Cell:
    """A run with its name: `train_id` is the first 16 hex digits of the digest of `identity`.

    skipped  why this run cannot be done here at all (its identity then says only what was asked for)
    """

    spec: RunSpec
    train_id: str
    identity: dict[str, Any]
    skipped: str | None = None


class Workbench:
    """Opens what run specs name. Raises the errors of what it opens, each with its next step."""

    def __init__(self) -> None:
        self.pack = cache(self._pack)
        self._corpora = cache(self._corpus)
        self._resolved = cache(self._resolve)
        self._touched: dict[Any, Mapping[str, Any]] = {}

    def method(self, spec: RunSpec) -> Method:
        """Return the method of a run, configured."""
        method = method_class(spec.method)
        return method(method.Config(**spec.config))

    def corpus(self, spec: RunSpec) -> Any:
        """Return the `harness.corpus.Corpus` of a run. The rows do not depend on the run's seed."""
        documents = method_class(spec.method).data == "documents"
        return self._corpora(spec.corpus, spec.language, spec.data_path, documents)

    def tasks(self, spec: RunSpec) -> list[Task]:
        """Return the tasks to score, in order."""
        return list(self._resolved(spec.tasks, spec.data, spec.data_path, spec.language, spec.text, spec.probe))

    def touched(self, spec: RunSpec) -> Mapping[str, Any]:
        """Return task id -> which of its items the training text holds, bool (items,); found once per corpus and tasks."""
        place = (spec.corpus, spec.language, spec.data, spec.data_path, spec.tasks, spec.text, spec.probe)
        if place not in self._touched:
            from harness.evaluation.unseen import touched_items

            self._touched[place] = touched_items(self.tasks(spec), self.corpus(spec).sentences)
        return self._touched[place]

    def dev(self, spec: RunSpec) -> Task | None:
        """Return the task training may look at, if any. Raises DataError if it is test data."""
        if spec.dev is None:
            return None
        (task,) = self._resolved((spec.dev,), spec.data, spec.data_path, spec.language, spec.text, spec.probe)
        if task.split == "test":
            raise DataError(f"selection on {task.id} would look at test data; name a dev split, {task.name}:dev.")
        return task

    def settings(self, spec: RunSpec) -> Any:
        """Return the `harness.stages.Settings` of a run."""
        from harness import stages

        return stages.Settings(**spec.settings)

    def cell(self, spec: RunSpec) -> Cell:
        """Return the run with its identity and id."""
        from harness import stages

        method, corpus, pack, skipped = self.method(spec), self.corpus(spec), self.pack(spec.language), None
        try:
            identity = stages.identity(
                method,
                corpus=corpus,
                pack=pack,
                encoder=spec.encoder,
                seed=spec.seed,
                settings=self.settings(spec),
                dev=self.dev(spec) if method.trained else None,
            )
        except Skipped as reason:
            skipped = str(reason)
            asked = {"encoder": encoder_name(spec.encoder), "seed": spec.seed, "pack": pack.name}
            identity = {"skipped": True, "method": method.fingerprint(), "corpus": corpus.sha, "asked": asked}
        return Cell(spec, digest(identity)[:16], identity, skipped)

    @staticmethod
    def _pack(language: str) -> LanguagePack:
        from harness.languages import open_pack

        return open_pack(language)

    def _corpus(self, wanted: CorpusSpec, language: str, data_path: Path | None, documents: bool) -> Any:
        from harness.corpus import read_corpus

        path, without = self._corpus_path(wanted, language, data_path), None
        if wanted.without_tests:
            without = self._is_tested(language, data_path)
        return read_corpus(path, limit=wanted.sentences, documents=documents, without=without)

    def _is_tested(self, language: str, data_path: Path | None) -> Callable[[Sequence[str]], Sequence[bool]]:
        from harness.data import open_data
        from harness.data.leakage import find_overlap

        data, code = open_data(data_path), self.pack(language).code
        return lambda lines: [not stays for stays in find_overlap(lines, data, code, shortest=1)[0]]

    def _corpus_path(self, wanted: CorpusSpec, language: str, data_path: Path | None) -> Path:
        if wanted.source == "file":
            return Path(wanted.name).expanduser()
        pack = self.pack(language)
        if wanted.source == "sample":
            folder = pack.samples / "corpus" / pack.code
            found = sorted(folder.glob("*.txt"))
            if not found:
                raise DataError(
                    f"the language pack {pack.name!r} has no sample corpus ({folder}/*.txt); give one with --corpus FILE."
                )
            return found[0]
        from harness.data import open_data

        path = open_data(data_path).path / "corpus" / pack.code / wanted.name
        if not path.is_file():
            raise DataError(
                f"the data folder has no corpus/{pack.code}/{wanted.name} (looked for {path}); give a text file, one "
                "sentence per line, with --corpus FILE, or use --scale smoke, which needs no data."
            )
        return path

    def _resolve(
        self, names: tuple[str, ...], source: str, data_path: Path | None, language: str, text: str, probe: str
    ) -> tuple[Task, ...]:
        from harness.data import DataFolder, open_data
        from harness.tasks import resolve_tasks

        pack = self.pack(language)
        options = TaskOptions(text=text, probe=probe)
        if source != "sample":
            return tuple(resolve_tasks(names, data=open_data(data_path), language=pack.code, options=options))
        from harness.tasks.absent import without_samples

        return without_samples(names, DataFolder(pack.samples), language=pack.code, options=options)


def encoder_name(given: str) -> str:
    """Return how a record calls an encoder: an id as it is, a folder by its own name (where it lies is nobody's business).

    A folder with a name that says nothing (`model`, a hub snapshot's hash) is called `parent/name`.
    """
    name = without_random(given)
    folder = Path(name).expanduser()
    if not folder.is_dir():
        return given
    folder = folder.resolve()
    vague = folder.name.lower() in _VAGUE or re.fullmatch(r"[0-9a-f]{40}", folder.name)
    shown = f"{folder.parent.name}/{folder.name}" if vague and folder.parent.name else folder.name
    return RANDOM + shown if name != given else shown


def encoder_plumbing(given: str) -> str | None:
    """Return why results with this base encoder must not be published, None if nothing speaks against it."""
    given = without_random(given)
    folder = Path(given).expanduser()
    supervised = "the base is a supervised sentence encoder"
    if folder.is_dir():
        foreign = (folder / "modules.json").is_file() and not (folder / "augbench.json").is_file()
        if foreign or (folder / "config_sentence_transformers.json").is_file():
            return f"{supervised} ({encoder_name(given)}, a sentence-transformers folder)"
    name = encoder_name(given).lower()
    if "sentence-transformers" in given.lower() or name.startswith(("all-minilm", "all-mpnet")):
        return f"{supervised} ({encoder_name(given)})"
    return None


def plumbing(spec: RunSpec) -> str | None:
    """Return all reasons why a run is plumbing only, None if there is none."""
    reasons = [
        spec.plumbing,
        encoder_plumbing(spec.encoder) if method_class(spec.method).uses_encoder else None,
        "the pack's samples are the tasks" if spec.data == "sample" else None,
    ]
    return "; ".join(reason for reason in reasons if reason) or None
