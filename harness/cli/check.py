"""`augbench check`: run the conformance battery on a method or a language pack."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from harness.conformance import Check

app = typer.Typer(no_args_is_help=True, help="Run the conformance checks on a plug-in.")


@app.command("method")
def method(
    name: Annotated[str, typer.Argument(help="A registered method, see `augbench ls methods`.")],
    language: Annotated[str, typer.Option(help="Pack whose samples and parser are used.")] = "english",
    encoder: Annotated[str, typer.Option(help="Folder or id; `mini` is the one the pack ships.")] = "mini",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE for settings the method cannot do without.")
    ] = None,
) -> None:
    """One-step fit, gradients, determinism, resume, precision, CPU/GPU: does the method keep its contract?

    Example: augbench check method simcse
    Example: augbench check method discrete --set operator=crop@10
    """
    from harness.conformance.method import check_method
    from harness.languages import open_pack
    from harness.runs.plan import fill, method_class, parse_overrides

    found = method_class(name)
    given = parse_overrides(settings or [])
    fill(name, given)
    _run(name, check_method(found, pack=open_pack(language), encoder=encoder, settings=given))


@app.command("language")
def language(
    name: Annotated[str, typer.Argument(help="A registered language pack or its code, see `augbench ls languages`.")],
) -> None:
    """Licences, samples, parser, every operator and its examples: does the language pack keep its contract?

    Every text is hard: any Unicode, empty, 10,000 characters long, emoji, addresses, mixed scripts, all capitals.

    Example: augbench check language english
    """
    from harness.conformance.language import check_language_pack
    from harness.languages import open_pack

    pack = open_pack(name)
    _run(pack.name, check_language_pack(pack))


def _run(name: str, checks: Iterable[Check]) -> None:
    """Run checks one by one, print how each ended, and exit with 1 if one failed."""
    from rich.console import Console
    from rich.text import Text

    from harness.errors import Skipped

    console = Console(highlight=False, soft_wrap=True)
    failed = 0

    def say(word: str, style: str, text: str) -> None:
        # what a check says may hold brackets; it is never markup
        console.print(Text.assemble((f"{word:<6}", style), text))

    for title, check in checks:
        try:
            check()
        except Skipped as reason:
            say("skip", "yellow", f"{title}: {reason}")
        except Exception as error:
            failed += 1
            what = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            say("FAIL", "red", f"{title}: {what}{error}")
        else:
            say("ok", "green", title)
    console.print(f"{name}: " + (f"{failed} checks failed" if failed else "all checks passed"))
    raise typer.Exit(1 if failed else 0)
