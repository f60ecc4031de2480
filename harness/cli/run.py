"""`augbench run`: work off a suite, show how it gets on, end with its table."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from harness.cli.progress import Reporter
    from harness.runs.runner import Planned, Summary


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
    rows: Annotated[
        list[str] | None, typer.Option("--row", metavar="LABEL", help="Only this row of the table; repeatable.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Override a hyper-parameter, or compile, layout, micro_batch, log_every; repeatable.",
        ),
    ] = None,
    grids: Annotated[
        list[str] | None,
        typer.Option("--grid", metavar="KEY=V1,V2", help="Try all combinations, choose on dev; repeatable."),
    ] = None,
    random: Annotated[
        int | None, typer.Option("--random", metavar="N", help="Try N draws from --space, choose on dev.")
    ] = None,
    spaces: Annotated[
        list[str] | None,
        typer.Option(
            "--space", metavar="KEY=low..high[:log]", help="Or KEY=V1,V2; what --random draws from; repeatable."
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
    labelled: Annotated[
        str | None,
        typer.Option(
            "--labelled",
            metavar="FILE.tsv|TASK:dev",
            help="which-augmentation: pairs with scores (score, sentence1, sentence2) to decide by.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan with its cost, as earlier runs tell, and stop.")
    ] = False,
    json_out: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="Write the table as JSON; - is standard output.")
    ] = None,
) -> None:
    """Run a suite and print its table. What is done is not done again; an interrupted run continues.

    Examples:

      augbench run quickstart

      augbench run sda-table8 --scale small --data DIR --encoder bert-base-uncased --seeds 0-4

      augbench run sda-table8 --corpus my.txt --scale smoke --set learning_rate=1e-5 --dry-run

      augbench run sda-table8 --row PI --row MV --seeds 3

      augbench run sda-table2 --corpus my.txt

      augbench run which-augmentation --corpus my.txt

      augbench run sda-table8 --grid learning_rate=1e-3,2e-3 --grid temperature=0.05,0.1

      augbench run sda-table8 --random 8 --space learning_rate=1e-4..1e-2:log
    """
    # the cheap checks first: nobody should wait for torch to learn of a typo
    from pydantic import ValidationError

    from harness.errors import UsageError
    from harness.runs.plan import Options, only_rows, parse_overrides, parse_seeds
    from harness.settings import Settings
    from harness.suite import Suite, load_suite

    chosen = load_suite(suite)
    if not isinstance(chosen, Suite):
        from harness.cli.analysis import run_analysis

        run_analysis(chosen, ctx)
        return
    if labelled is not None:
        raise UsageError(
            f"--labelled is for suites that give advice (which-augmentation); {chosen.name} scores the tasks of its columns."
        )
    chosen = only_rows(chosen, rows or [])
    from harness.cli.sweep import chosen_sweep, run_the_sweep

    sweep = chosen_sweep(grids or [], random, spaces or [])
    overrides = parse_overrides(settings or [])
    numerics = {"device": device, "precision": precision, "checkpoint_every": checkpoint_every}
    numerics |= {name: overrides.pop(name) for name in Settings.model_fields if name in overrides}
    try:
        Settings(**numerics)
    except ValidationError as error:
        detail = error.errors()[0]
        raise UsageError(f"{'.'.join(map(str, detail['loc']))} = {detail['input']!r}: {detail['msg']}.") from None
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
    from harness.records.store import Store
    from harness.runs.plan import expand
    from harness.runs.runner import prepare, run_plan
    from harness.runs.workbench import Workbench

    bench, store = Workbench(), Store(results)
    reporter = Reporter(quiet=json_out == "-")
    show = partial(_dry_run, bench=bench, store=store, json_out=json_out, reporter=reporter)
    if sweep is not None:
        with _resumable(reporter):
            run_the_sweep(
                chosen,
                options,
                sweep,
                bench,
                store,
                reporter,
                json_out=json_out,
                dry_run=show if dry_run else None,
                keep=keep.value,
                jobs=jobs,
            )
        return
    specs = expand(chosen, options)
    with reporter.working("opening encoder, corpus and tasks"):
        plan = prepare(specs, bench, store)
    reporter.plan(plan, bench, store)
    if dry_run:
        show(plan)
        return
    with _resumable(reporter), reporter:
        summary = run_plan(
            plan,
            bench,
            store,
            keep=keep.value,
            jobs=jobs,
            on_step=reporter.on_step,
            on_event=reporter.on_event,
        )
    _finish(chosen, summary, store, json_out, reporter)


def command() -> str:
    """Return the command line as the user may type it again."""
    return shlex.join(["augbench", *sys.argv[1:]])


@contextmanager
def _resumable(reporter: Reporter) -> Iterator[None]:
    """Say after an interruption how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        reporter.say(f"interrupted. Nothing that was finished is lost; continue with: {command()}")
        raise typer.Exit(130) from None


def _dry_run(plan: list[Planned], *, bench: Any, store: Any, json_out: str | None, reporter: Reporter) -> None:
    from harness.cli.progress import in_words
    from harness.runs.cost import predict

    predictions, total = predict(plan, bench, store)
    rows = [
        {
            "row": planned.cell.spec.row,
            "seed": planned.cell.spec.seed,
            "method": planned.cell.spec.method,
            "run": planned.cell.train_id,
            "todo": planned.todo.step,
            "why": planned.todo.why,
            "seconds": one.seconds,
            "train_seconds": one.train,
            "score_seconds": one.score,
            "memory_mib": dict(one.memory_mib),
            "sentences_per_second": one.rate,
            "cost_from": one.basis,
            "config": planned.cell.spec.config,
        }
        for planned, one in zip(plan, predictions, strict=True)
    ]
    if json_out is not None:
        cost = asdict(total)
        write_out(json_out, json.dumps({"plan": rows, "cost": cost}, ensure_ascii=False, indent=2) + "\n")
    if json_out != "-":
        reporter.show_plan(plan, bench, predictions)
        reporter.say(in_words(total))


def _finish(suite: Any, summary: Summary, store: Any, json_out: str | None, reporter: Reporter) -> None:
    from harness.reports.formats import as_json, rich_table
    from harness.reports.suite_tables import plan_table

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
