"""`augbench run`: work off a suite, show how it gets on, end with its table."""

from __future__ import annotations

import json
import os
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from harness.cli.progress import Reporter
    from harness.runner import Planned, Summary


class Scale(StrEnum):
    """How much of a suite is run."""

    smoke = "smoke"
    small = "small"
    paper = "paper"


class KeepPolicy(StrEnum):
    """Whose weights stay in the results."""

    none = "none"
    best = "best"
    all = "all"


def run(
    ctx: typer.Context,
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A suite's name (`augbench ls suites`) or FILE.toml.")],
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Language pack. Default: the suite's.")
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option("--corpus", help="Use this text instead, UTF-8, one sentence per line.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="Data folder. Default: the environment variable AUGBENCH_DATA.")
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option("--encoder", metavar="PATH|ID", help="Base encoder. Default: the scale's or the pack's."),
    ] = None,
    scale: Annotated[Scale | None, typer.Option("--scale", help="Default: the suite's.")] = None,
    seeds: Annotated[str | None, typer.Option("--seeds", help="E.g. 0-4 or 0,3,7. Default: the scale's.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Override a hyper-parameter, or compile, layout, micro_batch, log_every; repeatable.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Runs at a time; cores are divided among them.")] = 1,
    keep: Annotated[
        KeepPolicy, typer.Option("--keep", help="Weights to keep: none, each row's best seed, or all.")
    ] = KeepPolicy.best,
    results: Annotated[Path, typer.Option("--results", help="Results folder.")] = Path("results"),
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    precision: Annotated[str, typer.Option("--precision", help="auto, fp32, bf16 or fp16.")] = "auto",
    checkpoint_every: Annotated[
        int, typer.Option("--checkpoint-every", min=1, help="Steps that an interruption may cost.")
    ] = 100,
    plumbing: Annotated[
        str | None, typer.Option("--plumbing", metavar="REASON", help="Mark these runs as not for publication.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and stop.")] = False,
    json_out: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="Write the table as JSON; - is standard output.")
    ] = None,
) -> None:
    """Run a suite and print its table. What is done is not done again; an interrupted run continues.

    Examples:

      augbench run quickstart

      augbench run sda-table8 --scale small --data DIR --encoder bert-base-uncased --seeds 0-4

      augbench run sda-table8 --corpus my.txt --scale smoke --set learning_rate=1e-5 --dry-run

      augbench run sda-table2 --corpus my.txt
    """
    # the cheap checks first: nobody should wait for torch to learn of a typo
    from pydantic import ValidationError

    from harness.errors import UsageError
    from harness.plan import Options, parse_overrides, parse_seeds
    from harness.settings import Settings
    from harness.suite import Suite, load_suite

    chosen = load_suite(suite)
    if not isinstance(chosen, Suite):
        from harness.cli.analysis import run_analysis

        run_analysis(chosen, ctx)
        return
    overrides = parse_overrides(settings or [])
    numerics = {"device": device, "precision": precision, "checkpoint_every": checkpoint_every}
    numerics |= {name: overrides.pop(name) for name in Settings.model_fields if name in overrides}
    options = Options(
        language=language,
        corpus=corpus,
        data=data,
        encoder=encoder,
        scale=None if scale is None else scale.value,
        seeds=None if seeds is None else parse_seeds(seeds),
        overrides=overrides,
        settings=numerics,
        plumbing=plumbing,
    )

    from harness.cli.progress import Reporter
    from harness.plan import expand
    from harness.results import Store
    from harness.runner import prepare, run_plan
    from harness.workbench import Workbench

    specs = expand(chosen, options)
    bench, store = Workbench(), Store(results)
    reporter = Reporter(quiet=json_out == "-")
    try:
        with reporter.working("opening encoder, corpus and tasks"):
            plan = prepare(specs, bench, store)
    except ValidationError as error:
        detail = error.errors()[0]
        raise UsageError(f"{'.'.join(map(str, detail['loc']))} = {detail['input']!r}: {detail['msg']}.") from None
    reporter.plan(plan, bench, store)
    if dry_run:
        _dry_run(plan, bench, json_out, reporter)
        return
    try:
        with reporter:
            summary = run_plan(
                plan,
                bench,
                store,
                keep=keep.value,
                jobs=jobs,
                on_step=reporter.on_step,
                on_event=reporter.on_event,
            )
    except KeyboardInterrupt:
        reporter.say(f"interrupted. Nothing that was finished is lost; continue with: {command()}")
        raise typer.Exit(130) from None
    _finish(chosen, summary, store, json_out, reporter)


def command() -> str:
    """Return the command line as the user may type it again."""
    return shlex.join(["augbench", *sys.argv[1:]])


def _dry_run(plan: list[Planned], bench: Any, json_out: str | None, reporter: Reporter) -> None:
    rows = [
        {
            "row": planned.cell.spec.row,
            "seed": planned.cell.spec.seed,
            "method": planned.cell.spec.method,
            "run": planned.cell.train_id,
            "todo": planned.todo.step,
            "why": planned.todo.why,
            "config": planned.cell.spec.config,
        }
        for planned in plan
    ]
    if json_out is not None:
        write_out(json_out, json.dumps({"plan": rows}, ensure_ascii=False, indent=2) + "\n")
    if json_out != "-":
        reporter.show_plan(plan, bench)


def _finish(suite: Any, summary: Summary, store: Any, json_out: str | None, reporter: Reporter) -> None:
    from harness.formats import as_json, rich_table
    from harness.tables import plan_table

    table = plan_table(suite, summary.cells, store)
    if json_out is not None:
        write_out(json_out, json.dumps(as_json(table), ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    if json_out != "-":
        reporter.out.print(rich_table(table))
    reporter.summary(summary, store)
    if not summary.ok:
        raise typer.Exit(1)


def write_out(target: str, text: str) -> None:
    """Write what `--json` asked for to a file, or to standard output for `-`. Raises UsageError if that cannot be done."""
    if target == "-":
        sys.stdout.write(text)
        return
    from harness.errors import UsageError

    try:
        Path(target).write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or os.strerror(error.errno or 0)
        raise UsageError(f"--json {target} cannot be written ({reason}); choose another file.") from None
