"""`augbench check`: run the conformance battery on a method."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Run the conformance checks on a plug-in.")


@app.callback()
def _group() -> None:
    """Keep `method` a sub-command although it is the only one yet."""


@app.command("method")
def method(
    name: Annotated[str, typer.Argument(help="A registered method, see `augbench ls methods`.")],
    language: Annotated[str, typer.Option(help="Pack whose samples and parser are used.")] = "english",
    encoder: Annotated[str, typer.Option(help="Folder or id; `standin` is a small random one.")] = "standin",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE for settings the method cannot do without.")
    ] = None,
) -> None:
    """One-step fit, gradients, determinism, resume, precision, CPU/GPU: does the method keep its contract?

    Example: augbench check method simcse
    Example: augbench check method discrete --set operator=crop@10
    """
    from rich.console import Console

    from harness.checks import check_method
    from harness.errors import Skipped
    from harness.languages import open_pack
    from harness.plan import fill, method_class, parse_overrides

    console = Console()
    found = method_class(name)
    given = parse_overrides(settings or [])
    fill(name, given)
    failed = 0
    for title, check in check_method(found, pack=open_pack(language), encoder=encoder, settings=given):
        try:
            check()
        except Skipped as reason:
            console.print(f"[yellow]skip[/]  {title}: {reason}", highlight=False)
        except Exception as error:
            failed += 1
            console.print(f"[red]FAIL[/]  {title}: {type(error).__name__}: {error}", highlight=False, markup=True)
        else:
            console.print(f"[green]ok[/]    {title}", highlight=False)
    console.print(f"{name}: " + (f"{failed} checks failed" if failed else "all checks passed"))
    raise typer.Exit(1 if failed else 0)
