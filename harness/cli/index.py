"""`augbench index`: results folders as one Parquet file, and the paired tests that a board shows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def index(
    results: Annotated[
        list[Path] | None, typer.Option("--results", help="Results folder; several are read together.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Also write the index to this Parquet file.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Read everything again, not only what changed.")] = False,
    tests: Annotated[
        bool, typer.Option("--tests/--no-tests", help="Also compute the paired tests, so that the board need not.")
    ] = True,
) -> None:
    """Read results folders into the index that the leaderboard opens. Only what changed since the last time is read.

    Examples:

      augbench index --results results

      augbench index --results mine --results theirs --out board.parquet
    """
    from rich.console import Console
    from rich.progress import Progress

    from harness.index import open_index, write_index
    from harness.index.prepare import prepare

    console, err = Console(soft_wrap=True, highlight=False), Console(stderr=True)
    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        reading = bar.add_task("reading runs", total=None)
        found = open_index(
            results or [Path("results")],
            fresh=fresh,
            progress=lambda done, total: bar.update(reading, completed=done, total=total),
        )
        if tests:
            comparing = bar.add_task("paired tests", total=None)
            prepare(found, progress=lambda done, total: bar.update(comparing, completed=done, total=total))
    if out is not None:
        write_index(found, out)
    runs, broken = found.rows("run"), found.broken
    console.print(
        f"{len(runs):,} runs, {len(found.rows('score')):,} scores, {len(broken):,} damaged files"
        + (f"; written to {out}" if out else ""),
        markup=False,
    )
    for row in broken.itertuples(index=False):
        console.print(f"damaged: {row.folder}/{row.place}: {row.file}: {row.reason}", markup=False)
