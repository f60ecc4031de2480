"""Where does a shipped parser come from? Everything needed to judge it and to make it again, without a path of any machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.parsing.scores import ParserScores

if TYPE_CHECKING:
    from harness.parsing.recipe import Silver, Treebank
    from harness.parsing.student import StudentSettings

FILE = "PROVENANCE.md"
VERSION = "1.0.0"
_TITLES = {
    "tokens": "tokens F1",
    "upos": "UPOS",
    "xpos": "XPOS",
    "uas": "UAS",
    "las": "LAS",
    "sentences": "sentences F1",
}


def provenance_meta(treebank: Treebank, silver: Silver | None, licence: str, sources: Sequence[str]) -> dict[str, Any]:
    """Return the entries of spaCy's `meta.json` that say what a pipeline is made of."""
    made_of = " and silver parses of plain text" if silver is not None else ""
    names = ", ".join(path.name for path in treebank.files.values())
    banks = "a Universal Dependencies treebank"
    if len(treebank.files) > 3:
        banks = "Universal Dependencies treebanks"
    return {
        "name": "augbench",
        "version": VERSION,
        "description": f"Small parser trained by AugBench on {banks} ({names}){made_of}.",
        "license": licence,
        "sources": [{"name": source, "url": "", "license": "", "author": ""} for source in sources],
    }


def command(
    language: str,
    silver: Silver | None,
    settings: StudentSettings,
    minutes: float | None,
    extra: Sequence[Path] = (),
) -> str:
    """Return the command line that makes this parser, with names in the place of paths."""
    parts = [f"augbench train-parser {language} --treebank DIR --out DIR"]
    parts += [f"--extra {path.name}" for path in extra]
    if silver is not None:
        parts.append("--teacher ENCODER")
        parts += [f"--silver {file.name}" for file in silver.files]
        parts += [f"--silver-sentences {silver.settings.sentences}", f"--teacher-epochs {silver.teacher.epochs}"]
    parts += [f"--steps {settings.steps}", f"--seed {settings.seed}"]
    usual = type(settings)()
    if settings.dropout != usual.dropout:
        parts.append(f"--dropout {settings.dropout:g}")
    if settings.rows != usual.rows:
        parts.append("--rows " + ",".join(map(str, settings.rows)))
    if minutes is not None:
        parts.append(f"--minutes {minutes:g}")
    return " ".join(parts)


def write_provenance(
    folder: Path,
    *,
    language: str,
    treebank: Treebank,
    silver: Silver | None,
    learnt: int,
    settings: StudentSettings,
    minutes: float | None,
    licence: str,
    sources: Sequence[str],
    scores: Mapping[str, ParserScores],
    teacher: Mapping[str, Mapping[str, float]],
    given: Mapping[str, ParserScores] | None = None,
    tokeniser: str = "",
) -> None:
    """Write `PROVENANCE.md` into a parser's folder.

    `learnt`: silver sentences that were kept; `tokeniser`: what there is to say of one that was learnt, `given`: the scores on the
    treebank's tokens then.
    """
    extra = [path for split, path in treebank.files.items() if split.startswith("extra")]
    lines = [
        f"# The parser of the language pack `{language}`",
        "",
        "A spaCy pipeline (tok2vec, morphologizer for UPOS, tagger for XPOS, parser), made by",
        "",
        f"    {command(language, silver, settings, minutes, extra)}",
        "",
        f"Licence: {licence}",
        "",
    ]
    if sources:
        lines += ["Sources:", "", *(f"- {source}" for source in sources), ""]
    lines += ["## Data", "", "| file | sentences | sha256 |", "|---|---:|---|"]
    lines += [f"| {row['file']} | {row['sentences']:,} | `{row['sha256']}` |" for row in treebank.describe()]
    if silver is not None:
        lines += _silver_lines(silver, learnt)
    if extra:
        names = " and ".join(path.name for path in extra)
        lines += [
            "",
            f"Parts of speech and labels of {names} were made to agree with the training file's, word by word.",
        ]
    if tokeniser:
        lines += ["", "## Tokens", "", tokeniser]
    lines += ["", "## Settings", "", _settings_line("small parser", asdict(settings))]
    lines += ["", *_score_lines(scores, given or {}, teacher), ""]
    (folder / FILE).write_text("\n".join(lines), encoding="utf-8")


def _silver_lines(silver: Silver, learnt: int) -> list[str]:
    from harness.encoder import fingerprint
    from harness.parsing.recipe import sha256

    rows = [f"| {file.name} | plain text | `{sha256(file)}` |" for file in silver.files]
    chosen = silver.settings
    return [
        *rows,
        "",
        f"Of the plain text, {chosen.sentences:,} sentences of {chosen.shortest} to {chosen.longest} tokens were drawn at random "
        "(none that equals a sentence of dev or test, or shares a long run of words with one); a teacher parsed them, and its "
        f"surest {learnt:,} parses were learnt from. The teacher is a biaffine parser (Dozat and Manning 2017) on an encoder "
        f"with the fingerprint `{fingerprint(silver.encoder)}`, fine-tuned on the trees above.",
        "",
        _settings_line("teacher", asdict(silver.teacher)),
    ]


def _settings_line(title: str, values: dict[str, Any]) -> str:
    return f"Settings of the {title}: " + ", ".join(f"{name} {value}" for name, value in values.items()) + "."


def _score_lines(
    scores: Mapping[str, ParserScores],
    given: Mapping[str, ParserScores],
    teacher: Mapping[str, Mapping[str, float]],
) -> list[str]:
    lines = [
        "## Scores",
        "",
        "In percent, by spaCy's scorer: from raw text, one sentence per text, with spaCy's tokens; heads and labels leave out "
        "punctuation. Sentences F1 is below 100 where a single sentence was cut in two.",
        "",
        "| split | " + " | ".join(_TITLES.values()) + " |",
        "|---|" + "---:|" * len(_TITLES),
    ]
    for split, score in scores.items():
        lines.append(_score_row(split, score))
    lines += [_score_row(f"{split}, the treebank's tokens", score) for split, score in given.items()]
    if teacher:
        lines += ["", "The teacher, on the treebank's own tokens and sentences:", ""]
        for split, found in teacher.items():
            shown = [f"{_TITLES[name]} {value:.2f}" for name, value in found.items()]
            lines.append(f"- {split}: " + ", ".join(shown))
    return lines


def _score_row(title: str, score: ParserScores) -> str:
    values = score.as_dict()
    return f"| {title} | " + " | ".join(f"{values[name]:.2f}" for name in _TITLES) + " |"
