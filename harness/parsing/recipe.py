"""From a treebank folder to a finished parser folder: which steps, in which order, and what is kept in between?

Beside the output folder lies a work folder (`OUT.work`) with the teacher and its silver parses; both are used again if the
settings that made them are the same, so an interrupted run goes on at the step where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import DataError
from harness.parsing.scores import ParserScores, measure
from harness.parsing.silver import SilverSettings, annotate, choose
from harness.parsing.student import StudentSettings, save_student, train_student
from harness.parsing.treebank import Sentence, read, write

if TYPE_CHECKING:
    from spacy.language import Language

    from harness.parsing.teacher import TeacherSettings

_SPLITS = ("train", "dev", "test")

#: told (what is being done, step, steps, scalars)
Reporter = Callable[[str, int, int, dict[str, float]], None]


@dataclass(frozen=True)
class Treebank:
    """The three files of a treebank folder and their sentences; `test` may be missing."""

    files: dict[str, Path]
    sentences: dict[str, list[Sentence]]

    def describe(self) -> list[dict[str, Any]]:
        """Name, number of sentences and sha256 of each file."""
        return [
            {"file": path.name, "sentences": len(self.sentences[split]), "sha256": sha256(path)}
            for split, path in self.files.items()
        ]


@dataclass(frozen=True)
class Silver:
    """Plain text for a teacher to parse, and the encoder the teacher is made of."""

    encoder: str
    files: tuple[Path, ...]
    teacher: TeacherSettings
    settings: SilverSettings = field(default_factory=SilverSettings)


@dataclass(frozen=True)
class Trained:
    """The pipeline with its scores by split, the teacher's scores, and how many silver sentences it has learnt from."""

    nlp: Language
    scores: dict[str, ParserScores]
    teacher: dict[str, Any]
    silver: int


def open_treebank(folder: Path) -> Treebank:
    """Read the files of a folder whose names contain `train`, `dev` and `test` and end in `.conllu`.

    Raises DataError if the folder, or the file for `train` or `dev`, is missing, if two files claim a split, and as `read` does.
    """
    if not folder.is_dir():
        raise DataError(f"there is no folder {folder}; give one with *train*.conllu and *dev*.conllu: --treebank DIR.")
    found: dict[str, Path] = {}
    for split in _SPLITS:
        matching = sorted(path for path in folder.glob("*.conllu") if split in path.name)
        if len(matching) > 1:
            names = ", ".join(path.name for path in matching)
            raise DataError(
                f"{folder} has {len(matching)} files for {split} ({names}); leave one treebank in the folder."
            )
        if matching:
            found[split] = matching[0]
        elif split != "test":
            raise DataError(
                f"{folder} has no *{split}*.conllu; expected the files of one Universal Dependencies treebank, "
                "see https://universaldependencies.org."
            )
    return Treebank(found, {split: read(path) for split, path in found.items()})


def train_parser(
    blank: Language,
    treebank: Treebank,
    out: Path,
    *,
    silver: Silver | None = None,
    settings: StudentSettings | None = None,
    minutes: float | None = None,
    meta: dict[str, Any] | None = None,
    report: Reporter | None = None,
) -> Trained:
    """Train a pipeline for `blank`'s language and write it to the folder `out` (replaced only when all is done).

    With `silver`, a teacher is trained first and parses plain text for the small pipeline to learn from as well.
    Raises DataError and EncoderError as the steps do.
    """
    report = report or (lambda what, step, steps, scalars: None)
    work = out.with_name(out.name + ".work")
    gold = treebank.sentences["train"]
    sentences: list[Sentence] = []
    teacher_scores: dict[str, Any] = {}
    if silver is not None:
        sentences, teacher_scores = _silver(blank, treebank, silver, work, report)
    nlp = train_student(
        blank,
        gold,
        sentences,
        treebank.sentences["dev"],
        settings,
        minutes=minutes,
        progress=lambda step, steps, scalars: report("training the parser", step, steps, scalars),
    )
    scores = {split: measure(nlp, treebank.sentences[split]) for split in _SPLITS[1:] if split in treebank.sentences}
    fresh = out.with_name(out.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    performance = {split: score.as_dict() for split, score in scores.items()}
    save_student(nlp, fresh, {**(meta or {}), "performance": performance, "teacher": teacher_scores})
    if out.exists():
        shutil.rmtree(out)
    fresh.rename(out)
    return Trained(nlp, scores, teacher_scores, len(sentences))


def _silver(
    blank: Language, treebank: Treebank, silver: Silver, work: Path, report: Reporter
) -> tuple[list[Sentence], dict[str, Any]]:
    from harness.encoder import fingerprint
    from harness.parsing.teacher import about_teacher, load_teacher, train_teacher

    def progress(what: str) -> Callable[[int, int, dict[str, float]], None]:
        return lambda step, steps, scalars: report(what, step, steps, scalars)

    made_of = {
        "encoder": fingerprint(silver.encoder),
        "settings": asdict(silver.teacher),
        "train": sha256(treebank.files["train"]),
    }
    about = about_teacher(work / "teacher")
    if about is None or {key: about.get(key) for key in made_of} != made_of:
        gold = treebank.sentences["train"]
        trained = train_teacher(silver.encoder, gold, silver.teacher, progress=progress("training the teacher"))
        scores = {s: _teacher_scores(trained, treebank.sentences[s]) for s in _SPLITS[1:] if s in treebank.sentences}
        about = {**made_of, "scores": scores}
        trained.save(work / "teacher", about)
    key = {"teacher": made_of, "settings": asdict(silver.settings), "files": [sha256(file) for file in silver.files]}
    made, parsed = work / "silver.json", work / "silver.conllu"
    if not made.is_file() or json.loads(made.read_text(encoding="utf-8")) != key:
        teacher = load_teacher(work / "teacher", silver.encoder)
        chosen = choose(silver.files, blank.tokenizer, silver.settings)
        sentences = annotate(teacher, chosen, silver.settings, progress=progress("parsing plain text"))
        made.unlink(missing_ok=True)
        write(parsed, sentences)
        made.write_text(json.dumps(key), encoding="utf-8")
    return read(parsed), about["scores"]


def _teacher_scores(teacher: Any, gold: Sequence[Sentence]) -> dict[str, float]:
    """Percentages over all words of the treebank's own tokens, without punctuation for heads and labels."""
    counts = dict.fromkeys(("upos", "xpos", "uas", "las"), 0)
    words = scored = 0
    for want, parse in zip(gold, teacher.parse([(s.words, s.spaces) for s in gold]), strict=True):
        got = None if parse is None else parse.sentence
        for i in range(len(want)):
            words += 1
            counted = want.upos[i] != "PUNCT"
            scored += counted
            if got is None:
                continue
            counts["upos"] += got.upos[i] == want.upos[i]
            counts["xpos"] += got.xpos[i] == want.xpos[i]
            right = counted and got.heads[i] == want.heads[i]
            counts["uas"] += right
            counts["las"] += right and got.labels[i] == want.labels[i]
    return {name: round(100 * n / (scored if name.endswith("as") else words), 2) for name, n in counts.items()}


def sha256(path: Path) -> str:
    """The sha256 of a file. Raises DataError if it is not there."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except (FileNotFoundError, IsADirectoryError):
        raise DataError(f"there is no file {path}.") from None
