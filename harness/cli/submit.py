"""`augbench submit`: are records fit to be handed to somebody else's board?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Check records before they are handed in.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Check records before they are handed in."""


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
