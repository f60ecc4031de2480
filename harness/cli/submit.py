"""`augbench submit`: are records fit to be handed to somebody else's board?"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Pack and check records that are handed in.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Pack and check records that are handed in."""


@app.command("pack")
def pack(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="Results folder, only read.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="DIR|FILE.tar.xz", help="A new or empty folder, or a new file, about half as large."
        ),
    ],
    suite: Annotated[
        list[str] | None, typer.Option("--suite", help="Only runs and analyses of this suite; may be repeated.")
    ] = None,
    bare: Annotated[
        list[str] | None,
        typer.Option("--bare", metavar="SUITE", help="Leave out predictions of what only these suites have run."),
    ] = None,
) -> None:
    """Write the records of a results folder in little space: no weights, no failed or plumbing runs, no replaced ones.

    Predictions go to half precision where every score still comes out as printed. The folder is a results folder itself:
    `augbench leaderboard --results DIR` shows it; so does an archive.

    Examples:

      augbench submit pack results --out mine.tar.xz

      augbench submit pack results --suite sda-table8 --suite sda-table7 --out mine
    """
    from rich.console import Console

    from harness.errors import UsageError
    from harness.submission.archive import is_archive, write_archive
    from harness.submission.packing import pack_results

    if is_archive(out):
        if out.exists():
            raise UsageError(f"{out} exists; choose a new name.")
        with tempfile.TemporaryDirectory() as folder:
            done = pack_results(results, Path(folder), suites=suite or (), bare=bare or ())
            done = replace(done, size=write_archive(Path(folder), out))
    else:
        done = pack_results(results, out, suites=suite or (), bare=bare or ())
    console = Console(soft_wrap=True, highlight=False)
    console.print(
        f"{done.runs:,} runs with {done.scores:,} scores ({done.halved:,} in half precision), {done.analyses:,} analyses: "
        f"{done.size / 1e6:.2f} MB in {out}",
        markup=False,
    )
    if done.left_out:
        console.print(
            "left out: " + ", ".join(f"{count:,} {why}" for why, count in done.left_out.items()), markup=False
        )
    console.print(f"Check them next: augbench submit check {out}", markup=False)


@app.command("check")
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE|DIR", help="Records, runs' folders or results folders.")],
) -> None:
    """Say what is wrong with records: schema, ranges, sizes, names, and predictions that do not give the stated score.

    Records are read as data; nothing in them is executed, and links are not followed. Exit status 1 if anything is wrong.

    Examples:

      augbench submit check results

      augbench submit check results/3f2a91bc00112233/run.json
    """
    from rich.console import Console
    from rich.text import Text

    from harness.submission import check as look

    console = Console(soft_wrap=True, highlight=False)
    problems = 0
    for file in files:
        found = look(file)
        wrong = [finding for finding in found if finding.problem]
        problems += len(wrong)
        for finding in found:
            word, style = ("problem", "bold red") if finding.problem else ("note", "yellow")
            console.print(Text.assemble((f"{word}: ", style), f"{_shown(str(finding.path))}: {_shown(finding.text)}"))
        console.print(Text(f"{_shown(str(file))}: {f'{len(wrong)} problems' if wrong else 'fit to be handed in'}"))
    if problems:
        raise typer.Exit(1)


def _shown(text: str) -> str:
    """A text of a stranger without anything a terminal would act on."""
    return "".join(character if character.isprintable() else "�" for character in text)
