"""`augbench report`: the tables of a suite from a results folder, or a list of everything in it."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How a table is written; `text` is for a terminal."""

    text = "text"
    md = "md"
    csv = "csv"
    latex = "latex"
    json = "json"


def report(
    suite: Annotated[str | None, typer.Argument(metavar="[SUITE]", help="A suite's name or FILE.toml.")] = None,
    results: Annotated[Path, typer.Option("--results", help="Results folder, or an archive of one.")] = Path("results"),
    older: Annotated[
        bool, typer.Option("--older", help="Fill empty rows with runs of older code or settings, marked.")
    ] = False,
    aggregation: Annotated[
        str | None,
        typer.Option(
            "--aggregation", help="Score again from stored predictions: all, mean or wmean over the subsets of a year."
        ),
    ] = None,
    reproduction: Annotated[
        bool,
        typer.Option(
            "--reproduction",
            help="Published beside ours with the noise of both; without published values, every row beside SimCSE.",
        ),
    ] = False,
    form: Annotated[Format, typer.Option("--format", help="text, md, csv, latex or json.")] = Format.text,
) -> None:
    """Print the tables of a suite; without SUITE, list all runs, or with --reproduction report on every suite that has some.

    Each table holds runs that share scale, language, corpus, encoder and settings. Numbers are mean ± standard deviation
    over seeds; published values stand in a column of their own.

    Examples:

      augbench report sda-table8

      augbench report sda-table8 --format latex > table8.tex

      augbench report --reproduction sda-table8
    """
    from rich.console import Console

    from harness.records.store import Store
    from harness.submission.archive import results_folder

    results = results_folder(results)
    store = Store(results)
    if suite is None:
        from harness.cli.ls import print_runs
        from harness.errors import UsageError

        if reproduction:
            from harness.cli.reproduction import report_all_reproductions

            report_all_reproductions(store, older=older, form=form.value)
            return
        if form not in (Format.text, Format.json):
            raise UsageError(f"--format {form.value} needs a suite: augbench report SUITE --format {form.value}.")
        print_runs(store, as_json=form is Format.json)
        return

    from harness.cli.console import results_console
    from harness.errors import UsageError
    from harness.reports.formats import render, rich_table
    from harness.reports.suite_tables import suite_tables
    from harness.statistics import AGGREGATIONS
    from harness.suite import Suite, load_suite

    if aggregation is not None and aggregation not in AGGREGATIONS:
        raise UsageError(f"unknown aggregation {aggregation!r}; expected one of {', '.join(AGGREGATIONS)}.")
    chosen = load_suite(suite)
    if reproduction:
        if not isinstance(chosen, Suite):
            raise UsageError(
                f"{chosen.name!r} trains nothing, so seeds and items make no noise; its published values stand beside ours in "
                f"augbench report {suite}."
            )
        if aggregation is not None:
            raise UsageError(
                "--aggregation does not go with --reproduction: the paper's values are under one of their own."
            )
        from harness.cli.reproduction import report_reproduction

        report_reproduction(chosen, suite, store, older=older, form=form.value)
        return
    if not isinstance(chosen, Suite):
        from harness.cli.analysis import report_analysis

        report_analysis(chosen, suite, results, older=older, form=form.value)
        return
    tables, broken = suite_tables(chosen, store, older=older, aggregation=aggregation)
    err = Console(stderr=True, soft_wrap=True)
    for one in broken:
        err.print(f"warning: {one.path} is passed over: {one.reason}", markup=False, highlight=False)
    if not tables:
        raise UsageError(
            f"no runs of {chosen.name!r} in {results}; run it first: augbench run {suite} --results {results}"
        )
    if all(not line.runs for table in tables for line in table.lines):
        err.print(
            "every run here was measured by other code or settings than today's; show them with --older, or run the suite "
            "again.",
            style="yellow",
            highlight=False,
        )
    if form is Format.text:
        console = results_console()
        for table in tables:
            console.print(rich_table(table), "")
    else:
        sys.stdout.write(render(tables, form.value))
