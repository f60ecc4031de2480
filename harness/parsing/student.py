"""How is the small pipeline trained that a language pack ships? spaCy's components, updated by spaCy, kept small on disk."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.errors import DataError
from harness.parsing.documents import Disturbance, batches, example, stream
from harness.parsing.pipeline import fast_matrices
from harness.parsing.scores import ParserScores, measure
from harness.parsing.treebank import Sentence
from harness.seeds import derive

if TYPE_CHECKING:
    from spacy.language import Language

CONFIG = Path(__file__).with_name("student.cfg")
_SPACY = ">=3.8.0,<4.0.0"

Progress = Callable[[int, int, dict[str, float]], None]


@dataclass(frozen=True)
class StudentSettings:
    """How a student is trained. `batch` is in words; the learning rate falls linearly to zero after `warmup` of the steps.

    `rows`: of the tables for whole words, first letters, last three letters and shapes; they decide the size on disk.
    """

    steps: int = 4_500
    batch: int = 1_000
    rate: float = 1.5e-3
    warmup: float = 0.03
    dropout: float = 0.1
    gold_weight: int = 3
    evaluate_every: int = 500
    seed: int = 0
    rows: tuple[int, int, int, int] = (6_000, 1_000, 2_500, 1_500)
    disturbance: Disturbance = field(default_factory=Disturbance)


def suited(settings: StudentSettings, code: str | None) -> StudentSettings:
    """Return the settings as they hold for a language: where letters have no case, none is lowered."""
    from spacy.util import get_lang_class

    if code is None or get_lang_class(code).Defaults.writing_system.get("has_case", True):
        return settings
    return replace(settings, disturbance=replace(settings.disturbance, lower=0.0))


def train_student(
    blank: Language,
    gold: Sequence[Sentence],
    silver: Sequence[Sentence],
    dev: Sequence[Sentence],
    settings: StudentSettings | None = None,
    *,
    minutes: float | None = None,
    progress: Progress | None = None,
) -> Language:
    """Train the components of `student.cfg` on top of `blank`'s tokeniser and return the pipeline with averaged weights.

    `minutes` ends training early (the learning rate then has not reached zero; `steps` is what can be repeated exactly).
    """
    with fast_matrices():
        return _train(blank, gold, silver, dev, suited(settings or StudentSettings(), blank.lang), minutes, progress)


def _train(
    blank: Language,
    gold: Sequence[Sentence],
    silver: Sequence[Sentence],
    dev: Sequence[Sentence],
    settings: StudentSettings,
    minutes: float | None,
    progress: Progress | None,
) -> Language:
    if not gold:
        raise DataError("no sentences to train on.")
    seed = derive(settings.seed, "student") % 2**32
    random.seed(seed)
    np.random.seed(seed)
    nlp: Any = _pipeline(blank, settings)
    # labels come from the treebank alone: the teacher knows no others
    labelled = [example(nlp, [sentence]) for sentence in gold]
    optimizer = _initialize(nlp, labelled)
    examples = stream(nlp, gold, silver, weight=settings.gold_weight, how=settings.disturbance, seed=settings.seed)
    components: list[Any] = [component for _, component in nlp.pipeline]
    started = time.monotonic()
    shown: dict[str, float] = {}
    losses: dict[str, float] = {}
    for done, batch in enumerate(batches(examples, settings.batch), 1):
        # all components first: what tagger and parser pass back to the shared layer must reach this step's update of it
        nlp.update(batch, sgd=False, drop=settings.dropout, losses=losses)
        for component in components:
            component.finish_update(optimizer)
        optimizer.step_schedules()
        out_of_time = minutes is not None and time.monotonic() - started > 60 * minutes
        if done % settings.evaluate_every == 0:
            with nlp.use_params(optimizer.averages):
                shown = _shown(measure(nlp, dev))
        if progress:
            progress(done, settings.steps, {"loss": losses.get("parser", 0.0) / done, **shown})
        if done == settings.steps or out_of_time:
            break
    # `use_params` puts the averages in place only for its block
    with nlp.use_params(optimizer.averages):
        weights = nlp.to_bytes()
    finished: Language = nlp.from_bytes(weights)
    return finished


def _pipeline(blank: Language, settings: StudentSettings) -> Language:
    from spacy.util import load_model_from_config
    from thinc.api import Config

    config = Config().from_disk(CONFIG, interpolate=False)
    config["nlp"]["lang"] = blank.lang
    config["nlp"]["tokenizer"] = blank.config["nlp"]["tokenizer"]
    config["components"]["tok2vec"]["model"]["embed"]["rows"] = list(settings.rows)
    rate = config["training"]["optimizer"]["learn_rate"]
    rate["initial_rate"] = settings.rate
    rate["warmup_steps"] = round(settings.warmup * settings.steps)
    rate["total_steps"] = settings.steps
    config["training"]["dropout"] = settings.dropout
    config["training"]["max_steps"] = settings.steps
    config["training"]["seed"] = settings.seed
    config["training"]["batcher"]["size"] = settings.batch
    nlp = load_model_from_config(config, auto_fill=True)
    ours: Any = nlp.tokenizer
    theirs: Any = blank.tokenizer
    # what a tokeniser has learnt is not in its configuration
    ours.from_bytes(theirs.to_bytes())
    return nlp


def _initialize(nlp: Any, examples: Sequence[Any]) -> Any:
    """Initialise the components only: spaCy would set up a tokeniser that can learn from nothing again."""
    tokeniser = nlp.tokenizer
    nlp.tokenizer = lambda text: tokeniser(text)
    try:
        return nlp.initialize(lambda: examples)
    finally:
        nlp.tokenizer = tokeniser


def _shown(scores: ParserScores) -> dict[str, float]:
    return {"UAS": scores.uas, "LAS": scores.las}


def save_student(nlp: Language, folder: Path, meta: dict[str, Any]) -> None:
    """Write the pipeline with only the strings it needs: labels and what the language brings, not the words it has seen.

    `meta` is added to spaCy's `meta.json` (version, licence, sources, performance).
    """
    import spacy

    nlp.meta.update(meta)
    folder.mkdir(parents=True, exist_ok=True)
    nlp.to_disk(folder)
    meta_file = folder / "meta.json"
    about = json.loads(meta_file.read_text(encoding="utf-8"))
    # spaCy writes the version at hand for the oldest that can read it
    about["spacy_version"] = _SPACY
    meta_file.write_text(json.dumps(about, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    needed = set(spacy.blank(str(nlp.lang)).vocab.strings)
    for name in nlp.pipe_names:
        pipe: Any = nlp.get_pipe(name)
        needed.update(getattr(pipe, "labels", ()))
        if name == "parser":
            needed.update(label for action in pipe.moves.labels.values() for label in action)
    needed.update(("ROOT", "dep"))
    strings = json.dumps(sorted(needed), ensure_ascii=False, indent=0)
    (folder / "vocab" / "strings.json").write_text(strings, encoding="utf-8")
