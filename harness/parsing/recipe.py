"""From a treebank folder to a finished parser folder: which steps, in which order, and what is kept in between?

Beside the output folder lies a work folder (`OUT.work`) with the tokeniser where one is learnt, the teacher and its silver
parses; all are used again if the settings that made them are the same, so an interrupted run goes on at the step where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from harness.errors import DataError
from harness.parsing.harmonise import harmoniser
from harness.parsing.held_out import keeps_out
from harness.parsing.scores import ParserScores, measure
from harness.parsing.silver import SilverSettings, annotate, choose
from harness.parsing.student import StudentSettings, save_student, train_student
from harness.parsing.tokeniser import Reporter, TokeniserRecipe
from harness.parsing.treebank import Sentence, read, write

if TYPE_CHECKING:
    from spacy.language import Language

    from harness.parsing.teacher import TeacherSettings

_SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Treebank:
    """The three files of a treebank folder and their sentences; `test` may be missing.

    Further files (`extra 1` …) are other treebanks to learn from, made to agree with this one.
    """

    files: dict[str, Path]
    sentences: dict[str, list[Sentence]]

    @property
    def gold(self) -> list[Sentence]:
        """All sentences to learn from."""
        return [s for split, found in self.sentences.items() if split not in ("dev", "test") for s in found]

    def held_out(self) -> Iterator[str]:
        """The texts that nothing may be learnt from."""
        return (s.text for split in ("dev", "test") for s in self.sentences.get(split, ()))

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
    """The pipeline with its scores by split, the teacher's scores, and how many silver sentences it has learnt from.

    Where the tokeniser was learnt: `given` has the scores on the treebank's tokens, `tokeniser` what there is to say of it.
    """

    nlp: Language
    scores: dict[str, ParserScores]
    teacher: dict[str, Any]
    silver: int
    given: dict[str, ParserScores] = field(default_factory=dict)
    tokeniser: str = ""


def open_treebank(folder: Path, extra: Sequence[Path] = ()) -> Treebank:
    """Read the files of a folder whose names contain `train`, `dev` and `test` and end in `.conllu`.

    `extra`: files of other treebanks, their labels and parts of speech made to agree (`harness.parsing.harmonise`); sentences
    that are also in `dev` or `test` are left out.

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
    bank = Treebank(found, {split: read(path) for split, path in found.items()})
    stays, convert = keeps_out(bank.held_out()), harmoniser(bank.sentences["train"])
    for number, path in enumerate(extra, 1):
        bank.files[f"extra {number}"] = path
        bank.sentences[f"extra {number}"] = [convert(s) for s in read(path) if stays(s.text)]
    return bank


def train_parser(
    blank: Language | TokeniserRecipe,
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

    Where the tokeniser has to be learnt first, its recipe is given instead of a blank pipeline. With `silver`, a teacher is
    trained first and parses plain text for the small pipeline to learn from as well.
    Raises DataError and EncoderError as the steps do.
    """
    report = report or (lambda what, step, steps, scalars: None)
    work = out.with_name(out.name + ".work")
    gold = treebank.gold
    sentences: list[Sentence] = []
    teacher_scores: dict[str, Any] = {}
    recipe: TokeniserRecipe | None = None
    note = ""
    if not hasattr(blank, "tokenizer"):
        recipe = cast("TokeniserRecipe", blank)
        blank, note = _tokeniser(recipe, treebank, (settings or StudentSettings()).seed, work, report)
    blank = cast("Language", blank)
    if silver is not None:
        sentences, teacher_scores = _silver(blank, treebank, silver, work, report, note)
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
    given = {split: measure(nlp, treebank.sentences[split], given_tokens=True) for split in scores if recipe}
    about = {"given_tokens": {split: score.as_dict() for split, score in given.items()}} if given else {}
    save_student(nlp, fresh, {**(meta or {}), "performance": performance, **about, "teacher": teacher_scores})
    if recipe is not None:
        recipe.compact(fresh)
    if out.exists():
        shutil.rmtree(out)
    fresh.rename(out)
    return Trained(nlp, scores, teacher_scores, len(sentences), given, note)


def _tokeniser(
    recipe: TokeniserRecipe, treebank: Treebank, seed: int, work: Path, report: Reporter
) -> tuple[Language, str]:
    """Learn a tokeniser, or open the one that was learnt in the same way; return it with what there is to say of it."""
    key: dict[str, Any] = {
        "settings": recipe.settings(),
        "seed": seed,
        "files": [sha256(file) for file in treebank.files.values()],
    }
    made, folder = work / "tokeniser.json", work / "tokeniser"
    known = json.loads(made.read_text(encoding="utf-8")) if made.is_file() else {}
    if {name: known.get(name) for name in key} != key:
        made.unlink(missing_ok=True)
        note = recipe.learn(treebank.gold, treebank.sentences["dev"], folder, seed=seed, report=report)
        known = {**key, "note": note}
        made.write_text(json.dumps(known, ensure_ascii=False), encoding="utf-8")
    return recipe.open(folder), str(known["note"])


def _silver(
    blank: Language, treebank: Treebank, silver: Silver, work: Path, report: Reporter, tokeniser: str
) -> tuple[list[Sentence], dict[str, Any]]:
    from harness.encoder import fingerprint
    from harness.parsing.teacher import about_teacher, load_teacher, train_teacher

    def progress(what: str) -> Callable[[int, int, dict[str, float]], None]:
        return lambda step, steps, scalars: report(what, step, steps, scalars)

    extra = [sha256(path) for split, path in treebank.files.items() if split not in _SPLITS]
    made_of = {
        "encoder": fingerprint(silver.encoder),
        "settings": asdict(silver.teacher),
        "train": sha256(treebank.files["train"]),
        **({"extra": extra} if extra else {}),
    }
    about = about_teacher(work / "teacher")
    if about is None or {key: about.get(key) for key in made_of} != made_of:
        trained = train_teacher(
            silver.encoder, treebank.gold, silver.teacher, progress=progress("training the teacher")
        )
        scores = {s: _teacher_scores(trained, treebank.sentences[s]) for s in _SPLITS[1:] if s in treebank.sentences}
        about = {**made_of, "scores": scores}
        trained.save(work / "teacher", about)
    key = {"teacher": made_of, "settings": asdict(silver.settings), "files": [sha256(file) for file in silver.files]}
    if tokeniser:
        key["tokeniser"] = sha256(work / "tokeniser.json")
    made, parsed = work / "silver.json", work / "silver.conllu"
    if not made.is_file() or json.loads(made.read_text(encoding="utf-8")) != key:
        teacher = load_teacher(work / "teacher", silver.encoder)
        chosen = choose(silver.files, blank.tokenizer, silver.settings, keeps_out(treebank.held_out()))
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
