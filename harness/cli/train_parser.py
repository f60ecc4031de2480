"""`augbench train-parser`: a small parser for a language pack, from a treebank and, if wanted, a teacher and plain text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.errors import UsageError

if TYPE_CHECKING:
    from harness.parsing.recipe import Silver, Trained


def train_parser(
    language: Annotated[str, typer.Argument(help="A language pack; its tokeniser is used, and its code written.")],
    treebank: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder with *train*.conllu, *dev*.conllu and perhaps *test*.conllu.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the pipeline; one that exists is replaced at the end.")
    ],
    extra: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Another treebank to learn from too, made to agree; may be repeated."),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(metavar="PATH|ID", help="Encoder to make a teacher from, which parses the silver text."),
    ] = None,
    silver: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Plain text, one sentence per line; may be repeated.")
    ] = None,
    silver_sentences: Annotated[int, typer.Option(min=1, help="How many sentences of it the teacher parses.")] = 36_000,
    teacher_epochs: Annotated[int, typer.Option(min=1, help="Passes over the treebank for the teacher.")] = 2,
    steps: Annotated[int, typer.Option(min=1, help="Updates of the small parser, of about 1,000 words each.")] = 4_500,
    dropout: Annotated[
        float, typer.Option(min=0, max=0.9, help="More of it where there are few trees and no teacher.")
    ] = 0.1,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="Stop the small parser's training after this time, at the latest.")
    ] = None,
    licence: Annotated[
        str, typer.Option(help="Licence of the result, as the treebank asks for it.")
    ] = "see the treebank",
    source: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Name, authors and licence of what went in; may be repeated."),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(metavar="N,N,N,N", help="Rows of the tables for words, first letters, last letters and shapes."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed and same machine, same parser.")] = 0,
) -> None:
    """Train a parser: parts of speech, heads and labels, a few megabytes on disk.

    A language without blanks between words may bring a tokeniser that is learnt first, from the same files.

    With --teacher and --silver, an encoder is first turned into an accurate parser, which then annotates plain text for the
    small one. Teacher and silver parses stay in OUT.work and are used again; delete that folder when you are content.

    Scores are spaCy's, from raw text, one sentence per text. What went in is written to PROVENANCE.md.

    Example: augbench train-parser english --treebank UD_English-EWT --out parser --steps 2000
    """
    from harness.cli.workbar import WorkBar
    from harness.languages import SpacyPack, open_pack
    from harness.parsing.provenance import provenance_meta, write_provenance
    from harness.parsing.recipe import open_treebank
    from harness.parsing.recipe import train_parser as train
    from harness.parsing.student import StudentSettings, suited

    pack = open_pack(language)
    if not isinstance(pack, SpacyPack):
        raise UsageError(f"the language pack {pack.name!r} is not based on spaCy; this command trains spaCy pipelines.")
    if out.exists() and not (out.is_dir() and ((out / "config.cfg").is_file() or not any(out.iterdir()))):
        raise UsageError(f"{out} exists and is no parser; give another --out, or remove it.")
    wanted = _silver(teacher, silver, silver_sentences, teacher_epochs, seed)
    settings = suited(StudentSettings(steps=steps, dropout=dropout, seed=seed), pack.code)
    if rows is not None:
        settings = replace(settings, rows=_rows(rows))
    bank = open_treebank(treebank, extra or [])
    with WorkBar() as bar:
        trained = train(
            pack.tokeniser_recipe() or pack.blank(),
            bank,
            out,
            silver=wanted,
            settings=settings,
            minutes=minutes,
            meta=provenance_meta(bank, wanted, licence, source or []),
            report=bar.update,
        )
    write_provenance(
        out,
        language=pack.base_name,
        treebank=bank,
        silver=wanted,
        learnt=trained.silver,
        settings=settings,
        minutes=minutes,
        licence=licence,
        sources=source or [],
        scores=trained.scores,
        teacher=trained.teacher,
        given=trained.given,
        tokeniser=trained.tokeniser,
    )
    _show(trained, out)


def _rows(value: str) -> tuple[int, int, int, int]:
    parts = [int(part) if part.isdecimal() else 0 for part in value.split(",")]
    if len(parts) != 4 or min(parts) < 1:
        raise UsageError(f"--rows {value}: expected four numbers, like 6000,1000,2500,1500.")
    return parts[0], parts[1], parts[2], parts[3]


def _silver(teacher: str | None, files: list[Path] | None, sentences: int, epochs: int, seed: int) -> Silver | None:
    if teacher is None and not files:
        return None
    if teacher is None or not files:
        raise UsageError("--teacher and --silver belong together: an encoder, and plain text for it to parse.")
    from harness.encoder import locate
    from harness.parsing.recipe import Silver, sha256
    from harness.parsing.silver import SilverSettings
    from harness.parsing.teacher import TeacherSettings

    # a wrong path should be told now and not after an hour
    locate(teacher)
    for file in files:
        sha256(file)
    return Silver(
        teacher,
        tuple(files),
        TeacherSettings(epochs=epochs, seed=seed),
        SilverSettings(sentences=sentences, seed=seed),
    )


def _show(trained: Trained, out: Path) -> None:
    from rich.table import Table

    from harness.cli.console import results_console

    table = Table()
    table.add_column("split")
    columns = ("tokens", "upos", "xpos", "uas", "las", "sentences")
    for column in (*columns, "words per second"):
        table.add_column(column, justify="right")
    given = {f"{split}, the treebank's tokens": scores for split, scores in trained.given.items()}
    for split, scores in (*trained.scores.items(), *given.items()):
        values = scores.as_dict()
        table.add_row(split, *(f"{values[c]:.2f}" for c in columns), f"{scores.words_per_second:,.0f}")
    console = results_console()
    console.print(table)
    for split, values in trained.teacher.items():
        console.print(f"teacher, {split}: " + "  ".join(f"{name} {value:.2f}" for name, value in values.items()))
    console.print(f"written to {out}; what went in is in {out / 'PROVENANCE.md'}", soft_wrap=True)
