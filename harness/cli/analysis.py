"""How do `augbench run` and `augbench report` treat a suite that trains nothing? Count once, keep the record, print tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from harness.analyses.suites import AnalysisSuite
    from harness.reports.table import Table

#: options of `augbench run` by parameter, apart from those every suite takes
_FLAGS = {
    "language": "--language",
    "corpus": "--corpus",
    "data": "--data",
    "encoder": "--encoder",
    "scale": "--scale",
    "seeds": "--seeds",
    "rows": "--row",
    "settings": "--set",
    "jobs": "--jobs",
    "grids": "--grid",
    "random": "--random",
    "spaces": "--space",
    "keep": "--keep",
    "device": "--device",
    "precision": "--precision",
    "checkpoint_every": "--checkpoint-every",
    "plumbing": "--plumbing",
    "labelled": "--labelled",
}
_ALWAYS = ("--results", "--dry-run", "--json")


def run_analysis(suite: AnalysisSuite, ctx: typer.Context) -> None:
    """Work off an analysis suite with the options of `augbench run`, which are in the command's context.

    Raises UsageError, in one sentence, for options that mean something only where something is trained.
    """
    given = {name: value for name, value in ctx.params.items() if _typed(ctx, name)}
    refuse_foreign(suite, given)

    from harness.analyses.job import Request
    from harness.runs.plan import parse_seeds

    scale, seeds = given.get("scale"), given.get("seeds")
    request = Request(
        language=given.get("language"),
        corpus=given.get("corpus"),
        data=given.get("data"),
        encoder=given.get("encoder"),
        scale=None if scale is None else str(scale.value),
        seeds=None if seeds is None else parse_seeds(seeds),
        jobs=given.get("jobs"),
        labelled=given.get("labelled"),
    )

    from harness.analyses.run import find_record, open_job, run_job, tables_of
    from harness.cli.progress import Reporter
    from harness.cli.run import write_out
    from harness.records.store import Store
    from harness.reports.formats import rich_table

    results, json_out = Path(ctx.params["results"]), ctx.params["json_out"]
    reporter = Reporter(quiet=json_out == "-")
    with reporter.working("opening texts and operators"):
        job = open_job(suite, request)
        record = find_record(job, results)
    facts = ", ".join(f"{key} {value}" for key, value in job.facts().items())
    done = f"done before ({record.finished})" if record else "to do"
    reporter.say(f"{suite.name}: {facts}; {done}; record {job.id} in {results}")
    if ctx.params["dry_run"]:
        titles, rows = job.plan()
        if json_out is not None:
            plan = [dict(zip(titles, row, strict=True)) for row in rows]
            write_out(json_out, _dump({"analysis": job.id, "done": record is not None, "plan": plan}))
        if json_out != "-":
            reporter.out.print(_plan_table(titles, rows))
        return
    if record is None:
        Store(results).check_writable()
        record = run_job(job, results, progress=True)
    tables = tables_of(suite, record)
    if json_out is not None:
        write_out(json_out, _dump(_as_json(suite, record.analysis_id, tables)))
    if json_out != "-":
        for table in tables:
            reporter.out.print(rich_table(table), "")


def report_analysis(suite: AnalysisSuite, name: str, results: Path, *, older: bool, form: str) -> None:
    """Print the tables of an analysis suite from the records of a results folder. Raises UsageError if there are none."""
    from rich.console import Console

    from harness.analyses.run import report_tables
    from harness.cli.console import results_console
    from harness.errors import UsageError
    from harness.reports.formats import render, rich_table

    tables, stale, broken = report_tables(suite, results, older=older)
    err = Console(stderr=True, soft_wrap=True)
    for one in broken:
        err.print(f"warning: {one.path} is passed over: {one.reason}", markup=False, highlight=False)
    again = f"augbench run {name} --results {results}"
    if not tables and stale:
        raise UsageError(
            f"every record of {suite.name!r} in {results} was made by other code or settings than today's; show them with "
            f"--older, or count again: {again}"
        )
    if not tables:
        raise UsageError(f"no records of {suite.name!r} in {results}; make one first: {again}")
    if stale and not older:
        ids = ", ".join(record.analysis_id for record in stale)
        err.print(f"not shown, because made by other code or settings than today's: {ids} (--older shows them)")
    if form == "text":
        console = results_console()
        for table in tables:
            console.print(rich_table(table), "")
    else:
        sys.stdout.write(render(tables, form))


def refuse_foreign(suite: AnalysisSuite, given: Mapping[str, Any]) -> None:
    """Raise UsageError naming all options that this suite has no use for, and those it takes."""
    from harness.errors import UsageError

    foreign = [flag for name, flag in _FLAGS.items() if name in given and name not in suite.options]
    if foreign:
        takes = ", ".join([*(_FLAGS[name] for name in suite.options), *_ALWAYS])
        raise UsageError(f"{suite.name} trains nothing and has no use for {', '.join(foreign)}; it takes {takes}.")


def _typed(ctx: typer.Context, name: str) -> bool:
    """Whether the user gave a parameter; its default does not count."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name not in ("DEFAULT", "DEFAULT_MAP")


def _as_json(suite: AnalysisSuite, analysis: str, tables: Sequence[Table]) -> dict[str, Any]:
    from harness.reports.formats import as_json

    return {"suite": suite.name, "kind": suite.kind, "analysis": analysis, "tables": [as_json(t) for t in tables]}


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _plan_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Any:
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable()
    for title in titles:
        table.add_column(title)
    for row in rows:
        table.add_row(*map(Text, row))
    return table
