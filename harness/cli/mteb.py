"""`augbench mteb`: our scores as MTEB's result files, and MTEB's results as reference rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Exchange scores with MTEB: export, import.")


@app.command("export")
def export_(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Beginning of a run's id (`augbench ls runs`).")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where MODEL/REVISION/TASK.json is written.")],
    results: Annotated[Path, typer.Option("--results", help="Results folder.")] = Path("results"),
) -> None:
    """Write the scores of a run as MTEB result files.

    Example:

      augbench mteb export 3f2a mteb-results
    """
    from rich.console import Console

    from harness.cache import atomic_write
    from harness.errors import UsageError
    from harness.evaluation.mteb import Scored, to_mteb
    from harness.records.store import Store

    found = Store(results).find(run)
    files, left_out = to_mteb(
        Scored(
            task=score.task,
            split=score.split,
            language=score.language,
            protocol=score.protocol,
            data_sha=score.data_sha,
            values={(value.metric, value.aggregation): value.value for value in score.scores},
            seconds=score.seconds,
        )
        for score in found.scores()
    )
    console = Console(soft_wrap=True)
    for line in left_out:
        console.print(f"left out: {line}", markup=False, highlight=False)
    if not files:
        raise UsageError(
            f"run {found.train_id} has no score of a task that MTEB has; see `augbench ls runs --results {results}`."
        )
    spec = found.record.spec
    name = f"augbench/{spec.method}-{spec.encoder.name.rsplit('/', 1)[-1]}-seed{spec.seed}"
    target = folder / name.replace("/", "__") / found.train_id
    meta = {"name": name, "revision": found.train_id, "languages": [spec.language], "framework": ["AugBench"]}
    for task, content in {**files, "model_meta": meta}.items():
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        atomic_write(target / f"{task}.json", text.encode())
    console.print(f"{len(files)} tasks are in {target}", markup=False, highlight=False)


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A folder of MTEB results, or one of its JSON files.")],
    out: Annotated[Path, typer.Argument(metavar="FILE.csv", help="Reference rows, columns as in published.csv.")],
) -> None:
    """Read MTEB results as reference rows, which stand beside measured ones and never among them.

    Example:

      augbench mteb import results/my-model rows.csv && export AUGBENCH_PUBLISHED=rows.csv
    """
    from rich.console import Console

    from harness.cache import atomic_write
    from harness.errors import DataError
    from harness.evaluation.mteb import read_mteb
    from harness.published import ENVIRONMENT, write_published

    rows, passed = read_mteb(path)
    console = Console(soft_wrap=True)
    for line in passed:
        console.print(f"passed over: {line}", markup=False, highlight=False)
    if not rows:
        raise DataError(
            f"{path} holds no MTEB result of a task that is known here (STS12 to STS16, STSBenchmark, C-MTEB's STS sets)."
        )
    atomic_write(out, write_published(rows).encode())
    console.print(
        f"{len(rows)} numbers are in {out}; show them with `export {ENVIRONMENT}={out}`", markup=False, highlight=False
    )
