"""`augbench ls`: what is there? Languages, methods, operators, tasks, suites, runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from harness.records.store import Store


class What(StrEnum):
    """What can be listed."""

    languages = "languages"
    methods = "methods"
    operators = "operators"
    tasks = "tasks"
    suites = "suites"
    runs = "runs"


def ls(
    what: Annotated[What, typer.Argument(help="languages, methods, operators, tasks, suites or runs.")],
    language: Annotated[str, typer.Option("--language", "-l", help="For operators and tasks.")] = "english",
    data: Annotated[
        Path | None,
        typer.Option("--data", help="For tasks: data folder. Default: AUGBENCH_DATA, else the pack's samples."),
    ] = None,
    results: Annotated[Path, typer.Option("--results", help="For runs: results folder.")] = Path("results"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List what is there.

    Examples:

      augbench ls methods

      augbench ls tasks --data DIR --language en

      augbench ls runs --results results
    """
    if what is What.runs:
        from harness.records.store import Store

        print_runs(Store(results), as_json=as_json)
        return
    listings = {
        What.languages: _languages,
        What.methods: _methods,
        What.operators: lambda: _operators(language),
        What.tasks: lambda: _tasks(language, data),
        What.suites: _suites,
    }
    titles, rows = listings[what]()
    print_rows(titles, rows, as_json=as_json, empty=f"no {what.value} are there.")


#: columns that a terminal has no room for
_JSON_ONLY = ("kind", "default_scale")
Listing = tuple[Sequence[str], list[Sequence[Any]]]


def print_rows(titles: Sequence[str], rows: Iterable[Sequence[Any]], *, as_json: bool, empty: str) -> None:
    """Print a listing as a table, or as a JSON list of objects with the titles as keys."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from harness.cli.console import results_console

    rows = list(rows)
    if as_json:
        listed = [dict(zip(titles, row, strict=True)) for row in rows]
        sys.stdout.write(json.dumps(listed, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
        return
    if not rows:
        Console(stderr=True).print(empty, markup=False, highlight=False)
        return
    shown = [n for n, title in enumerate(titles) if title not in _JSON_ONLY]
    table = Table(box=None, pad_edge=False)
    for title in (titles[n] for n in shown):
        # what has to be typed again must not be cut
        table.add_column(title.replace("_", " ").capitalize(), no_wrap=title in ("run", "name"), overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if row[n] is None else str(row[n])) for n in shown))
    results_console().print(table)


def print_runs(store: Store, *, as_json: bool) -> None:
    """Print all runs of a results folder; damaged records are named on stderr."""
    from rich.console import Console

    err = Console(stderr=True, soft_wrap=True)
    rows: list[dict[str, Any]] = []

    def passed_over(broken: Any) -> None:
        err.print(f"warning: {broken.path} is passed over: {broken.reason}", markup=False, highlight=False)

    for run in store.iter_runs(passed_over):
        spec, record = run.record.spec, run.record
        remark = record.reason if record.status != "ok" else ("plumbing only" if record.plumbing else None)
        scores = {score.task_id: score.value for score in run.scores()}
        rows.append(
            {
                "run": run.train_id,
                "suite": f"{spec.suite}/{spec.scale}",
                "row": spec.row,
                "seed": spec.seed,
                "status": record.status,
                "scores": scores if as_json else _scores(scores),
                "weights": "kept" if run.embedder_folder else None,
                "language": spec.language,
                "encoder": spec.encoder.name,
                "finished": record.finished,
                "remark": remark,
            }
        )
    # a terminal has room for what tells runs apart; the rest is in the JSON
    shown = [
        title
        for title in ("run", "suite", "row", "seed", "status", "scores", "weights", "remark")
        if not rows or any(row[title] not in (None, "") for row in rows)
    ]
    titles = tuple(rows[0]) if rows and as_json else shown
    listed = [tuple(row[title] for title in titles) for row in rows]
    print_rows(titles, listed, as_json=as_json, empty=f"no runs in {store.path}; begin with: augbench run quickstart")


def _scores(scores: Mapping[str, float | None]) -> str:
    """The scores where there is room for them, else how many there are."""
    if len(scores) > 2:
        return f"{len(scores)} tasks"
    return ", ".join(f"{task} {value:.2f}" for task, value in scores.items() if value is not None)


def _languages() -> Listing:
    from harness.languages import open_pack
    from harness.protocols import registry

    rows: list[Sequence[Any]] = []
    for name in registry.names("languages"):
        try:
            pack = open_pack(name)
        except Exception as error:
            rows.append((name, None, None, None, f"cannot be loaded: {error}"))
        else:
            rows.append((name, pack.code, pack.default_encoder, " ".join(pack.default_tasks), str(pack.folder)))
    return ("name", "code", "default_encoder", "default_tasks", "folder"), rows


def _methods() -> Listing:
    from harness.protocols import registry

    rows: list[Sequence[Any]] = []
    for name in registry.names("methods"):
        try:
            method = registry.load("methods", name)
        except Exception as error:
            rows.append((name, f"cannot be loaded: {error}", None, registry.origin("methods", name)))
        else:
            about = (method.__doc__ or "").strip().split("\n")[0]
            rows.append((name, about, " ".join(method.Config.model_fields), registry.origin("methods", name)))
    return ("name", "about", "settings", "origin"), rows


def _operators(language: str) -> Listing:
    from harness.languages import open_pack
    from harness.operators import available, variants

    pack = open_pack(language)
    rows: list[Sequence[Any]] = []
    for name, origin in available(pack).items():
        try:
            listed = " ".join(f"{name}@{variant}" for variant in variants(name, pack))
        except Exception as error:
            listed = f"cannot be loaded: {error}"
        rows.append((name, listed, origin))
    return ("name", "variants", "origin"), rows


def _tasks(language: str, data: Path | None) -> Listing:
    import os

    from harness.data import DataFolder, open_data
    from harness.data.folder import ENVIRONMENT
    from harness.languages import open_pack
    from harness.tasks import families

    pack = open_pack(language)
    folder = DataFolder(pack.samples) if data is None and not os.environ.get(ENVIRONMENT) else open_data(data)
    rows: list[Sequence[Any]] = []
    for name, family in families(folder, pack.code).items():
        for task, splits in family.tasks.items():
            rows.append((task, " ".join(splits), name, str(folder.path / family.where / task)))
    return ("name", "splits", "family", "folder"), rows


def _suites() -> Listing:
    from harness.suite import load_suite, suite_names

    rows: list[Sequence[Any]] = []
    for name in suite_names():
        suite = load_suite(name)
        rows.append((name, suite.kind, suite.title, len(suite.rows), " ".join(suite.scales), suite.default_scale))
    return ("name", "kind", "title", "rows", "scales", "default_scale"), rows
