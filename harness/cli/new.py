"""`augbench new`: begin a language pack of one's own."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Begin something of your own.")


@app.callback()
def _only() -> None:
    """Begin something of your own."""


@app.command("language")
def language(
    code: Annotated[str, typer.Argument(metavar="CODE", help="ISO 639 code of the language, e.g. de.")],
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the pack. Default: spaCy's for the language, e.g. german.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="A folder that is not there yet. Default: augbench-NAME."),
    ] = None,
) -> None:
    """Write an installable language pack: settings, rules that wait for words, word lists, samples, examples, tests.

    It passes its own tests at once; docs/adding-a-language.md leads from there to a pack with a parser, an encoder and rules.

    Example: augbench new language de --name german --out augbench-german
    """
    from rich.console import Console

    from harness.scaffold import new_language

    made = new_language(code, name=name, out=out)
    console = Console(highlight=False, soft_wrap=True, markup=False)
    for note in made.notes:
        console.print(note)
    console.print(f"{made.folder} is a language pack called {made.name}. Install it and see what it still needs:")
    console.print(f"  pip install -e {shlex.quote(str(made.folder))}")
    console.print(f"  augbench check language {made.name}")
