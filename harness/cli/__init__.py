"""`augbench`: one verb per file, errors as one sentence, and nothing heavy loaded before it is needed."""

from __future__ import annotations

import logging
import os
import sys
from typing import Annotated, NoReturn

import typer

from harness.errors import AugBenchError
from harness.protocols.registry import DuplicateName, UnknownName

DEBUG = "AUGBENCH_DEBUG"
_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line and exit with its status: 0 done, 1 a problem, 2 wrong usage, 130 interrupted."""
    # Threads that wait must sleep: on a machine that is shared, spinning ones made training steps 60 times slower. Read when
    # torch is imported, so it has to be said here; whoever has the machine alone may set ACTIVE.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s", stream=sys.stderr)
    logging.addLevelName(logging.WARNING, "warning")
    logging.addLevelName(logging.ERROR, "error")
    try:
        build()(prog_name="augbench")
    except AugBenchError as error:
        _fail(error, error.exit_code)
    except (UnknownName, DuplicateName) as error:
        _fail(error, 2)
    except KeyboardInterrupt:
        _say("interrupted.")
        sys.exit(_INTERRUPTED)
    sys.exit(0)


def build() -> typer.Typer:
    """Return the command line with all its verbs."""
    from harness.cli.augment import augment
    from harness.cli.check import app as check
    from harness.cli.compare import compare
    from harness.cli.data import app as data
    from harness.cli.doctor import doctor
    from harness.cli.evaluate import evaluate
    from harness.cli.export import export
    from harness.cli.index import index
    from harness.cli.leaderboard import leaderboard
    from harness.cli.ls import ls
    from harness.cli.mteb import app as mteb
    from harness.cli.new import app as new
    from harness.cli.pretrain import pretrain
    from harness.cli.pretrain_lm import pretrain_lm
    from harness.cli.quality import app as quality
    from harness.cli.report import report
    from harness.cli.run import run
    from harness.cli.submit import app as submit
    from harness.cli.train_parser import train_parser

    app = typer.Typer(
        name="augbench",
        help="Which augmentation, and which contrastive method, makes a sentence encoder better, and is it real?",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for verb in (run, report, ls, evaluate, augment, compare, export, doctor, leaderboard, index):
        app.command(verb.__name__)(verb)
    app.command("pretrain")(pretrain)
    app.command("pretrain-lm")(pretrain_lm)
    app.command("train-parser")(train_parser)
    app.add_typer(data, name="data")
    app.add_typer(new, name="new")
    app.add_typer(check, name="check")
    app.add_typer(mteb, name="mteb")
    app.add_typer(quality, name="quality")
    app.add_typer(submit, name="submit")
    return app


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=lambda wanted: _version(wanted), is_eager=True
        ),
    ] = False,
) -> None:
    """Which augmentation, and which contrastive method, makes a sentence encoder better, and is the difference real?"""


def _version(wanted: bool) -> None:
    if wanted:
        from harness.provenance import code_revision, versions

        version, revision = versions().get("augbench", "unknown"), code_revision()
        typer.echo(f"augbench {version}" + ("" if revision == version else f" ({revision})"))
        raise typer.Exit


def _fail(error: Exception, status: int) -> NoReturn:
    if os.environ.get(DEBUG):
        raise error
    _say(f"error: {error}")
    sys.exit(status)


def _say(text: str) -> None:
    """Write to stderr, the word in front in red where colours are shown. The text is never taken for markup."""
    from rich.console import Console
    from rich.text import Text

    line = Text(text)
    if text.startswith("error:"):
        line.stylize("bold red", 0, 6)
    Console(stderr=True, soft_wrap=True).print(line)
