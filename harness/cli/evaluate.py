"""`augbench evaluate`: all task scores of one encoder, as a table and as JSON."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from harness.evaluation import Evaluation


_LOG_WIDTH = 120  # in a file or a pipe; a terminal has its own


def evaluate(
    encoder: Annotated[str, typer.Option("--encoder", metavar="PATH|ID", help="Model folder or hub id.")],
    pooling: Annotated[
        str | None,
        typer.Option(
            "--pooling",
            help="cls, cls_head, cls_pooler, avg, avg_top2, avg_first_last or avg_embed_last. "
            "Default: what a folder saved by AugBench says, else avg.",
        ),
    ] = None,
    max_length: Annotated[
        int | None,
        typer.Option("--max-length", help="Word pieces per text. Default: the encoder's own limit."),
    ] = None,
    tasks: Annotated[str, typer.Option("--tasks", help="Comma-separated: sts, STS12, STS-B, STS-B:dev, …")] = "sts",
    text: Annotated[
        str, typer.Option("--text", help="original (as published) or senteval (tokenised, lower-cased).")
    ] = "original",
    language: Annotated[str, typer.Option("--language", help="ISO code or name of a language pack.")] = "en",
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Data folder. Default: the environment variable AUGBENCH_DATA."),
    ] = None,
    precision: Annotated[str, typer.Option("--precision", help="auto, fp32, bf16 or fp16.")] = "auto",
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    json_out: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Write JSON; with - it is all there is on standard output."),
    ] = None,
) -> None:
    """Score an encoder on tasks. Every unique sentence is encoded once.

    Examples:

      augbench evaluate --encoder bert-base-uncased --pooling avg_first_last --tasks sts --data DIR

      augbench evaluate --encoder ./my-encoder --tasks STS12,STS-B:dev --json scores.json
    """
    # checked before anything is loaded: nobody should wait for an encoder to learn of a typo
    from rich.console import Console

    from harness.data import open_data
    from harness.tasks import resolve_tasks

    if json_out not in (None, "-"):
        _check_writable(Path(str(json_out)))
    names = [name.strip() for name in tasks.split(",") if name.strip()]
    resolved = resolve_tasks(names, data=open_data(data), language=_code(language), text=text)

    from harness.encoder import open_embedder
    from harness.evaluation import evaluate as run

    embedder = open_embedder(encoder, pooler=pooling, max_length=max_length, precision=precision, device=device)
    result = run(embedder, resolved, progress=sys.stderr.isatty())

    stream = sys.stderr if json_out == "-" else sys.stdout
    console = Console(file=stream, width=None if stream.isatty() else _LOG_WIDTH)
    console.print(table(result, title=encoder))
    for line in remarks(result):
        console.print(line, markup=False, highlight=False)
    if json_out is not None:
        _write(json_out, as_json(result, encoder=encoder))


def as_json(result: Evaluation, *, encoder: str) -> dict[str, Any]:
    """Return what `--json` writes; values are not rounded, undefined ones are null."""
    return {
        "encoder": encoder,
        "embedder": {**result.embedder, "fingerprint": result.fingerprint},
        "scores": [
            {
                "task": task.name,
                "split": task.split,
                "metric": score.metric,
                "aggregation": score.aggregation,
                "value": score.value,
                "items": score.items,
                "protocol": task.protocol.id,
            }
            for task in result.tasks
            for score in result.results[task.id].scores
        ],
    }


#: header and (metric, aggregation) of the score columns
COLUMNS = {
    "Spearman": ("spearman", "all"),
    "Pearson": ("pearson", "all"),
    "ρ mean": ("spearman", "mean"),
    "ρ wmean": ("spearman", "wmean"),
}


def table(result: Evaluation, *, title: str) -> Table:
    """Return the table people read: one row per task, and an average if every test score is there."""
    from rich.table import Table
    from rich.text import Text

    out = Table(title=Text(title), title_justify="left")
    out.add_column("Task", no_wrap=True)
    for header in (*COLUMNS, "Items"):
        out.add_column(header, justify="right")
    out.add_column("Protocol")
    for task in result.tasks:
        present = {(s.metric, s.aggregation) for s in result.results[task.id].scores}
        cells = [_number(result.value(task.id, *wanted)) if wanted in present else "" for wanted in COLUMNS.values()]
        items = result.results[task.id].scores[0].items
        out.add_row(Text(task.id), *cells, f"{items:,}", Text(task.protocol.id))
    tests = [task.id for task in result.tasks if task.split == "test"]
    average = result.average(tests)
    if len(tests) > 1 and average is not None:
        out.add_section()
        out.add_row(f"average of {len(tests)}", _number(average), *[""] * (len(COLUMNS) + 1), style="bold")
    return out


def remarks(result: Evaluation) -> list[str]:
    """Return what has to be said beside the table:

    settings with reasons, counts, seconds, notes of the tasks.
    """
    about = result.embedder
    reason = f" ({about['precision_reason']})" if about.get("precision_reason") else ""
    lines = [
        f"pooling {about.get('pooler', '?')}, at most {about.get('max_length', '?')} word pieces, "
        f"{about.get('precision', '?')}{reason}",
        f"{result.requested:,} sentences asked for, {result.unique:,} encoded in {result.seconds['encode']:.1f} s",
    ]
    for task in result.tasks:
        lines += [f"{task.id}: {note}" for note in result.results[task.id].notes]
    # only test sets are averaged: a dev score beside them is another number
    undefined = [task.id for task in result.tasks if task.split == "test" and result.value(task.id) is None]
    if undefined and len(result.tasks) > 1:
        lines.append(f"no average: {', '.join(undefined)} undefined")
    return lines


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def _code(language: str) -> str:
    """Return the ISO code of a language given by code or by the name of its pack."""
    if len(language) <= 3:
        return language
    from harness.languages import open_pack

    return open_pack(language).code


def _check_writable(path: Path) -> None:
    from harness.errors import UsageError

    if path.is_dir():
        raise UsageError(f"--json {path} is a folder, expected a file name or -.")
    if not path.parent.is_dir():
        raise UsageError(f"the folder of --json {path} does not exist; create it with `mkdir -p {path.parent}`.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"--json {path} cannot be written (permission denied); choose another file.")


def _write(target: str, content: dict[str, Any]) -> None:
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
        return
    from harness.cache import atomic_write

    atomic_write(Path(target), text.encode(), hint="Free some space, or choose another file for --json.")
